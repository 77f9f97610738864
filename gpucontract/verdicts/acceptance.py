"""May a contract be accepted: every mandatory clause verified, waived, marginal and ticked, or with a remedy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.plan import SETTLING_NOTHING
from gpucontract.verdicts.states import State
from gpucontract.wording import Text

_DAY = Text(
    "乙方登记的交付日 {day} 甲方还没有确认：先确认交付日，验收期和租期才有确定的起点。",
    "The vendor recorded {day} as the day of the delivery and the buyer has not confirmed it: confirm the day first, "
    "so that the window and the term count from a certain day.",
)
_DENIED = Text(
    "甲方表示没有收到机器（{why}）：收到之后先确认交付日，再作验收决定。",
    "The buyer says that the machines were not received ({why}): confirm the day once they are here, then decide.",
)
_RUNS = Text(
    "第 {round} 轮还有 {count} 项测试在排队或运行，结果可能改变判定：请等到结果，或取消不再需要的测试。",
    "Tests of round {round} still queued or running: {count}. Their results may change verdicts: wait for them, or "
    "cancel what is not needed any more.",
)


class Cause(StrEnum):
    DAY = "day"
    RUNS = "runs"


@dataclass(frozen=True, slots=True)
class Delay:
    """What a decision has to wait for, and what to do about it."""

    cause: Cause
    text: Text


@dataclass(frozen=True, slots=True)
class Settlement:
    """The mandatory clauses that are not settled, in paper order. blocking: by key; marginal: what a tick would do."""

    blocking: Mapping[str, State]
    marginal: tuple[str, ...]

    def holds_with(self, ticked: Collection[str]) -> bool:
        """Whether nothing is left once these marginal clauses are accepted."""
        return not self.blocking and set(self.marginal) <= set(ticked)


def delays(unconfirmed: date | None, denied: str, open_runs: Iterable[tuple[int, str]]) -> tuple[Delay, ...]:
    """What acceptance waits for although every clause may be settled.

    unconfirmed: the day that only the vendor stated; denied: why the buyer says that nothing was received. open_runs:
    (round, job) of every test that may still bring a result.
    """
    found = []
    if unconfirmed:
        text = _DENIED.fill(why=denied) if denied else _DAY.fill(day=unconfirmed)
        found.append(Delay(Cause.DAY, text))
    rounds = Counter(number for number, job in open_runs if job not in SETTLING_NOTHING)
    found += [Delay(Cause.RUNS, _RUNS.fill(round=number, count=count)) for number, count in sorted(rounds.items())]
    return tuple(found)


def settlement(
    clauses: Iterable[Clause],
    states: Mapping[str, str],
    waived: Collection[str],
    left: Mapping[str, State | None] | None = None,
) -> Settlement:
    """states: clause key -> measured state; a judged clause without one is pending, never settled.

    left: what agreed remedies leave of a clause, None where they settle it.
    """
    asked = [each.key for each in clauses if each.is_judged and each.mandatory and each.key not in waived]
    measured = {key: State(states.get(key, State.PENDING)) for key in asked}
    open_ones = {key: (left or {}).get(key, state) for key, state in measured.items() if state.is_failing}
    failing = {key: state for key, state in open_ones.items() if state is not None}
    # A tick speaks of the value that the verdict shows, so what only the rest is may not be ticked away.
    marginal = tuple(key for key in failing if measured[key] is State.MARGINAL)
    return Settlement({key: state for key, state in failing.items() if key not in marginal}, marginal)
