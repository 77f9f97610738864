"""A whole contract's answers added up: places that share a sheet of rulings are counted, not gone through singly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause
from gpucontract.verdicts.answers import Ground, PlaceAnswers, PlaceVerdict, Ruling, Sheet, on_sheet
from gpucontract.verdicts.rules import conclude, decide
from gpucontract.verdicts.scopes import places
from gpucontract.verdicts.settling import Settled, adds_up, plain
from gpucontract.verdicts.states import ClauseVerdict, ScopeVerdict, State


class Alike:
    """Places whose answers stand on one sheet; first: by name. until: when the first of their runs goes stale."""

    __slots__ = ("first", "places", "until")

    def __init__(self, first: tuple[str, Ground]) -> None:
        self.first = first
        self.places: list[tuple[str, Ground]] = []
        self.until: datetime | None = None

    def add(self, place: str, ground: Ground) -> None:
        """One more place; ground: what the rulings rest on there."""
        self.places.append((place, ground))
        if place < self.first[0]:
            self.first = place, ground
        if ground.until is not None:
            self.until = _first((self.until, ground.until))


class Tally:
    """Takes the answers of every place of a contract once, and decides its clauses."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._own: dict[str, list[PlaceVerdict]] = defaultdict(list)
        self._alike: dict[Sheet, Alike] = {}

    def add(self, answers: PlaceAnswers) -> None:
        """Take the answers of one more place."""
        for sheet, ground in answers.sheets:
            alike = self._alike.get(sheet)
            if alike is None:
                alike = self._alike[sheet] = Alike((answers.place, ground))
            alike.add(answers.place, ground)
        for key, answer in answers.own.items():
            self._own[key].append(answer)

    def decide(self) -> dict[str, ClauseVerdict]:
        """Clause key -> verdict, not yet explained, in the order of the body."""
        shared: dict[str, list[tuple[Ruling, Alike]]] = defaultdict(list)
        for sheet, alike in self._alike.items():
            for key, ruling in sheet.rulings.items():
                shared[key].append((ruling, alike))
        return {clause.key: self._decided(clause, shared[clause.key]) for clause in self._body.judged}

    def _decided(self, clause: Clause, shared: list[tuple[Ruling, Alike]]) -> ClauseVerdict:
        own = self._own[clause.key]
        answered = len(own) + sum(len(alike.places) for _, alike in shared)
        if adds_up(clause) and answered == len(places(clause, self._body)):
            return conclude(clause, _settled(own, shared), _until(own, shared), self._body)
        whole = [on_sheet(place, ruling, ground) for ruling, alike in shared for place, ground in alike.places]
        return decide(clause, sorted([*own, *whole], key=lambda answer: answer.place), self._body)


def _settled(own: Iterable[PlaceVerdict], shared: Iterable[tuple[Ruling, Alike]]) -> Settled:
    """Every failing scope, and of places that share a clean ruling the first by name: they rank alike but for it."""
    scopes: list[ScopeVerdict] = [scope for answer in own for scope in answer.kept]
    totals: Counter[State] = Counter()
    for answer in own:
        totals.update(answer.counts)
    for ruling, alike in shared:
        told = [alike.first] if ruling.is_clean else alike.places
        scopes += [scope for place, ground in told for scope in on_sheet(place, ruling, ground).kept]
        for state, count in ruling.counts.items():
            totals[state] += count * len(alike.places)
    return Settled(tuple(scopes), plain(totals))


def _until(own: Iterable[PlaceVerdict], shared: Iterable[tuple[Ruling, Alike]]) -> datetime | None:
    return _first([*(answer.fresh_until for answer in own), *(alike.until for _, alike in shared)])


def _first(moments: Iterable[datetime | None]) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)
