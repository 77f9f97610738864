"""One finished run as the judge sees it, built from rows or from a folder: which job, which nodes, what was said."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class OutputRecord:
    """One captured output with what its parser found; sha256 is over stdout, env holds the overrides only."""

    name: str
    tool: str
    command: str
    sha256: str
    exit_status: int | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    readings: Sequence[Reading] = ()
    findings: tuple[Finding, ...] = ()
    error: str = ""
    _rows: dict[str, list[Kept]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _timed: list[Kept] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def rows(self) -> Mapping[str, Sequence[Kept]]:
        """Its readings as kept, by name, in order."""
        # Sixty clauses ask one output after the other; scanning all readings for each was half of judging.
        index = self._rows
        if not index:
            whole = self.readings
            for row in whole.rows if isinstance(whole, KeptReadings) else map(kept, whole):
                name = row.name
                if name in index:
                    index[name].append(row)
                else:
                    index[name] = [row]
            self._timed.extend([row for name in index if name.startswith(TIME) for row in index[name]])
        return index

    @property
    def timed(self) -> Sequence[Kept]:
        """Of these the times of a collective."""
        return self._timed if self.rows else ()


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One delivered run. id: run uuid (or folder name offline); nodes: slot codes (g1-001), lead first; repeat 1..n.

    round: 1 for the first measuring, higher after a cure; a newer round replaces the older ones.
    hostnames: slot code -> host name of the machine that answered there. received_at: the server's clock, UTC.
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

    def shapes(self, names: Iterable[str]) -> dict[str, tuple[Hashable, ...]]:
        """What readings() shows by each of these names; no rule can tell apart what is of equal shape."""
        shapes: dict[str, tuple[Hashable, ...]] = dict.fromkeys(names, ())
        for place, output in enumerate(self.outputs):
            table, source = output.rows, (place, output.tool)
            for name in shapes:
                rows = table.get(name)
                if rows:
                    # True equals 1 and is not shown alike, so the types are part of it.
                    shapes[name] += (source, *rows, *[row.value.__class__ for row in rows])
        return shapes
