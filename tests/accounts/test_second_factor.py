"""A second factor is proven for one act, once, by its owner; the sign-in asks for it unless it is kept for signing."""

from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.accounts.second_factor import (
    FRESH_FOR,
    FactorRefused,
    Method,
    Proof,
    code_of,
    prove_by_code,
    set_up_app,
)

pytestmark = pytest.mark.django_db
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
PASSWORD = "a-long-enough-password"


@pytest.fixture(autouse=True)
def fresh_limits():
    cache.clear()


@pytest.fixture
def user():
    user = User.objects.create_user("sun@vendor.example", PASSWORD)
    set_up_app(user, SECRET)
    return user


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel("2031-05-06T07:08:09Z", tick=False) as traveller:
        yield traveller


def now_code():
    return code_of(SECRET, timezone.now())


@pytest.mark.parametrize(
    ("moment", "code"), ((59, "287082"), (1111111109, "081804"), (1234567890, "005924"), (2000000000, "279037"))
)
def test_codes_are_those_of_the_standard(moment, code):
    """RFC 6238, appendix B, SHA-1, the last six digits."""
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    assert code_of(secret, timezone.datetime.fromtimestamp(moment, tz=timezone.get_current_timezone())) == code


def test_the_code_of_the_app_is_a_proof_and_counts_once(user):
    proof = prove_by_code(user, now_code())
    assert (proof.user_id, proof.method, proof.at) == (user.pk, Method.TOTP, timezone.now())
    with pytest.raises(FactorRefused, match="used already"):
        prove_by_code(user, now_code())


def test_a_clock_half_a_minute_off_is_forgiven_and_two_minutes_are_not(user):
    assert prove_by_code(user, code_of(SECRET, timezone.now() - timedelta(seconds=30)))
    with pytest.raises(FactorRefused):
        prove_by_code(user, code_of(SECRET, timezone.now() - timedelta(minutes=2)))


def test_a_recovery_code_counts_once(user):
    code = RecoveryCodes.activate(user).get_unused_codes()[0]
    assert prove_by_code(user, code).method is Method.RECOVERY
    with pytest.raises(FactorRefused):
        prove_by_code(user, code)


@pytest.mark.parametrize("code", ["", "000000", "abc", "1" * 40])
def test_anything_else_is_refused(user, code):
    with pytest.raises(FactorRefused, match="code is wrong"):
        prove_by_code(user, code)


def test_the_code_of_another_person_is_refused(user):
    other = User.objects.create_user("other@vendor.example")
    with pytest.raises(FactorRefused):
        prove_by_code(other, now_code())


@pytest.mark.parametrize(
    ("later", "holds"), ((timedelta(0), True), (FRESH_FOR, True), (FRESH_FOR + timedelta(seconds=1), False))
)
def test_a_proof_ages(user, later, holds):
    proof = Proof(user.pk, Method.TOTP, timezone.now())
    assert proof.holds_for(user, timezone.now() + later) is holds


def test_the_secret_is_not_readable_in_the_database(user):
    assert SECRET not in str(Authenticator.objects.values())


def sign_in(client):
    return client.post(reverse("account_login"), {"login": "sun@vendor.example", "password": PASSWORD})


def test_signing_in_asks_for_it(client, user):
    assert sign_in(client)["Location"] == reverse("mfa_authenticate")
    assert "_auth_user_id" not in client.session
    client.post(reverse("mfa_authenticate"), {"code": now_code()})
    assert client.session["_auth_user_id"] == str(user.pk)


def test_kept_for_signing_alone_it_is_not_asked_at_sign_in(client, user):
    User.objects.filter(pk=user.pk).update(asks_factor=False)
    assert sign_in(client)["Location"] == "/"
    assert client.session["_auth_user_id"] == str(user.pk)


def test_changing_when_it_is_asked_needs_the_password_or_factor_again(client, user):
    client.force_login(user)
    response = client.post(reverse("account-factor"), {"asks": "signing"})
    assert "reauthenticate" in response["Location"]
    user.refresh_from_db()
    assert user.asks_factor
    client.post(response["Location"], {"password": PASSWORD})
    client.post(reverse("account-factor"), {"asks": "signing"})
    user.refresh_from_db()
    assert not user.asks_factor


def test_raising_the_round_ends_every_session(client, user):
    User.objects.filter(pk=user.pk).update(asks_factor=False)
    sign_in(client)
    assert client.get("/").status_code == 200
    User.objects.filter(pk=user.pk).update(sign_out_round=1)
    assert client.get("/").status_code == 302
    sign_in(client)
    assert client.get("/").status_code == 200
