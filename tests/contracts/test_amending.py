"""After signing only an amendment: linked, with the same codes, so that nothing shows as changed until it is."""

import pytest

from gpucontract.contracts.amending import amend_contract
from gpucontract.contracts.comparing import Kind, changes
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.models import Contract
from gpucontract.contracts.services import add_group, freeze_revision, send_revision, withdraw, write_terms
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed(db):
    return factories.signed_contract()


def test_an_amendment_is_linked_and_says_the_same_as_what_it_amends(signed, bing):
    amendment = amend_contract(signed, by=bing)
    assert (amendment.amends, amendment.state, amendment.buyer) == (signed, "draft", signed.buyer)
    body = freeze_revision(amendment, by=bing).body()
    assert changes(factories.latest(signed).body(), body) == ()


def test_its_changes_show_against_what_was_signed(signed, bing):
    amendment = amend_contract(signed, by=bing)
    write_terms(amendment, values={"g1": {"ram_gb_per_node": 1536}}, by=bing)
    found = changes(factories.latest(signed).body(), freeze_revision(amendment, by=bing).body())
    assert [(change.key, change.kind) for change in found] == [("g1/ram", Kind.VALUE)]


def test_codes_with_gaps_stay_what_they_are(bing, ada):
    contract = factories.drafted_contract()
    add_group(contract, by=bing)
    contract.node_groups.get(code="g2").delete()
    three = add_group(contract, by=bing)
    write_terms(contract, values={"g3": {"name": "三组", "node_count": 1, "gpus_per_node": 4}}, by=bing)
    type(contract).objects.filter(pk=contract.pk).update(state="signed")
    contract.refresh_from_db()
    amendment = amend_contract(contract, by=bing)
    assert three.code == "g3"
    assert list(amendment.node_groups.order_by("position").values_list("code", flat=True)) == ["g1", "g3"]


def test_there_is_one_amendment_at_a_time(signed, bing, ada):
    first = amend_contract(signed, by=bing)
    with pytest.raises(ContractError, match=f"{first.number} is still under way"):
        amend_contract(signed, by=bing)
    withdraw(first, by=ada)
    assert amend_contract(signed, by=bing).number != first.number


@pytest.mark.parametrize("make", [factories.drafted_contract, factories.sent_contract, factories.agreed_contract])
def test_what_is_not_signed_is_not_amended(make, bing):
    with pytest.raises(ContractError, match="only a signed contract"):
        amend_contract(make(), by=bing)


@pytest.mark.parametrize("name", ["eng", "wen", "vera", "sun", "mallory", "zoe"])
def test_only_the_buyers_drafters_start_one(signed, name):
    with pytest.raises(NotAllowed):
        amend_contract(signed, by=factories.person(name))


def test_it_goes_to_the_same_vendor_and_nobody_else(signed, bing, ada):
    amendment = amend_contract(signed, by=bing)
    other = factories.organisation_of("mallory")
    write_terms(amendment, values={"c": {"vendor_name": other.name, "vendor_uscc": other.uscc}}, by=bing)
    with pytest.raises(ContractError, match="between the same two"):
        send_revision(amendment, by=ada)


def test_the_title_counts_amendments_of_amendments_and_stays_short_enough(signed, bing):
    Contract.objects.filter(pk=signed.pk).update(title="长" * 200)
    signed.refresh_from_db()
    first = amend_contract(signed, by=bing)
    assert first.title == f"{'长' * 194}（补充协议）"
    Contract.objects.filter(pk=first.pk).update(state="signed")
    first.refresh_from_db()
    assert amend_contract(first, by=bing).title == f"{'长' * 192}（补充协议 2）"
