"""A drafter tells the approvers that a draft is ready: once a day by mail, on record in the journal."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts import roles
from gpucontract.accounts.models import User
from gpucontract.accounts.roles import Side
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.eyes import is_barred
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.models import Contract, Event
from gpucontract.contracts.rights import must, must_be_editable
from gpucontract.wording import Text

DRAFT_READY = "draft_ready"

_TOLD_TODAY = Text(
    "今天 {time} 已由{person}告知审批人；同一份草稿一天只告知一次。",
    "{person} told the approvers today at {time}; they are told of one draft once a day.",
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


def told_today(contract: Contract, now: datetime | None = None) -> Event | None:
    """When the approvers were last told of this draft, if that was today."""
    midnight = timezone.localtime(now or timezone.now()).replace(hour=0, minute=0, second=0, microsecond=0)
    told = contract.events.filter(kind=DRAFT_READY, at__gte=midnight).select_related("actor")
    return told.order_by("-number").first()


@transaction.atomic
def tell_approvers(contract: Contract, *, by: User, now: datetime | None = None) -> list[User]:
    """Mail the approvers that the draft is ready, at most once a day; returns who is told."""
    must(contract, by, "draft")
    held = lock(contract)
    must_be_editable(held)
    people = [user for user in approvers(held) if user != by]
    if not people:
        raise ContractError(_NOBODY)
    if (told := told_today(held, now)) is not None:
        raise ContractError(_TOLD_TODAY.fill(person=told.actor, time=f"{timezone.localtime(told.at):%H:%M}"))
    record(held, DRAFT_READY, by=by, at=now)
    return people
