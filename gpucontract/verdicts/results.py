"""Whether collectives gave right results, and whether the network that moved them is the contracted one."""

from __future__ import annotations

from collections.abc import Iterator

from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts.sightings import Seen, one


def wrong_results(record: RunRecord, clause: Clause) -> Iterator[Seen]:
    """Wrong elements of a collective; without validation none were looked for, over TCP the fabric moved none."""
    wrong, validation = one(record, "wrong_results"), one(record, "validation")
    if wrong is None:
        return
    if validation is not None and validation.value is not None and validation.value is not True:
        yield Seen("", None, why="validation_off")
    elif wrong.value == 0 and clause.conditions.get("transport") == "IB" and _network(record) in ("Socket", "mixed"):
        yield Seen("", None, why="over_tcp", facts={"nodes": record.nodes})
    else:
        yield Seen("", wrong.value, "count", wrong.why, wrong.facts)


def _network(record: RunRecord) -> object:
    seen = one(record, "network")
    return seen.value if seen else None
