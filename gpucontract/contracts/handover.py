"""The day the machines were handed over: recorded by either side, confirmed by the buyer where the vendor did."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.accounts.roles import Side
from gpucontract.contracts.body import Body, load
from gpucontract.contracts.carrying import CARRIED, carried
from gpucontract.contracts.deadlines import Deadlines, deadlines, deadlines_carried
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Contract, Event, Revision, RevisionSection
from gpucontract.contracts.rights import must, must_be_in_force
from gpucontract.wording import Text

RUNNING = (State.SIGNED, State.DELIVERED, State.ACCEPTING)
LONGEST_REASON = 1000
_KINDS = ("move_deliver", "handover_confirmed", "handover_denied", "move_sign", CARRIED)

_NOTHING = Text(
    "现在没有等待确认的交付日。请刷新页面。", "No day of delivery waits to be confirmed now. Reload the page."
)
_NO_REASON = Text(
    "请写明没有收到什么，最多 {limit} 个字。", "Say what was not received, in at most {limit} characters."
)
_IN_FUTURE = Text("{day} 还没有到，今天是 {today}。", "{day} has not come yet; today is {today}.")


@dataclass(frozen=True, slots=True)
class Handover:
    """recorded_on: the day as recorded, by which side. confirmed_on: the day that counts, None until both know it.

    denied: why the buyer says that nothing was received, "" where it did not.
    """

    recorded_on: date
    by: str
    confirmed_on: date | None
    denied: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the buyer is to confirm what the vendor recorded."""
        return self.confirmed_on is None


@dataclass(frozen=True, slots=True)
class Clock:
    """One contract's handover, None before it is recorded, and what counts from it."""

    handover: Handover | None
    deadlines: Deadlines


@transaction.atomic
def confirm_handover(contract: Contract, *, on: date, by: User, now: datetime | None = None) -> date:
    """The buyer's word on the day the vendor recorded, or the day it holds to be right; the window runs from it."""
    must(contract, by, "confirm_delivery")
    held, at = lock(contract), now or timezone.now()
    must_be_in_force(held)
    handover, today = _open_one(held), timezone.localdate(at)
    if on > today:
        raise ContractError(_IN_FUTURE.fill(day=on, today=today))
    said = {"on": on.isoformat(), "recorded": handover.recorded_on.isoformat()}
    record(held, "handover_confirmed", by=by, at=at, body=said)
    return on


@transaction.atomic
def deny_handover(contract: Contract, *, reason: str, by: User, now: datetime | None = None) -> None:
    """The buyer's word that what the vendor recorded was not received; the day stays open until the buyer confirms."""
    must(contract, by, "confirm_delivery")
    held = lock(contract)
    must_be_in_force(held)
    handover, said = _open_one(held), reason.replace("\x00", "").strip()
    if not 0 < len(said) <= LONGEST_REASON:
        raise ContractError(_NO_REASON.fill(limit=LONGEST_REASON))
    body = {"recorded": handover.recorded_on.isoformat(), "reason": said}
    record(held, "handover_denied", by=by, at=now or timezone.now(), body=body)


def _open_one(contract: Contract) -> Handover:
    handover = handovers([contract])[0].get(contract.pk)
    if handover is None or not handover.is_open:
        raise ContractError(_NOTHING)
    return handover


def handovers(contracts: Collection[Contract]) -> tuple[dict[int, Handover], dict[int, date]]:
    """By contract key: the handovers that are recorded, and the days on which both had signed."""
    found: dict[int, Handover] = {}
    signed: dict[int, date] = {}
    events = Event.objects.filter(contract__in=contracts, kind__in=_KINDS).order_by("number")
    for event in events:
        if event.kind == CARRIED:
            _carry(event, found, signed)
            continue
        if event.kind == "move_sign":
            signed[event.contract_id] = timezone.localdate(event.at)
            continue
        if event.kind == "handover_denied":
            found[event.contract_id] = replace(found[event.contract_id], denied=json.loads(event.body)["reason"])
            continue
        on = date.fromisoformat(json.loads(event.body).get("on") or timezone.localdate(event.at).isoformat())
        if event.kind == "handover_confirmed":
            before = found[event.contract_id]
            found[event.contract_id] = Handover(before.recorded_on, before.by, on)
        else:
            by = event.role.partition(":")[0]
            found[event.contract_id] = Handover(on, by, on if by == Side.BUYER else None)
    return found, signed


def _carry(event: Event, found: dict[int, Handover], signed: dict[int, date]) -> None:
    """An amendment counts from the days of the contract whose place it took."""
    said = json.loads(event.body)
    if day := said.get("signed_on"):
        signed[event.contract_id] = date.fromisoformat(day)
    if given := said.get("handover"):
        confirmed = given.get("confirmed_on")
        found[event.contract_id] = Handover(
            date.fromisoformat(given["recorded_on"]), given["by"],
            date.fromisoformat(confirmed) if confirmed else None, given.get("denied", ""),
        )  # fmt: skip


def clocks(contracts: Collection[Contract]) -> dict[int, Clock]:
    """By contract key, for those between signing and the end of acceptance; a few queries for all of them."""
    running = [contract for contract in contracts if contract.state in RUNNING]
    if not running:
        return {}
    found, signed = handovers(running)
    before = carried(running)
    made = {}
    for key, body in parts_of(running, ("acceptance",)).items():
        handover = found.get(key)
        day = (handover.confirmed_on or handover.recorded_on) if handover else None
        known = deadlines(body, day, signed.get(key))
        made[key] = Clock(handover, deadlines_carried(known, before[key], day) if key in before else known)
    return made


def parts_of(contracts: Collection[Contract], sections: Collection[str]) -> dict[int, Body]:
    """By contract key: these sections of the newest revision that was sent; two queries for all of them."""
    heads = {revision.contract_id: revision for revision in _newest(contracts)}
    documents: dict[int, dict[str, bytes]] = {}
    for part in RevisionSection.objects.filter(revision__in=heads.values(), name__in=sections):
        documents.setdefault(part.revision_id, {})[part.name] = bytes(part.document)
    return {key: load(bytes(head.head), documents.get(head.pk, {})) for key, head in heads.items()}


def _newest(contracts: Collection[Contract]) -> list[Revision]:
    """The newest sent revision of each, oldest first, so that the last one wins."""
    return list(Revision.objects.sent().filter(contract__in=contracts).order_by("number"))
