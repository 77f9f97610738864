"""The task list, and starting a draft."""

import pytest
from django.urls import reverse

from gpucontract.accounts.models import Membership
from gpucontract.contracts.models import Contract
from gpucontract.web.wizard import Draft
from tests import factories
from tests.web.typing_in import post

pytestmark = pytest.mark.django_db


def states(contract):
    return {task.name: task.state for task in Draft.of(contract).tasks()}


def test_a_fresh_draft_has_started_nothing_but_what_the_organisation_knows(drafter):
    found = states(factories.empty_contract())
    assert found.pop("parties") == "started"
    assert set(found.values()) == {"untouched"}


def test_a_complete_draft_is_complete(contract):
    assert set(states(contract).values()) == {"complete"}


def test_a_step_left_half_typed_is_started_and_says_who(drafter, contract):
    post(drafter, contract, "sla", act="later", c__p1_response_min="")
    assert states(contract)["sla"] == "started"
    page = drafter.get(reverse("contract-draft", args=[contract.uuid])).content.decode()
    assert "Bing ·" in page


def test_saving_a_half_typed_step_rightly_completes_it(drafter, contract):
    post(drafter, contract, "sla", act="later", c__p1_response_min="")
    post(drafter, contract, "sla", c__p1_response_min="20")
    assert states(contract)["sla"] == "complete"


def test_a_step_with_a_blocking_check_wants_attention():
    contract = factories.drafted_contract(g1={"inter_node_gbps_stated": "1600"})
    assert states(contract)["interconnect"] == "attention"


def test_a_new_contract_leads_to_its_first_step(drafter):
    page = drafter.get("/contracts/new").content.decode()
    assert 'type="hidden" name="buyer"' in page
    response = drafter.post("/contracts/new", {"title": "试点", "buyer": factories.organisation_of("bing").pk})
    contract = Contract.objects.get(title="试点")
    assert response["Location"] == reverse("contract-draft-step", args=[contract.uuid, "parties"])


def test_a_contract_without_a_name_is_asked_for_one(drafter):
    response = drafter.post("/contracts/new", {"title": "", "buyer": factories.organisation_of("bing").pk})
    assert response.status_code == 422
    assert "请填写合同名称" in response.content.decode()


def test_one_cannot_draft_for_an_organisation_where_one_has_no_such_role(drafter, bing):
    other = factories.organisation_of("zoe")
    Membership.objects.create(user=bing, organisation=other, roles=("viewer",))
    response = drafter.post("/contracts/new", {"title": "x", "buyer": other.pk})
    assert response.status_code == 422
    assert not Contract.objects.filter(buyer=other).exists()


def test_somebody_who_may_draft_for_nobody_is_told(client, eng):
    client.force_login(eng)
    assert client.get("/contracts/new").status_code == 403
