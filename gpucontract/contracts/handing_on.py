"""A drafter tells the approvers that a finished draft is ready: by mail and seldom, on record in the journal."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts import roles
from gpucontract.accounts.models import User
from gpucontract.accounts.roles import Side
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.eyes import is_barred, last_change
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.models import Contract, Event
from gpucontract.contracts.reviewing import Review, review
from gpucontract.contracts.rights import must, must_be_editable
from gpucontract.contracts.sections.gaps import missing
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.terms import Terms
from gpucontract.wording import Text

DRAFT_READY = "draft_ready"
# A draft that changed since the approvers were told is told of again after this long.
PAUSE = timedelta(hours=1)

_TOLD_TODAY = Text(
    "今天 {time} 已由{person}告知审批人。草稿没有改动的，一天只告知一次；改动过的，隔一小时才能再次告知。",
    "{person} told the approvers today at {time}. Of an unchanged draft they are told once a day, of a changed one "
    "again after an hour.",
)
_UNFINISHED = Text(
    "还没有告知审批人：草稿有 {count} 处不改不能发送，审批人也不能豁免。请先补齐和改正。",
    "The approvers are not told yet. What stops sending and no approver can waive: {count}. Fill in and mend that "
    "first.",
)
_NOBODY = Text(
    "本组织没有可以发送这份草稿的其他审批人。请组织管理员授予审批人角色。",
    "No other approver of your organisation can send this draft. Ask its admin to give somebody the approver's role.",
)


def approvers(contract: Contract) -> list[User]:
    """Who of the buyer's people may send the draft as it stands, four eyes kept."""
    members = contract.buyer.memberships.filter(user__is_active=True).select_related("user").order_by("pk")
    allowed = [each.user for each in members if roles.may(Side.BUYER, each.roles, "send")]
    return [user for user in allowed if not is_barred(contract, user)]


def unfinished(terms: Terms, found: Review) -> int:
    """How much stops sending that no approver can waive: empty terms and checks that must be mended."""
    return len(missing(terms)) + sum(not result.is_waivable for result in found.blocking)


def told_today(contract: Contract, now: datetime | None = None) -> Event | None:
    """When the approvers were told of this draft today, as long as that keeps them from being told again."""
    at = now or timezone.now()
    midnight = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    told = contract.events.filter(kind=DRAFT_READY, at__gte=midnight).select_related("actor").order_by("-number")
    newest = told.first()
    is_old = newest is not None and newest.number < last_change(contract) and newest.at <= at - PAUSE
    return None if is_old else newest


@transaction.atomic
def tell_approvers(contract: Contract, *, by: User, now: datetime | None = None) -> list[User]:
    """Mail the approvers that the draft is ready, seldom and only when it is; returns who is told."""
    must(contract, by, "draft")
    held = lock(contract)
    must_be_editable(held)
    people = [user for user in approvers(held) if user != by]
    if not people:
        raise ContractError(_NOBODY)
    terms = terms_of(held)
    if count := unfinished(terms, review(held, terms)):
        raise ContractError(_UNFINISHED.fill(count=count))
    if (told := told_today(held, now)) is not None:
        raise ContractError(_TOLD_TODAY.fill(person=told.actor, time=f"{timezone.localtime(told.at):%H:%M}"))
    record(held, DRAFT_READY, by=by, at=now)
    return people
