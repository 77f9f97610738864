"""How allauth signs people in here: nobody signs up uninvited, and every attempt leaves a row."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest, HttpResponse

from gpucontract.accounts.models import SignInEvent, SignInKind, User


class AccountAdapter(DefaultAccountAdapter):
    """Closed sign-up and sign-in audit, through the hooks allauth calls itself."""

    def get_login_stages(self) -> list[str]:
        ours = {"allauth.mfa.stages.AuthenticateStage": "gpucontract.accounts.mfa.SignInFactorStage"}
        return [ours.get(path, path) for path in super().get_login_stages()]

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        """Never for strangers: accounts are made by an organisation's admin."""
        return False

    def post_login(self, request: HttpRequest, user: AbstractBaseUser, **options: Any) -> HttpResponse:
        self._record(request, SignInKind.SIGNED_IN, user=user)
        response: HttpResponse = super().post_login(request, user, **options)
        return response

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        super().authentication_failed(request, **credentials)
        self._record(request, SignInKind.FAILED, email=credentials.get("email") or credentials.get("username") or "")

    def logout(self, request: HttpRequest) -> None:
        if request.user.is_authenticated:
            self._record(request, SignInKind.SIGNED_OUT, user=request.user)
        super().logout(request)

    def _record(self, request: HttpRequest, kind: SignInKind, user: Any = None, email: str = "") -> None:
        SignInEvent.objects.create(
            user=user if isinstance(user, User) else None,
            email=(user.email if user else email)[:254],
            kind=kind,
            address=self.get_client_ip(request),
            browser=request.headers.get("User-Agent", "")[:200],
        )
