"""The time to answer an offer: set when it is sent, extended by the buyer, reminded of, and over when it is over."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import Fact, State
from gpucontract.contracts.models import Contract
from gpucontract.contracts.moving import move
from gpucontract.wording import Text

REMIND_BEFORE = timedelta(hours=24)
LONGEST = timedelta(days=366)

_PAST = Text(
    "答复期限 {until} 已经过去。请选一个以后的日期。",
    "The time to answer, {until}, is already over. Choose a later date.",
)
_TOO_FAR = Text(
    "答复期限 {until} 太远，最多 {days} 天。", "The time to answer, {until}, is too far off; {days} days at most."
)


def set_deadline(held: Contract, until: datetime | None, now: datetime) -> None:
    """Note the time to answer of what is being sent; the caller holds the row. None leaves it open."""
    _check(until, now)
    held.offer_valid_until, held.offer_reminded_at = until, None
    held.save(update_fields=["offer_valid_until", "offer_reminded_at"])


@transaction.atomic
def extend_offer(contract: Contract, until: datetime, *, by: User, now: datetime | None = None) -> Contract:
    """Give the vendor more time, also after the offer has expired. The new time must be later than now and before."""
    held, at = lock(contract), now or timezone.now()
    later = until > at and (held.offer_valid_until is None or until > held.offer_valid_until)
    said = {"until": until, "before": held.offer_valid_until}
    moved = move(held, "extend", by=by, facts={Fact.DEADLINE_LATER} if later else set(), now=at, body=said)
    set_deadline(moved, until, at)
    return moved


def expire_due(now: datetime | None = None) -> int:
    """Let every offer expire whose time is over; returns how many. Run twice it finds nothing more."""
    at = now or timezone.now()
    due = Contract.objects.filter(state=State.WITH_VENDOR, offer_valid_until__lte=at).order_by("offer_valid_until")
    return sum(_expire(contract, at) for contract in due)


def remind_due(now: datetime | None = None) -> int:
    """Remind the vendor once, a day before the time is over; returns how many offers."""
    at = now or timezone.now()
    soon = Contract.objects.filter(
        state=State.WITH_VENDOR, offer_reminded_at=None, offer_valid_until__gt=at,
        offer_valid_until__lte=at + REMIND_BEFORE,
    )  # fmt: skip
    return sum(_remind(contract, at) for contract in soon)


@transaction.atomic
def _expire(contract: Contract, at: datetime) -> bool:
    held = lock(contract)
    if held.state != State.WITH_VENDOR or held.offer_valid_until is None or held.offer_valid_until > at:
        return False
    move(held, "expire", by=None, facts={Fact.DEADLINE_PASSED}, now=at)
    return True


@transaction.atomic
def _remind(contract: Contract, at: datetime) -> bool:
    held = lock(contract)
    if held.state != State.WITH_VENDOR or held.offer_reminded_at is not None:
        return False
    held.offer_reminded_at = at
    held.save(update_fields=["offer_reminded_at"])
    record(held, "offer_reminded", by=None, at=at)
    return True


def _check(until: datetime | None, now: datetime) -> None:
    if until is None:
        return
    shown = f"{timezone.localtime(until):%Y-%m-%d %H:%M}"
    if until <= now:
        raise ContractError(_PAST.fill(until=shown))
    if until > now + LONGEST:
        raise ContractError(_TOO_FAR.fill(until=shown, days=LONGEST.days))
