"""The judge: judge_scopes answers a clause at one place, condense keeps what matters, decide answers for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from operator import attrgetter
from types import MappingProxyType

from gpucontract.canonical import digest
from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause, Scope, VerifiedBy
from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts import sentences
from gpucontract.verdicts.admission import Context
from gpucontract.verdicts.answers import PlaceVerdict, answer_of
from gpucontract.verdicts.comparing import judged_unit, miss_pct, rounded
from gpucontract.verdicts.derive import READERS
from gpucontract.verdicts.documents_rule import judge_document
from gpucontract.verdicts.fabric import counted_ports, fastest_ports, judge_fabric_type, judge_gpu_direct
from gpucontract.verdicts.facts import judge_facts
from gpucontract.verdicts.hearing import Admissions, Answer, Hearing, hear
from gpucontract.verdicts.machines import judge_gpu_count, judge_model, judge_one_machine
from gpucontract.verdicts.port_rates import judge_writes
from gpucontract.verdicts.rates import judge_rate
from gpucontract.verdicts.scopes import in_order, joined, places
from gpucontract.verdicts.settling import Settled, settle
from gpucontract.verdicts.sightings import Reader
from gpucontract.verdicts.soaks import judge_interrupts
from gpucontract.verdicts.states import (
    MOST_EXCEPTIONS,
    ClauseVerdict,
    ScopeVerdict,
    Shortfall,
    State,
)

# A higher number judges every run again.
RULES_VERSION = 17
# A margin beyond this says nothing more; it still has to fit its column.
MOST_PCT = Decimal(10) ** 12

# Shared by all places with one scope: half a million counters of one were a quarter of judging's memory.
_ONE_OF: Mapping[State, Mapping[State, int]] = {state: MappingProxyType({state: 1}) for state in State}

_PLACE, _UNTIL = attrgetter("place"), attrgetter("fresh_until")

Judge = Callable[[Hearing], tuple[ScopeVerdict, ...]]


def judge_place(clauses: Iterable[Clause], records: Iterable[RunRecord], context: Context) -> dict[str, PlaceVerdict]:
    """Clause key -> the condensed answer of each of these clauses at context.place, from the runs that touch it."""
    known, admissions = tuple(records), Admissions()
    return {
        clause.key: condense(context.place, clause, judge_scopes(clause, known, context, admissions))
        for clause in clauses
    }


def judge_scopes(
    clause: Clause, records: Iterable[RunRecord], context: Context, admissions: Admissions | None = None
) -> tuple[ScopeVerdict, ...]:
    """The verdicts of one clause at context.place, from the runs that touch this place; at least one, never none."""
    if clause.verified_by is VerifiedBy.DOCUMENT:
        papers = context.papers.get(clause.key, ())
        return (judge_document(clause, papers, context.now, accept_unsigned=context.accept_unsigned),)
    return judge_heard(hear(clause, records, context, admissions))


def judge_heard(hearing: Hearing) -> tuple[ScopeVerdict, ...]:
    """The verdicts of a measured clause at one place, from the runs that were admitted there."""
    if not _applies(hearing):
        return (hearing.say(Answer(State.NOT_APPLICABLE, "not_applicable"), used=()),)
    return _judge_of(hearing.clause)(hearing)


def condense(place: str, clause: Clause, verdicts: Iterable[ScopeVerdict]) -> PlaceVerdict:
    """What a node's document keeps: the deciding scope, every failing one, and counts; of a group, every scope."""
    known = list(verdicts)
    if len(known) == 1:
        return answer_of(place, known, _ONE_OF[known[0].state], known[0])
    known.sort(key=lambda verdict: _rank(clause, verdict))
    kept = [known[0], *(each for each in known[1:] if each.state.is_failing or place == clause.code)]
    return answer_of(place, kept, Counter(verdict.state for verdict in known), min(known, key=_ages))


def decide(clause: Clause, answers: Iterable[PlaceVerdict], body: Body) -> ClauseVerdict:
    """The clause's verdict from its places' answers; a place without one counts as not measured. The worst decides."""
    here = _everywhere(clause, answers, body)
    return conclude(clause, settle(clause, here, body), min(set(map(_UNTIL, here)) - {None}, default=None), body)


def conclude(clause: Clause, settled: Settled, until: datetime | None, body: Body) -> ClauseVerdict:
    """The verdict that the scopes which decide a clause come to; until: when the first of its evidence goes stale."""
    ordered = sorted(settled.scopes, key=lambda verdict: _rank(clause, verdict))
    worst = ordered[0]
    failing = [each for each in ordered if each.state.is_failing]
    return ClauseVerdict(
        key=clause.key, state=worst.state, scope=_blamed(worst, body), value=worst.value, unit=judged_unit(clause),
        margin_pct=margin_pct(clause, worst), sentence=sentences.of_clause(clause, ordered, settled.counts, body),
        attribution=worst.attribution, counts=settled.counts,
        failing=tuple(sorted((each.scope, each.state) for each in failing)), finding=_finding(failing),
        exceptions=tuple(_shortfall(clause, each, body) for each in failing[:MOST_EXCEPTIONS]),
        runs=worst.runs, aside=worst.aside, reason=worst.reason, nodes=tuple(worst.facts.get("nodes", ())),
        fresh_until=until,
    )  # fmt: skip


