"""A whole contract judged in one go, without tables: for the offline judge, tests and benchmarks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from gpucontract.contracts.body import Body
from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts.admission import Context
from gpucontract.verdicts.explaining import explain
from gpucontract.verdicts.scopes import all_places, nodes_of
from gpucontract.verdicts.sitting import Sitting
from gpucontract.verdicts.states import ClauseVerdict
from gpucontract.verdicts.tally import Tally


def judge_all(body: Body, records: Iterable[RunRecord], context: Context) -> dict[str, ClauseVerdict]:
    """Clause key -> verdict, explained, in the order of the body."""
    known, sitting = list(records), Sitting(context)
    touching: dict[str, list[RunRecord]] = defaultdict(list)
    for record in known:
        for node in set(record.nodes):
            touching[node].append(record)
    tally = Tally(body)
    for place in all_places(body):
        nodes = set(nodes_of(place, body))
        own = [record for record in known if not nodes.isdisjoint(record.nodes)] if nodes else touching[place]
        tally.add(sitting.at(place, own))
    return explain(body, tally.decide())
