"""What one row of the clause table says: which terms make the clause, how it is worded, judged and verified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gpucontract.contracts.clauses import Operator, Scope, Value, VerifiedBy
from gpucontract.contracts.sections.term import When
from gpucontract.contracts.terms import Local
from gpucontract.wording import Text

Conditions = Callable[[Local], Mapping[str, Any]]


class Per(StrEnum):
    """How often a row makes a clause: once per contract, node group or shared mount, or per child row of its term."""

    CONTRACT = "c"
    GROUP = "g"
    MOUNT = "m"
    CHILD = "child"


def no_conditions(_: Local) -> Mapping[str, Any]:
    """A clause whose value says it all."""
    return {}


@dataclass(frozen=True, slots=True)
class ClauseRow:
    """One row. terms: the first is what a counter writes to, the rest become conditions; empty for a fixed value.

    text: the sentence, with {value} and any condition by name; a row whose text lacks one makes no clause.
    qualifier: the condition that ends the key. unit_from: the condition that holds the unit.
    fixed: the value where no term holds it, or how it follows from the terms.
    when: must all hold, else the row makes no clause. is_rate: has repeats and tolerance.
    """

    section: str
    name: str
    per: Per
    text: Text
    terms: tuple[str, ...] = ()
    operator: Operator = Operator.EQUAL
    unit: str = ""
    fixed: Value | Callable[[Local], Value] | None = None
    metric: str = ""
    scope: Scope = Scope.CONTRACT
    jobs: tuple[str, ...] = ()
    when: tuple[When, ...] = ()
    conditions: Conditions = no_conditions
    qualifier: str = ""
    unit_from: str = ""
    verified_by: VerifiedBy = VerifiedBy.MEASUREMENT
    is_rate: bool = False
