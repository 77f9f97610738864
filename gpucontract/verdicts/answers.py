"""What a place answers to a clause: the ruling, which machines that read alike share, and the ground it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from gpucontract.verdicts.states import Attribution, Measured, ScopeVerdict, State


class Ground(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a verdict rests on. runs: their ids; aside: (run id, reason) of those that did not count.

    hosts: slot -> host name of the machine. until: when the first of the runs goes stale.
    """

    runs: tuple[str, ...]
    aside: tuple[tuple[str, str], ...]
    hosts: dict[str, str]
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict without its ground. scope: as it follows the place ("" or /gpu5), else the whole name of another.

    ground: which of its answer's grounds it rests on.
    """

    scope: str
    state: State
    reason: str
    value: Measured | None
    facts: Mapping[str, Any]
    attribution: Attribution
    ground: int = 0

    @property
    def is_local(self) -> bool:
        """Whether it is about its place or a part of it."""
        return self.scope[:1] in ("", "/")

    def at(self, place: str, grounds: tuple[Ground, ...]) -> ScopeVerdict:
        """The verdict at a place, on that place's grounds."""
        ground = grounds[self.ground]
        scope = place + self.scope if self.is_local else self.scope
        return ScopeVerdict(
            scope=scope, state=self.state, reason=self.reason, value=self.value, facts=self.facts, runs=ground.runs,
            aside=ground.aside, hosts=ground.hosts, attribution=self.attribution, fresh_until=ground.until,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Ruling:
    """One clause's answer at one place, condensed: the deciding scope first, every failing scope, counts per state.

    oldest: which of the grounds goes stale first.
    """

    kept: tuple[Said, ...]
    counts: Mapping[State, int]
    oldest: int = 0

    @property
    def is_local(self) -> bool:
        """Whether it speaks of its own place only."""
        return all(said.is_local for said in self.kept)

    @property
    def is_clean(self) -> bool:
        """Whether one scope that keeps its promise stands for the whole place."""
        return len(self.kept) == 1 and not self.kept[0].state.is_failing


class PlaceVerdict(msgspec.Struct, frozen=True, gc=False):
    """A ruling at its place, on that place's grounds. Half a million of them are held at once: four fields, no more."""

    place: str
    ruling: Ruling
    grounds: tuple[Ground, ...]
    fresh_until: datetime | None = None

    @property
    def kept(self) -> tuple[ScopeVerdict, ...]:
        """All scopes that the clause's answer still needs, the deciding one first."""
        return tuple(said.at(self.place, self.grounds) for said in self.ruling.kept)

    @property
    def counts(self) -> Mapping[State, int]:
        """How many scopes are in each state."""
        return self.ruling.counts

    @property
    def worst(self) -> ScopeVerdict:
        """The scope that decides this place."""
        return self.ruling.kept[0].at(self.place, self.grounds)


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Rulings of several clauses, by key, that rest on the same ground; machines that read alike share one."""

    rulings: Mapping[str, Ruling]


class PlaceAnswers(Mapping[str, PlaceVerdict]):
    """All answers of one place by clause key; those on sheets are made whole only where somebody asks for them."""

    __slots__ = ("own", "place", "sheets")

    def __init__(self, place: str) -> None:
        self.place = place
        self.sheets: list[tuple[Sheet, Ground]] = []
        self.own: dict[str, PlaceVerdict] = {}

    def __getitem__(self, key: str) -> PlaceVerdict:
        for sheet, ground in self.sheets:
            if key in sheet.rulings:
                return on_sheet(self.place, sheet.rulings[key], ground)
        return self.own[key]

    def __iter__(self) -> Iterator[str]:
        for sheet, _ in self.sheets:
            yield from sheet.rulings
        yield from self.own

    def __len__(self) -> int:
        return len(self.own) + sum(len(sheet.rulings) for sheet, _ in self.sheets)


def on_sheet(place: str, ruling: Ruling, ground: Ground) -> PlaceVerdict:
    """A ruling of a sheet at a place, on its one ground there."""
    return PlaceVerdict(place, ruling, (ground,), ground.until)


def standing(place: str, ruling: Ruling, grounds: tuple[Ground, ...]) -> PlaceVerdict:
    """A ruling at a place."""
    return PlaceVerdict(place, ruling, grounds, grounds[ruling.oldest].until)


def answer_of(
    place: str, kept: Iterable[ScopeVerdict], counts: Mapping[State, int], first: ScopeVerdict
) -> PlaceVerdict:
    """Verdicts split into ruling and grounds. first: the one of this place that goes stale first, kept or not."""
    grounds: dict[tuple[object, ...], tuple[int, Ground]] = {}
    said = tuple(_said(place, verdict, _place_of(verdict, grounds)) for verdict in kept)
    oldest = _place_of(first, grounds)
    return standing(place, Ruling(said, counts, oldest), tuple(ground for _, ground in grounds.values()))


def _said(place: str, verdict: ScopeVerdict, ground: int) -> Said:
    scope = verdict.scope
    if scope == place or scope.startswith(f"{place}/"):
        scope = scope[len(place) :]
    return Said(scope, verdict.state, verdict.reason, verdict.value, verdict.facts, verdict.attribution, ground)


def _place_of(verdict: ScopeVerdict, grounds: dict[tuple[object, ...], tuple[int, Ground]]) -> int:
    """The number of the verdict's ground among these, put there if it is new."""
    hosts = dict(verdict.hosts)
    key = (verdict.runs, verdict.aside, tuple(hosts.items()), verdict.fresh_until)
    if key not in grounds:
        grounds[key] = len(grounds), Ground(verdict.runs, verdict.aside, hosts, verdict.fresh_until)
    return grounds[key][0]
