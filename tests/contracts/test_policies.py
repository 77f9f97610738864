"""An organisation's own numbers: defaults until set, refused out of bounds, used by its checks, each change kept."""

import json
from datetime import date
from decimal import Decimal

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from gpucontract.contracts.checks.lines import LINES
from gpucontract.contracts.errors import NotAllowed, TermsRefused
from gpucontract.contracts.models import OrganisationPolicy
from gpucontract.contracts.policies import default_of, may_on, policy_of, set_policy
from gpucontract.contracts.reviewing import review
from tests import factories

pytestmark = pytest.mark.django_db
DAY = date(2026, 11, 30)


@pytest.fixture
def buyer():
    return factories.organisation_of("ada")


def test_an_organisation_starts_with_the_defaults(buyer):
    policy = policy_of(buyer, DAY)
    assert all(getattr(policy, name) == default_of(name) for name in LINES)
    assert policy.today == DAY


def test_an_approver_sets_numbers_as_typed_and_empties_them_again(buyer, ada):
    changed = set_policy(buyer, values={"gpu_replace_hours": "48", "spareless_availability_pct": "99.9"}, by=ada)
    assert set(changed) == {"gpu_replace_hours", "spareless_availability_pct"}
    assert policy_of(buyer).gpu_replace_hours == 48
    assert policy_of(buyer).spareless_availability_pct == Decimal("99.9")
    assert set_policy(buyer, values={"gpu_replace_hours": ""}, by=ada) == ("gpu_replace_hours",)
    assert policy_of(buyer).gpu_replace_hours == 72


def test_zero_is_a_number_and_no_default(buyer, ada):
    set_policy(buyer, values={"credit_cap_pct": "0"}, by=ada)
    assert policy_of(buyer).credit_cap_pct == 0


def test_every_change_is_kept_with_who_made_it(buyer, ada):
    set_policy(buyer, values={"claim_days": "60"}, by=ada)
    set_policy(buyer, values={"claim_days": "60"}, by=ada)
    set_policy(buyer, values={"claim_days": ""}, by=ada)
    kept = [(event.kind, json.loads(event.body), event.actor) for event in buyer.events.order_by("number")]
    said = [{"line": "claim_days", "from": a, "to": b} for a, b in (("30 d", "60 d"), ("60 d", "30 d"))]
    assert kept == [("policy_changed", each, ada) for each in said]


def test_out_of_bounds_is_refused_in_a_sentence_and_nothing_is_written(buyer, ada):
    with pytest.raises(TermsRefused) as caught:
        set_policy(buyer, values={"credit_cap_pct": "101", "claim_days": "60", "nfs_node_limit": "many"}, by=ada)
    assert set(caught.value.refusals) == {"credit_cap_pct", "nfs_node_limit"}
    assert "101 %" in caught.value.refusals["credit_cap_pct"].en
    assert policy_of(buyer).claim_days == 30


@pytest.mark.parametrize("name", ["bing", "eng", "wen", "vera", "zoe"])
def test_only_an_approver_or_admin_of_that_organisation_may_set_them(buyer, name):
    with pytest.raises(NotAllowed):
        set_policy(buyer, values={"claim_days": "60"}, by=factories.person(name))


def test_drafters_may_look_and_strangers_may_not(buyer):
    names = ("bing", "ada", "eng", "wen", "vera", "zoe", "mallory")
    assert [may_on(buyer, factories.person(name), "view_policy") for name in names] == [True] * 4 + [False] * 3


@pytest.mark.parametrize("name", LINES)
def test_the_database_refuses_what_is_out_of_bounds(buyer, name):
    row = OrganisationPolicy.objects.create(organisation=buyer)
    for wrong in (LINES[name].info.minimum - 1, LINES[name].info.maximum + 1):
        with pytest.raises((IntegrityError, DatabaseError)), transaction.atomic():
            OrganisationPolicy.objects.filter(pk=row.pk).update(**{name: wrong})


def test_a_contract_is_reviewed_by_its_buyers_numbers(ada):
    contract = factories.drafted_contract(c={"acceptance_burnin_hours": 24})

    def burn_in():
        return next(each.outcome for each in review(contract).results if each.check == "C-ACC-08")

    assert burn_in() == "passed"
    set_policy(contract.buyer, values={"least_burn_in_hours": "72"}, by=ada)
    assert burn_in() == "failed"
