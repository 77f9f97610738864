"""One finished run as the judge sees it, built from rows or from a folder: which job, which nodes, what was said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from gpucontract.measurements.kept import Kept, KeptReadings, kept
from gpucontract.measurements.parsers.capture import Finding, Reading

# What the names of a collective's times begin with.
TIME = "time_at_"


class Origin(StrEnum):
    """Where evidence came from; only agent and bundle are signed by a machine that was measured."""

    AGENT = "agent"
    BUNDLE = "bundle"
    REPLAY = "replay"
    PASTED = "pasted"
    FILE = "file"


class Index:
    """The readings of one output by name, and those of them that are times of a collective."""

    __slots__ = ("rows", "timed")

    def __init__(self, readings: Iterable[Kept]) -> None:
        self.rows: defaultdict[str, list[Kept]] = defaultdict(list)
        rows = self.rows
        for row in readings:
            rows[row.name].append(row)
        self.timed = [row for name in rows if TIME in name and name.startswith(TIME) for row in rows[name]]


@dataclass(frozen=True, slots=True)
class OutputRecord:
    """One captured output with what its parser found; sha256 is over stdout, env holds the overrides only.

    started_at, ended_at: by the clock of the machine that ran the tool.
    """

    name: str
    tool: str
    command: str
    sha256: str
    exit_status: int | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    readings: Sequence[Reading] = ()
    findings: tuple[Finding, ...] = ()
    error: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    _index: Index | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def rows(self) -> Mapping[str, Sequence[Kept]]:
        """Its readings as kept, by name, in order."""
        return self._indexed().rows

    @property
    def timed(self) -> Sequence[Kept]:
        """Of these the times of a collective."""
        return self._indexed().timed

    def _indexed(self) -> Index:
        # Sixty clauses ask one output after the other; scanning all readings for each was half of judging.
        if self._index is None:
            whole = self.readings
            index = Index(whole.rows if isinstance(whole, KeptReadings) else map(kept, whole))
            object.__setattr__(self, "_index", index)
            return index
        return self._index


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One delivered run. id: run uuid (or folder name offline); nodes: slot codes (g1-001), lead first; repeat 1..n.

    round: 1 for the first measuring, higher after a cure; a newer round replaces the older ones. 0 and below: measured
    under the contract that this one amends.
    hostnames: slot code -> host name of the machine that answered there. received_at and ordered_at: the server's
    clock, UTC; a file was never ordered.
    """

    id: str
    job: str
    group: str
    nodes: tuple[str, ...]
    repeat: int
    origin: Origin
    received_at: datetime
    params: Mapping[str, Any] = field(default_factory=dict)
    hostnames: Mapping[str, str] = field(default_factory=dict)
    outputs: tuple[OutputRecord, ...] = ()
    error: str = ""
    round: int = 1
    ordered_at: datetime | None = None
    _by_name: dict[str, list[tuple[OutputRecord, Reading]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def lead(self) -> str:
        """The slot whose agent ran it."""
        return self.nodes[0]

    def readings(self, name: str) -> Iterator[tuple[OutputRecord, Reading]]:
        """Every reading of one name with the output it came from, in order."""
        if name not in self._by_name:
            self._by_name[name] = [
                (output, row.whole()) for output in self.outputs for row in output.rows.get(name, ())
            ]
        return iter(self._by_name[name])

    def shapes(self, names: Iterable[str]) -> dict[str, tuple[object, ...]]:
        """What readings() shows by each of these names; no rule can tell apart what is of equal shape."""
        shapes: dict[str, tuple[object, ...]] = dict.fromkeys(names, ())
        for place, output in enumerate(self.outputs):
            table, source = output.rows, (place, output.tool)
            for name in shapes:
                rows = table.get(name)
                # True equals 1 and is not shown alike, so the types are part of it.
                if rows and len(rows) == 1:
                    shapes[name] += (source, rows[0], rows[0].value.__class__)
                elif rows:
                    shapes[name] += (source, *rows, *[row.value.__class__ for row in rows])
        return shapes
