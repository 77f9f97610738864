"""One run's evidence as its page shows it: each output with what was read from it, the remarks, the raw text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.contracts.body import Body
from gpucontract.localise import spoken
from gpucontract.measurements import evidence, raw
from gpucontract.measurements.models import Delivery, Finding, Parse, Run
from gpucontract.measurements.parsers.capture import Reading, restore
from gpucontract.web.charts import Chart, Point, bandwidth_chart
from gpucontract.wording import Text

MOST_READINGS = 400
MOST_SHOWN_CHARACTERS = 60_000
_BUSBW = re.compile(r"busbw_at_(\d+)_out_of_place")


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding, in the reader's language."""

    code: str
    scope: str
    text: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """How devices are joined, as the topology tool printed it: names, and one row of cells per name."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One captured output and everything made of it. more: readings not shown; is_cut: the raw text is longer."""

    name: str
    output: raw.RawOutput
    error: str
    readings: tuple[Reading, ...]
    more: int
    remarks: tuple[Remark, ...]
    chart: Chart | None
    floor_key: str
    matrix: Matrix | None
    text: str
    is_cut: bool


def exhibits_of(run: Run) -> list[Exhibit]:
    """Every output of a delivered run. Raises EvidenceLost when its bytes are gone or altered."""
    delivery = Delivery.objects.get(run=run)
    result = raw.read(evidence.read(delivery.evidence_id))
    parse = Parse.objects.filter(run=run, parser_version=run.parsed_version).first()
    read = {part["name"]: part for part in parse.outputs} if parse else {}
    remarks = _remarks(Finding.objects.filter(run=run).current())
    floors = _floors(run.revision.body(), run)
    return [_exhibit(output, read.get(output.name, {}), remarks, floors) for output in result.outputs]


def _exhibit(
    output: raw.RawOutput,
    read: Mapping[str, object],
    remarks: Mapping[str, tuple[Remark, ...]],
    floors: Mapping[int, tuple[str, Decimal]],
) -> Exhibit:
    readings = tuple(restore(stored) for stored in read.get("readings", ()))
    chart, key = _chart(readings, floors)
    return Exhibit(
        name=output.name, output=output, error=str(read.get("error", "")), readings=readings[:MOST_READINGS],
        more=max(0, len(readings) - MOST_READINGS), remarks=remarks.get(output.name, ()), chart=chart, floor_key=key,
        matrix=_matrix(readings), text=output.stdout[:MOST_SHOWN_CHARACTERS],
        is_cut=len(output.stdout) > MOST_SHOWN_CHARACTERS,
    )  # fmt: skip


def _remarks(findings: Iterable[Finding]) -> dict[str, tuple[Remark, ...]]:
    found: dict[str, tuple[Remark, ...]] = {}
    for finding in findings:
        remark = Remark(finding.code, finding.scope, spoken(Text(**finding.text)))
        found[finding.output] = (*found.get(finding.output, ()), remark)
    return found


def _floors(body: Body, run: Run) -> dict[int, tuple[str, Decimal]]:
    """Message size -> (clause, contracted floor) of the bandwidth clauses this run's job decides."""
    return {
        int(clause.conditions["size_bytes"]): (clause.key, clause.value)
        for clause in body.judged
        if run.job in clause.jobs and clause.code == run.group_code and "size_bytes" in clause.conditions
        and isinstance(clause.value, Decimal)
    }  # fmt: skip


def _chart(readings: Iterable[Reading], floors: Mapping[int, tuple[str, Decimal]]) -> tuple[Chart | None, str]:
    points = [
        Point(int(found[1]), reading.value)
        for reading in readings
        if (found := _BUSBW.fullmatch(reading.name))
        and found[2] == "out_of_place"
        and isinstance(reading.value, Decimal)
    ]
    key, floor = next((floors[point.size_bytes] for point in points if point.size_bytes in floors), ("", None))
    return bandwidth_chart(points, floor), key


def _matrix(readings: Iterable[Reading]) -> Matrix | None:
    """The relation of every pair that topo printed, as the square it printed them in."""
    cells: dict[tuple[str, str], str] = {}
    for reading in readings:
        if reading.name in ("topo_link", "nic_link") and reading.value is not None:
            first, _, second = reading.scope.partition("+")
            cells[first, second] = str(reading.value)
            cells.setdefault((second, first), str(reading.value))
    if not cells:
        return None
    names = tuple(sorted({name for pair in cells for name in pair}, key=_natural))
    rows = tuple((name, tuple(cells.get((name, other), "") for other in names)) for name in names if name[:3] == "gpu")
    return Matrix(names, rows)


def _natural(name: str) -> tuple[bool, str, int]:
    word, number = re.match(r"(.*?)(\d*)$", name).groups()
    return not name.startswith("gpu"), word, int(number or 0)
