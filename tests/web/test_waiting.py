"""Whom a contract waits for stands on the overview of those who have nothing to do on it."""

import pytest
from django.urls import reverse
from django.utils import timezone, translation

from gpucontract.accounts.models import Mandate, Membership
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Contract
from gpucontract.verdicts.summary import Counts
from gpucontract.web.todo import Desk
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("made", "who", "says"),
    [
        (factories.sent_contract, "bing", "等待：乙方（确认人或签署人）答复每一条"),
        (factories.agreed_contract, "bing", "等待：甲方（Ada）签署；乙方（签署人）签署"),
        (factories.drafted_contract, "wen", "等待：甲方（Bing、Ada）起草；甲方（Ada）发送给乙方"),
    ],
)
def test_a_person_with_nothing_to_do_reads_whom_it_waits_for(client, made, who, says):
    for name in ("bing", "ada", "wen", "vera", "sun"):
        factories.person(name)
    made()
    client.force_login(factories.person(who))
    assert says in client.get(reverse("contract-list")).content.decode()


def listed(client, who):
    client.force_login(factories.person(who))
    return client.get(reverse("contract-list")).content.decode()


def test_the_other_sides_people_are_not_named_on_a_contract(client):
    factories.person("sun")
    factories.agreed_contract()
    shown = listed(client, "vera")
    assert "等待：甲方（审批人）签署；乙方（Sun）签署" in shown and "Ada" not in shown


def test_who_has_no_mandate_or_is_barred_by_four_eyes_is_not_named(client, ada):
    contract = factories.agreed_contract()
    Membership.objects.filter(user=factories.person("bing")).update(roles="drafter,approver")
    assert "甲方（Ada）签署" in listed(client, "wen")
    given = {"recorded_by": ada, "recorded_at": timezone.now()}
    Mandate.objects.create(user=factories.person("bing"), organisation=contract.buyer, basis="legal", **given)
    assert "甲方（Ada、Bing）签署" in listed(client, "wen")
    Contract.objects.filter(pk=contract.pk).update(four_eyes=True)
    assert "甲方（Ada）签署" in listed(client, "wen")
    Mandate.objects.filter(user=ada).update(revoked_at=timezone.now())
    assert "甲方（审批人，本方还没有人）签署" in listed(client, "wen")


def test_of_many_three_are_named(client):
    factories.agreed_contract()
    for name in ("bing", "eng", "adam"):
        user = factories.person(name)
        Membership.objects.filter(user=user).update(roles="approver")
        given = {"recorded_by": user, "recorded_at": timezone.now()}
        Mandate.objects.create(user=user, organisation=factories.organisation_of(name), basis="legal", **given)
    assert "等 4 人）签署" in listed(client, "wen")


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        (
            Counts(verified=8, breached=2),
            "the vendor (Confirmer or Signer) to cure the breaches; the buyer (Engineer or Approver) to order the retest",
        ),
        (Counts(verified=8, pending=2), "the buyer (Engineer or Approver) to order the missing tests"),
        (Counts(verified=9, not_applicable=1), "the buyer (Approver) to decide the acceptance"),
    ],
    ids=["breached", "pending", "all verified"],
)
def test_acceptance_waits_for_a_cure_before_the_missing_tests(counts, says):
    contract = Contract(pk=1, state=State.ACCEPTING)
    with translation.override("en"):
        assert str(Desk((contract,), {}, counts={1: counts}).waits(contract)) == says


def test_the_next_step_has_no_button_on_its_own_page(client):
    contract = factories.sent_contract()
    client.force_login(factories.person("vera"))
    page = reverse("contract-answers", args=[contract.uuid])
    button = f'<a class="btn btn-primary" href="{page}?show=open">'
    assert button in client.get(reverse("contract-rounds", args=[contract.uuid])).content.decode()
    for here in (page, f"{page}?show=open", f"{page}nodes/"):
        assert button not in client.get(here).content.decode()
