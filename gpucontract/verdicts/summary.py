"""The counts that every summary shows: the six states, which sum to the judged clauses, and waivers apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
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
    """How many clauses are in each state; waived and remedied ones are counted in their measured state and here.

    aside: (measured state, whether waived, whether remedied) of each clause that is either.
    """

    verified: int = 0
    breached: int = 0
    marginal: int = 0
    inconclusive: int = 0
    pending: int = 0
    not_applicable: int = 0
    waived: int = 0
    remedied: int = 0
    aside: tuple[tuple[str, bool, bool], ...] = ()

    def looks(self, sees_waivers: bool) -> Mapping[str, int]:
        """Every clause once, as a reader's pages show it: waived or remedied ones as that, the others as measured."""
        found = Counter(self.by_state)
        for state, is_waived, is_remedied in self.aside:
            look = "waived" if is_waived and sees_waivers else "remedied" if is_remedied else state
            found[state] -= 1
            found[look] += 1
        return dict(found)

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


def count(states: Mapping[str, str], waived: Collection[str] = (), settled: Collection[str] = ()) -> Counts:
    """Count clause states by key. settled: the keys of those that agreed remedies leave nothing open of."""
    known = list(states.values())
    counts = {state.value: known.count(state) for state in State}
    marked = [(state, key in waived, key in settled) for key, state in states.items()]
    aside = tuple(each for each in marked if each[1] or each[2])
    return Counts(**counts, waived=len(waived), remedied=sum(each[2] for each in aside), aside=aside)


def summary_line(prefix: str, counts: Counts) -> str:
    """The one line that a program prints last."""
    return (
        f"{prefix}: {counts.clauses} clauses, {counts.verified} verified, {counts.breached} breached, "
        f"{counts.marginal} marginal, {counts.inconclusive} inconclusive, {counts.pending} pending, "
        f"{counts.not_applicable} not applicable; {counts.waived} waived"
    )
