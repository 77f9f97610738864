"""Counters and what the buyer says to them: accepted ones are written through the term's own field, others stay."""

from decimal import Decimal

import pytest

from gpucontract.contracts.countering import Price
from gpucontract.contracts.errors import AnswersRefused, ContractError, NotAllowed, NotReady
from gpucontract.contracts.models import Confirmation, Decision
from gpucontract.contracts.rounds import rounds_of
from gpucontract.contracts.services import (
    Given,
    answer_clauses,
    decide,
    reopen,
    send_revision,
    submit_answers,
    write_terms,
)
from gpucontract.contracts.snapshot import terms_of
from tests import factories

pytestmark = pytest.mark.django_db
LESS = Given("counter", "64 GB 内存条缺货", "1536", Price(Decimal(-500), "CNY", "node_month"))


@pytest.fixture
def revision(db):
    return factories.latest(factories.sent_contract())


def submitted(revision, vera, **answers):
    """Everything confirmed but for these: ram=LESS speaks of g1/ram."""
    given = {clause.key: Given("confirm") for clause in revision.body().clauses}
    answer_clauses(revision, answers=given | {f"g1/{name}": one for name, one in answers.items()}, by=vera)
    submit_answers(revision, by=vera)
    return revision


def ram(revision):
    return terms_of(revision.contract)["g1/ram_gb_per_node"]


def test_a_counter_is_saved_with_value_reason_and_price(revision, vera):
    answer_clauses(revision, answers={"g1/ram": LESS}, by=vera)
    kept = revision.confirmations.get()
    assert (kept.answer, kept.value, kept.reason) == ("counter", "1536", "64 GB 内存条缺货")
    assert (kept.price_amount, kept.price_currency, kept.price_basis) == (Decimal(-500), "CNY", "node_month")


REFUSED = [
    ("without a reason", Given("counter", " ", "1536"), "say why you counter it"),
    ("without a value", Given("counter", "缺货"), "enter your value"),
    ("beyond the limit", Given("counter", "缺货", "99999999"), "out of range"),
    ("more decimals than the term keeps", Given("counter", "缺货", "1536.5"), "1536.5"),
]


