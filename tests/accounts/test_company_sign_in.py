"""Sign-in by the company's provider, over real HTTP: it links verified addresses and opens no account uninvited."""

from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.checks import run_checks
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts.inviting import GOOD_FOR, token_hash
from gpucontract.accounts.models import Invitation, SignInEvent, User
from gpucontract.accounts.services import verify_email
from tests import factories
from tests.accounts.fake_provider import running

pytestmark = pytest.mark.django_db
START = "/accounts/oidc/company/login/"


@pytest.fixture(autouse=True)
def fresh_limits():
    cache.clear()


@pytest.fixture
def provider(settings):
    with running() as (address, handler):
        settings.OIDC_SERVER_URL, settings.OIDC_NAME = address, "公司账号"
        app = {"provider_id": "company", "name": "公司账号", "client_id": "us", "secret": "s3cret"}
        apps = [app | {"settings": {"server_url": address}}]
        settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": apps}}
        handler.person = {"sub": "4711", "email": "Ada@buyer.example", "email_verified": True, "name": "陈爱达"}
        yield handler


@pytest.fixture
def ada(db):
    user = factories.person("ada")
    verify_email(user)
    return user


def away_and_back(client, start=START):
    """Follow the way a browser takes: to the provider, and back to the callback."""
    to_provider = urlsplit(client.get(start)["Location"])
    there = HTTPConnection(to_provider.netloc, timeout=10)
    there.request("GET", f"{to_provider.path}?{to_provider.query}")
    back = urlsplit(there.getresponse().headers["Location"])
    there.close()
    return client.get(f"{back.path}?{back.query}")


def test_a_known_verified_address_is_signed_in_and_recorded(client, provider, ada):
    assert away_and_back(client)["Location"] == "/"
    assert client.session["_auth_user_id"] == str(ada.pk)
    assert SignInEvent.objects.get().kind == "signed_in"
    client.logout()
    provider.person = {"sub": "4711", "email": "renamed@buyer.example", "email_verified": True}
    away_and_back(client)
    assert client.session["_auth_user_id"] == str(ada.pk)


@pytest.mark.parametrize(
    "person",
    (
        pytest.param({"email": "ada@buyer.example", "email_verified": False}, id="not verified there"),
        pytest.param({"email": "ada@buyer.example"}, id="nothing said of it"),
        pytest.param({"email": "stranger@nowhere.example", "email_verified": True}, id="nobody we know"),
        pytest.param({}, id="no address"),
    ),
)
def test_anybody_else_stays_outside(client, provider, ada, person):
    provider.person = {"sub": "4712"} | person
    response = away_and_back(client)
    assert "_auth_user_id" not in client.session
    assert User.objects.count() == 1
    assert response.status_code in (200, 302)


def test_an_address_we_have_not_verified_is_not_linked(client, provider):
    factories.person("ada").emailaddress_set.create(email="ada@buyer.example", verified=False, primary=True)
    away_and_back(client)
    assert "_auth_user_id" not in client.session


def test_a_closed_account_stays_closed(client, provider, ada):
    User.objects.filter(pk=ada.pk).update(is_active=False)
    away_and_back(client)
    assert "_auth_user_id" not in client.session


def invited(email):
    host, adam, now = factories.organisation_of("adam"), factories.person("adam"), timezone.now()
    return Invitation.objects.create(
        host=host, organisation=host, place_name=host.name, email=email, roles="viewer", created_by=adam,
        created_at=now, expires_at=now + GOOD_FOR, token_sha256=token_hash("the-link"),
    )  # fmt: skip


def test_an_invited_person_gets_an_account_and_still_accepts_by_the_button(client, provider):
    invited("new@buyer.example")
    provider.person = {"sub": "1", "email": "new@buyer.example", "email_verified": True, "name": "新人"}
    page = reverse("invitation", args=["the-link"])
    assert f"{START}?next={page}" in client.get(page).content.decode()
    assert away_and_back(client, f"{START}?next={page}")["Location"] == page
    user = User.objects.get(email="new@buyer.example")
    assert (user.name, user.memberships.exists(), user.has_usable_password()) == ("新人", False, False)
    client.post(page)
    assert user.memberships.get().roles == ("viewer",)


def test_the_invitation_of_somebody_else_opens_nothing(client, provider):
    invited("new@buyer.example")
    provider.person = {"sub": "2", "email": "other@nowhere.example", "email_verified": True}
    client.get(reverse("invitation", args=["the-link"]))
    away_and_back(client)
    assert not User.objects.filter(email="other@nowhere.example").exists()


def test_a_provider_that_fails_is_told_in_a_sentence(client, provider, ada):
    provider.is_broken = True
    response = away_and_back(client)
    assert "没有登录成功" in response.content.decode() and "_auth_user_id" not in client.session


def test_a_forged_state_signs_nobody_in(client, provider, ada):
    client.get("/accounts/oidc/company/login/callback/?code=x&state=y")
    assert "_auth_user_id" not in client.session


def test_who_has_no_password_proves_it_by_a_code_in_the_mail_before_setting_up_a_factor(client, provider, ada):
    ada.set_unusable_password()
    ada.save()
    away_and_back(client)
    asked = client.get(reverse("mfa_activate_totp"))["Location"]
    assert asked.startswith("/accounts/reauthenticate/code/")
    client.post(asked, {"recipient": ada.email})
    assert mail.outbox[-1].to == [ada.email]


def test_the_sign_in_page_offers_it_only_where_it_is_set_up(client, provider, settings, db):
    assert "公司账号" in client.get("/accounts/login/").content.decode()
    settings.OIDC_SERVER_URL = ""
    assert "oidc" not in client.get("/accounts/login/").content.decode()


FAULTS = {
    "nothing set": ({}, []),
    "all set": ({"SERVER_URL": "https://sso.example", "CLIENT_ID": "a", "CLIENT_SECRET": "b"}, []),
    "on this machine": ({"SERVER_URL": "http://localhost:9", "CLIENT_ID": "a", "CLIENT_SECRET": "b"}, []),
    "no secret": ({"SERVER_URL": "https://sso.example", "CLIENT_ID": "a"}, ["accounts.E001"]),
    "a client alone": ({"CLIENT_ID": "a"}, ["accounts.E001"]),
    "in the clear": ({"SERVER_URL": "http://sso.example", "CLIENT_ID": "a", "CLIENT_SECRET": "b"}, ["accounts.E002"]),
    "no address": ({"SERVER_URL": "sso.example", "CLIENT_ID": "a", "CLIENT_SECRET": "b"}, ["accounts.E002"]),
}


@pytest.mark.parametrize(("given", "ids"), FAULTS.values(), ids=FAULTS)
def test_a_half_set_up_is_said_at_the_start(settings, given, ids):
    for name in ("SERVER_URL", "CLIENT_ID", "CLIENT_SECRET"):
        setattr(settings, f"OIDC_{name}", given.get(name, ""))
    assert [each.id for each in run_checks() if each.id.startswith("accounts.")] == ids


@pytest.mark.parametrize(
    ("base", "tls", "ids"),
    (
        ("https://a.example", True, []),
        ("http://a.example", True, ["accounts.W001"]),
        ("a.example", False, ["accounts.E003"]),
    ),
)
def test_links_in_mails_lead_somewhere(settings, base, tls, ids):
    settings.BASE_URL, settings.BEHIND_TLS = base, tls
    assert [each.id for each in run_checks() if each.id.startswith("accounts.")] == ids
