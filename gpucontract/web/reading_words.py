"""A reading as people read it: its label, its value in the unit and digits that help, the exact one beside."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

from gpucontract.localise import spoken
from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.parsers.labels import reading_label
from gpucontract.units import convert, grouped, unit_word

_DECIMAL, _BINARY = ("B", "KB", "MB", "GB", "TB", "PB"), ("KiB", "MiB", "GiB", "TiB", "PiB")
# Units that a number may move along. MiB alone stays: it is how the memory of a GPU is known.
_LADDERS = (
    ("ns", "us", "ms", "s"),
    _DECIMAL,
    _BINARY,
    tuple(f"{unit}/s" for unit in _DECIMAL),
    tuple(f"{unit}/s" for unit in _BINARY),
)
_FIXED = "MiB"
# The same value under a second name -> the name that pages show.
_TWINS = {"printed_avg": "avg_busbw"}
# Numbers that answer yes or no.
FLAGS = frozenset({"direct"})
# Between these a number is left in the unit it was printed in.
_SMALL, _LARGE = Decimal("0.1"), Decimal(10_000)
_SIGNIFICANT = 3


def label_of(name: str) -> str:
    """The reading's label in the person's language, "" for a name that has none."""
    label = reading_label(name)
    return spoken(label) if label else ""


def without_twins(readings: Iterable[Reading]) -> tuple[Reading, ...]:
    """Readings but those that say another one again: an average is read under two names, and shown under one."""
    found = tuple(readings)
    names = {reading.name for reading in found}
    return tuple(reading for reading in found if _TWINS.get(reading.name) not in names)


def in_short(value: Decimal | int, unit: str) -> str:
    """60 ms for 60000000 ns, 10.74 GB/s for 10.73741824: the nearest unit, two decimals, three digits below one."""
    number, unit = _moved(Decimal(value), unit)
    places = 2 if abs(number) >= 1 or not number else _SIGNIFICANT - 1 - number.adjusted()
    return _said(number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP), unit)


def in_full(value: Decimal | int, unit: str) -> str:
    """The value exactly as it was read."""
    return _said(Decimal(value), unit)


def _said(number: Decimal, unit: str) -> str:
    return f"{grouped(number)} {'°C' if unit == 'C' else spoken(unit_word(unit)) if unit else ''}".rstrip()


def _moved(number: Decimal, unit: str) -> tuple[Decimal, str]:
    ladder = next((ladder for ladder in _LADDERS if unit in ladder), ())
    if not ladder or not number or unit == _FIXED or _SMALL <= abs(number) < _LARGE:
        return number, unit
    if unit == "B" and (whole := _whole_binary(number)):
        return whole
    rungs = [(convert(number, unit, rung, 12), rung) for rung in ladder]
    return next(((size, rung) for size, rung in reversed(rungs) if abs(size) >= 1), rungs[0])


def _whole_binary(size: Decimal) -> tuple[Decimal, str] | None:
    """Message sizes are powers of two: 8 GiB, where disks are 3.84 TB."""
    rungs = [(convert(size, "B", rung, 12), rung) for rung in _BINARY]
    largest = next((found for found in reversed(rungs) if abs(found[0]) >= 1), rungs[0])
    return largest if largest[0] == largest[0].to_integral_value() else None
