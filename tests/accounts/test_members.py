"""Roles change hands under one rule: somebody always administers the organisation, and its journal tells it."""

import json

import pytest
from django.utils import timezone

from gpucontract.accounts import journal
from gpucontract.accounts.errors import AccountError, NotAdmin
from gpucontract.accounts.mandates import Amount, mandate_to_sign
from gpucontract.accounts.members import change_roles, end_sessions, hand_over, remove_member
from gpucontract.accounts.models import Mandate, Membership, OrganisationEvent, User
from gpucontract.accounts.presence import Presence
from tests import factories

pytestmark = pytest.mark.django_db


def membership(name):
    return factories.person(name).memberships.get()


def kinds(organisation):
    return list(organisation.events.order_by("number").values_list("kind", flat=True))


def test_an_admin_changes_roles_and_the_journal_says_how(adam, bing):
    adam.presence = Presence("password+totp", "203.0.113.7")
    change_roles(membership("bing"), ["drafter", "approver"], by=adam, reason="升职")
    assert membership("bing").roles == ("drafter", "approver")
    event = OrganisationEvent.objects.get()
    assert (event.kind, event.actor_email, event.role) == ("roles_changed", "adam@buyer.example", "admin")
    assert (event.strength, event.address) == ("password+totp", "203.0.113.7")
    said = json.loads(event.body)
    assert (said["from"], said["to"], said["reason"]) == (["drafter"], ["drafter", "approver"], "升职")


def test_the_same_roles_again_are_no_event(adam, bing):
    change_roles(membership("bing"), ["drafter"], by=adam)
    assert not OrganisationEvent.objects.exists()


@pytest.mark.parametrize("who", ["bing", "ada", "vera", "mallory"])
def test_nobody_else_changes_anything(who, adam, eng):
    by = factories.person(who)
    for act in (
        lambda: change_roles(membership("eng"), ["viewer"], by=by),
        lambda: remove_member(membership("eng"), by=by),
        lambda: hand_over(membership("eng"), by=by),
    ):
        with pytest.raises(NotAdmin):
            act()
    assert membership("eng").roles == ("engineer",)


def test_the_last_admin_stays(adam):
    for act in (
        lambda: change_roles(membership("adam"), ["viewer"], by=adam),
        lambda: remove_member(membership("adam"), by=adam),
    ):
        with pytest.raises(AccountError, match="only admin"):
            act()
    assert membership("adam").roles == ("admin",)


def test_a_closed_account_does_not_count_as_the_other_admin(adam, eng):
    change_roles(membership("eng"), ["admin"], by=adam)
    User.objects.filter(pk=eng.pk).update(is_active=False)
    with pytest.raises(AccountError, match="only admin"):
        remove_member(membership("adam"), by=adam)


def test_handing_over_makes_another_the_admin_and_leaves_one_the_rest(adam, eng):
    hand_over(membership("eng"), by=adam)
    assert membership("eng").roles == ("engineer", "admin")
    assert membership("adam").roles == ("viewer",)
    organisation = factories.organisation_of("adam")
    assert kinds(organisation) == ["roles_changed", "administration_handed_over", "roles_changed"]
    assert journal.verify_chain(organisation).is_whole


def test_removal_ends_the_sessions(client, adam, eng):
    client.force_login(eng)
    assert client.get("/").status_code == 200
    remove_member(membership("eng"), by=adam, reason="离职")
    assert client.get("/").status_code == 302
    assert not Membership.objects.filter(user=eng).exists()
    assert kinds(factories.organisation_of("adam")) == ["member_removed"]


def test_removal_ends_the_mandates_so_that_none_revives(adam, ada):
    held = Mandate.objects.get(user=ada)
    remove_member(membership("ada"), by=adam)
    held.refresh_from_db()
    assert held.revoked_at is not None
    organisation = factories.organisation_of("adam")
    assert kinds(organisation) == ["member_removed", "mandate_revoked"]
    Membership.objects.create(user=ada, organisation=organisation, roles="approver")
    with pytest.raises(AccountError, match="No mandate of"):
        mandate_to_sign(ada, organisation, Amount(None), timezone.localdate())


def test_who_loses_the_right_to_sign_loses_the_mandate_for_good(adam, ada):
    held, organisation = Mandate.objects.get(user=ada), factories.organisation_of("adam")
    change_roles(membership("ada"), ["approver", "viewer"], by=adam)
    held.refresh_from_db()
    assert held.revoked_at is None
    change_roles(membership("ada"), ["drafter"], by=adam)
    held.refresh_from_db()
    assert held.revoked_at is not None and kinds(organisation)[-2:] == ["roles_changed", "mandate_revoked"]
    change_roles(membership("ada"), ["approver"], by=adam)
    with pytest.raises(AccountError, match="No mandate of"):
        mandate_to_sign(ada, organisation, Amount(None), timezone.localdate())


def test_one_may_leave(eng, adam):
    remove_member(membership("eng"), by=eng)
    assert kinds(factories.organisation_of("adam")) == ["member_left"]


def test_a_membership_that_is_gone_is_said_so(adam, eng):
    held = membership("eng")
    remove_member(held, by=adam)
    with pytest.raises(AccountError, match="no longer a member"):
        change_roles(
            Membership(pk=held.pk or 1, user=eng, organisation=factories.organisation_of("adam")), ["viewer"], by=adam
        )


@pytest.mark.parametrize(("roles", "said"), (([], "at least one role"), (["boss"], "no role boss")))
def test_a_role_set_is_neither_empty_nor_strange(adam, bing, roles, said):
    with pytest.raises(AccountError, match=said):
        change_roles(membership("bing"), roles, by=adam)


def test_signing_out_everywhere(client, eng):
    client.force_login(eng)
    end_sessions(eng)
    assert client.get("/").status_code == 302


@pytest.mark.parametrize(
    "change", [{"body": "{}"}, {"kind": "x"}, {"role": "boss"}, {"address": "9.9.9.9"}, {"number": 9}]
)
def test_a_changed_column_breaks_the_chain(adam, bing, eng, change, intruder):
    change_roles(membership("bing"), ["viewer"], by=adam)
    change_roles(membership("eng"), ["viewer"], by=adam)
    organisation = factories.organisation_of("adam")
    assert journal.verify_chain(organisation).is_whole
    OrganisationEvent.objects.filter(number=1).update(**change)
    assert not journal.verify_chain(organisation).is_whole
