"""What keeps a contract from being accepted: one clause in every state, mandatory or not, waived or not, ticked or not."""

from dataclasses import replace
from datetime import date

import pytest

from gpucontract.contracts.clauses import Clause, Operator, VerifiedBy
from gpucontract.verdicts.acceptance import delays, settlement
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


DAY = date(2027, 1, 1)
# the day only the vendor stated, why the buyer denies it, open tests as (round, job), what the decision waits for
DELAYS = {
    "nothing": (None, "", [], []),
    "a day nobody confirmed": (DAY, "", [], [("day", "2027-01-01")]),
    "a day denied": (DAY, "少一台", [], [("day", "少一台")]),
    "tests of two rounds": (None, "", [(3, "health"), (2, "storage"), (3, "nccl_intra")], [("runs", "2 轮还有 1 项"), ("runs", "3 轮还有 2 项")]),
    "a test of the first round": (None, "", [(1, "burn_in")], [("runs", "1 轮还有 1 项")]),
    "what changes no verdict": (None, "", [(2, "nccl_pairs"), (2, "training")], []),
    "both": (DAY, "", [(2, "fabric")], [("day", "2027-01-01"), ("runs", "2 轮")]),
}  # fmt: skip


@pytest.mark.parametrize(("day", "denied", "runs", "expected"), DELAYS.values(), ids=DELAYS)
def test_what_a_decision_waits_for(day, denied, runs, expected):
    found = delays(day, denied, runs)
    assert [each.cause for each in found] == [cause for cause, _words in expected]
    assert all(words in each.text.zh for each, (_cause, words) in zip(found, expected, strict=True))


def test_what_blocks_and_what_is_marginal_are_told_apart_in_paper_order():
    clauses = [replace(CLAUSE, key=f"g1/{name}") for name in "dcba"]
    found = settlement(clauses, {"g1/d": "breached", "g1/c": "marginal", "g1/b": "verified"}, ())
    assert list(found.blocking) == ["g1/d", "g1/a"] and found.marginal == ("g1/c",)
    assert not found.holds_with(["g1/c", "g1/d", "g1/a"])
