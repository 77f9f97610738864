"""Whom a contract waits for stands on the overview of those who have nothing to do on it."""

import pytest
from django.urls import reverse
from django.utils import translation

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
        (factories.agreed_contract, "bing", "等待：甲方（审批人）签署；乙方（签署人）签署"),
        (factories.drafted_contract, "wen", "等待：甲方（起草人或审批人）起草；甲方（审批人）发送给乙方"),
    ],
)
def test_a_person_with_nothing_to_do_reads_whom_it_waits_for(client, made, who, says):
    made()
    client.force_login(factories.person(who))
    assert says in client.get(reverse("contract-list")).content.decode()


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
