"""Judging rates: the contracted number of runs under the contracted conditions, their median, best or worst.

Which runs: the first n valid ones by the server's clock; later ones are set aside as extra, so that nobody can run
until it passes. Fewer than n: pending. One contracted run that misses is inconclusive until a second one misses too;
one that passes beside one that misses settles nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal

from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts.admission import telling
from gpucontract.verdicts.collectives import collective_trial
from gpucontract.verdicts.comparing import is_met, miss_pct
from gpucontract.verdicts.disks import storage_trial
from gpucontract.verdicts.fabric import carried
from gpucontract.verdicts.hearing import Answer, Hearing
from gpucontract.verdicts.loads import load_trial
from gpucontract.verdicts.plausibility import Wires
from gpucontract.verdicts.scopes import joined
from gpucontract.verdicts.states import ScopeVerdict, State
from gpucontract.verdicts.trials import Trial

Try = Callable[[RunRecord, Clause, Wires], Trial]

TRIALS: dict[str, Try] = {
    "nccl_allreduce_busbw_intra": collective_trial,
    "nccl_busbw_inter": collective_trial,
    "fio_seq_read_gbs": storage_trial,
    "fs_aggregate_read_gbs": storage_trial,
    "fio_rand_read_iops": storage_trial,
}


def judge_rate(hearing: Hearing) -> tuple[ScopeVerdict, ...]:
    """One verdict for a machine, or one for each set of machines that ran together."""
    if hearing.clause.metric == "gemm_bf16_tflops":
        return _by_gpu(hearing)
    attempt = TRIALS.get(hearing.clause.metric)
    if attempt is None or not hearing.admitted.records:
        return (hearing.without_runs(),)
    measured, body = carried(hearing), hearing.context.body
    trials = [attempt(each, hearing.clause, Wires(body, each.nodes, measured)) for each in hearing.admitted.records]
    if not any(trial.why != "not_read" for trial in trials):
        return (hearing.without_readings(),)
    if hearing.context.place != hearing.clause.code:
        return (decided(hearing, hearing.context.place, trials),)
    return tuple(decided(hearing, scope, group) for scope, group in _by_nodes(hearing, trials))


def combined(values: Iterable[Decimal], rule: str, is_more_better: bool = True) -> Decimal:
    """The median, best or worst of some values; the median of an even number is the mean of the middle two."""
    ordered = sorted(values, reverse=not is_more_better)
    if rule == "best":
        return ordered[-1]
    if rule == "worst":
        return ordered[0]
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _by_gpu(hearing: Hearing) -> tuple[ScopeVerdict, ...]:
    """One verdict for each contracted GPU of the machine."""
    if not hearing.admitted.records:
        return (hearing.without_runs(),)
    place, body = hearing.context.place, hearing.context.body
    gpus = (f"gpu{index}" for index in range(body.group(hearing.clause.code).gpus_per_node))
    return tuple(
        decided(
            hearing,
            f"{place}/{gpu}",
            [load_trial(each, hearing.clause, body, gpu) for each in hearing.admitted.records],
        )
        for gpu in gpus
    )


def _by_nodes(hearing: Hearing, trials: list[Trial]) -> list[tuple[str, list[Trial]]]:
    """Trials by the set of machines that took part, so that different teams are not mixed into one median."""
    teams = {joined(trial.record.nodes, hearing.context.body): trial.record.nodes for trial in trials}
    return [
        (scope, [trial for trial in trials if set(trial.record.nodes) == set(nodes)])
        for scope, nodes in sorted(teams.items())
    ]


def decided(hearing: Hearing, scope: str, trials: list[Trial]) -> ScopeVerdict:
    """The verdict of one scope from its trials, oldest first: the first so many valid ones, as the clause says."""
    valid = [trial for trial in trials if trial.value is not None]
    rejected = tuple((trial.record.id, trial.why) for trial in trials if trial.value is None)
    if not valid:
        return _none_counts(hearing, scope, trials, rejected)
    wanted = hearing.clause.repeats
    used = valid if wanted == 1 else valid[:wanted]
    extra = tuple((trial.record.id, "extra") for trial in valid[len(used) :])
    return hearing.with_aside(rejected + extra).say_of(scope, _verdict(hearing, used), _records(used))


def _none_counts(
    hearing: Hearing, scope: str, trials: list[Trial], rejected: tuple[tuple[str, str], ...]
) -> ScopeVerdict:
    """Runs came but none met the conditions: inconclusive, with the most telling reason and its numbers."""
    reason = telling(rejected)
    spoken = next(trial for trial in reversed(trials) if trial.why == reason)
    facts = {**spoken.facts, "runs_seen": len(trials)}
    state = State.NOT_APPLICABLE if reason == "single_rank" and _is_single(hearing) else State.INCONCLUSIVE
    answer = Answer(state, "not_applicable" if state is State.NOT_APPLICABLE else reason, None, facts)
    return hearing.with_aside(rejected).say_of(scope, answer, (spoken.record,))


def _verdict(hearing: Hearing, used: list[Trial]) -> Answer:
    clause = hearing.clause
    values = [trial.value for trial in used if trial.value is not None]
    facts = {**used[-1].facts, "values": values, "rule": clause.repeat_rule, "wanted": clause.repeats}
    if len(values) < clause.repeats:
        return Answer(State.PENDING, "few_runs", None, facts)
    if clause.repeats == 1:
        return _single(clause, values, facts)
    value = combined(values, clause.repeat_rule, clause.operator != "<=")
    state, reason = graded(clause, value)
    return _two_node(clause, Answer(state, reason, value, facts))


def graded(clause: Clause, value: Decimal) -> tuple[State, str]:
    """Verified, marginal within the contract's tolerance, or breached."""
    if is_met(clause, value):
        return State.VERIFIED, "met"
    miss = miss_pct(clause, value)
    if clause.tolerance and miss is not None and -miss <= clause.tolerance:
        return State.MARGINAL, "marginal"
    return State.BREACHED, "missed"


def _single(clause: Clause, values: list[Decimal], facts: dict[str, object]) -> Answer:
    """One contracted run: it verifies alone, but a miss needs a second miss."""
    misses = [value for value in values if not is_met(clause, value)]
    if not misses:
        return _two_node(clause, Answer(State.VERIFIED, "met", values[0], facts))
    if len(misses) == 1:
        reason = "once_below" if len(values) == 1 else "split_runs"
        return Answer(State.INCONCLUSIVE, reason, misses[0], facts)
    best = combined(misses, "best", clause.operator != "<=")
    state, reason = graded(clause, best)
    return Answer(state, reason, best, facts)


def _two_node(clause: Clause, answer: Answer) -> Answer:
    """On exactly two machines the default all_reduce overstates: a pass proves nothing, a miss still counts."""
    is_doubtful = (
        clause.metric == "nccl_busbw_inter"
        and answer.facts.get("collective") == "all_reduce"
        and answer.facts.get("hosts_seen") == 2
        and str(clause.conditions.get("algorithm", "")).lower() != "ring"
    )
    if is_doubtful and answer.state in (State.VERIFIED, State.MARGINAL):
        return Answer(State.INCONCLUSIVE, "two_node_all_reduce", answer.value, answer.facts)
    return answer


def _records(trials: list[Trial]) -> tuple[RunRecord, ...]:
    return tuple(trial.record for trial in trials)


def _is_single(hearing: Hearing) -> bool:
    groups = hearing.context.body.groups
    return any(group.gpus_per_node * group.node_count == 1 for group in groups if group.code == hearing.clause.code)
