"""One sitting of the judge over many places: machines that read alike are ruled on once.

A ruling is shared only if nothing but named readings of the one run that counts was looked at to reach it. Whatever
deviates goes the whole way, as the first machine of its kind did. What a ruling rests on stays each machine's own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter

from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts.admission import Context
from gpucontract.verdicts.answers import Ground, PlaceAnswers, Ruling, Sheet
from gpucontract.verdicts.hearing import Admissions, Hearing, admission_key, hear
from gpucontract.verdicts.rules import condense, judge_heard, judge_scopes, reader_of
from gpucontract.verdicts.scopes import clauses_at, kind_of
from gpucontract.verdicts.watching import Asked

# So many different readings are remembered at most; a larger fleet of machines all unlike starts afresh.
MOST_KNOWN = 200_000


@dataclass(slots=True)
class Plan:
    """How a clause is judged where one run counts: names of the readings it rests on, and the ruling for each case.

    pick: the numbers of those readings out of a run's. silent: the ruling where no run has come.
    """

    clause: Clause
    key: str
    names: frozenset[str] = frozenset()
    pick: Callable[[Mapping[str, int]], Hashable] = len
    rulings: dict[Hashable, Ruling] = field(default_factory=dict)
    silent: Ruling | None = None

    def known(self, shapes: Mapping[str, int] | None) -> Ruling | None:
        """The ruling already made where the run that counts reads so; no shapes: where no run has come."""
        return self.silent if shapes is None else self.rulings.get(self.pick(shapes))

    def learn(self, names: frozenset[str]) -> None:
        """Take these readings into account, too; what was ruled without them is forgotten."""
        if not names <= self.names:
            self.names |= names
            self.pick = itemgetter(*sorted(self.names))
            self.rulings.clear()


@dataclass(slots=True)
class Bundle:
    """The clauses of one kind of place that the same runs settle; names: all the readings their plans rest on.

    drawn: for each case the sheet of rulings, and the plans that must be judged in full there.
    """

    plans: list[Plan] = field(default_factory=list)
    names: frozenset[str] = frozenset()
    drawn: dict[Hashable, tuple[Sheet, tuple[Plan, ...]]] = field(default_factory=dict)

    def case(self, shapes: Mapping[str, int] | None) -> Hashable:
        """What the run that counts shows of all these readings; None where no run has come."""
        return None if shapes is None else tuple(map(shapes.__getitem__, self.names))

    def learn(self, names: frozenset[str]) -> None:
        """Tell cases apart by these readings, too; sheets drawn up without them are forgotten."""
        if not names <= self.names:
            self.names |= names
            self.drawn.clear()


class Sitting:
    """Judges place after place of one contract in one context."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._bundles: dict[str, tuple[list[Bundle], list[Clause]]] = {}
        self._shapes: dict[Hashable, int] = {}

    def at(self, place: str, records: Iterable[RunRecord]) -> PlaceAnswers:
        """Clause key -> the condensed answer of each clause that this place answers, from the runs that touch it."""
        known, context, admissions = tuple(records), self._context.at(place), Admissions()
        bundles, others = self._docket(place)
        answers = PlaceAnswers(place)
        for bundle in bundles:
            hearing = hear(bundle.plans[0].clause, known, context, admissions)
            if len(hearing.admitted.records) == 1 or hearing.admitted.is_empty:
                self._share(bundle, hearing, answers)
            else:
                others = others + [plan.clause for plan in bundle.plans]
        for clause in others:
            answers.own[clause.key] = condense(place, clause, judge_scopes(clause, known, context, admissions))
        return answers

    def _docket(self, place: str) -> tuple[list[Bundle], list[Clause]]:
        """The clauses of this kind of place, those whose rulings can be shared bundled by the runs that settle them."""
        kind = kind_of(place, self._context.body)
        if kind not in self._bundles:
            clauses = clauses_at(place, self._context.body)
            bundles: dict[Hashable, Bundle] = {}
            for clause in filter(reader_of, clauses):
                bundles.setdefault(admission_key(clause, self._context), Bundle()).plans.append(
                    Plan(clause, clause.key)
                )
            self._bundles[kind] = list(bundles.values()), [each for each in clauses if not reader_of(each)]
        return self._bundles[kind]

    def _share(self, bundle: Bundle, hearing: Hearing, answers: PlaceAnswers) -> None:
        """Answer the bundle's clauses by a sheet already drawn up where this run's readings are nothing new."""
        counting = hearing.admitted.records
        ground = hearing.ground(counting)
        drawn = bundle.drawn.get(bundle.case(self._numbered(bundle.names, counting))) or self._draw_up(
            bundle, hearing, ground
        )
        answers.sheets.append((drawn[0], ground))
        for plan in drawn[1]:
            verdicts = judge_heard(replace(hearing, clause=plan.clause))
            answers.own[plan.key] = condense(answers.place, plan.clause, verdicts)

    def _draw_up(self, bundle: Bundle, hearing: Hearing, ground: Ground) -> tuple[Sheet, tuple[Plan, ...]]:
        """The bundle's rulings where a run reads like this one; clauses that were never asked so are ruled on now."""
        counting = hearing.admitted.records
        shapes = self._numbered(bundle.names, counting)
        for plan in bundle.plans:
            if plan.known(shapes) is None:
                self._rule(plan, bundle, replace(hearing, clause=plan.clause), ground)
        shapes = self._numbered(bundle.names, counting)
        known = {plan.key: plan.known(shapes) for plan in bundle.plans}
        sheet = Sheet({key: ruling for key, ruling in known.items() if ruling is not None})
        drawn = sheet, tuple(plan for plan in bundle.plans if plan.key not in sheet.rulings)
        bundle.drawn[bundle.case(shapes)] = drawn
        return drawn

    def _rule(self, plan: Plan, bundle: Bundle, hearing: Hearing, ground: Ground) -> None:
        """Judge the clause in full; its ruling is kept if it rests on nothing but named readings."""
        asked, counting = Asked(), hearing.admitted.records
        watched = replace(hearing.admitted, records=tuple(map(asked.watch, counting)))
        verdicts = judge_heard(replace(hearing, records=asked.watch_closely(hearing.records), admitted=watched))
        answer = condense(hearing.context.place, plan.clause, verdicts)
        is_own = asked.has_strayed or answer.grounds != (ground,) or not answer.ruling.is_local
        if is_own or (counting and not asked.names):
            return
        if counting:
            plan.learn(frozenset(asked.names))
            bundle.learn(plan.names)
            plan.rulings[plan.pick(self._numbered(plan.names, counting) or {})] = answer.ruling
        else:
            plan.silent = answer.ruling

    def _numbered(self, names: Iterable[str], counting: tuple[RunRecord, ...]) -> dict[str, int] | None:
        """Name -> the number of what the run that counts shows under it; equal readings have equal numbers."""
        if len(self._shapes) > MOST_KNOWN:
            self._forget()
        if not counting:
            return None
        known, shapes = self._shapes, counting[0].shapes(names)
        return {name: known.setdefault(shape, len(known)) for name, shape in shapes.items()}

    def _forget(self) -> None:
        self._shapes.clear()
        for bundle in (bundle for bundles, _ in self._bundles.values() for bundle in bundles):
            bundle.drawn.clear()
            for plan in bundle.plans:
                plan.rulings.clear()
