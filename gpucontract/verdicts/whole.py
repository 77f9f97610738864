"""A whole contract judged in one go, without tables: for the offline judge, tests and benchmarks."""

from __future__ import annotations

from collections.abc import Iterable

from gpucontract.contracts.body import Body
from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts.admission import Context
from gpucontract.verdicts.explaining import explain
from gpucontract.verdicts.rules import condense, decide, judge_scopes
from gpucontract.verdicts.scopes import all_places, clauses_at, nodes_of
from gpucontract.verdicts.states import ClauseVerdict, PlaceVerdict


def judge_all(body: Body, records: Iterable[RunRecord], context: Context) -> dict[str, ClauseVerdict]:
    """Clause key -> verdict, explained, in the order of the body."""
    known = list(records)
    answers: dict[str, list[PlaceVerdict]] = {}
    for place in all_places(body):
        nodes = set(nodes_of(place, body)) or {place}
        own = [record for record in known if not nodes.isdisjoint(record.nodes)]
        for clause in clauses_at(place, body):
            verdicts = judge_scopes(clause, own, context.at(place))
            answers.setdefault(clause.key, []).append(condense(place, clause, verdicts))
    decided = {clause.key: decide(clause, answers.get(clause.key, ()), body) for clause in body.judged}
    return explain(body.judged, decided)
