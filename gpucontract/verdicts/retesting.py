"""Which rounds of tests count as retests: what is measured again after a breach, and brought or may bring a result."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from gpucontract.measurements.states import RunState
from gpucontract.verdicts.states import State

# What is measured where: node group, job, leading machine.
Place = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Ordered:
    """One run as it was ordered and what became of it."""

    round: int
    place: Place
    state: RunState
    at: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """From when on a clause was in a state."""

    key: str
    state: State
    at: datetime


def retests(runs: Iterable[Ordered], changes: Iterable[Change], singling: Collection[int]) -> tuple[int, ...]:
    """The numbers of the rounds that count, in order. changes: oldest first. singling: rounds of one pair of machines.

    Not counted: a first measurement, a repeat before anything was breached, a round of which no run brought a result
    (cancelled, machine not reached), and a pair test that only shows which machine is the slow one.
    """
    rounds: dict[int, list[Ordered]] = {}
    for run in runs:
        rounds.setdefault(run.round, []).append(run)
    history, found = tuple(changes), []
    measured: set[Place] = set()
    for number, ordered in sorted(rounds.items()):
        again = any(run.place in measured for run in ordered if run.state is not RunState.FAILED)
        if again and number not in singling and _was_breached(history, min(run.at for run in ordered)):
            found.append(number)
        measured |= {run.place for run in ordered if run.state is RunState.DONE}
    return tuple(found)


def _was_breached(changes: Iterable[Change], at: datetime) -> bool:
    """Whether any clause stood breached at that moment."""
    last = {change.key: change.state for change in changes if change.at <= at}
    return State.BREACHED in last.values()
