"""“I may not sign”: whoever answers names a signer; nobody gives by it what they may not give."""

import pytest

from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.models import Invitation, Mandate, Membership
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.models import Mail
from gpucontract.contracts.naming import name_signer, named_signer
from tests import factories

pytestmark = pytest.mark.django_db
NEW = "lin@vendor.example"


@pytest.fixture
def contract(db, sun):
    return factories.agreed_contract()


@pytest.fixture
def admin(vera):
    Membership.objects.filter(user=vera).update(roles="confirmer,admin")
    return vera


def said(contract):
    return named_signer(contract).standing.en


def test_a_confirmers_naming_asks_and_invites_nobody(contract, vera, sun):
    Mail.objects.all().delete()
    name_signer(contract, email=f" {NEW.upper()} ", by=vera)
    assert not Invitation.objects.exists() and f"{NEW} is no member" in said(contract)
    letter = Mail.objects.get()
    assert letter.to == sun and NEW in letter.body and "/sign/" in letter.body


def test_an_admins_naming_invites_as_signer_and_the_state_follows(contract, admin):
    name_signer(contract, email=NEW, by=admin)
    made = Invitation.objects.get()
    assert (made.email, made.roles) == (NEW, ("signer",)) and "has not accepted" in said(contract)


def test_what_a_member_still_lacks_is_said(contract, vera, sun):
    name_signer(contract, email=vera.email, by=vera)
    assert "without the signer's role" in said(contract)
    name_signer(contract, email=sun.email, by=vera)
    assert f"{sun.email} may sign" in said(contract)
    Mandate.objects.filter(user=sun).delete()
    assert "without a mandate in force" in said(contract)


@pytest.mark.parametrize("name", ["ada", "bing", "mallory", "zoe"])
def test_nobody_else_names_for_the_vendor(contract, name):
    with pytest.raises(NotAllowed):
        name_signer(contract, email=NEW, by=factories.person(name))


def test_what_is_no_address_and_a_signed_contract_are_refused(vera):
    with pytest.raises(AccountError, match="is not an e-mail address"):
        name_signer(factories.sent_contract(), email="lin", by=vera)
    with pytest.raises(ContractError, match="no signer is to be named"):
        name_signer(factories.signed_contract(), email=NEW, by=vera)
