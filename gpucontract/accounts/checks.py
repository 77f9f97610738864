"""What the environment got wrong about signing in, said when the program starts."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

NEEDED = ("OIDC_SERVER_URL", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET")
OWN_MACHINE = ("localhost", "127.0.0.1", "::1")


@register()
def company_sign_in(**_options: Any) -> list[CheckMessage]:
    """All three settings of OpenID Connect or none, and the provider over HTTPS."""
    given = {name: getattr(settings, name) for name in NEEDED}
    if not any(given.values()):
        return []
    missing = [name for name, value in given.items() if not value]
    found: list[CheckMessage] = []
    if missing:
        hint = "Set all of OIDC_SERVER_URL, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET (or _FILE), or none of them."
        found.append(
            Error(f"Company sign-in is half set up: {', '.join(missing)} missing.", hint=hint, id="accounts.E001")
        )
    address = urlsplit(given["OIDC_SERVER_URL"])
    is_safe = address.scheme == "https" or (address.scheme == "http" and address.hostname in OWN_MACHINE)
    if given["OIDC_SERVER_URL"] and not (is_safe and address.hostname):
        hint = "Give the issuer's address with https://, such as https://login.example.com/realms/company."
        found.append(Error(f"OIDC_SERVER_URL={given['OIDC_SERVER_URL']!r} is not safe.", hint=hint, id="accounts.E002"))
    return found


@register()
def links_in_mails(**_options: Any) -> list[CheckMessage]:
    """Links in mails lead to BASE_URL; behind TLS it must say so."""
    address = urlsplit(settings.BASE_URL)
    if address.scheme not in ("http", "https") or not address.hostname:
        hint = "Give the address people open in the browser, such as https://contracts.example.com."
        return [Error(f"BASE_URL={settings.BASE_URL!r} is no address.", hint=hint, id="accounts.E003")]
    if settings.BEHIND_TLS and address.scheme != "https":
        hint = "Invitations carry this address; behind TLS it begins with https://."
        return [
            Warning(
                f"BASE_URL={settings.BASE_URL!r} is not https although BEHIND_TLS is set.",
                hint=hint,
                id="accounts.W001",
            )
        ]
    return []
