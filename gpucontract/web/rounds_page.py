"""The conversation on each line as the rounds page shows it, in the order and with the numbers of the appendix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.http import QueryDict

from gpucontract.accounts.roles import Side
from gpucontract.contracts.models import Revision
from gpucontract.contracts.price_effects import is_price
from gpucontract.contracts.rounds import Said, rounds_of
from gpucontract.contracts.services import Word
from gpucontract.documents.context import appendix
from gpucontract.localise import spoken
from gpucontract.wording import Text


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

    def as_drafted(self, texts: Mapping[str, Text]) -> Thread:
        """The thread under the line's new words where a counter was accepted, so that old words name no new value."""
        if self.last.decision != "accepted" or self.key not in texts:
            return self
        return replace(self, text=spoken(texts[self.key]))

    @property
    def is_price(self) -> bool:
        """Whether it speaks of money, where a counter is haggling and not a change of a machine."""
        return is_price(self.key)

    @property
    def last(self) -> Said:
        """What stands on the newest revision."""
        return self.said[-1]

    @property
    def earlier(self) -> tuple[Said, ...]:
        """What was said on the revisions before."""
        return self.said[:-1]

    @property
    def is_asked(self) -> bool:
        """Whether the newest revision has a counter or question on it that the buyer reads."""
        return self.last.answer in ("counter", "ask") and self.last.is_submitted

    @property
    def is_waiting(self) -> bool:
        """Whether the buyer has not said a word on it yet."""
        return self.last.is_waiting


@dataclass(frozen=True, slots=True)
class Card:
    """One line that waits for a word, with what its inputs hold: what was typed and refused, or what is kept."""

    thread: Thread
    decision: str
    text: str
    settled: bool
    refusal: str = ""

    @property
    def is_typed(self) -> bool:
        """Whether there is more on the page than what is kept."""
        last = self.thread.last
        return bool(self.refusal) or (self.decision, self.text, self.settled) != (
            last.decision, last.reply, last.is_settled,
        )  # fmt: skip


def card_of(thread: Thread, posted: QueryDict, refusals: Mapping[str, Text]) -> Card:
    """The card of one line."""
    last, refusal = thread.last, refusals.get(thread.key)
    said = spoken(refusal) if refusal else ""
    if not posted:
        return Card(thread, last.decision, last.reply, last.is_settled)
    word = word_in(posted, thread)
    return Card(thread, word.decision, word.text, word.settled, said)


def word_in(posted: QueryDict, thread: Thread) -> Word:
    """The buyer's word on one line as posted; a reply needs no choice beside its text."""
    text = posted.get(f"text-{thread.key}", "")
    if thread.last.answer == "counter":
        decision, settled = posted.get(f"decision-{thread.key}", ""), f"settled-{thread.key}" in posted
        return Word(decision, text, settled and decision == "accepted")
    return Word("replied" if text.strip() or thread.last.decision else "", text)


def threads_of(revision: Revision, side: Side | None) -> list[Thread]:
    """Every line of the revision that was talked about."""
    rounds = rounds_of(revision.contract, side)
    lines = [line for chapter in appendix(revision.body(), "").chapters for line in chapter.lines]
    return [Thread(line.number, line.key, spoken(line.text), rounds[line.key]) for line in lines if line.key in rounds]
