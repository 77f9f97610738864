"""The buyer is told when lines were confirmed by people with no mandate to sign."""

from datetime import timedelta

import pytest
from django.utils import timezone

from gpucontract.accounts.models import Mandate
from gpucontract.contracts.services import review
from tests import factories

pytestmark = pytest.mark.django_db


def said(contract):
    return next(result for result in review(contract).results if result.check == "C-SIG-04")


def test_nothing_is_said_before_the_vendor_has_answered():
    assert said(factories.sent_contract()).outcome == "not_evaluated"


def test_a_confirmer_without_a_mandate_is_named():
    found = said(factories.agreed_contract())
    assert found.outcome == "failed" and "Vera" in found.text.zh and not found.is_blocking


@pytest.mark.parametrize(
    ("days", "is_revoked", "outcome"),
    [(None, False, "passed"), (0, False, "passed"), (-1, False, "failed"), (None, True, "failed")],
    ids=["without end", "on its last day", "ended", "revoked"],
)
def test_only_a_mandate_in_force_settles_it(days, is_revoked, outcome):
    contract, now = factories.agreed_contract(), timezone.now()
    Mandate.objects.create(
        organisation=contract.vendor, user=factories.person("vera"), basis="legal", recorded_by=factories.person("sun"),
        recorded_at=now, valid_until=None if days is None else timezone.localdate() + timedelta(days=days),
        revoked_at=now if is_revoked else None,
    )  # fmt: skip
    assert said(contract).outcome == outcome
