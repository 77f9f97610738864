"""Judging facts: counts, names, versions, health. One run decides, without tolerance; a second may contradict it.

Among several runs of one round the newest speaks. If it passes where an older run of the same round failed, the answer
is inconclusive and names both: only a new round, after a cure, makes the older one void. Wrong results and fatal
Xids stay breached whatever came after, because they happened.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucontract.catalogue.gpus import find
from gpucontract.contracts.clauses import Clause, Scope
from gpucontract.measurements.parsers.capture import ReadingValue
from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts import ceilings
from gpucontract.verdicts.comparing import Outcome, compare
from gpucontract.verdicts.containers import seen_from_inside
from gpucontract.verdicts.hearing import Answer, Hearing
from gpucontract.verdicts.sightings import Reader, Seen, rounding_of
from gpucontract.verdicts.states import ScopeVerdict, State

# Events, not conditions: once seen they happened, so a later clean run does not undo them.
_EVENTS = ("nccl_wrong_count", "xid_critical_count")
# Reasons for a missing value that have a sentence of their own; any other is quoted.
_SPOKEN = (
    "sources_disagree", "no_login", "in_container", "not_root", "runtime_not_read", "validation_off", "ports_missing",
    "over_tcp", "half_read", "same_serials", "idle_link",
    "too_short", "not_all_gpus", "too_fast", "beyond_port", "virtual_port",
)  # fmt: skip

# Sizes that tools also print rounded.
_SIZES = ("ram_total_gib", "fs_capacity_tb", "fs_free_tb")

Shown = tuple[RunRecord, tuple[Seen, ...]]


def judge_facts(hearing: Hearing, reader: Reader) -> tuple[ScopeVerdict, ...]:
    """One verdict per local scope at this place: those the newest telling run shows and those that must be there."""
    if not hearing.admitted.records:
        return (hearing.without_runs(),)
    shown = [(record, tuple(reader(record, hearing.clause))) for record in hearing.admitted.records]
    telling = [(record, seen) for record, seen in shown if seen]
    if not telling:
        return (hearing.without_readings(),)
    newest, sightings = telling[-1]
    verdicts = (_against_older(hearing, _said(hearing, seen, newest), telling[:-1]) for seen in sightings)
    return (*(seen_from_inside(hearing, each) for each in verdicts), *_missing(hearing, sightings, newest))


def answer(hearing: Hearing, seen: Seen, record: RunRecord | None = None) -> Answer:
    """What one sighting says about the clause; with its run also whether such a value can be."""
    if seen.value is None:
        if seen.why == "not_applicable" and _may_be_left_out(hearing):
            return Answer(State.NOT_APPLICABLE, "not_applicable", facts=seen.facts)
        reason = seen.why if seen.why in _SPOKEN else "unread"
        return Answer(State.INCONCLUSIVE, reason, facts={"detail": seen.why, **seen.facts})
    if hearing.clause.metric == "node_count_reachable":
        return Answer(State.VERIFIED, "answered", str(seen.value), seen.facts)
    try:
        outcome = _compared(hearing, seen, seen.value, record)
    except (ValueError, ArithmeticError, TypeError) as fault:
        return Answer(State.INCONCLUSIVE, "unread", facts={"detail": str(fault)})
    facts = {**seen.facts, **outcome.facts} if outcome.facts else seen.facts
    reason = seen.missed if seen.missed and outcome.reason == "missed" else outcome.reason
    return Answer(outcome.state, reason, outcome.value, facts)


def _may_be_left_out(hearing: Hearing) -> bool:
    """Whether the contract itself makes the clause void here: a machine that shows less than promised does not."""
    if hearing.clause.metric == "p2p_enabled":
        return gpus_at(hearing) == 1
    gpu = find(_model(hearing))
    if hearing.clause.metric == "gpu_mig_mode":
        return gpu is not None and not gpu.may_have_mig
    return gpu is None or gpu.is_geforce


def _compared(hearing: Hearing, seen: Seen, value: ReadingValue, record: RunRecord | None) -> Outcome:
    clause = hearing.clause
    has_ceiling = record is not None and clause.metric in ceilings.READINGS
    about = ceilings.part(clause.metric, seen, record) if record is not None and has_ceiling else ""
    # Type and text belong to the key: 1, True, Decimal(1) and Decimal("1.0") are equal and are not shown alike.
    # The contracted model too: a clause of the whole contract is asked of every group, each with its own ceiling.
    model = _model(hearing) if has_ceiling else ""
    known = hearing.context.outcomes
    key = (clause.key, type(value), str(value), seen.unit, seen.rounding, about, model)
    if key not in known:
        outcome = _unless_rounded(clause, seen, value, compare(clause, value, seen.unit))
        known[key] = _believable(clause.metric, seen, about, model, outcome) if has_ceiling else outcome
    return known[key]


def _unless_rounded(clause: Clause, seen: Seen, value: ReadingValue, outcome: Outcome) -> Outcome:
    """The outcome, unless a size rounded by its tool may be on either side of the mark."""
    step = rounding_of(value, seen.unit) if clause.metric in _SIZES else seen.rounding
    if not step or not isinstance(value, Decimal):
        return outcome
    near = (compare(clause, max(value + each, Decimal(0)), seen.unit).state for each in (-step, step))
    is_open = any(state is not outcome.state for state in near)
    return Outcome(State.INCONCLUSIVE, outcome.value, "rounded") if is_open else outcome


def _model(hearing: Hearing) -> str:
    groups = hearing.context.body.groups
    return next((group.gpu_model for group in groups if group.has(hearing.context.place)), "")


def _believable(metric: str, seen: Seen, about: str, model: str, outcome: Outcome) -> Outcome:
    """The outcome, unless no such machine exists: then it neither verifies nor breaches."""
    most = ceilings.most(metric, seen, about, model)
    if most is None or seen.value is None or not most.is_below(seen.value, seen.unit):
        return outcome
    return Outcome(State.INCONCLUSIVE, outcome.value, "beyond", {"most": most.shown, "why": most.why})


def _said(hearing: Hearing, seen: Seen, record: RunRecord) -> ScopeVerdict:
    return hearing.say(answer(hearing, seen, record), seen.local, (record,))


def _against_older(hearing: Hearing, newest: ScopeVerdict, older: list[Shown]) -> ScopeVerdict:
    """The newest answer, unless an older run of the round failed here where it passes."""
    if newest.state is not State.VERIFIED:
        return newest
    for record, sightings in reversed(older):
        for seen in sightings:
            earlier = _said(hearing, seen, record)
            if earlier.scope == newest.scope and earlier.state is State.BREACHED:
                return _contradicted(hearing, newest, earlier)
    return newest


def _contradicted(hearing: Hearing, newest: ScopeVerdict, earlier: ScopeVerdict) -> ScopeVerdict:
    if hearing.clause.metric in _EVENTS:
        return earlier
    runs = tuple(record for record in hearing.admitted.records if record.id in earlier.runs + newest.runs)
    facts = {"earlier": earlier.value, "later": newest.value}
    return hearing.say_of(newest.scope, Answer(State.INCONCLUSIVE, "contradiction", earlier.value, facts), runs)


def _missing(hearing: Hearing, sightings: tuple[Seen, ...], record: RunRecord) -> Iterator[ScopeVerdict]:
    """The contracted GPUs that the run did not show: unreadable if the tool says so, else simply not seen yet."""
    if hearing.clause.scope is not Scope.GPU:
        return
    shown = {seen.local for seen in sightings}
    is_dead = any(reading.value for _, reading in record.readings("gpu_unreadable"))
    absent = Answer(State.INCONCLUSIVE, "unreadable") if is_dead else Answer(State.PENDING, "no_reading")
    for index in range(gpus_at(hearing)):
        if f"gpu{index}" not in shown:
            yield hearing.say(absent, f"gpu{index}", (record,))


def gpus_at(hearing: Hearing) -> int:
    """How many GPUs the machine at this place must have."""
    groups = hearing.context.body.groups
    return next((group.gpus_per_node for group in groups if group.has(hearing.context.place)), 0)
