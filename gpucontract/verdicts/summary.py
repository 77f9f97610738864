"""The counts that every summary shows: the six states, which sum to the judged clauses, and waivers apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpucontract.verdicts.states import State
from gpucontract.wording import Text

_LINE = Text(
    "{clauses} 条：{verified} 已证实，{breached} 违约，{marginal} 临界，{inconclusive} 无法判定，{pending} 未测，"
    "{not_applicable} 不适用；{waived} 已豁免",
    "{clauses} clauses, {verified} verified, {breached} breached, {marginal} marginal, {inconclusive} inconclusive, "
    "{pending} pending, {not_applicable} not applicable; {waived} waived",
)
_WITH_REMEDIES = Text("{said}，{remedied} 已商定处理办法", "{said}, {remedied} with a remedy agreed")


@dataclass(frozen=True, slots=True)
class Counts:
    """How many clauses are in each state; waived and remedied ones are counted in their measured state and here."""

    verified: int = 0
    breached: int = 0
    marginal: int = 0
    inconclusive: int = 0
    pending: int = 0
    not_applicable: int = 0
    waived: int = 0
    remedied: int = 0
    breaches_settled: int = 0

    @property
    def open_breaches(self) -> int:
        """The breached clauses for which no remedy is agreed."""
        return self.breached - self.breaches_settled

    @property
    def clauses(self) -> int:
        """All judged clauses: the sum of the six states."""
        return self.verified + self.breached + self.marginal + self.inconclusive + self.pending + self.not_applicable

    @property
    def as_text(self) -> Text:
        """All counts in words."""
        said = _LINE.fill(clauses=self.clauses, **self.by_state, waived=self.waived)
        return _WITH_REMEDIES.fill(said=said, remedied=self.remedied) if self.remedied else said

    @property
    def by_state(self) -> Mapping[str, int]:
        """State -> number of clauses, the worst first."""
        return {state.value: getattr(self, state.value) for state in sorted(State, key=lambda each: -each.severity)}


def count(states: Iterable[str], waived: int = 0, settled: Iterable[str] = ()) -> Counts:
    """Count clause states. settled: the states of those that agreed remedies leave nothing open of."""
    known, remedied = list(states), list(settled)
    counts = {state.value: known.count(state) for state in State}
    return Counts(**counts, waived=waived, remedied=len(remedied), breaches_settled=remedied.count(State.BREACHED))


def summary_line(prefix: str, counts: Counts) -> str:
    """The one line that a program prints last."""
    return (
        f"{prefix}: {counts.clauses} clauses, {counts.verified} verified, {counts.breached} breached, "
        f"{counts.marginal} marginal, {counts.inconclusive} inconclusive, {counts.pending} pending, "
        f"{counts.not_applicable} not applicable; {counts.waived} waived"
    )
