"""People are known by e-mail, hold role sets, and every attempt to sign in leaves a row."""

import pytest
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse

from gpucontract.accounts.models import Membership, Organisation, SignInEvent, User
from tests import factories

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-enough-password"


@pytest.fixture(autouse=True)
def fresh_limits():
    cache.clear()


@pytest.fixture
def user():
    return User.objects.create_user("Bing@Buyer.example ", PASSWORD, name="Bing")


def sign_in(client, email, password=PASSWORD, **headers):
    return client.post(reverse("account_login"), {"login": email, "password": password}, headers=headers)


def test_one_address_is_one_person_however_it_is_spelt(user):
    assert user.email == "bing@buyer.example"
    assert User.objects.get_by_natural_key("BING@buyer.EXAMPLE") == user
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("bing@BUYER.example")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.filter(pk=user.pk).update(email="Bing@buyer.example")


def test_without_a_password_nobody_signs_in(client):
    User.objects.create_user("ada@buyer.example")
    sign_in(client, "ada@buyer.example", "")
    sign_in(client, "ada@buyer.example", "anything at all")
    assert "_auth_user_id" not in client.session


ROLE_SETS = [
    ("drafter,approver", ("drafter", "approver")),
    (("approver", "drafter"), ("drafter", "approver")),
    (["viewer", "viewer"], ("viewer",)),
]


@pytest.mark.parametrize(("given", "held"), ROLE_SETS, ids=[str(given) for given, _ in ROLE_SETS])
def test_roles_are_a_set_in_one_order(user, given, held):
    company = Organisation.objects.create(name="甲")
    Membership.objects.create(user=user, organisation=company, roles=given)
    assert Membership.objects.get().roles == held


@pytest.mark.parametrize("roles", [(), ("boss",), ("drafter", "boss"), "drafter,,boss"], ids=str)
def test_a_role_set_is_neither_empty_nor_strange(user, roles):
    company = Organisation.objects.create(name="甲")
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.create(user=user, organisation=company, roles=roles)
    if roles:
        with pytest.raises(ValidationError):
            Membership(user=user, organisation=company, roles=roles).clean_fields()


def test_a_person_is_a_member_once(user):
    company = Organisation.objects.create(name="甲")
    Membership.objects.create(user=user, organisation=company, roles=("viewer",))
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.create(user=user, organisation=company, roles=("drafter",))


def test_a_uscc_is_one_organisation_but_may_be_missing():
    Organisation.objects.create(name="甲", uscc="91420100MADEMA019B")
    with pytest.raises(IntegrityError), transaction.atomic():
        Organisation.objects.create(name="乙", uscc="91420100MADEMA019B")
    assert [Organisation.objects.create(name=name).uscc for name in ("丙", "丁")] == ["", ""]
    with pytest.raises(IntegrityError), transaction.atomic():
        Organisation.objects.create(name="")


def test_people_see_their_own_organisations_only(bing, mallory):
    own = factories.organisation_of("bing")
    assert list(Organisation.objects.visible_to(bing)) == [own]
    assert own not in Organisation.objects.visible_to(mallory)
    Organisation.objects.filter(pk=own.pk).update(is_active=False)
    assert not Organisation.objects.visible_to(bing)


def test_signing_in_and_out_leaves_rows(client, user):
    assert sign_in(client, "BING@buyer.example", **{"User-Agent": "Firefox" * 60}).status_code == 302
    client.post(reverse("account_logout"))
    came, went = SignInEvent.objects.order_by("pk")
    assert (came.kind, came.user, came.email, came.address) == ("signed_in", user, user.email, "127.0.0.1")
    assert len(came.browser) == 200 and (went.kind, went.user) == ("signed_out", user)


def test_a_failed_attempt_keeps_what_was_typed_and_never_the_password(client, user):
    sign_in(client, "bing@buyer.example", "wrong-password-typed")
    sign_in(client, "nobody@nowhere.example", "wrong-password-typed")
    rows = list(SignInEvent.objects.order_by("pk").values("kind", "email", "user"))
    assert rows == [
        {"kind": "failed", "email": "bing@buyer.example", "user": None},
        {"kind": "failed", "email": "nobody@nowhere.example", "user": None},
    ]
    assert not any("wrong-password" in str(row) for row in SignInEvent.objects.values())


def test_after_five_wrong_passwords_the_right_one_has_to_wait(client, user):
    for _ in range(5):
        sign_in(client, "bing@buyer.example", "wrong-password-typed")
    sign_in(client, "bing@buyer.example")
    assert "_auth_user_id" not in client.session


def test_a_closed_account_does_not_sign_in(client, user):
    User.objects.filter(pk=user.pk).update(is_active=False)
    sign_in(client, "bing@buyer.example")
    assert "_auth_user_id" not in client.session


def test_strangers_cannot_sign_up(client):
    address = {"email": "new@nowhere.example", "password1": PASSWORD, "password2": PASSWORD}
    client.post(reverse("account_signup"), address)
    assert not User.objects.filter(email="new@nowhere.example").exists()
