"""What a session knows of its person: the means of every step of signing in, and the address."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import get_authentication_records
from django.http import HttpRequest

from gpucontract.accounts.presence import LONGEST_STRENGTH, Presence


def presence_of(request: HttpRequest) -> Presence:
    """The presence of the person who makes this request, from the records allauth keeps in the session."""
    records = get_authentication_records(request, request.user if request.user.is_authenticated else None)
    means = dict.fromkeys(_means(record) for record in records)
    return Presence("+".join(means)[:LONGEST_STRENGTH], get_adapter().get_client_ip(request) or "")


def _means(record: dict[str, str]) -> str:
    if record["method"] == "mfa":
        return record.get("type", "mfa")
    return "oidc" if record["method"] == "socialaccount" else record["method"]
