"""The buyer is told when a line was confirmed by somebody who may not sign for the vendor."""

import pytest
from django.urls import reverse

from gpucontract.contracts.confirming import confirmed_without_authority
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def revision():
    return factories.latest(factories.agreed_contract())


def test_a_confirmer_without_the_right_to_sign_is_named(revision, vera):
    assert str(vera) in confirmed_without_authority(revision).en


def test_a_signer_who_confirms_is_not(revision, vera):
    vera.memberships.update(roles="confirmer,signer")
    assert confirmed_without_authority(revision) is None


def test_before_anybody_answers_there_is_nothing_to_say():
    assert confirmed_without_authority(factories.latest(factories.sent_contract())) is None


@pytest.mark.parametrize(("name", "sees"), [("ada", True), ("sun", False)])
def test_only_the_buyer_reads_it_where_it_signs(client, revision, name, sees):
    client.force_login(factories.person(name))
    page = client.get(reverse("contract-sign", args=[revision.contract.uuid])).content.decode()
    assert ("没有签署权限" in page) is sees
