"""A run that remembers what was asked of it, to tell on what a verdict rests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.records import OutputRecord, RunRecord

# What a verdict's ground takes from a run; none of it decides.
_OF_GROUND = frozenset({"id", "hostnames", "received_at", "round"})
_OF_OUTPUT = frozenset({"tool"})


class Asked:
    """names: the readings that were asked for. has_strayed: something else was looked at, too."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.has_strayed = False

    def watch(self, record: RunRecord) -> RunRecord:
        """The same run, watched."""
        return cast(RunRecord, _WatchedRun(record, _OF_GROUND, self))

    def watch_closely(self, records: Iterable[RunRecord]) -> tuple[RunRecord, ...]:
        """The same runs, of which anything asked is one thing too many."""
        return tuple(cast(RunRecord, _Watched(record, frozenset(), self)) for record in records)


class _Watched:
    """Anything of which some attributes may be looked at."""

    def __init__(self, target: object, allowed: frozenset[str], asked: Asked) -> None:
        self._target, self._allowed, self._asked = target, allowed, asked

    def __getattr__(self, name: str) -> Any:
        if name not in self._allowed:
            self._asked.has_strayed = True
        return getattr(self._target, name)


class _WatchedRun(_Watched):
    """A run whose readings may be asked for by name."""

    def readings(self, name: str) -> Iterator[tuple[OutputRecord, Reading]]:
        self._asked.names.add(name)
        for output, reading in self._target.readings(name):  # type: ignore[attr-defined]
            yield cast(OutputRecord, _Watched(output, _OF_OUTPUT, self._asked)), reading
