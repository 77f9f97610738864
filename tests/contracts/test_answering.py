"""The vendor answers line by line; unchanged lines keep their answer in the next revision."""

import pytest

from gpucontract.contracts.errors import ContractError, NotAllowed, StillOpen
from gpucontract.contracts.lifecycle import LifecycleError
from gpucontract.contracts.services import (
    Given,
    answer_clauses,
    confirm_open_in_section,
    decide,
    is_confirmed,
    reopen,
    send_revision,
    submit_answers,
    write_terms,
)
from tests import factories

pytestmark = pytest.mark.django_db
CONFIRM = Given("confirm")


@pytest.fixture
def revision():
    return factories.latest(factories.sent_contract())


def keys(revision):
    return [clause.key for clause in revision.body().clauses]


def answered(revision):
    return dict(revision.confirmations.values_list("key", "answer"))


def test_answers_are_saved_in_part_and_can_be_changed_and_taken_back(revision, vera):
    assert answer_clauses(revision, answers={"g1/ram": CONFIRM, "g1/ecc": Given("ask", "哪些卡？")}, by=vera) == 2
    assert answered(revision) == {"g1/ram": "confirm", "g1/ecc": "ask"}
    assert answer_clauses(revision, answers={"g1/ecc": CONFIRM, "g1/ram": CONFIRM}, by=vera) == 1
    assert answer_clauses(revision, answers={"g1/ram": None}, by=vera) == 1
    assert answered(revision) == {"g1/ecc": "confirm"}
    answer = revision.confirmations.get()
    assert answer.clause_sha256 == revision.body().clause("g1/ecc").sha256 and answer.submitted_at is None


def test_saving_the_same_answer_again_writes_nothing(revision, vera):
    answer_clauses(revision, answers={"g1/ram": CONFIRM}, by=vera)
    before = revision.contract.events.count()
    assert answer_clauses(revision, answers={"g1/ram": CONFIRM}, by=vera) == 0
    assert revision.contract.events.count() == before


REFUSED = [
    ("a key it has not", {"g9/ram": CONFIRM}, "no clause g9/ram"),
    ("a question without words", {"g1/ram": Given("ask", "  ")}, "write the question"),
    ("an answer that is none", {"g1/ram": Given("maybe")}, "“maybe” is no answer"),
    ("a question of 1001 characters", {"g1/ram": Given("ask", "问" * 1001)}, "1001 characters, at most 1000"),
]


