"""The readings that result rows of perftest give, whether they came as text or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.parsers.outcomes import absent
from gpucontract.units import convert

LATENCIES = {
    "t_min": "t_min[usec]",
    "t_max": "t_max[usec]",
    "t_typical": "t_typical[usec]",
    "t_avg": "t_avg[usec]",
    "t_p99": "99% percentile[usec]",
    "t_p999": "99.9% percentile[usec]",
}
# Below this size a message's own cost hides the link's rate.
LARGE_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Row:
    """One message size in bytes with its values by column name."""

    size: int
    values: Mapping[str, Decimal]
    line: str


def as_readings(rows: Sequence[Row], unit: str, is_latency: bool) -> tuple[Reading, ...]:
    """Readings of the rows; with several sizes only those named by size have a value."""
    by_size = {row.size: row for row in rows}
    only = next(iter(by_size.values())) if len(by_size) == 1 else None
    counted = Reading("rows", len(by_size), line=rows[0].line)
    size = (
        Reading("message_size", only.size, "B", line=only.line) if only else absent("several_sizes", "message_size")[0]
    )
    if is_latency:
        return (counted, size, *_latencies(only), *_each_latency(by_size))
    return (counted, size, *_bandwidths(only, unit), *_each_size(by_size, unit), *_over_sizes(by_size, unit))


def _latencies(only: Row | None) -> tuple[Reading, ...]:
    if only is None:
        return absent("several_sizes", *LATENCIES)
    return tuple(_value(name, only, column, "us") for name, column in LATENCIES.items())


def _each_latency(rows: Mapping[int, Row]) -> tuple[Reading, ...]:
    return tuple(_value(f"t_avg_at_{size}", row, LATENCIES["t_avg"], "us") for size, row in rows.items())


def _value(name: str, row: Row, column: str, unit: str) -> Reading:
    """A zero stands for a value that the run did not take (peak under -D)."""
    value = row.values.get(column)
    if value is None or value <= 0:
        return absent("not_printed" if value is None else "not_taken", name, line=row.line)[0]
    return Reading(name, value, unit, line=row.line)


def _bandwidths(only: Row | None, unit: str) -> tuple[Reading, ...]:
    if only is None:
        return absent("several_sizes", "bw_average", "bw_average_GBps", "bw_peak")
    average = _value("bw_average", only, "BW average", unit)
    return (average, _in_gigabytes(average), _value("bw_peak", only, "BW peak", unit))


def _in_gigabytes(average: Reading) -> Reading:
    if not isinstance(average.value, Decimal):
        return absent(average.why, "bw_average_GBps", line=average.line)[0]
    return Reading("bw_average_GBps", convert(average.value, average.unit, "GB/s"), "GB/s", line=average.line)


def _each_size(rows: Mapping[int, Row], unit: str) -> tuple[Reading, ...]:
    return tuple(_value(f"bw_average_at_{size}", row, "BW average", unit) for size, row in rows.items())


def _over_sizes(rows: Mapping[int, Row], unit: str) -> tuple[Reading, ...]:
    """The average at the largest size, and the highest average of sizes from 1 MiB on."""
    largest = _value("bw_average_at_largest", rows[max(rows)], "BW average", unit)
    large = [row for size, row in rows.items() if size >= LARGE_BYTES and "BW average" in row.values]
    if not large:
        return (largest, absent("no_large_size", "bw_average_max")[0])
    best = max(large, key=lambda row: row.values["BW average"])
    return (largest, _value("bw_average_max", best, "BW average", unit))
