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
from gpucontract.verdicts.answers import Ground, PlaceVerdict, Ruling
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

    def learn(self, names: frozenset[str]) -> None:
        """Take these readings into account, too; what was ruled without them is forgotten."""
        if not names <= self.names:
            self.names |= names
            self.pick = itemgetter(*sorted(self.names))
            self.rulings.clear()


@dataclass(slots=True)
class Bundle:
    """The clauses of one kind of place that the same runs settle; names: all the readings their plans rest on."""

    plans: list[Plan] = field(default_factory=list)
    names: frozenset[str] = frozenset()


class Sitting:
    """Judges place after place of one contract in one context."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._bundles: dict[str, tuple[list[Bundle], list[Clause]]] = {}
        self._shapes: dict[Hashable, int] = {}

    def at(self, place: str, records: Iterable[RunRecord]) -> dict[str, PlaceVerdict]:
        """Clause key -> the condensed answer of each clause that this place answers, from the runs that touch it."""
        known, context, admissions = tuple(records), self._context.at(place), Admissions()
        bundles, others = self._docket(place)
        answers: dict[str, PlaceVerdict] = {}
        for bundle in bundles:
            hearing = hear(bundle.plans[0].clause, known, context, admissions)
            if len(hearing.admitted.records) == 1 or hearing.admitted.is_empty:
                self._share(bundle, hearing, answers)
            else:
                others = others + [plan.clause for plan in bundle.plans]
        for clause in others:
            answers[clause.key] = condense(place, clause, judge_scopes(clause, known, context, admissions))
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

    def _share(self, bundle: Bundle, hearing: Hearing, answers: dict[str, PlaceVerdict]) -> None:
        """Answer the bundle's clauses by rulings already made where this run's readings are nothing new."""
        place, counting = hearing.context.place, hearing.admitted.records
        ground = hearing.ground(counting)
        grounds, until, shapes = (ground,), ground.until, self._numbered(bundle.names, counting)
        plans = bundle.plans
        known = [plan.rulings.get(plan.pick(shapes)) if counting else plan.silent for plan in plans]
        for plan, ruling in zip(plans, known, strict=True):
            answers[plan.key] = (
                PlaceVerdict(place, ruling, grounds, until)
                if ruling is not None
                else self._rule(plan, bundle, replace(hearing, clause=plan.clause), ground)
            )

    def _rule(self, plan: Plan, bundle: Bundle, hearing: Hearing, ground: Ground) -> PlaceVerdict:
        """The clause judged in full; its ruling is kept if it rests on nothing but named readings."""
        asked, counting = Asked(), hearing.admitted.records
        watched = replace(hearing.admitted, records=tuple(map(asked.watch, counting)))
        verdicts = judge_heard(replace(hearing, records=asked.watch_closely(hearing.records), admitted=watched))
        answer = condense(hearing.context.place, plan.clause, verdicts)
        is_own = asked.has_strayed or answer.grounds != (ground,) or not answer.ruling.is_local
        if is_own or (counting and not asked.names):
            return answer
        if counting:
            plan.learn(frozenset(asked.names))
            bundle.names |= plan.names
            plan.rulings[plan.pick(self._numbered(plan.names, counting))] = answer.ruling
        else:
            plan.silent = answer.ruling
        return answer

    def _numbered(self, names: Iterable[str], counting: tuple[RunRecord, ...]) -> dict[str, int]:
        """Name -> the number of what the run that counts shows under it; equal readings have equal numbers."""
        if len(self._shapes) > MOST_KNOWN:
            self._forget()
        if not counting:
            return {}
        known, shapes = self._shapes, counting[0].shapes(names)
        return {name: known.setdefault(shape, len(known)) for name, shape in shapes.items()}

    def _forget(self) -> None:
        self._shapes.clear()
        for bundles, _ in self._bundles.values():
            for plan in (plan for bundle in bundles for plan in bundle.plans):
                plan.rulings.clear()
