"""The journal of a contract: one hash-chained event for everything that happens, and the check of that chain."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.canonical import FIRST_LINK, ChainCheck, check_chain, encode, link
from gpucontract.contracts.mailing import queue_letters
from gpucontract.contracts.models import Contract, Event, Revision

SYSTEM = "system"


def lock(contract: Contract) -> Contract:
    """The contract read afresh, its row held until the transaction ends; every writer comes through here."""
    # no_key: a row that points at the contract already holds a share of its key; a full lock after it would deadlock.
    return Contract.objects.select_for_update(no_key=True).get(pk=contract.pk)


@transaction.atomic
def record(
    contract: Contract,
    kind: str,
    *,
    by: User | None,
    at: datetime | None = None,
    key: str = "",
    body: Mapping[str, Any] | None = None,
    revision: Revision | None = None,
) -> Event:
    """Append one event. by None: the system did it. body: plain values with a canonical form."""
    held = lock(contract)
    last = held.events.order_by("-number").first()
    event = Event(
        contract=held, number=last.number + 1 if last else 1, at=at or timezone.now(), actor=by,
        actor_email=by.email if by else "", role=_role(held, by), kind=kind, key=key,
        strength=by.presence.strength if by else "", address=by.presence.address if by else "",
        revision_sha256=revision.sha256 if revision else "", body=encode(body or {}).decode(),
        prev_sha256=last.sha256 if last else FIRST_LINK,
    )  # fmt: skip
    event.sha256 = link(event.prev_sha256, event.canonical())
    event.save(force_insert=True)
    queue_letters(held, event)
    return event


def newest_number(contract: Contract) -> int:
    """The number of the last event; 0 before the first. What a page is made from later has a higher one."""
    return contract.events.order_by("-number").values_list("number", flat=True).first() or 0


def verify_chain(contract: Contract) -> ChainCheck:
    """Recompute every link from the stored columns; a cut tail shows only against a head kept elsewhere."""
    events = contract.events.order_by("number").select_related("contract").iterator()
    return check_chain(event.link() for event in events)


def _role(contract: Contract, by: User | None) -> str:
    if by is None:
        return SYSTEM
    side, roles = contract.standing_of(by)
    return f"{side}:{','.join(roles)}" if side else ""
