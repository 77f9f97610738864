"""A price concession that came with a counter is never lost: nothing is sent until the price or a person settles it."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.contracts.countering import Price
from gpucontract.contracts.errors import NotReady
from gpucontract.contracts.models import Mail
from gpucontract.contracts.price_effects import effects
from gpucontract.contracts.revising import drafted_body
from gpucontract.contracts.rounds import rounds_of
from gpucontract.contracts.services import Given, answer_clauses, decide, send_revision, submit_answers, write_terms
from tests import factories

pytestmark = pytest.mark.django_db
MONTHLY = Price(Decimal(-1000), "CNY", "node_month")
CHEAPER = Given("counter", "内存缺货", "1536", Price(Decimal("-0.2"), "CNY", "gpu_hour"))


@pytest.fixture
def revision(db, vera):
    revision = factories.latest(factories.sent_contract())
    given = {clause.key: Given("confirm") for clause in revision.body().clauses}
    answer_clauses(revision, answers=given | {"g1/ram": CHEAPER}, by=vera)
    submit_answers(revision, by=vera)
    return revision


def notes(revision, side):
    return [said.price_note.en for said in rounds_of(revision.contract, side)["g1/ram"] if said.price_note]


def test_an_accepted_price_effect_holds_the_next_revision_back_and_says_what_to_do(revision, ada):
    decide(revision, "g1/ram", decision="accepted", by=ada)
    with pytest.raises(NotReady) as caught:
        send_revision(revision.contract, by=ada)
    (reason,) = caught.value.reasons
    assert "−CNY 0.20" in reason.en and "Change the price" in reason.en and "−0.2" in reason.zh
    assert notes(revision, "buyer") == ["The price is not changed automatically."]


def priced(revision, by, **terms):
    """What is said of the accepted effect once the price terms are these: (is it open, the note)."""
    write_terms(revision.contract, values={"c": terms}, by=by)
    (effect,) = effects(revision, drafted_body(revision.contract))
    return effect.is_open, effect.note.en


def test_a_price_that_moved_the_other_way_settles_nothing(revision, ada, bing):
    decide(revision, "g1/ram", decision="accepted", by=ada)
    assert priced(revision, bing, unit_price="66000") == (True, "The price is not changed automatically.")
    with pytest.raises(NotReady):
        send_revision(revision.contract, by=ada)


def test_a_price_in_another_basis_lets_it_go_with_a_caution(revision, ada, bing):
    decide(revision, "g1/ram", decision="accepted", by=ada)
    is_open, note = priced(revision, bing, unit_price="64000")
    assert not is_open and "check it" in note


def test_a_fee_that_is_new_or_dearer_answers_a_rise_and_not_a_concession(revision, ada, bing):
    decide(revision, "g1/ram", decision="accepted", by=ada)
    fees = [{"kind": "power", "basis": "per_month", "amount": "100"}, {"kind": "bandwidth", "basis": "included"}]
    assert priced(revision, bing, other_fees=fees)[0]


@pytest.mark.parametrize(
    ("price", "said"),
    [("64000", "The price was changed."), ("64500", "changes by −CNY 500.00 per machine and month, the accepted")],
    ids=["the whole step", "half of it"],
)
def test_in_the_same_basis_the_step_is_compared_with_the_sum(vera, ada, bing, price, said):
    revision = factories.latest(factories.sent_contract())
    given = {clause.key: Given("confirm") for clause in revision.body().clauses}
    answer_clauses(revision, answers=given | {"g1/ram": replace(CHEAPER, price=MONTHLY)}, by=vera)
    submit_answers(revision, by=vera)
    decide(revision, "g1/ram", decision="accepted", by=ada)
    is_open, note = priced(revision, bing, unit_price=price)
    assert not is_open and said in note


def test_a_changed_price_lets_it_go_and_the_vendor_reads_it_in_page_and_mail(revision, ada, bing):
    decide(revision, "g1/ram", decision="accepted", by=ada)
    write_terms(revision.contract, values={"c": {"unit_price": "64000"}}, by=bing)
    Mail.objects.all().delete()
    send_revision(revision.contract, by=ada)
    assert notes(revision, "vendor") == ["The price was changed."]
    letter = Mail.objects.filter(to__email="vera@vendor.example").get().body
    assert (
        "−CNY 0.20" in letter and "The price was changed, in another basis" in letter and "已接受的价格影响" in letter
    )


def test_another_commercial_term_does_not_settle_it(revision, ada, bing):
    decide(revision, "g1/ram", decision="accepted", by=ada)
    write_terms(revision.contract, values={"c": {"invoice_days": 20}}, by=bing)
    with pytest.raises(NotReady):
        send_revision(revision.contract, by=ada)


def test_a_tick_settles_it_without_a_price_change(revision, ada):
    decide(revision, "g1/ram", decision="accepted", settled=True, by=ada)
    assert send_revision(revision.contract, by=ada).number == 2
    assert notes(revision, "vendor") == ["The price effect is settled without a price change."]
    event = revision.contract.events.get(kind="counter_accepted")
    assert '"price_settled":true' in event.body.replace(" ", "")


def test_a_declined_counter_has_no_price_effect_to_settle(revision, ada):
    decide(revision, "g1/ram", decision="declined", text="训练需要", settled=True, by=ada)
    assert send_revision(revision.contract, by=ada).number == 2 and notes(revision, "buyer") == []
