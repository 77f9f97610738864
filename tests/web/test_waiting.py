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
        (factories.sent_contract, "bing", "等待：乙方答复"),
        (factories.agreed_contract, "bing", "等待：双方签署"),
        (factories.drafted_contract, "wen", "等待：甲方起草并发送"),
    ],
)
def test_a_person_with_nothing_to_do_reads_whom_it_waits_for(client, made, who, says):
    made()
    client.force_login(factories.person(who))
    assert says in client.get(reverse("contract-list")).content.decode()


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        (Counts(verified=8, breached=2), "breaches are cured, then the buyer tests again"),
        (Counts(verified=8, pending=2), "the missing tests and documents"),
        (Counts(verified=10), ""),
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
    assert button in client.get(page).content.decode()
    assert button not in client.get(f"{page}?show=open").content.decode()