@pytest.mark.parametrize(("answers", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_it_refuses(revision, vera, answers, said):
    with pytest.raises(ContractError) as caught:
        answer_clauses(revision, answers={"g1/ecc": CONFIRM, **answers}, by=vera)
    assert said in caught.value.text.en and answered(revision) == {}


@pytest.mark.parametrize("name", ["bing", "ada", "eng", "mallory", "zoe"])
def test_nobody_answers_for_the_vendor(revision, name):
    who = factories.person(name)
    with pytest.raises(NotAllowed):
        answer_clauses(revision, answers={"g1/ram": CONFIRM}, by=who)
    with pytest.raises(NotAllowed):
        confirm_open_in_section(revision, "nodes", by=who)
    with pytest.raises(NotAllowed):
        submit_answers(revision, by=who)


def test_a_stranger_is_refused_before_hearing_how_the_contract_stands():
    agreed = factories.latest(factories.agreed_contract())
    with pytest.raises(NotAllowed):
        submit_answers(agreed, by=factories.person("mallory"))


def test_confirming_the_open_lines_of_a_section_leaves_questions_and_other_sections(revision, vera):
    answer_clauses(revision, answers={"g1/ram": Given("ask", "含固件保留？")}, by=vera)
    count = confirm_open_in_section(revision, "nodes", by=vera)
    nodes = [clause.key for clause in revision.body().clauses if clause.section == "nodes"]
    assert count == len(nodes) - 1 and set(answered(revision)) == set(nodes)
    assert answered(revision)["g1/ram"] == "ask"


def test_it_cannot_be_submitted_with_lines_open(revision, vera):
    answer_clauses(revision, answers={"g1/ram": CONFIRM}, by=vera)
    with pytest.raises(StillOpen) as caught:
        submit_answers(revision, by=vera)
    lines = len(revision.body().clauses)
    assert f"{lines - 1} of {lines} lines have no answer. Every answer you gave is saved." in caught.value.text.en
    assert revision.confirmations.get().submitted_at is None


def test_all_confirmed_is_agreed_at_once(revision, vera):
    answer_clauses(revision, answers=dict.fromkeys(keys(revision), CONFIRM), by=vera)
    assert submit_answers(revision, by=vera).state == "agreed"
    assert is_confirmed(revision) and not revision.confirmations.filter(submitted_at=None).exists()
    assert [event.kind for event in revision.contract.events.order_by("-number")[:2]] == ["move_agree", "move_submit"]


def test_a_question_makes_it_answered_and_not_agreed(revision, vera):
    answers = {**dict.fromkeys(keys(revision), CONFIRM), "g1/ram": Given("ask", "含固件保留？")}
    answer_clauses(revision, answers=answers, by=vera)
    assert submit_answers(revision, by=vera).state == "answered" and not is_confirmed(revision)


def test_after_submitting_the_lines_are_closed(revision, vera):
    answer_clauses(revision, answers=dict.fromkeys(keys(revision), CONFIRM), by=vera)
    submit_answers(revision, by=vera)
    with pytest.raises(ContractError) as caught:
        answer_clauses(revision, answers={"g1/ram": None}, by=vera)
    assert "cannot be answered now" in caught.value.text.en and is_confirmed(revision)


def reply(revision, bing):
    for key in revision.confirmations.filter(answer="ask").values_list("key", flat=True):
        decide(revision, key, decision="replied", text="按合同执行", by=bing)


def second(revision, bing, ada, **changes):
    """The next revision, sent after the vendor asked about the memory and got its reply."""
    revision.contract.refresh_from_db()
    if revision.contract.state == "answered":
        reply(revision, bing)
    write_terms(revision.contract, values={"g1": changes}, by=bing)
    return send_revision(revision.contract, by=ada)


@pytest.fixture
def asked(revision, vera):
    """Everything confirmed but for a question about the memory."""
    answers = {**dict.fromkeys(keys(revision), CONFIRM), "g1/ram": Given("ask", "含固件保留？")}
    answer_clauses(revision, answers=answers, by=vera)
    submit_answers(revision, by=vera)
    return revision


def test_unchanged_confirmed_lines_carry_over_with_who_and_when(asked, bing, ada, vera):
    new = second(asked, bing, ada, ram_gb_per_node=1536)
    assert set(keys(new)) - set(answered(new)) == {"g1/ram"}
    old, carried = asked.confirmations.get(key="g1/ecc"), new.confirmations.get(key="g1/ecc")
    assert (carried.answered_by, carried.answered_at, carried.carried_from_number) == (vera, old.answered_at, 1)


def test_an_answer_carried_twice_still_names_the_revision_it_was_given_on(asked, bing, ada, vera):
    new = second(asked, bing, ada, ram_gb_per_node=1536)
    answer_clauses(new, answers={"g1/ram": Given("ask", "仍不清楚")}, by=vera)
    submit_answers(new, by=vera)
    third = second(new, bing, ada, ram_gb_per_node=1024)
    assert third.confirmations.get(key="g1/ecc").carried_from_number == 1


def test_questions_never_carry_over(asked, ada, bing):
    reply(asked, bing)
    new = send_revision(asked.contract, by=ada)
    assert "g1/ram" not in answered(new) and new.number == 2


def test_a_line_that_changed_and_changed_back_is_open_again(asked, bing, ada, vera):
    """Carry-over looks only at the revision directly before."""
    new = second(asked, bing, ada, gpu_power_limit_w=650)
    assert "g1/power_limit" not in answered(new)
    answer_clauses(new, answers={**dict.fromkeys(set(keys(new)) - set(answered(new)), Given("ask", "?"))}, by=vera)
    submit_answers(new, by=vera)
    third = second(new, bing, ada, gpu_power_limit_w=700)
    assert third.body().clause("g1/power_limit").sha256 == asked.body().clause("g1/power_limit").sha256
    assert "g1/power_limit" not in answered(third)


def test_an_older_revision_cannot_be_answered_once_a_newer_is_sent(asked, bing, ada, vera):
    second(asked, bing, ada, ram_gb_per_node=1536)
    with pytest.raises(ContractError) as caught:
        answer_clauses(asked, answers={"g1/ram": CONFIRM}, by=vera)
    assert "newer revision" in caught.value.text.en


def test_nothing_new_is_not_sent_again(ada, bing):
    contract = factories.agreed_contract()
    reopen(contract, by=ada)
    with pytest.raises(LifecycleError) as caught:
        send_revision(contract, by=ada)
    assert "nothing has changed" in caught.value.text.en and contract.revisions.count() == 1


def test_saved_but_unsubmitted_answers_survive_a_reopening(revision, bing, ada, vera):
    answer_clauses(revision, answers={"g1/ram": CONFIRM, "g1/ecc": CONFIRM}, by=vera)
    reopen(revision.contract, by=ada)
    new = second(revision, bing, ada, ram_gb_per_node=1536)
    assert answered(new) == {"g1/ecc": "confirm"} and new.confirmations.get().submitted_at is None
