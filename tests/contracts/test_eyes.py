"""Four eyes: everyone who changed the version at hand is kept from sending and signing it, not the last one alone."""

import pytest

from gpucontract.accounts.models import Membership
from gpucontract.contracts import services
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.eyes import drafters, is_barred
from gpucontract.contracts.lifecycle import LifecycleError
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def contract(ada, bing):
    """Changed by bing, then by ada, then by bing again."""
    contract = factories.drafted_contract()
    services.set_four_eyes(contract, True, by=ada)
    reorder(contract, by=ada)
    reorder(contract, by=bing)
    return contract


@pytest.fixture
def other(eng):
    """An approver who changed nothing."""
    Membership.objects.filter(user=eng).update(roles="approver")
    return eng


def reorder(contract, *, by):
    """The smallest change of the terms there is."""
    services.order_rows(contract, codes=["g1"], by=by)


def test_a_later_change_by_somebody_else_lifts_nobodys_bar(contract, ada, bing):
    assert is_barred(contract, ada) and is_barred(contract, bing)
    with pytest.raises(LifecycleError, match="four eyes"):
        services.send_revision(contract, by=ada)
    with pytest.raises(ContractError, match="four eyes"):
        services.set_four_eyes(contract, False, by=ada)


def test_who_changed_nothing_sends_and_the_drafters_stay_barred_from_signing(contract, ada, other):
    assert not is_barred(contract, other)
    services.send_revision(contract, by=other)
    assert is_barred(contract, ada) and not is_barred(contract, other)


def test_the_next_version_counts_its_own_changes_alone(contract, bing, other):
    services.send_revision(contract, by=other)
    services.reopen(contract, by=other)
    reorder(contract, by=bing)
    assert drafters(contract) == {bing.pk}
