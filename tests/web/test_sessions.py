"""Sessions: signing out on every device, cookies that no script and no other site uses, mails nobody sends in bulk."""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from gpucontract.accounts import inviting
from gpucontract.accounts.errors import AccountError
from tests import factories

pytestmark = pytest.mark.django_db


def test_one_button_ends_the_sessions_on_every_device(client, eng):
    elsewhere = Client()
    for each in (client, elsewhere):
        each.force_login(eng)
        assert each.get("/").status_code == 200
    response = client.post(reverse("sign-out-everywhere"))
    assert response["Location"] == reverse("account_login")
    assert [each.get("/").status_code for each in (client, elsewhere)] == [302, 302]


def test_the_button_is_offered_and_only_a_post_presses_it(client, eng):
    client.force_login(eng)
    address = reverse("sign-out-everywhere")
    assert address in client.get(reverse("mfa_index")).content.decode()
    assert client.get(address).status_code == 405 and client.get("/").status_code == 200


def test_cookies_are_kept_from_scripts_and_other_sites(client, eng):
    eng.set_password("a long enough one")
    eng.save()
    client.post(reverse("account_login"), {"login": eng.email, "password": "a long enough one"})
    session = client.cookies[settings.SESSION_COOKIE_NAME]
    assert session["httponly"] and session["samesite"] == "Lax"
    client.logout()
    client.get(reverse("account_login"))
    assert client.cookies[settings.CSRF_COOKIE_NAME]["samesite"] == "Lax"
    client.post(reverse("set-language"), {"language": "en", "next": "/"})
    assert client.cookies[settings.LANGUAGE_COOKIE_NAME]["samesite"] == "Lax"


def test_behind_tls_every_cookie_asks_for_it():
    flags = (settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE, settings.LANGUAGE_COOKIE_SECURE)
    assert set(flags) == {settings.BEHIND_TLS} and settings.SECURE_SSL_REDIRECT == settings.BEHIND_TLS


def test_invitations_are_counted_by_the_hour(monkeypatch, adam):
    monkeypatch.setattr(inviting, "MOST_AN_HOUR", 2)
    organisation = factories.organisation_of("adam")
    made = inviting.invite(organisation, email="a@buyer.example", roles=["viewer"], by=adam)
    inviting.send_again(made, by=adam)
    for act in (
        lambda: inviting.send_again(made, by=adam),
        lambda: inviting.invite(organisation, email="b@buyer.example", roles=["viewer"], by=adam),
    ):
        with pytest.raises(AccountError, match="2 invitations sent within an hour; the limit is 2"):
            act()
