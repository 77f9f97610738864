"""The conversation on each line as the rounds page shows it, in the order and with the numbers of the appendix."""

from __future__ import annotations

from dataclasses import dataclass

from gpucontract.accounts.roles import Side
from gpucontract.contracts.models import Revision
from gpucontract.contracts.rounds import Said, rounds_of
from gpucontract.documents.context import appendix
from gpucontract.localise import spoken


@dataclass(frozen=True, slots=True)
class Thread:
    """One line that was talked about. said: oldest first."""

    number: str
    key: str
    text: str
    said: tuple[Said, ...]

    @property
    def anchor(self) -> str:
        """The thread's own place on the page."""
        return f"line-{self.number.replace('.', '-')}"

    @property
    def last(self) -> Said:
        """What stands on the newest revision."""
        return self.said[-1]

    @property
    def is_asked(self) -> bool:
        """Whether the newest revision has a counter or question on it that the buyer reads."""
        return self.last.answer in ("counter", "ask") and self.last.is_submitted

    @property
    def is_waiting(self) -> bool:
        """Whether the buyer has not said a word on it yet."""
        return self.last.is_waiting


def threads_of(revision: Revision, side: Side | None) -> list[Thread]:
    """Every line of the revision that was talked about."""
    rounds = rounds_of(revision.contract, side)
    lines = [line for chapter in appendix(revision.body(), "").chapters for line in chapter.lines]
    return [Thread(line.number, line.key, spoken(line.text), rounds[line.key]) for line in lines if line.key in rounds]
