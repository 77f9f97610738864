"""The second factor when it counts: proven now by a code or a passkey, and handed on as a fact."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, cast

from allauth.core import ratelimit
from allauth.mfa import app_settings as mfa_settings
from allauth.mfa.base.internal.flows import post_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from allauth.mfa.webauthn.internal import auth as passkeys
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone

from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.models import User
from gpucontract.accounts.sessions import presence_of
from gpucontract.wording import Text

# A proof is for the act it was given for; later somebody else may sit there.
FRESH_FOR = timedelta(minutes=5)


class Method(StrEnum):
    """The second factors there are; the values are allauth's."""

    TOTP = "totp"
    PASSKEY = "webauthn"
    RECOVERY = "recovery_codes"


METHODS: Mapping[str, Text] = {
    Method.TOTP: Text("验证器应用的验证码", "code of an authenticator app"),
    Method.PASSKEY: Text("通行密钥", "passkey"),
    Method.RECOVERY: Text("恢复代码", "recovery code"),
}
_WRONG_CODE = Text(
    "验证码不正确或已用过。请等验证器应用显示下一个 6 位数字后再输入。",
    "The code is wrong or was used already. Wait for the next six digits in your authenticator app and type those.",
)
_WRONG_PASSKEY = Text(
    "通行密钥验证没有成功。请再试一次，或改用验证器应用的验证码。",
    "The passkey was not accepted. Try once more, or use the code of your authenticator app.",
)
_TOO_MANY = Text("错误的验证码太多。请等 5 分钟后再试。", "Too many wrong codes. Wait 5 minutes, then try again.")


# What the parsers of a passkey's answer trip over beyond the refusal that allauth makes itself.
_UNREADABLE = (AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error)


class FactorRefused(AccountError):
    """The second factor was not proven."""


@dataclass(frozen=True, slots=True)
class Proof:
    """That one person proved a second factor at one moment."""

    user_id: int
    method: Method
    at: datetime

    def holds_for(self, user: User, now: datetime) -> bool:
        """Whether it is this person's and still fresh."""
        return self.user_id == user.pk and timedelta(0) <= now - self.at <= FRESH_FOR


def has_passkey(user: User) -> bool:
    """Whether the person has a passkey or security key."""
    return bool(Authenticator.objects.filter(user=user, type=Method.PASSKEY).exists())


def has_app(user: User) -> bool:
    """Whether the person has an authenticator app."""
    return bool(Authenticator.objects.filter(user=user, type=Method.TOTP).exists())


def set_up_app(user: User, secret: str) -> None:
    """Give the person an authenticator app that was made with this secret (base32), unless they have one."""
    if not has_app(user):
        totp.TOTP.activate(user, secret)


def code_of(secret: str, now: datetime) -> str:
    """The six digits an authenticator app with this secret shows at a moment."""
    counter = int(now.timestamp()) // mfa_settings.TOTP_PERIOD
    return str(totp.format_hotp_value(totp.hotp_value(secret, counter)))


def passkey_challenge(user: User) -> dict[str, Any]:
    """What the browser's passkey dialogue needs; the challenge is kept in the session."""
    return {"request_options": passkeys.begin_authentication(user)}


def prove_by_code(user: User, code: str, *, now: datetime | None = None) -> Proof:
    """A proof by the code of the app, or by a recovery code. Raises FactorRefused."""
    return _proof(_authenticator_by_code(user, code), now)


def prove_here(request: HttpRequest, *, code: str, credential: Mapping[str, Any] | None) -> Proof:
    """A proof by what the form of this request brought; the session remembers it. Raises FactorRefused."""
    user = cast(User, request.user)
    key = f"second-factor-{user.pk}"
    if not ratelimit.consume(request, action="login_failed", key=key):
        raise FactorRefused(_TOO_MANY)
    found = _authenticator_by_passkey(user, credential) if credential else _authenticator_by_code(user, code)
    ratelimit.clear(request, action="login_failed", key=key)
    post_authentication(request, found, reauthenticated=True)
    user.presence = presence_of(request)
    return _proof(found, None)


def _authenticator_by_code(user: User, code: str) -> Authenticator:
    for authenticator in Authenticator.objects.filter(user=user).exclude(type=Method.PASSKEY).order_by("-type"):
        if authenticator.wrap().validate_code(code):
            authenticator.user = user
            return authenticator
    raise FactorRefused(_WRONG_CODE)


def _authenticator_by_passkey(user: User, credential: Mapping[str, Any]) -> Authenticator:
    try:
        passkeys.parse_authentication_response(credential)
        authenticator = passkeys.complete_authentication(user, credential)
    except (ValidationError, *_UNREADABLE) as fault:
        raise FactorRefused(_WRONG_PASSKEY) from fault
    authenticator.user = user
    return authenticator


def _proof(authenticator: Authenticator, now: datetime | None) -> Proof:
    return Proof(authenticator.user_id, Method(authenticator.type), now or timezone.now())
