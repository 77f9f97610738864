"""How allauth keeps second factors here: secrets encrypted at rest, asked at sign-in of those who wish it."""

from __future__ import annotations

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.stages import AuthenticateStage
from django.http import HttpRequest

from gpucontract.accounts.sealing import box

PURPOSE = "second factors"


class MFAAdapter(DefaultMFAAdapter):
    """Seals TOTP secrets and recovery seeds with a key from the environment."""

    def encrypt(self, text: str) -> str:
        return box(PURPOSE).encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return box(PURPOSE).decrypt(encrypted_text.encode()).decode()

    def _get_site_name(self) -> str:
        return "gpucontract"


class SignInFactorStage(AuthenticateStage):
    """The second step of signing in, for people who have not kept their factor for signing alone."""

    def _should_handle(self, request: HttpRequest) -> bool:
        user = self.login.user
        return bool(user and user.asks_factor and super()._should_handle(request))
