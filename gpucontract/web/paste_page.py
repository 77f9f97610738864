"""What a pasted text says, as its page shows it: readings by place, findings, errors with what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpucontract.localise import spoken
from gpucontract.measurements.parsers.capture import Finding, Reading
from gpucontract.measurements.pasting import PastedOutput
from gpucontract.web.charts import Chart, bandwidth_chart
from gpucontract.web.evidence_page import Matrix, curve, matrix_of, natural
from gpucontract.web.reading_words import without_twins
from gpucontract.wording import Text

READINGS_SHOWN = 1500
FINDINGS_SHOWN = 100
_AT_PLACE = Text("{place}：{said}", "{place}: {said}")
_AT_SIZE = re.compile(r"_at_[0-9]+(?:_|$)")


@dataclass(frozen=True, slots=True)
class Row:
    """One reading, or all that were not measured for one reason: names them and shows the first."""

    names: tuple[str, ...]
    reading: Reading


@dataclass(frozen=True, slots=True)
class Place:
    """One GPU, port, mount … with its readings; scope is "" for the whole output."""

    scope: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class PastedView:
    """One output. sizes: readings of single message sizes; hidden: readings beyond those the page shows."""

    number: int
    output: PastedOutput
    places: tuple[Place, ...]
    sizes: tuple[Row, ...]
    hidden: int
    findings: tuple[str, ...]
    chart: Chart | None
    matrix: Matrix | None

    @property
    def measured(self) -> int:
        """How many readings hold a value."""
        return sum(reading.value is not None for reading in self.output.parsed.readings)

    @property
    def unmeasured(self) -> int:
        """How many hold none, and say why."""
        return len(self.output.parsed.readings) - self.measured


def views_of(outputs: Iterable[PastedOutput]) -> list[PastedView]:
    """Every output found in a pasted text, in its order."""
    return [_view(number, output) for number, output in enumerate(outputs, 1)]


def _view(number: int, output: PastedOutput) -> PastedView:
    readings = without_twins(output.parsed.readings)
    shown = readings[:READINGS_SHOWN]
    sizes = rows_of(reading for reading in shown if _AT_SIZE.search(reading.name))
    return PastedView(
        number=number, output=output, sizes=sizes, places=places_of(_others(shown)),
        hidden=max(0, len(readings) - READINGS_SHOWN), findings=_sentences(output.parsed.findings),
        chart=bandwidth_chart(curve(readings), None), matrix=matrix_of(readings),
    )  # fmt: skip


def _others(readings: Iterable[Reading]) -> Iterator[Reading]:
    return (reading for reading in readings if not _AT_SIZE.search(reading.name))


def places_of(readings: Iterable[Reading]) -> tuple[Place, ...]:
    """Readings by scope, the whole output first, gpu2 before gpu10."""
    found: dict[str, list[Reading]] = {}
    for reading in readings:
        found.setdefault(reading.scope, []).append(reading)
    return tuple(Place(scope, rows_of(found[scope])) for scope in sorted(found, key=_order))


def rows_of(readings: Iterable[Reading]) -> tuple[Row, ...]:
    """A row for each value, and one for each reason why there is none, so that it is said once."""
    alike: dict[object, list[Reading]] = {}
    for place, reading in enumerate(readings):
        key = place if reading.value is not None else (reading.why, reading.line)
        alike.setdefault(key, []).append(reading)
    return tuple(Row(tuple(each.name for each in found), found[0]) for found in alike.values())


def _order(scope: str) -> list[tuple[str, int]]:
    return [natural(part) for part in scope.split("+")]


def _sentences(findings: Iterable[Finding]) -> tuple[str, ...]:
    said = (
        spoken(_AT_PLACE.fill(place=finding.scope, said=finding.text) if finding.scope else finding.text)
        for finding in findings
    )
    return tuple(dict.fromkeys(said))[:FINDINGS_SHOWN]
