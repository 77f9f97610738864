"""The time to answer: reminded of once, over when it is over, given anew by the buyer; tasks may run twice."""

from datetime import timedelta

import pytest
from django.utils import timezone

from gpucontract.contracts import expiry, tasks
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.lifecycle import LifecycleError
from gpucontract.contracts.models import Contract, Mail
from gpucontract.contracts.services import Given, answer_clauses, extend_offer, send_revision, submit_answers
from tests import factories

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def offer(ada, now):
    contract = factories.drafted_contract()
    send_revision(contract, by=ada, now=now, valid_until=now + 3 * DAY)
    contract.refresh_from_db()
    return contract


def state(contract):
    return Contract.objects.get(pk=contract.pk).state


def test_an_offer_expires_when_its_time_is_over_and_only_once(offer, now):
    assert expiry.expire_due(now + 3 * DAY - timedelta(seconds=1)) == 0 and state(offer) == "with_vendor"
    assert expiry.expire_due(now + 3 * DAY) == 1 and state(offer) == "expired_offer"
    assert expiry.expire_due(now + 3 * DAY) == 0
    assert offer.events.filter(kind="move_expire").count() == 1


def test_an_expired_offer_takes_no_answers(offer, now, vera):
    expiry.expire_due(now + 3 * DAY)
    with pytest.raises(ContractError):
        answer_clauses(factories.latest(offer), answers={"g1/ram": Given("confirm")}, by=vera)


def test_answers_in_time_are_never_late(offer, now, vera):
    revision = factories.latest(offer)
    given = {clause.key: Given("confirm") for clause in revision.body().clauses} | {"g1/ram": Given("ask", "含固件？")}
    answer_clauses(revision, answers=given, by=vera)
    submit_answers(revision, by=vera)
    assert expiry.expire_due(now + 9 * DAY) == 0 and state(offer) == "answered"


def test_an_offer_without_a_day_never_expires(now):
    contract = factories.sent_contract()
    assert expiry.expire_due(now + 999 * DAY) == 0 and state(contract) == "with_vendor"


def test_the_vendor_is_reminded_once_a_day_before(offer, now, vera, sun):
    Mail.objects.all().delete()
    assert expiry.remind_due(now + DAY) == 0
    assert (expiry.remind_due(now + 2 * DAY), expiry.remind_due(now + 2 * DAY)) == (1, 0)
    assert {mail.to for mail in Mail.objects.all()} == {vera, sun}


def test_more_time_is_reminded_of_anew(offer, now, ada):
    expiry.remind_due(now + 2 * DAY)
    extend_offer(offer, now + 5 * DAY, by=ada, now=now + 2 * DAY)
    assert expiry.remind_due(now + 2 * DAY) == 0 and expiry.remind_due(now + 4 * DAY) == 1


def test_the_buyer_revives_an_expired_offer_with_its_answers(offer, now, ada, vera):
    answer_clauses(factories.latest(offer), answers={"g1/ram": Given("confirm")}, by=vera)
    expiry.expire_due(now + 3 * DAY)
    assert extend_offer(offer, now + 6 * DAY, by=ada, now=now + 4 * DAY).state == "with_vendor"
    assert factories.latest(offer).confirmations.count() == 1


@pytest.mark.parametrize("days", [-1, 0, 2, 3], ids=["past", "now", "earlier than before", "the same"])
def test_more_time_means_later_than_now_and_before(offer, now, ada, days):
    with pytest.raises(LifecycleError):
        extend_offer(offer, now + days * DAY, by=ada, now=now)


@pytest.mark.parametrize("name", ["bing", "eng", "vera", "sun", "mallory", "zoe"])
def test_only_the_buyers_approver_gives_time(offer, now, name):
    with pytest.raises(NotAllowed):
        extend_offer(offer, now + 9 * DAY, by=factories.person(name), now=now)


@pytest.mark.parametrize(("days", "said"), [(0, "already over"), (400, "too far off")])
def test_it_refuses_a_day_that_makes_no_sense(ada, now, days, said):
    contract = factories.drafted_contract()
    with pytest.raises(ContractError) as caught:
        send_revision(contract, by=ada, now=now, valid_until=now + days * DAY)
    assert said in caught.value.text.en and state(contract) == "draft"


def test_the_task_may_run_twice(offer):
    Contract.objects.update(offer_valid_until=timezone.now() - timedelta(seconds=1))
    assert (tasks.expire_due(), tasks.expire_due()) == (1, 0)
