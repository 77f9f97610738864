"""A price concession that came with a counter is never lost: nothing is sent until the price or a person settles it."""

from decimal import Decimal

import pytest

from gpucontract.contracts.countering import Price
from gpucontract.contracts.errors import NotReady
from gpucontract.contracts.models import Mail
from gpucontract.contracts.rounds import rounds_of
from gpucontract.contracts.services import Given, answer_clauses, decide, send_revision, submit_answers, write_terms
from tests import factories

pytestmark = pytest.mark.django_db
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
    assert "−0.2 CNY" in reason.en and "Change the price" in reason.en and "−0.2" in reason.zh
    assert notes(revision, "buyer") == ["The price is not changed automatically."]


def test_a_changed_price_lets_it_go_and_the_vendor_reads_it_in_page_and_mail(revision, ada, bing):
    decide(revision, "g1/ram", decision="accepted", by=ada)
    write_terms(revision.contract, values={"c": {"unit_price": "64000"}}, by=bing)
    Mail.objects.all().delete()
    send_revision(revision.contract, by=ada)
    assert notes(revision, "vendor") == ["The price was changed."]
    letter = Mail.objects.filter(to__email="vera@vendor.example").get().body
    assert "−0.2 CNY" in letter and "The price was changed." in letter and "已接受的价格影响" in letter


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
