"""What a draft still lacks before it can be sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpucontract.contracts.checks import CHECKS
from gpucontract.contracts.checks.check import Severity
from gpucontract.contracts.clause_table import CLAUSE_TABLE
from gpucontract.contracts.sections.steps import terms_of
from gpucontract.contracts.sections.term import Requirement, Row, TermInfo
from gpucontract.contracts.terms import Terms

# Who signs, and which row is meant: no revision can be frozen without them.
_STRUCTURE = frozenset({"buyer_name", "vendor_name", "path", "groups"})
_OF_CLAUSES = frozenset(
    term for row in CLAUSE_TABLE for term in (*row.terms, *(when.term for when in row.when))
)  # fmt: skip
_OF_BLOCKERS = frozenset(
    term for check in CHECKS if check.severity is Severity.BLOCKER for term in check.terms
)  # fmt: skip
# Required terms that stop sending while they are empty; the other required ones are only reminded of.
STOPPING = _STRUCTURE | _OF_CLAUSES | _OF_BLOCKERS


@dataclass(frozen=True, slots=True)
class Gap:
    """A term that is asked for and has no value: its path, what the term is, whether sending waits for it."""

    path: str
    info: TermInfo
    stops: bool


@dataclass(frozen=True, slots=True)
class Left:
    """How many terms are still empty, and how many of them stop sending: the one count that every page tells."""

    empty: int
    stops: int


def counted(gaps: Iterable[Gap]) -> Left:
    """How much these gaps are."""
    stops = [gap.stops for gap in gaps]
    return Left(len(stops), sum(stops))


def missing(terms: Terms) -> tuple[Gap, ...]:
    """The empty terms that stop sending, in order; conditional ones when their condition holds."""
    return tuple(gap for gap in unanswered(terms) if gap.stops)


def unanswered(terms: Terms) -> tuple[Gap, ...]:
    """Every empty term that is asked for now, in order, those of which the drafter is only reminded included."""
    return tuple(gap for code in terms.rows for gap in _unanswered_in(terms, code))


def is_required(terms: Terms, code: str, info: TermInfo) -> bool:
    """Whether a term must be given in that row before the contract can be sent, as it stands now."""
    return info.id in STOPPING and is_asked(terms, code, info)


def may_stop(info: TermInfo) -> bool:
    """Whether a term, or the row it is a column of, can ever stop sending by being empty."""
    return info.id in STOPPING or info.row is Row.CHILD


def is_asked(terms: Terms, code: str, info: TermInfo) -> bool:
    """Whether a term is required in that row now."""
    if info.requirement is not Requirement.CONDITIONAL:
        return info.requirement is Requirement.REQUIRED
    return applies(terms, code, info)


def applies(terms: Terms, code: str, info: TermInfo) -> bool:
    """Whether a term's conditions hold in that row; those of a contract-wide term look at every group."""
    row = terms.at(code)
    return all(any(condition.holds(value) for value in row.seen(condition.term)) for condition in info.conditions)


def _unanswered_in(terms: Terms, code: str) -> Iterator[Gap]:
    for info in terms_of(code):
        path = f"{code}/{info.id}"
        if not terms.is_given(path) and not terms.reason(path) and is_asked(terms, code, info):
            yield Gap(path, info, info.id in STOPPING)
