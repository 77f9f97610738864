"""What keeps a contract from being accepted: one clause in every state, mandatory or not, waived or not, ticked or not."""

from dataclasses import replace

import pytest

from gpucontract.contracts.clauses import Clause, Operator, VerifiedBy
from gpucontract.verdicts.acceptance import settlement
from gpucontract.wording import Text

CLAUSE = Clause(
    key="g1/x", section="nodes", text=Text("条款", "clause"), operator=Operator.EQUAL, value="1", unit="text",
    verified_by=VerifiedBy.MEASUREMENT, mandatory=True,
)  # fmt: skip
DOCUMENT = replace(CLAUSE, verified_by=VerifiedBy.DOCUMENT)
OPTIONAL, UNJUDGED = replace(CLAUSE, mandatory=False), replace(CLAUSE, verified_by=VerifiedBy.NONE)

# clause, state, waived, ticked, may the contract be accepted
CASES = [
    (CLAUSE, "verified", False, False, True),
    (CLAUSE, "not_applicable", False, False, True),
    (CLAUSE, "marginal", False, False, False),
    (CLAUSE, "marginal", False, True, True),
    (CLAUSE, "marginal", True, False, True),
    (CLAUSE, "pending", False, True, False),
    (CLAUSE, "inconclusive", False, True, False),
    (CLAUSE, "breached", False, True, False),
    (CLAUSE, "breached", True, False, True),
    (CLAUSE, "pending", True, False, True),
    (CLAUSE, None, False, True, False),
    (DOCUMENT, "verified", False, False, True),
    (DOCUMENT, "pending", False, True, False),
    (DOCUMENT, None, False, False, False),
    (OPTIONAL, "breached", False, False, True),
    (OPTIONAL, None, False, False, True),
    (UNJUDGED, None, False, False, True),
]


@pytest.mark.parametrize(("clause", "state", "waived", "ticked", "expected"), CASES)
def test_one_clause(clause, state, waived, ticked, expected):
    found = settlement([clause], {clause.key: state} if state else {}, {clause.key} if waived else ())
    assert found.holds_with({clause.key} if ticked else ()) is expected


def test_what_blocks_and_what_is_marginal_are_told_apart_in_paper_order():
    clauses = [replace(CLAUSE, key=f"g1/{name}") for name in "dcba"]
    found = settlement(clauses, {"g1/d": "breached", "g1/c": "marginal", "g1/b": "verified"}, ())
    assert list(found.blocking) == ["g1/d", "g1/a"] and found.marginal == ("g1/c",)
    assert not found.holds_with(["g1/c", "g1/d", "g1/a"])
