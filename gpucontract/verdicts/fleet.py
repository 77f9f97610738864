"""A contract's machines beside each other: each rate clause's values by machine, their median, who falls behind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause, Scope, VerifiedBy
from gpucontract.contracts.models import Contract
from gpucontract.measurements.services import in_force
from gpucontract.verdicts import papers
from gpucontract.verdicts.answers import PlaceVerdict
from gpucontract.verdicts.models import NodeVerdict
from gpucontract.verdicts.outliers import FEWEST, Outlier, outliers

_OF_A_MACHINE = (Scope.NODE, Scope.GPU, Scope.PORT)


@dataclass(frozen=True, slots=True)
class Spread:
    """One rate clause over a group's machines; where devices are judged, a machine counts with its deciding one.

    values: (slot, value in the clause's unit), the least first. middle: their median; None below FEWEST machines.
    """

    clause: Clause
    values: tuple[tuple[str, Decimal], ...]
    middle: Decimal | None
    outliers: tuple[Outlier, ...]


def spreads(contract: Contract) -> tuple[Spread, ...]:
    """Every rate clause that machines were measured for, those with machines out of line first."""
    body = in_force(contract).body()
    rates = [each for each in body.clauses if _is_machine_rate(each)]
    documents = NodeVerdict.objects.filter(contract=contract).documents()
    answers = papers.read(documents, {clause.key for clause in rates})
    found = [spread for clause in rates if (spread := _spread(clause, answers.get(clause.key, ()), body)) is not None]
    return tuple(sorted(found, key=lambda spread: not spread.outliers))


def _is_machine_rate(clause: Clause) -> bool:
    return clause.verified_by is VerifiedBy.MEASUREMENT and clause.kind == "rate" and clause.scope in _OF_A_MACHINE


def _spread(clause: Clause, answers: Iterable[PlaceVerdict], body: Body) -> Spread | None:
    group = body.group(clause.code)
    measured = [(answer.place, answer.worst.value) for answer in answers if group.has(answer.place)]
    values = {slot: value for slot, value in measured if isinstance(value, Decimal)}
    if not values:
        return None
    ordered = tuple(sorted(values.items(), key=lambda item: (item[1], item[0])))
    middle = median(values.values()) if len(values) >= FEWEST else None
    return Spread(clause, ordered, middle, outliers(clause.metric, values))
