"""A replaced contract on the pages: found by number and state, with its successor and what that changed, and no act."""

import pytest
from django.urls import reverse

from gpucontract.contracts.amending import UNDER_WAY
from gpucontract.contracts.models import Contract
from tests import factories

pytestmark = pytest.mark.django_db
ACTS = ("amend", "terminate", "order", "deliver", "accept", "comment", "waive", "paper")


@pytest.fixture
def parent():
    return factories.signed_contract()


@pytest.fixture
def amendment(parent):
    return factories.signed_amendment(parent, g1={"ram_gb_per_node": 1536})


def page(client, name, contract, view="contract-detail"):
    client.force_login(factories.person(name))
    address = reverse(view, args=[contract.uuid])
    return client.get(address, headers={"accept-language": "zh-hans"}).content.decode()


@pytest.mark.parametrize("name", ["ada", "sun"])
def test_its_page_names_the_successor_with_the_differences_and_offers_no_act(client, parent, amendment, name):
    shown = page(client, name, parent)
    assert "已被补充协议取代" in shown and amendment.number in shown
    assert reverse("contract-compare-amended", args=[amendment.uuid, 1]) in shown
    assert not [act for act in ACTS if f'action="{reverse("contract-detail", args=[parent.uuid])}{act}' in shown]
    for view in ("contract-documents", "contract-journal", "contract-runs", "contract-papers", "contract-sign"):
        assert parent.number in page(client, name, parent, view)


@pytest.mark.parametrize("query", ["state=superseded", "q={number}"])
def test_it_is_found_by_its_state_and_by_its_number(client, ada, parent, amendment, query):
    client.force_login(ada)
    rows = client.get(f"{reverse('contract-list')}?{query.format(number=parent.number)}").context["rows"]
    assert [row.contract for row in rows] == [parent]


def test_the_journals_of_both_say_it_in_words(client, parent, amendment):
    assert "由补充协议取代" in page(client, "sun", parent, "contract-journal")
    assert "接替所补充的合同" in page(client, "sun", amendment, "contract-journal")


@pytest.mark.parametrize("state", UNDER_WAY)
def test_an_amendment_under_way_says_when_its_parent_is_over(client, parent, state):
    draft = factories.agreed_amendment(parent)
    Contract.objects.filter(pk=parent.pk).update(state="terminated")
    Contract.objects.filter(pk=draft.pk).update(state=state)
    assert f"所补充的合同 {parent.number} 已处于“已解除”" in page(client, "ada", draft)


def test_signers_of_both_sides_read_beforehand_what_signing_brings(client, parent):
    draft = factories.agreed_amendment(parent, g1={"ram_gb_per_node": 1536})
    for name in ("ada", "sun"):
        shown = page(client, name, draft, "contract-sign")
        assert f"本协议取代合同 {parent.number}" in shown and "签署后本协议处于“已签署”" in shown
