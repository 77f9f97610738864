"""The judge against the least that any judge must do: decode the same bytes, compare one Decimal per reading.

A fleet of equal machines with one bad one in fifty; 60 readings and 60 clauses a machine, the readings as they are
stored per run. The judge's part: decode, judge_scopes at every machine, decide and explain, all verdicts as JSON.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import msgspec

from benchmarks.timing import best_of
from gpucontract.contracts.body import Body, Group
from gpucontract.contracts.clauses import Clause, Operator, Scope, VerifiedBy
from gpucontract.measurements.kept import KeptReadings, decode
from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.records import Origin, OutputRecord, RunRecord
from gpucontract.verdicts import papers
from gpucontract.verdicts.admission import base_context
from gpucontract.verdicts.answers import PlaceVerdict
from gpucontract.verdicts.explaining import explain
from gpucontract.verdicts.rules import decide
from gpucontract.verdicts.scopes import nodes_of
from gpucontract.verdicts.sitting import Sitting
from gpucontract.verdicts.states import ClauseVerdict
from gpucontract.verdicts.tally import Tally
from gpucontract.verdicts.writing import plain_verdict
from gpucontract.wording import Text

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
RECEIVED = NOW - timedelta(hours=1)
GPUS = 8
BAD_EVERY = 50
CLAUSES = READINGS = 60
MARK = Decimal(18)
WORDS = Text("同", "same")

# (reading, value, unit, clause's operator, value, unit, metric); three of them on each GPU.
ON_GPUS = (
    ("nvlink_active", 18, "", Operator.AT_LEAST, Decimal(18), "count", "nvlink_link_count"),
    ("gpu_memory_total", Decimal(81559), "MiB", Operator.AT_LEAST, Decimal(81000), "MiB", "gpu_memory_total_mib"),
    ("power_limit", Decimal("700.00"), "W", Operator.AT_LEAST, Decimal(700), "W", "gpu_power_limit_w"),
)
ON_NODES = (
    ("cores", 112, "", Operator.AT_LEAST, Decimal(112), "count", "cpu_core_count"),
    ("mem_total", 2113000000, "KiB", Operator.AT_LEAST, Decimal(2000), "GiB", "ram_total_gib"),
    ("driver_version", "550.90.07", "", Operator.AT_LEAST, "550.54", "version", "driver_version"),
    ("cuda_toolkit_version", "12.4.131", "", Operator.AT_LEAST, "12.4", "version", "cuda_toolkit_version"),
    ("nccl_version", "2.20.5", "", Operator.AT_LEAST, "2.20", "version", "nccl_version"),
    ("cudnn_version", "9.1.0", "", Operator.AT_LEAST, "9.0", "version", "cudnn_version"),
    ("fatal_xids", 0, "", Operator.AT_MOST, Decimal(0), "count", "xid_critical_count"),
)


def body(nodes: int) -> Body:
    """One group of so many machines and 60 clauses: three on each GPU, the others on each machine in turn."""
    kinds = [(row, Scope.GPU) for row in ON_GPUS] + [(row, Scope.NODE) for row in ON_NODES * CLAUSES]
    clauses = tuple(_clause(place, row, scope) for place, (row, scope) in enumerate(kinds[:CLAUSES]))
    group = Group("g1", "g1", "H100 SXM5 80GB", nodes, GPUS, 8)
    return Body("C-2026-1", 1, "bench", "0" * 64, {}, (group,), (), clauses)


def stored(node: int) -> bytes:
    """One machine's 60 readings as a run keeps them; every fiftieth machine has a GPU with 16 links."""
    links = [16 if node % BAD_EVERY == 0 and gpu == 5 else 18 for gpu in range(GPUS)]
    readings = [Reading("nvlink_active", number, scope=f"gpu{gpu}") for gpu, number in enumerate(links)]
    for name, value, unit, *_ in ON_GPUS[1:]:
        readings += [Reading(name, value, unit, f"gpu{gpu}") for gpu in range(GPUS)]
    readings += [Reading(name, value, unit) for name, value, unit, *_ in ON_NODES]
    readings += [Reading(f"busbw_at_{2 ** (10 + step)}", Decimal("480.90"), "GB/s") for step in range(READINGS)]
    kept = [reading.stored() for reading in readings[:READINGS]]
    return json.dumps([{"name": "all", "readings": kept, "error": ""}]).encode()


def record(slot: str, data: bytes) -> RunRecord:
    """The run that holds those readings."""
    outputs = tuple(
        OutputRecord(
            name=each.name, tool="tool", command="tool", sha256=slot, error=each.error,
            readings=KeptReadings(each.readings),
        )
        for each in decode(data)
    )  # fmt: skip
    return RunRecord(
        id=f"run-{slot}", job="all", group="g1", nodes=(slot,), repeat=1, origin=Origin.AGENT,
        received_at=RECEIVED, hostnames={slot: f"host-{slot}"}, outputs=outputs,
    )  # fmt: skip


