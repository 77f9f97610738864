"""Who signs needs a mandate that has not ended and goes as far as the contract."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from gpucontract.accounts.errors import AccountError, NotAdmin
from gpucontract.accounts.mandates import (
    Amount,
    Letter,
    mandate_to_sign,
    objection,
    record_legal,
    record_letter,
    revoke_mandate,
)
from gpucontract.accounts.models import Mandate, Membership, OrganisationEvent, User
from gpucontract.filing import Filed
from tests import factories

pytestmark = pytest.mark.django_db
FILED = Filed("授权书.pdf", "pdf", "a" * 64, 10)
TODAY = date(2031, 5, 6)
SMALL, LARGE = Amount(Decimal("999999.99")), Amount(Decimal("1000000.01"))


@pytest.fixture
def signer(adam):
    user = User.objects.create_user("lee@buyer.example", name="李")
    Membership.objects.create(user=user, organisation=factories.organisation_of("adam"), roles=("approver",))
    return user


def letter(**changes):
    return Letter(**{"granted_by": "赵明", "filed": FILED} | changes)


OBJECTIONS = {
    "a letter without end or limit": ({}, LARGE, ""),
    "up to its last day": ({"valid_until": TODAY}, LARGE, ""),
    "the day after": ({"valid_until": TODAY - timedelta(days=1)}, LARGE, "ended on 2031-05-05"),
    "below the limit": ({"limit": Decimal(1_000_000)}, SMALL, ""),
    "exactly the limit": ({"limit": Decimal(1_000_000)}, Amount(Decimal(1_000_000)), ""),
    "a cent above it": ({"limit": Decimal(1_000_000)}, LARGE, "amounts to 1000000.01 CNY"),
    "another currency": ({"limit": Decimal(1_000_000)}, Amount(Decimal(1), "USD"), "amounts to 1 USD"),
    "an amount nobody can tell": ({"limit": Decimal(1_000_000)}, Amount(None), "cannot be told"),
    "no amount but no limit either": ({}, Amount(None), ""),
}


@pytest.mark.parametrize(("fields", "amount", "said"), OBJECTIONS.values(), ids=OBJECTIONS)
def test_how_far_it_goes(signer, fields, amount, said):
    refusal = objection(Mandate(user=signer, **fields), amount, TODAY)
    assert (refusal is None) if not said else (said in refusal.en)


def test_without_any_nobody_signs(signer):
    with pytest.raises(AccountError, match="is on record"):
        mandate_to_sign(signer, factories.organisation_of("adam"), SMALL, TODAY)


def test_one_that_covers_is_enough(adam, signer):
    held = signer.memberships.get()
    record_letter(held, letter(limit=Decimal(10)), by=adam)
    wide = record_letter(held, letter(limit=Decimal(2_000_000)), by=adam)
    assert mandate_to_sign(signer, held.organisation, LARGE, TODAY) == wide
    kinds = OrganisationEvent.objects.values_list("kind", flat=True)
    assert list(kinds) == ["mandate_recorded", "mandate_recorded"]


def test_a_revoked_one_counts_no_more(adam, signer):
    mandate = record_legal(signer.memberships.get(), by=adam)
    assert mandate_to_sign(signer, mandate.organisation, LARGE, TODAY) == mandate
    revoke_mandate(mandate, by=adam)
    with pytest.raises(AccountError):
        mandate_to_sign(signer, mandate.organisation, LARGE, TODAY)
    with pytest.raises(AccountError, match="revoked already"):
        revoke_mandate(mandate, by=adam)


def test_one_for_another_company_does_not_count(adam, signer, zoe):
    record_legal(signer.memberships.get(), by=adam)
    with pytest.raises(AccountError):
        mandate_to_sign(signer, factories.organisation_of("zoe"), SMALL, TODAY)


@pytest.mark.parametrize(
    ("changes", "said"),
    (
        pytest.param({"granted_by": " "}, "needs the name", id="nobody gave it"),
        pytest.param({"filed": None}, "needs the name", id="no file"),
        pytest.param({"limit": Decimal(0)}, "above 0", id="no amount"),
        pytest.param({"valid_until": date(2001, 1, 1)}, "over already", id="over"),
    ),
)
def test_a_letter_says_everything(adam, signer, changes, said):
    with pytest.raises(AccountError, match=said):
        record_letter(signer.memberships.get(), letter(**changes), by=adam)


def test_who_has_no_signing_role_gets_none(adam, bing):
    with pytest.raises(AccountError, match="of no use"):
        record_legal(bing.memberships.get(), by=adam)


@pytest.mark.parametrize("who", ["bing", "ada", "sun", "mallory"])
def test_only_an_admin_records(who, adam, signer):
    with pytest.raises(NotAdmin):
        record_legal(signer.memberships.get(), by=factories.person(who))


def test_a_letter_without_its_file_does_not_get_into_the_table(adam, signer):
    given = {"recorded_by": adam, "recorded_at": timezone.now(), "user": signer}
    with pytest.raises(IntegrityError), transaction.atomic():
        Mandate.objects.create(organisation=factories.organisation_of("adam"), basis="letter", **given)
