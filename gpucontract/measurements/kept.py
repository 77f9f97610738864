"""Readings as a run keeps them: decoded in one go, made whole only where somebody asks for them by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import overload

import msgspec

from gpucontract.measurements.parsers.capture import Reading


class Kept(
    msgspec.Struct, frozen=True, gc=False,
    rename={"name": "m", "value": "v", "unit": "u", "scope": "s", "exact": "d"},
):  # fmt: skip
    """One reading as stored() writes it, without the line that decided, which no verdict rests on.

    exact: 1 where value is the text of a Decimal.
    """

    name: str
    value: int | bool | str | tuple[str, ...] | None = None
    unit: str = ""
    scope: str = ""
    why: str = ""
    exact: int = 0

    def whole(self) -> Reading:
        """The reading with its number exact."""
        value = Decimal(str(self.value)) if self.exact else self.value
        return Reading(self.name, value, self.unit, self.scope, self.why)


class KeptOutput(msgspec.Struct, frozen=True):
    """What was read from one output, by the output's name; error as its parser told it."""

    name: str
    readings: tuple[Kept, ...]
    error: str = ""


class KeptReadings(Sequence[Reading]):
    """The readings of one output, in order; rows are theirs as kept."""

    def __init__(self, rows: tuple[Kept, ...]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Reading: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Reading, ...]: ...

    def __getitem__(self, place: int | slice) -> Reading | tuple[Reading, ...]:
        if isinstance(place, slice):
            return tuple(row.whole() for row in self.rows[place])
        return self.rows[place].whole()

    def __iter__(self) -> Iterator[Reading]:
        return (row.whole() for row in self.rows)


_DECODER = msgspec.json.Decoder(tuple[KeptOutput, ...])


def decode(text: str | bytes) -> tuple[KeptOutput, ...]:
    """The outputs of one parse, from their JSON. Raises msgspec.ValidationError for anything else."""
    return _DECODER.decode(text)


def kept(reading: Reading) -> Kept:
    """A reading in its kept form."""
    if isinstance(reading.value, Decimal):
        return Kept(reading.name, format(reading.value, "f"), reading.unit, reading.scope, reading.why, 1)
    return Kept(reading.name, reading.value, reading.unit, reading.scope, reading.why)
