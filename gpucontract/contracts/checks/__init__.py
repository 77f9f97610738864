"""All checks, and how they are run over a draft."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpucontract.contracts.checks import (
    acceptance,
    credits,
    custody,
    fabric,
    liability,
    links_between,
    links_inside,
    money,
    nodes,
    parties,
    qualification,
    security,
    service,
    stack,
    supply,
)
from gpucontract.contracts.checks.check import DEFAULT, Check, Outcome, Per, Policy, Result
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.term import Row
from gpucontract.contracts.terms import Local, NotGiven, Terms
from gpucontract.units import grouped
from gpucontract.wording import Text

VERSION = "2026.6"

CHECKS: tuple[Check, ...] = (
    *parties.CHECKS, *qualification.CHECKS, *nodes.CHECKS, *supply.CHECKS, *links_inside.CHECKS,
    *links_between.CHECKS, *fabric.CHECKS, *stack.CHECKS, *custody.CHECKS, *security.CHECKS,
    *service.CHECKS, *credits.CHECKS, *acceptance.CHECKS, *money.CHECKS, *liability.CHECKS,
)  # fmt: skip

_PASSED = Text("通过", "Passed")
_NOT_EVALUATED = Text("还缺数据，未检查", "Not evaluated: something it needs is not known")


def run(terms: Terms, policy: Policy = DEFAULT) -> tuple[Result, ...]:
    """What every check says of every row it looks at; what cannot be told is not_evaluated, never passed."""
    results = (_result(check, terms.at(code), policy) for check in CHECKS for code in _codes(check, terms))
    # Two groups may fail over one and the same term of the contract: that is said once.
    return tuple(dict.fromkeys(results))


def _codes(check: Check, terms: Terms) -> Iterator[str]:
    yield from {Per.CONTRACT: ("c",), Per.GROUP: terms.groups, Per.MOUNT: terms.mounts}[check.per]


def _result(check: Check, local: Local, policy: Policy) -> Result:
    severity, text, lacking, term = check.severity, _PASSED, "", check.terms[0]
    try:
        miss = check.rule(local, policy)
        outcome = Outcome.PASSED if miss is None else Outcome.FAILED
    except NotGiven as gap:
        miss, outcome, text = None, Outcome.NOT_EVALUATED, _NOT_EVALUATED
        lacking = _lacking(str(gap), local)
    if miss is not None:
        severity, text = miss.severity or severity, miss.text or check.text.fill(**_read(miss.values))
        term = miss.term or term
    path = _path(term, local.code)
    return Result(check.id, outcome, severity, path, text, check.sections, check.is_waivable, lacking)


def _read(values: Mapping[str, object]) -> Mapping[str, object]:
    """What fills a sentence, whole numbers with their thousands apart."""
    return {
        name: grouped(value) if isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in values.items()
    }


def _path(term: str, code: str) -> str:
    """Where a check is shown: the term, in the row that holds it."""
    return f"c/{term}" if TERMS[term].row is Row.CONTRACT else f"{code}/{term}"


def _lacking(gap: str, local: Local) -> str:
    """What was not given, in the row where people fill it in; "" where it is none of the terms they type."""
    code, _, rest = gap.partition("/")
    term = rest.partition("/")[0]
    if term not in TERMS or TERMS[term].is_computed:
        return ""
    rows = {Row.CONTRACT: ("c",), Row.GROUP: local.terms.groups, Row.MOUNT: local.terms.mounts}[TERMS[term].row]
    place = code if code in rows else next(iter(rows), "")
    return f"{place}/{term}" if place else ""
