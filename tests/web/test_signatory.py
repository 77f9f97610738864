"""Whoever signs without being the one who was named for it is told of, to both sides, and may sign all the same."""

import json

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts.second_factor import code_of, set_up_app
from gpucontract.contracts.naming import is_signatory, name_signer
from gpucontract.documents.models import SignOff
from tests import factories
from tests.web.test_signing import SECRET, given

pytestmark = pytest.mark.django_db
CAUTION = "合同写明的甲方签约人是"


@pytest.fixture(autouse=True)
def fresh_limits():
    cache.clear()


def page(client, contract, who):
    client.force_login(factories.person(who))
    return client.get(reverse("contract-sign", args=[contract.uuid])).content.decode()


def sign(client, contract, who):
    person = factories.person(who)
    set_up_app(person, SECRET)
    client.force_login(person)
    typed = given(contract, typed_name=str(person), code=code_of(SECRET, timezone.now()))
    assert client.post(reverse("contract-sign", args=[contract.uuid]), typed).status_code == 302


def test_another_than_the_contract_names_is_cautioned_signs_and_is_on_record(client):
    contract = factories.agreed_contract()
    assert CAUTION in page(client, contract, "ada")
    assert CAUTION not in page(client, contract, "vera")
    sign(client, contract, "ada")
    assert SignOff.objects.count() == 1
    assert json.loads(contract.events.get(kind="signed_off").body)["signatory"] == "李明，总经理，附授权委托书"
    assert CAUTION in page(client, contract, "vera") and CAUTION in page(client, contract, "ada")


def test_the_one_who_is_named_signs_without_a_word(client):
    contract = factories.agreed_contract(c={"buyer_signatory": "ＡＤＡ，总经理"})
    assert CAUTION not in page(client, contract, "ada")
    sign(client, contract, "ada")
    assert "signatory" not in json.loads(contract.events.get(kind="signed_off").body)
    assert CAUTION not in page(client, contract, "vera")


def test_whom_the_vendor_named_is_held_against_who_signs_for_its_own_eyes(client):
    contract = factories.agreed_contract()
    name_signer(contract, email="boss@vendor.example", by=factories.person("vera"))
    assert "乙方指定由 boss@vendor.example 签署" in page(client, contract, "sun")
    sign(client, contract, "sun")
    assert "乙方指定由" in page(client, contract, "sun") and "乙方指定由" not in page(client, contract, "ada")


@pytest.mark.parametrize(
    ("said", "name", "expected"),
    [("李明，总经理", "李明", True), ("Li  Ming, CEO", "li ming", True), ("李明", "王强", False), ("李明", " ", False)],
)
def test_a_name_is_found_however_it_is_spaced_and_cased(said, name, expected):
    assert is_signatory(said, name) is expected
