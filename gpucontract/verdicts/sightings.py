"""One value a run shows at one local scope; and how to gather the plain ones from a run's outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.parsers.capture import ReadingValue
from gpucontract.measurements.records import RunRecord


@dataclass(frozen=True, slots=True)
class Seen:
    """A value at a local scope ("" = the whole machine, gpu5, port:mlx5_0), or why there is none.

    why: a parser's code or ours, when value is None. facts: what the sentence wants beside the value.
    missed: the sentence's key where the value falls short, if it has one of its own.
    rounding: how far the true value may lie on either side, in unit, as tools rounded it or its parts.
    """

    local: str
    value: ReadingValue | None
    unit: str = ""
    why: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    missed: str = ""
    rounding: Decimal = Decimal(0)

    def unread(self, why: str, local: str = "") -> Seen:
        """No value for another scope, for this sighting's own reason with all that its sentence wants, else for why."""
        return Seen(local, None, why=self.why or why, facts=self.facts)


# Units in which tools print sizes whole.
_EXACT_UNITS = ("", "B", "KiB", "KB", "MiB", "MB")


def rounding_of(value: ReadingValue | None, unit: str) -> Decimal:
    """How far a size printed for people (1.9Ti) may be off: one of its last digit, in unit; 0 where it is exact."""
    if unit in _EXACT_UNITS or not isinstance(value, Decimal):
        return Decimal(0)
    exponent = value.as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)


Reader = Callable[[RunRecord, Clause], Iterable[Seen]]


def plain(record: RunRecord, name: str, prefix: str = "") -> dict[str, Seen]:
    """Local scope -> the one value that all outputs of a run agree on; disagreeing tools give none."""
    found: dict[str, Seen] = {}
    tools: dict[str, str] = {}
    for output, reading in record.readings(name):
        if not reading.scope.startswith(prefix):
            continue
        seen = Seen(
            reading.scope, reading.value, reading.unit, reading.why or ("" if reading.value is not None else "none")
        )
        earlier = found.get(reading.scope)
        if earlier is not None and earlier.why == "sources_disagree":
            continue
        if earlier is None or earlier.value is None:
            found[reading.scope], tools[reading.scope] = seen, output.tool
        elif seen.value is not None and seen.value != earlier.value:
            facts = {
                "first": str(earlier.value),
                "second": str(seen.value),
                "tools": f"{tools[reading.scope]}, {output.tool}",
            }
            found[reading.scope] = Seen(reading.scope, None, reading.unit, "sources_disagree", facts)
    return found


def one(record: RunRecord, name: str, scope: str = "") -> Seen | None:
    """The value of one reading at one scope, if any output of the run has it."""
    return plain(record, name).get(scope)


def each(name: str, prefix: str = "") -> Reader:
    """A reader of one reading at every scope that starts so: gpu for each GPU."""

    def read(record: RunRecord, _: Clause) -> Iterator[Seen]:
        yield from plain(record, name, prefix).values()

    return read


def whole(name: str) -> Reader:
    """A reader of one reading about the whole machine."""

    def read(record: RunRecord, _: Clause) -> Iterator[Seen]:
        seen = one(record, name)
        if seen is not None:
            yield seen

    return read
