"""What people do with contracts; the front door of this room for the rooms above."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts import roles
from gpucontract.accounts.models import Organisation, User
from gpucontract.accounts.roles import Side
from gpucontract.contracts.answering import (
    answer_clauses,
    confirm_lines,
    confirm_open_in_section,
    is_confirmed,
    submit_answers,
)
from gpucontract.contracts.buffering import buffer_step
from gpucontract.contracts.deciding import decide
from gpucontract.contracts.errors import NotAllowed
from gpucontract.contracts.expiry import extend_offer
from gpucontract.contracts.eyes import is_barred, set_four_eyes
from gpucontract.contracts.given import LONGEST_REASON, Given
from gpucontract.contracts.groups import add_group, add_mount, duplicate_row, order_rows, remove_row
from gpucontract.contracts.journal import record, verify_chain
from gpucontract.contracts.lifecycle import Fact
from gpucontract.contracts.models import Contract, PartiesTerms
from gpucontract.contracts.moving import move
from gpucontract.contracts.reviewing import review, waive_check
from gpucontract.contracts.revising import freeze_revision, send_revision
from gpucontract.contracts.writing import write_terms
from gpucontract.wording import Text

__all__ = [
    "Given", "add_group", "add_mount", "answer_clauses", "buffer_step", "confirm_lines", "confirm_open_in_section",
    "create_contract", "decide", "duplicate_row", "extend_offer", "freeze_revision", "is_barred", "is_confirmed",
    "move", "order_rows", "record", "reject", "remove_row", "reopen", "review", "send_revision", "set_four_eyes",
    "submit_answers", "verify_chain", "waive_check", "withdraw", "write_terms",
]  # fmt: skip

_MAY_NOT_DRAFT = Text(
    "{person} 没有为{organisation}起草合同的权限。请找组织管理员。",
    "{person} may not draft contracts for {organisation}. Ask the organisation's admin.",
)


@transaction.atomic
def create_contract(
    buyer: Organisation, *, by: User, title: str = "", demo: bool = False, now: datetime | None = None
) -> Contract:
    """A draft with the buyer's name filled in and one empty node group g1. The year in its number is the local one."""
    _must_draft_for(buyer, by)
    at = now or timezone.now()
    held = Organisation.objects.select_for_update(no_key=True).get(pk=buyer.pk)
    number = _next_number(held, timezone.localtime(at).year)
    contract = Contract.objects.create(buyer=buyer, number=number, title=title.strip(), demo=demo, created_by=by)
    PartiesTerms.objects.create(contract=contract, buyer_name=buyer.name, buyer_uscc=buyer.uscc)
    record(contract, "contract_created", by=by, at=at, body={"number": number, "demo": demo})
    add_group(contract, by=by)
    contract.refresh_from_db()
    return contract


@transaction.atomic
def reopen(contract: Contract, *, by: User, reason: str = "", now: datetime | None = None) -> Contract:
    """Take an offer or an agreed text back into editing; the vendor's answers stay and carry over."""
    return move(contract, "reopen", by=by, now=now, body={"reason": reason})


@transaction.atomic
def withdraw(contract: Contract, *, by: User, reason: str = "", now: datetime | None = None) -> Contract:
    """End a contract before it is signed."""
    return move(contract, "withdraw", by=by, now=now, body={"reason": reason})


@transaction.atomic
def reject(contract: Contract, *, by: User, reason: str, now: datetime | None = None) -> Contract:
    """Refuse the whole offer for the vendor, with the reason the buyer reads."""
    said = reason.replace("\x00", "").strip()[:LONGEST_REASON]
    return move(contract, "reject", by=by, facts={Fact.REASON_GIVEN} if said else set(), now=now, body={"reason": said})


def _must_draft_for(buyer: Organisation, by: User) -> None:
    own = {"organisation": buyer, "organisation__is_active": True}
    membership = by.memberships.filter(**own).first() if by.is_active else None
    if membership is None or not roles.may(Side.BUYER, membership.roles, "draft"):
        raise NotAllowed(_MAY_NOT_DRAFT.fill(person=by, organisation=buyer))


def _next_number(buyer: Organisation, year: int) -> str:
    """C-<year>-<n>, counted per buyer; the caller holds the buyer's row, so that two drafts cannot get one number."""
    prefix = f"C-{year}-"
    last = buyer.contracts_bought.filter(number__startswith=prefix).order_by("-pk").first()
    return f"{prefix}{int(last.number.removeprefix(prefix)) + 1 if last else 1}"