def judge(contract: Body, evidence: dict[str, bytes]) -> bytes:
    """All verdicts of a contract as JSON, from its stored readings."""
    sitting, tally = Sitting(base_context(contract, NOW)), Tally(contract)
    for slot, data in evidence.items():
        tally.add(sitting.at(slot, [record(slot, data)]))
    return written(contract, tally.decide())


def aggregate(contract: Body, answers: dict[str, list[PlaceVerdict]]) -> bytes:
    """Every clause decided and explained, as JSON."""
    return written(contract, {clause.key: decide(clause, answers[clause.key], contract) for clause in contract.judged})


def written(contract: Body, decided: dict[str, ClauseVerdict]) -> bytes:
    """All verdicts explained, as JSON."""
    verdicts = explain(contract, decided)
    plain = [plain_verdict(clause, verdicts[clause.key]) for clause in contract.judged]
    return json.dumps(plain, ensure_ascii=False).encode()


class Bare(msgspec.Struct):
    """A reading with only what a comparison needs."""

    m: str
    v: int | str
    s: str = ""
    u: str = ""
    d: int = 0


class BareOutput(msgspec.Struct):
    """The readings of one output."""

    readings: list[Bare]


def floor(evidence: dict[str, bytes], decoder: Any) -> int:
    """How many readings reach the mark: the bytes decoded, one Decimal comparison for each reading."""
    met = 0
    for data in evidence.values():
        for output in decoder.decode(data):
            for reading in output.readings:
                is_number = reading.d or not isinstance(reading.v, str)
                met += (Decimal(reading.v) if is_number else MARK) >= MARK
    return met


def fleet(nodes: int) -> tuple[float, float]:
    """Seconds for judging so many machines from their stored readings, and for the floor over the same bytes."""
    contract = body(nodes)
    evidence = {slot: stored(place) for place, slot in enumerate(nodes_of("c", contract))}
    decoder = msgspec.json.Decoder(list[BareOutput])
    assert b'"breached"' in judge(body(2), dict(list(evidence.items())[:2]))
    return best_of(lambda: judge(contract, evidence), 3), best_of(lambda: floor(evidence, decoder), 3)


def one_node(nodes: int = 2000) -> tuple[float, float]:
    """Seconds for one touched machine judged again and all kept documents aggregated; floor: the same on tuples."""
    contract = body(nodes)
    sitting, slots = Sitting(base_context(contract, NOW)), nodes_of("c", contract)
    kept = {slot: papers.written(sitting.at(slot, [record(slot, stored(n))])) for n, slot in enumerate(slots)}
    documents = {slot: json.dumps(document) for slot, document in kept.items()}
    rows = {slot: json.dumps(_bare(document)) for slot, document in kept.items()}
    touched = slots[nodes // 2]
    data = stored(1)
    return (
        best_of(lambda: again(contract, documents, touched, data), 3),
        best_of(lambda: tuples(rows), 3),
    )


def again(contract: Body, documents: dict[str, str], touched: str, data: bytes) -> bytes:
    """The touched machine judged, its document replaced, every document read, all clauses decided."""
    fresh = Sitting(base_context(contract, NOW)).at(touched, [record(touched, data)])
    kept = documents | {touched: json.dumps(papers.written(fresh))}
    return aggregate(contract, papers.read(kept.items()))


def tuples(rows: dict[str, str]) -> bytes:
    """The same documents as bare lists: the worst of each clause and how many are in each state."""
    worst: dict[str, tuple[str, str]] = {}
    counts: dict[str, dict[str, int]] = {}
    for text in rows.values():
        for key, scope, state, by_state in json.loads(text):
            worst[key] = max(worst.get(key, ("", "")), (state, scope))
            totals = counts.setdefault(key, {})
            for name, count in by_state.items():
                totals[name] = totals.get(name, 0) + count
    return json.dumps([worst, counts]).encode()


def _bare(document: list[Any]) -> list[tuple[str, str, str, dict[str, int]]]:
    """A document's worst scope and counts of each clause."""
    rulings = {key: ruling for _, part in document for key, ruling in part.items()}
    return [(key, kept[0][0], kept[0][1], counts) for key, (counts, _, kept) in rulings.items()]


def _clause(place: int, row: tuple[Any, ...], scope: Scope) -> Clause:
    _, _, _, operator, value, unit, metric = row
    return Clause(
        key=f"g1/{metric}:{place}", section="nodes", text=WORDS, operator=operator, value=value, unit=unit,
        metric=metric, scope=scope, jobs=("all",), verified_by=VerifiedBy.MEASUREMENT,
    )  # fmt: skip


CASES: dict[str, Callable[[], tuple[float, float]]] = {
    "judge-1000": lambda: fleet(1000),
    "judge-10000": lambda: fleet(10_000),
    "judge-one-node": one_node,
}