@pytest.mark.parametrize(("given", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_counter_that_cannot_stand_is_refused_beside_its_line_and_nothing_is_saved(revision, vera, given, said):
    with pytest.raises(AnswersRefused) as caught:
        answer_clauses(revision, answers={"g1/ecc": Given("confirm"), "g1/ram": given}, by=vera)
    assert list(caught.value.refusals) == ["g1/ram"] and said in caught.value.refusals["g1/ram"].en
    assert not Confirmation.objects.exists()


def test_every_line_that_cannot_stand_is_named_at_once(revision, vera):
    bad = {"g1/ram": Given("counter", "缺货"), "g1/ecc": Given("ask")}
    with pytest.raises(AnswersRefused) as caught:
        answer_clauses(revision, answers=bad, by=vera)
    assert set(caught.value.refusals) == set(bad)


def test_an_accepted_counter_is_written_and_makes_the_next_revision_where_it_is_open_again(revision, vera, ada):
    submitted(revision, vera, ram=LESS)
    decide(revision, "g1/ram", decision="accepted", settled=True, by=ada)
    assert ram(revision) == 1536
    new = send_revision(revision.contract, by=ada)
    assert new.number == 2 and new.body().clause("g1/ram").value == 1536
    assert not new.confirmations.filter(key="g1/ram").exists()


def test_a_declined_counter_leaves_the_terms_and_needs_a_reason(revision, vera, bing):
    submitted(revision, vera, ram=LESS)
    before = ram(revision)
    with pytest.raises(ContractError) as caught:
        decide(revision, "g1/ram", decision="declined", text=" ", by=bing)
    assert "write why" in caught.value.text.en
    decide(revision, "g1/ram", decision="declined", text="训练需要", by=bing)
    assert ram(revision) == before


def test_an_acceptance_taken_back_puts_the_old_value_back(revision, vera, ada):
    submitted(revision, vera, ram=LESS)
    before = ram(revision)
    decide(revision, "g1/ram", decision="accepted", by=ada)
    decide(revision, "g1/ram", decision="accepted", by=ada)
    decide(revision, "g1/ram", decision="declined", text="训练需要", by=ada)
    assert ram(revision) == before and Decision.objects.get().answer == "declined"


def test_a_value_typed_since_is_not_put_back(revision, vera, ada, bing):
    submitted(revision, vera, ram=LESS)
    decide(revision, "g1/ram", decision="accepted", by=ada)
    write_terms(revision.contract, values={"g1": {"ram_gb_per_node": 1792}}, by=bing)
    decide(revision, "g1/ram", decision="declined", text="折中", by=ada)
    assert ram(revision) == 1792


def test_nothing_is_sent_while_a_counter_or_question_waits(revision, vera, ada, bing):
    submitted(revision, vera, ram=LESS, ecc=Given("ask", "哪些卡？"))
    with pytest.raises(NotReady) as caught:
        send_revision(revision.contract, by=ada)
    assert [reason.en.rpartition("vendor's ")[2] for reason in caught.value.reasons] == [
        "question waits for you.",
        "counter waits for you.",
    ]
    decide(revision, "g1/ram", decision="accepted", settled=True, by=ada)
    decide(revision, "g1/ecc", decision="replied", text="全部", by=bing)
    assert send_revision(revision.contract, by=ada).number == 2


def test_an_accepted_counter_that_the_terms_no_longer_hold_stops_sending(revision, vera, ada, bing):
    submitted(revision, vera, ram=LESS)
    decide(revision, "g1/ram", decision="accepted", settled=True, by=ada)
    write_terms(revision.contract, values={"g1": {"ram_gb_per_node": 1792}}, by=bing)
    with pytest.raises(NotReady) as caught:
        send_revision(revision.contract, by=ada)
    assert "the terms now say ≥ 1,792" in caught.value.reasons[0].en
    write_terms(revision.contract, values={"g1": {"ram_gb_per_node": 1536}}, by=bing)
    assert send_revision(revision.contract, by=ada)


UNFIT = [("g1/ram", "replied", "does not fit"), ("g1/ecc", "accepted", "does not fit"), ("g1/power_limit", "declined", "no counter"),
         ("g9/none", "accepted", "no counter"), ("g1/ram", "burnt", "does not fit")]  # fmt: skip


@pytest.mark.parametrize(("key", "decision", "said"), UNFIT)
def test_a_decision_must_fit_what_the_vendor_said(revision, vera, ada, key, decision, said):
    submitted(revision, vera, ram=LESS, ecc=Given("ask", "哪些卡？"))
    with pytest.raises(ContractError) as caught:
        decide(revision, key, decision=decision, text="文字", by=ada)
    assert said in caught.value.text.en and not Decision.objects.exists()


@pytest.mark.parametrize("name", ["eng", "wen", "vera", "sun", "mallory", "zoe"])
def test_only_the_buyers_drafters_and_approvers_decide(revision, vera, name):
    submitted(revision, vera, ram=LESS)
    with pytest.raises(NotAllowed):
        decide(revision, "g1/ram", decision="declined", text="不行", by=factories.person(name))


def test_a_drafter_declines_but_does_not_accept(revision, vera, bing):
    submitted(revision, vera, ram=LESS)
    with pytest.raises(NotAllowed):
        decide(revision, "g1/ram", decision="accepted", by=bing)


def test_nothing_is_decided_while_the_vendor_answers_or_after_the_next_revision(revision, vera, ada):
    answer_clauses(revision, answers={"g1/ram": LESS}, by=vera)
    with pytest.raises(ContractError):
        decide(revision, "g1/ram", decision="accepted", by=ada)
    submitted(revision, vera, ram=LESS)
    decide(revision, "g1/ram", decision="accepted", settled=True, by=ada)
    send_revision(revision.contract, by=ada)
    with pytest.raises(ContractError) as caught:
        decide(revision, "g1/ram", decision="declined", text="反悔", by=ada)
    assert "cannot be settled now" in caught.value.text.en


def test_the_vendor_reads_a_decision_only_with_the_next_revision(revision, vera, ada, bing):
    submitted(revision, vera, ram=LESS, ecc=Given("ask", "哪些卡？"))
    decide(revision, "g1/ram", decision="declined", text="训练需要", by=bing)
    decide(revision, "g1/ecc", decision="replied", text="全部", by=bing)
    assert [said.decision for said in rounds_of(revision.contract, "vendor")["g1/ram"]] == [""]
    assert [said.decision for said in rounds_of(revision.contract, "buyer")["g1/ram"]] == ["declined"]
    send_revision(revision.contract, by=ada)
    first = rounds_of(revision.contract, "vendor")
    assert [said.reply for said in first["g1/ram"]] == ["训练需要", ""]
    assert next((said.answer, said.reason, said.reply) for said in first["g1/ecc"]) == ("ask", "哪些卡？", "全部")


def test_an_unsubmitted_counter_survives_a_reopening_as_it_was_typed_and_the_buyer_never_sees_it(
    revision, vera, ada, bing
):
    answer_clauses(revision, answers={"g1/ram": LESS}, by=vera)
    reopen(revision.contract, by=ada)
    write_terms(revision.contract, values={"g1": {"gpu_power_limit_w": 650}}, by=bing)
    new = send_revision(revision.contract, by=ada)
    kept = new.confirmations.get(key="g1/ram")
    assert (kept.value, kept.price_amount, kept.submitted_at) == ("1536", Decimal(-500), None)
    assert not any(said.answer for said in rounds_of(revision.contract, "buyer").get("g1/ram", ()))