def _finding(failing: Iterable[ScopeVerdict]) -> str:
    """The digest of what every failing scope shows, numbers and reasons too: another one is another finding."""
    return digest(sorted([each.scope, each.state.value, str(each.value), each.reason] for each in failing))


def _everywhere(clause: Clause, answers: Iterable[PlaceVerdict], body: Body) -> list[PlaceVerdict]:
    """One answer for each place that must give one, in the order of their names."""
    given, expected = list(answers), in_order(places(clause, body))
    if tuple(map(_PLACE, given)) == expected:
        return given
    known = {answer.place: answer for answer in given}
    return [known.get(place) or _untouched(place, clause) for place in expected]


def _ages(verdict: ScopeVerdict) -> tuple[bool, datetime]:
    """What goes stale first comes first, what never does last."""
    return verdict.fresh_until is None, verdict.fresh_until or datetime.max


def _blamed(worst: ScopeVerdict, body: Body) -> str:
    """The scope to name: what a joint run could not decide is every machine's of that run, not the first one's."""
    nodes = worst.facts.get("nodes", ())
    return joined(nodes, body) if worst.state is State.INCONCLUSIVE and nodes else worst.scope


def margin_pct(clause: Clause, verdict: ScopeVerdict) -> Decimal | None:
    """Percent above (+) or below (-) the mark, to two decimals; None for words, versions and a mark of 0."""
    if not isinstance(verdict.value, Decimal) or not isinstance(clause.value, Decimal):
        return None
    gap = miss_pct(clause, verdict.value)
    return None if gap is None else rounded(min(max(gap, -MOST_PCT), MOST_PCT), 2)


def _rank(clause: Clause, verdict: ScopeVerdict) -> tuple[int, Decimal, str]:
    """Worst state first, then the smallest margin, then by name, so that the order of arrival changes nothing."""
    margin = margin_pct(clause, verdict)
    return -verdict.state.severity, Decimal(0) if margin is None else margin, verdict.scope


def _untouched(place: str, clause: Clause) -> PlaceVerdict:
    reason = "no_file" if clause.verified_by is VerifiedBy.DOCUMENT else "no_run"
    return condense(place, clause, [ScopeVerdict(place, State.PENDING, reason, facts={"jobs": clause.jobs})])


def _shortfall(clause: Clause, verdict: ScopeVerdict, body: Body) -> Shortfall:
    return Shortfall(
        scope=verdict.scope, state=verdict.state, reason=verdict.reason,
        value="" if verdict.value is None else str(verdict.value),
        sentence=sentences.of_scope(clause, verdict, body), runs=verdict.runs, aside=verdict.aside,
    )  # fmt: skip


def _applies(hearing: Hearing) -> bool:
    """Whether a contract-wide clause means anything on this machine: Fabric Manager only where an NVSwitch is."""
    if hearing.clause.metric != "fabric_manager_active":
        return True
    code, body = hearing.context.place.partition("-")[0], hearing.context.body
    kinds = [clause.value for clause in body.clauses if clause.name == "kind" and clause.code == code]
    return not kinds or "nvlink_nvswitch" in kinds


def reader_of(clause: Clause) -> Reader | None:
    """What reads the clause's values out of a run, where judge_facts alone rules on them; None for any other rule."""
    is_own = clause.kind == "rate" or clause.name in _BY_NAME or _is_of_teams(clause)
    return None if is_own else _PORTS.get(clause.name) or READERS.get(clause.metric)


def _judge_of(clause: Clause) -> Judge:
    reader = reader_of(clause)
    if reader is not None:
        return lambda hearing: judge_facts(hearing, reader)
    if clause.name in _BY_NAME:
        return _BY_NAME[clause.name]
    if clause.kind == "rate":
        return judge_rate
    if _is_of_teams(clause):
        return _by_team(READERS[clause.metric])
    return lambda hearing: (hearing.without_runs(),)


def _is_of_teams(clause: Clause) -> bool:
    return clause.scope is Scope.GROUP and clause.metric == "nccl_wrong_count"


def _by_team(reader: Reader) -> Judge:
    """A fact of joint runs, for each set of machines that ran together."""

    def judge(hearing: Hearing) -> tuple[ScopeVerdict, ...]:
        if not hearing.admitted.records:
            return (hearing.without_runs(),)
        teams = sorted({tuple(sorted(record.nodes)) for record in hearing.admitted.records})
        return tuple(_of_team(hearing, team, reader) for team in teams)

    return judge


def _of_team(hearing: Hearing, team: Sequence[str], reader: Reader) -> ScopeVerdict:
    records = tuple(record for record in hearing.admitted.records if sorted(record.nodes) == list(team))
    own = replace(hearing, admitted=replace(hearing.admitted, records=records))
    verdict = judge_facts(own, reader)[0]
    scope = joined(team, hearing.context.body)
    return replace(verdict, scope=scope, facts={**verdict.facts, "nodes": tuple(team)})


_BY_NAME: dict[str, Judge] = {
    "gpu_count": judge_gpu_count,
    "gpu_model": judge_model,
    "gpus_in_one_machine": judge_one_machine,
    "fabric_type": judge_fabric_type,
    "gdr": judge_gpu_direct,
    "rdma_bw": judge_writes,
    "burn_in_interrupts": judge_interrupts,
}
_PORTS: dict[str, Reader] = {"nic_count": counted_ports, "port_rate": fastest_ports}
