"""A document clause is verified by a paper that is there, confirmed and unexpired, and by nothing else."""

from datetime import UTC, date, datetime, timedelta
from itertools import permutations

import pytest

from gpucontract.contracts.clauses import Clause, Operator, VerifiedBy
from gpucontract.contracts.papers import Decision, Paper
from gpucontract.verdicts.documents_rule import judge_document
from gpucontract.verdicts.reasons import REASONS
from gpucontract.wording import Text

NOW = datetime(2031, 3, 4, 5, 6, tzinfo=UTC)
CLAUSE = Clause(
    key="c/documents:hardware_list", section="acceptance", text=Text("硬件清单", "hardware list"),
    operator=Operator.EQUAL, value=True, unit="bool", verified_by=VerifiedBy.DOCUMENT,
)  # fmt: skip
OPEN, CONFIRMED, REFUSED = Decision.OPEN, Decision.CONFIRMED, Decision.REFUSED


def paper(number=1, decision=OPEN, *, days_left=None, **changes):
    ends = None if days_left is None else NOW + timedelta(days=days_left)
    decided = {} if decision is OPEN else {"decided_by": "周工", "decided_at": NOW - timedelta(days=1)}
    given = {
        "key": CLAUSE.key, "clause_sha256": CLAUSE.sha256, "number": number, "name": f"list-v{number}.pdf",
        "sha256": f"{number:064x}", "uploaded_at": NOW - timedelta(days=9), "decision": decision,
        "reason": "缺少序列号" if decision is REFUSED else "", "expires_at": ends,
        "valid_on": date(2031, 3, 1) if ends else None,
    }  # fmt: skip
    return Paper(**given | decided | changes)


CASES = {
    "nothing handed in": ([], "pending", "no_file"),
    "handed in, not looked at": ([paper()], "pending", "paper_waits"),
    "confirmed": ([paper(1, CONFIRMED)], "verified", "paper_confirmed"),
    "refused": ([paper(1, REFUSED)], "inconclusive", "paper_refused"),
    "a mended version after a refusal waits": ([paper(1, REFUSED), paper(2)], "pending", "paper_waits"),
    "a mended version confirmed": ([paper(1, REFUSED), paper(2, CONFIRMED)], "verified", "paper_confirmed"),
    "a later version refused leaves the confirmed one": (
        [paper(1, CONFIRMED), paper(2, REFUSED)], "verified", "paper_confirmed",
    ),
    "a later version that waits leaves it too": ([paper(1, CONFIRMED), paper(2)], "verified", "paper_confirmed"),
    "confirmed and expired": ([paper(1, CONFIRMED, days_left=-3)], "inconclusive", "paper_expired"),
    "confirmed with days left": ([paper(1, CONFIRMED, days_left=3)], "verified", "paper_confirmed"),
    "expires this very moment": ([paper(1, CONFIRMED, days_left=0)], "inconclusive", "paper_expired"),
    "expired, its successor waits": ([paper(1, CONFIRMED, days_left=-3), paper(2)], "pending", "paper_waits"),
    "waited until it expired": ([paper(1, days_left=-3)], "inconclusive", "paper_expired"),
    "confirmed for another text": (
        [paper(1, CONFIRMED, clause_sha256="0" * 64)], "pending", "paper_of_other_text",
    ),
    "confirmed for another clause": ([paper(1, CONFIRMED, key="c/licence")], "pending", "no_file"),
    "confirmed in an unsigned list": ([paper(1, CONFIRMED, is_signed=False)], "inconclusive", "paper_unsigned"),
}  # fmt: skip


@pytest.mark.parametrize(("papers", "state", "reason"), CASES.values(), ids=CASES)
def test_what_it_takes(papers, state, reason):
    for order in permutations(papers):
        found = judge_document(CLAUSE, order, NOW)
        assert (found.state, found.reason, found.scope) == (state, reason, "c")


@pytest.mark.parametrize(("papers", "state", "reason"), CASES.values(), ids=CASES)
def test_every_sentence_fills_from_the_facts(papers, state, reason):
    found = judge_document(CLAUSE, papers, NOW)
    said = REASONS[found.reason].fill(**found.facts)
    assert "{" not in said.zh + said.en


def test_the_evidence_is_the_hash_of_the_newest_confirmed_version():
    found = judge_document(CLAUSE, [paper(1, CONFIRMED), paper(2, CONFIRMED)], NOW)
    assert (found.facts["sha256"], found.value) == (f"{2:064x}", True)


def test_a_verdict_lasts_as_long_as_its_paper():
    assert judge_document(CLAUSE, [paper(1, CONFIRMED, days_left=3)], NOW).fresh_until == NOW + timedelta(days=3)
    assert judge_document(CLAUSE, [paper(1, CONFIRMED)], NOW).fresh_until is None


def test_told_so_the_offline_judge_takes_an_unsigned_list():
    found = judge_document(CLAUSE, [paper(1, CONFIRMED, is_signed=False)], NOW, accept_unsigned=True)
    assert found.state == "verified"


@pytest.mark.parametrize("papers", [case[0] for case in CASES.values()], ids=CASES)
def test_nothing_is_ever_breached_on_one_sides_word_nor_verified_without_a_confirmed_file(papers):
    found = judge_document(CLAUSE, papers, NOW)
    assert found.state != "breached"
    assert found.state != "verified" or any(each.decision is CONFIRMED for each in papers)
