"""An invitation is good for one person, once, for a week, and is known here by its hash alone."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts import inviting, journal
from gpucontract.accounts.errors import AccountError, NotAdmin
from gpucontract.accounts.inviting import Standing
from gpucontract.accounts.members import change_roles, remove_member
from gpucontract.accounts.models import Invitation, Membership, Organisation, User
from gpucontract.accounts.services import Place
from tests import factories

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-enough-password"
NEW_VENDOR = Place("武汉新算科技有限公司", "91420100MADEME000B")


@pytest.fixture
def invited(adam, django_capture_on_commit_callbacks):
    def make(email="New@Buyer.example", roles=("engineer",), by=adam):
        with django_capture_on_commit_callbacks(execute=True):
            made = inviting.invite(factories.organisation_of("adam"), email=email, roles=roles, by=by)
        return made, token_in(mail.outbox[-1])

    return make


def token_in(message):
    return re.search(r"/invitations/([^/]+)/", message.body)[1]


def test_the_link_is_in_the_mail_and_its_hash_in_the_table(invited):
    made, token = invited()
    assert made.email == "new@buyer.example" and mail.outbox[0].to == ["new@buyer.example"]
    assert inviting.link_of(token).endswith(reverse("invitation", args=[token]))
    assert token not in str(Invitation.objects.values())
    assert inviting.by_token(token) == made and inviting.by_token(token + "x") is None
    made.refresh_from_db()
    assert made.mailed_at is not None
    assert "工程师" in mail.outbox[0].body and "Engineer" in mail.outbox[0].body


def test_a_new_person_opens_an_account_with_it(invited):
    made, _ = invited()
    user = inviting.accept_as_new(made, name="新人", password=PASSWORD)
    assert user.check_password(PASSWORD) and user.emailaddress_set.get().verified
    assert Membership.objects.get(user=user).roles == ("engineer",)
    made.refresh_from_db()
    assert inviting.standing(made, timezone.now()) is Standing.USED
    with pytest.raises(AccountError):
        inviting.accept(made, by=user)


def test_somebody_with_an_account_gets_the_roles_added(invited, zoe):
    made, _ = invited(email=zoe.email)
    inviting.accept(made, by=zoe)
    assert zoe.memberships.count() == 2
    kinds = factories.organisation_of("adam").events.values_list("kind", flat=True)
    assert list(kinds) == ["member_invited", "member_joined"]
    assert journal.verify_chain(factories.organisation_of("adam")).is_whole


def test_a_short_password_keeps_the_invitation_open(invited):
    made, _ = invited()
    with pytest.raises(ValidationError):
        inviting.accept_as_new(made, name="新人", password="short")
    made.refresh_from_db()
    assert (
        inviting.standing(made, timezone.now()) is Standing.OPEN and not User.objects.filter(email=made.email).exists()
    )


def test_it_is_for_its_address_only(invited, zoe):
    made, _ = invited()
    with pytest.raises(AccountError, match=r"for new@buyer.example; you are signed in as zoe@"):
        inviting.accept(made, by=zoe)


def test_an_account_that_exists_signs_in_first(invited, zoe):
    made, _ = invited(email=zoe.email)
    with pytest.raises(AccountError, match="sign in first"):
        inviting.accept_as_new(made, name="x", password=PASSWORD)


def test_it_expires_after_a_week_and_can_be_sent_again(invited, adam, zoe, django_capture_on_commit_callbacks):
    made, token = invited(email=zoe.email)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    made.refresh_from_db()
    assert inviting.standing(made, timezone.now()) is Standing.EXPIRED
    with pytest.raises(AccountError):
        inviting.accept(made, by=zoe)
    with django_capture_on_commit_callbacks(execute=True):
        inviting.send_again(made, by=adam)
    assert inviting.by_token(token) is None
    inviting.accept(inviting.by_token(token_in(mail.outbox[-1])), by=zoe)


def test_a_revoked_one_is_worth_nothing(invited, adam, zoe):
    made, _ = invited(email=zoe.email)
    inviting.revoke(made, by=adam)
    with pytest.raises(AccountError):
        inviting.accept(made, by=zoe)
    with pytest.raises(AccountError):
        inviting.send_again(made, by=adam)


def test_inviting_the_same_address_again_replaces_the_first(invited):
    first, _ = invited()
    second, _ = invited()
    first.refresh_from_db()
    assert first.revoked_at is not None and second.revoked_at is None


@pytest.mark.parametrize("who", ["bing", "ada", "vera", "mallory"])
def test_only_an_admin_invites(who, adam):
    with pytest.raises(NotAdmin):
        inviting.invite(
            factories.organisation_of("adam"), email="x@y.example", roles=["viewer"], by=factories.person(who)
        )


@pytest.mark.parametrize(
    ("change", "said"),
    (
        pytest.param({"email": "nobody"}, "is not an e-mail address", id="no address"),
        pytest.param({"email": "bing@buyer.example"}, "member of .* already", id="a member"),
        pytest.param({"roles": []}, "at least one role", id="no role"),
        pytest.param({"roles": ["boss"]}, "no role boss", id="unknown role"),
    ),
)
def test_it_says_what_is_wrong(adam, bing, change, said):
    given = {"email": "x@y.example", "roles": ["viewer"]} | change
    with pytest.raises(AccountError, match=said):
        inviting.invite(factories.organisation_of("adam"), by=adam, **given)


def test_mail_that_fails_shows_as_not_sent(adam, monkeypatch, django_capture_on_commit_callbacks):
    def fails(*_arguments):
        raise OSError("no route to the mail server")

    monkeypatch.setattr(inviting, "send_mail", fails)
    with django_capture_on_commit_callbacks(execute=True):
        made = inviting.invite(factories.organisation_of("adam"), email="x@y.example", roles=["viewer"], by=adam)
    made.refresh_from_db()
    assert made.mailed_at is None


def test_the_first_person_of_a_vendor_founds_it(bing):
    buyer = factories.organisation_of("bing")
    made = inviting.invite_vendor(buyer, place=NEW_VENDOR, email="boss@new-vendor.example", by=bing)
    user = inviting.accept_as_new(made, name="老板", password=PASSWORD)
    vendor = Organisation.objects.get(uscc=NEW_VENDOR.uscc)
    assert user.memberships.get().organisation == vendor
    assert set(user.memberships.get().roles) == {"confirmer", "signer", "admin"}
    assert list(vendor.events.values_list("kind", flat=True)) == ["organisation_founded", "member_joined"]
    assert list(buyer.events.values_list("kind", flat=True)) == ["vendor_invited", "vendor_joined"]


def test_a_second_first_person_is_not_let_in(bing, ada):
    buyer = factories.organisation_of("bing")
    first = inviting.invite_vendor(buyer, place=NEW_VENDOR, email="boss@new-vendor.example", by=bing)
    second = inviting.invite_vendor(buyer, place=NEW_VENDOR, email="other@new-vendor.example", by=ada)
    inviting.accept_as_new(first, name="老板", password=PASSWORD)
    with pytest.raises(AccountError, match="has an account here"):
        inviting.accept_as_new(second, name="别人", password=PASSWORD)
    assert not User.objects.filter(email="other@new-vendor.example").exists()


def test_a_vendor_that_is_here_needs_no_invitation(bing, vera):
    vendor = factories.organisation_of("vera")
    with pytest.raises(AccountError, match="has an account here"):
        inviting.invite_vendor(
            factories.organisation_of("bing"), place=Place("x", vendor.uscc), email="x@y.example", by=bing
        )


@pytest.mark.parametrize("who", ["wen", "vera", "mallory", "adam"])
def test_only_who_drafts_for_the_buyer_invites_a_vendor(who, bing):
    with pytest.raises(NotAdmin):
        inviting.invite_vendor(
            factories.organisation_of("bing"), place=NEW_VENDOR, email="x@y.example", by=factories.person(who)
        )


@pytest.mark.parametrize(
    "loses",
    (
        pytest.param(lambda wen, adam: remove_member(wen, by=adam), id="removed"),
        pytest.param(lambda wen, adam: remove_member(wen, by=wen.user), id="left"),
        pytest.param(lambda wen, adam: change_roles(wen, ["viewer"], by=adam), id="an admin no longer"),
    ),
)
def test_invitations_end_with_the_right_to_make_them(invited, adam, wen, loses):
    held = wen.memberships.get()
    change_roles(held, ["viewer", "admin"], by=adam)
    made, _ = invited(email="wen-private@mail.example", roles=("admin", "approver"), by=wen)
    kept, _ = invited(email="else@mail.example")
    loses(wen.memberships.get(), adam)
    made.refresh_from_db()
    kept.refresh_from_db()
    assert made.revoked_at is not None and kept.revoked_at is None
    with pytest.raises(AccountError, match="no longer be used"):
        inviting.accept_as_new(made, name="W", password=PASSWORD)
    assert not User.objects.filter(email=made.email).exists()
    assert factories.organisation_of("adam").events.filter(kind="invitation_revoked").count() == 1


def test_another_change_of_roles_leaves_them_open(invited, adam, wen):
    change_roles(wen.memberships.get(), ["admin"], by=adam)
    made, _ = invited(by=wen)
    change_roles(wen.memberships.get(), ["viewer", "admin"], by=adam)
    assert inviting.standing(made, timezone.now()) is Standing.OPEN
    inviting.accept_as_new(made, name="新人", password=PASSWORD)


def test_a_drafter_who_no_longer_drafts_calls_no_vendor_in(adam, bing):
    made = inviting.invite_vendor(factories.organisation_of("bing"), place=NEW_VENDOR, email="x@y.example", by=bing)
    change_roles(bing.memberships.get(), ["viewer"], by=adam)
    with pytest.raises(AccountError, match="no longer be used"):
        inviting.accept_as_new(made, name="x", password=PASSWORD)
    assert not Organisation.objects.filter(uscc=NEW_VENDOR.uscc).exists()


@pytest.mark.parametrize("lost", ["account", "membership", "role"])
def test_accepting_asks_for_the_makers_right_however_it_went(invited, adam, lost):
    made, _ = invited()
    if lost == "account":
        User.objects.filter(pk=adam.pk).update(is_active=False)
    elif lost == "membership":
        Membership.objects.filter(user=adam).delete()
    else:
        Membership.objects.filter(user=adam).update(roles="viewer")
    made = Invitation.objects.get(pk=made.pk)
    assert inviting.standing(made, timezone.now()) is Standing.REVOKED
    with pytest.raises(AccountError, match="no longer be used"):
        inviting.accept_as_new(made, name="新人", password=PASSWORD)
