"""What people do with contracts; the front door of this room for the rooms above."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gpucontract.accounts.models import User
from gpucontract.contracts.amending import amend_contract
from gpucontract.contracts.answering import (
    AnswersPage,
    answer_clauses,
    confirm_lines,
    confirm_open_in_section,
    is_confirmed,
    keep_page,
    submit_answers,
)
from gpucontract.contracts.attaching import attach, detach
from gpucontract.contracts.buffering import buffer_step
from gpucontract.contracts.commenting import comment
from gpucontract.contracts.copying import copy_contract, delete_template, rename_template, save_template, start_from
from gpucontract.contracts.creating import create_contract
from gpucontract.contracts.deciding import Word, decide, decide_lines
from gpucontract.contracts.expiry import extend_offer
from gpucontract.contracts.eyes import is_barred, set_four_eyes
from gpucontract.contracts.given import LONGEST_REASON, Given
from gpucontract.contracts.groups import add_group, add_mount, duplicate_row, order_rows, remove_row
from gpucontract.contracts.handing_on import approvers, tell_approvers, told_today, unfinished
from gpucontract.contracts.journal import record, verify_chain
from gpucontract.contracts.lifecycle import Fact
from gpucontract.contracts.models import Contract
from gpucontract.contracts.moving import move
from gpucontract.contracts.reviewing import review, waive_check
from gpucontract.contracts.revising import freeze_revision, send_revision
from gpucontract.contracts.spec_sheets import apply_sheet, drop_sheet, keep_sheet
from gpucontract.contracts.writing import write_terms

__all__ = [
    "AnswersPage", "Given", "Word", "add_group", "add_mount", "amend_contract", "answer_clauses", "apply_sheet",
    "approvers", "attach", "buffer_step", "comment",
    "confirm_lines", "confirm_open_in_section", "copy_contract", "create_contract", "decide", "decide_lines",
    "delete_template", "detach", "drop_sheet", "duplicate_row", "extend_offer", "freeze_revision", "is_barred",
    "is_confirmed", "keep_page", "keep_sheet", "move", "order_rows", "record", "reject", "remove_row",
    "rename_template", "reopen",
    "review", "save_template", "send_revision", "set_four_eyes", "start_from", "submit_answers",
    "tell_approvers", "told_today", "unfinished", "verify_chain", "waive_check", "withdraw", "write_terms",
]  # fmt: skip


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
