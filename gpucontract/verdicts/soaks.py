"""Interrupts of a burn-in, added up over a group: only what the machines did themselves, over all the promised hours.

What is certain breaches at once, since a count only grows. It verifies once every machine worked the promised hours
and what nobody can attribute from here would not exceed the permitted number either.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from gpucontract.measurements.records import RunRecord
from gpucontract.units import UnitError
from gpucontract.verdicts.comparing import condition_number, in_unit, is_met, number_of
from gpucontract.verdicts.derive import is_faster_than_time
from gpucontract.verdicts.hearing import Answer, Hearing
from gpucontract.verdicts.sightings import one
from gpucontract.verdicts.states import ScopeVerdict, State

# Starting again after a permitted interrupt takes a little of the hours.
WORKED_SHARE = Decimal("0.99")
_HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class _Soaked:
    """One run of one machine: certain interrupts, open ones, and why it does not show the promised hours."""

    sure: int = 0
    open: int = 0
    miss: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


def judge_interrupts(hearing: Hearing) -> tuple[ScopeVerdict, ...]:
    """One verdict for the group."""
    if not hearing.admitted.records:
        return (hearing.without_runs(),)
    runs: dict[str, list[_Soaked]] = defaultdict(list)
    for record in hearing.admitted.records:
        runs[record.lead].append(_soaked(record, hearing))
    answer = _counted(hearing, runs) or _exposed(hearing, runs) or _settled(hearing, runs)
    return (hearing.say(answer, used=hearing.admitted.records),)


def _counted(hearing: Hearing, runs: dict[str, list[_Soaked]]) -> Answer | None:
    """A breach, as soon as the certain interrupts are more than permitted, whatever else is open."""
    total = _sure(runs)
    if is_met(hearing.clause, Decimal(total)):
        return None
    where = [node for node in sorted(runs) if any(run.sure for run in runs[node])]
    return Answer(State.BREACHED, "interrupted", Decimal(total), {"where": where})


def _exposed(hearing: Hearing, runs: dict[str, list[_Soaked]]) -> Answer | None:
    """Whether a machine has not shown the promised hours yet."""
    missing = [node for node in hearing.context.body.group(hearing.clause.code).node_codes if node not in runs]
    if missing:
        return Answer(State.PENDING, "soak_missing", None, {"where": missing, "count": len(missing)})
    short = {node: own[-1] for node, own in runs.items() if all(run.miss for run in own)}
    if not short:
        return None
    first = short[min(short)]
    return Answer(State.INCONCLUSIVE, first.miss, None, {**first.facts, "where": sorted(short)})


def _settled(hearing: Hearing, runs: dict[str, list[_Soaked]]) -> Answer:
    sure, beside = _sure(runs), sum(max(run.open for run in own) for own in runs.values())
    if is_met(hearing.clause, Decimal(sure + beside)):
        return Answer(State.VERIFIED, "met", Decimal(sure))
    where = [node for node in sorted(runs) if any(run.open for run in runs[node])]
    return Answer(State.INCONCLUSIVE, "interrupts_open", None, {"sure": sure, "open": beside, "where": where})


def _sure(runs: dict[str, list[_Soaked]]) -> int:
    return sum(max(run.sure for run in own) for own in runs.values())


def _soaked(record: RunRecord, hearing: Hearing) -> _Soaked:
    """What one run shows; a run that a tool spoilt shows nothing."""
    error = next((each.error for each in record.outputs if each.error), "")
    if error:
        return _Soaked(miss="tool_failed", facts={"detail": error})
    numbers = {name: _number(record, name) for name in ("load_interrupts", "load_interrupts_open", "unfinished_loads")}
    if any(number is None for number in numbers.values()):
        unread = one(record, "load_interrupts")
        return _Soaked(miss="unread", facts={"detail": unread.why if unread and unread.why else "not_printed"})
    sure, beside, unfinished = (int(number or 0) for number in numbers.values())
    return _Soaked(sure, beside + unfinished, *_short(record, hearing))


def _short(record: RunRecord, hearing: Hearing) -> tuple[str, dict[str, Any]]:
    """Why a run does not show the promised hours of every GPU, or ""."""
    hours = condition_number(hearing.clause.conditions, "hours") or Decimal(0)
    gpus, seen = hearing.context.body.group(hearing.clause.code).gpus_per_node, _number(record, "load_gpus")
    if seen != gpus:
        return "not_all_gpus", {"seen": "?" if seen is None else str(seen), "wanted": str(gpus)}
    worked = _seconds(record, "load_worked")
    if worked is not None and is_faster_than_time(record, worked):
        return "too_fast", {"seconds": worked}
    if worked is None or worked < hours * _HOUR_S * WORKED_SHARE:
        return "soak_short", {"hours": hours, "worked": "?" if worked is None else str(round(worked / _HOUR_S, 1))}
    return "", {}


def _number(record: RunRecord, name: str) -> Decimal | None:
    seen = one(record, name)
    return None if seen is None else number_of(seen.value)


def _seconds(record: RunRecord, name: str) -> Decimal | None:
    seen = one(record, name)
    try:
        return None if seen is None or seen.value is None else in_unit(seen.value, seen.unit, "s")
    except UnitError:
        return None
