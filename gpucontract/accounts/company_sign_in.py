"""Sign-in by the company's own identity provider (OpenID Connect): never a way round an invitation."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts import inviting
from gpucontract.accounts.inviting import Standing
from gpucontract.accounts.models import User
from gpucontract.accounts.services import verify_email

PROVIDER = "company"
# The link a person came by, kept while they are away at the provider.
INVITATION = "invitation"


class CompanyAdapter(DefaultSocialAccountAdapter):
    """Links to accounts by an address that both sides have verified; opens one only for an open invitation."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:  # noqa: ARG002 - allauth's signature
        return False

    def can_authenticate_by_email(self, login: Any, email: str) -> bool:
        """The provider vouched for the address already; ours must be verified too."""
        is_ours = EmailAddress.objects.filter(email=email.lower(), verified=True).exists()
        return is_ours and bool(super().can_authenticate_by_email(login, email))

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        if sociallogin.is_existing:
            return
        email = _verified_email(sociallogin)
        invitation = inviting.by_token(request.session.get(INVITATION, ""))
        is_invited = invitation is not None and invitation.email == email
        if invitation is None or not is_invited or inviting.standing(invitation, timezone.now()) is not Standing.OPEN:
            return
        name = str(sociallogin.account.extra_data.get("userinfo", {}).get("name") or "")[:80]
        user = User.objects.create_user(email, name=name)
        verify_email(user)
        sociallogin.connect(request, user)


def address_of_provider() -> str:
    """Where signing in by the company's provider begins; "" where there is none."""
    return reverse("openid_connect_login", args=[PROVIDER]) if settings.OIDC_SERVER_URL else ""


def _verified_email(sociallogin: Any) -> str:
    return next((each.email.lower() for each in sociallogin.email_addresses if each.verified), "")
