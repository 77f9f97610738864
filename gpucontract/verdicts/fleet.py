"""A contract's machines beside each other: each rate clause's values by machine, their median, who falls behind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause, Scope, VerifiedBy
from gpucontract.contracts.models import Contract
from gpucontract.measurements.services import in_force
from gpucontract.verdicts import papers
from gpucontract.verdicts.models import NodeVerdict
from gpucontract.verdicts.outliers import FEWEST, Outlier, outliers
from gpucontract.verdicts.states import PlaceVerdict

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
    rows = NodeVerdict.objects.filter(contract=contract).values_list("scope", "body").iterator()
    answers = [(slot, papers.read(slot, _only(document, rates))) for slot, document in rows]
    found = [spread for clause in rates if (spread := _spread(clause, answers, body)) is not None]
    return tuple(sorted(found, key=lambda spread: not spread.outliers))


def _is_machine_rate(clause: Clause) -> bool:
    return clause.verified_by is VerifiedBy.MEASUREMENT and clause.kind == "rate" and clause.scope in _OF_A_MACHINE


def _only(document: Mapping[str, object], clauses: Iterable[Clause]) -> dict[str, object]:
    return {clause.key: document[clause.key] for clause in clauses if clause.key in document}


def _spread(clause: Clause, answers: Iterable[tuple[str, Mapping[str, PlaceVerdict]]], body: Body) -> Spread | None:
    group = body.group(clause.code)
    values: dict[str, Decimal] = {}
    for slot, answer in answers:
        value = answer[clause.key].kept[0].value if group.has(slot) and clause.key in answer else None
        if isinstance(value, Decimal):
            values[slot] = value
    if not values:
        return None
    ordered = tuple(sorted(values.items(), key=lambda item: (item[1], item[0])))
    middle = median(values.values()) if len(values) >= FEWEST else None
    return Spread(clause, ordered, middle, outliers(clause.metric, values))
