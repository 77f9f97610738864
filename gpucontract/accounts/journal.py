"""The journal of an organisation: who was invited, got or lost roles, who may sign; one hash chain for each."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import Organisation, OrganisationEvent, User
from gpucontract.canonical import FIRST_LINK, ChainCheck, check_chain, encode, link

SYSTEM = "system"


def lock(organisation: Organisation) -> Organisation:
    """The organisation read afresh, its row held until the transaction ends; every change of members comes through."""
    return Organisation.objects.select_for_update(no_key=True).get(pk=organisation.pk)


@transaction.atomic
def record(
    organisation: Organisation,
    kind: str,
    *,
    by: User | None,
    at: datetime | None = None,
    body: Mapping[str, Any] | None = None,
) -> OrganisationEvent:
    """Append one event. by None: the system or its operator did it. body: plain values with a canonical form."""
    held = lock(organisation)
    last = held.events.order_by("-number").first()
    event = OrganisationEvent(
        organisation=held, number=last.number + 1 if last else 1, at=at or timezone.now(), actor=by,
        actor_email=by.email if by else "", role=_role(held, by), strength=by.presence.strength if by else "",
        address=by.presence.address if by else "", kind=kind, body=encode(body or {}).decode(),
        prev_sha256=last.sha256 if last else FIRST_LINK,
    )  # fmt: skip
    event.sha256 = link(event.prev_sha256, event.canonical())
    event.save(force_insert=True)
    return event


def verify_chain(organisation: Organisation) -> ChainCheck:
    """Recompute every link from the stored columns."""
    events = organisation.events.order_by("number").select_related("organisation").iterator()
    return check_chain(event.link() for event in events)


def _role(organisation: Organisation, by: User | None) -> str:
    if by is None:
        return SYSTEM
    membership = by.memberships.filter(organisation=organisation).first()
    return ",".join(membership.roles) if membership else ""
