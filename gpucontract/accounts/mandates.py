"""Mandates: who may sign for an organisation, given by whom, until when and up to which amount."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts import journal
from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.members import must_administer
from gpucontract.accounts.models import Mandate, Membership, Organisation, User
from gpucontract.accounts.roles import may_ever_sign
from gpucontract.canonical import decimal_text
from gpucontract.filing import Filed
from gpucontract.wording import Text


class Basis(StrEnum):
    """By what right somebody signs."""

    LEGAL = "legal"
    LETTER = "letter"


BASES: Mapping[str, Text] = {
    Basis.LEGAL: Text("法定代表人", "legal representative"),
    Basis.LETTER: Text("授权委托书", "letter of authority"),
}

_NOBODY = Text(
    "{person} 没有代表{organisation}签署的授权记录。请组织管理员在成员页登记授权委托书。",
    "No mandate of {person} to sign for {organisation} is on record. An admin records the letter of authority on the "
    "members' page.",
)
_OVER = Text(
    "{person} 的授权已于 {day} 到期。请组织管理员登记新的授权。",
    "The mandate of {person} ended on {day}. An admin has to record a new one.",
)
_BEYOND = Text(
    "{person} 的授权上限为 {limit} {currency}，本合同总额为 {amount} {other}，超出授权。请由授权更高的人签署。",
    "The mandate of {person} goes up to {limit} {currency}; this contract amounts to {amount} {other}. Somebody with a "
    "wider mandate has to sign.",
)
_NO_AMOUNT = Text(
    "{person} 的授权上限为 {limit} {currency}，但本合同的总额算不出来，无法判断是否超出。请由没有金额上限的人签署。",
    "The mandate of {person} goes up to {limit} {currency}, but what this contract amounts to cannot be told from its "
    "terms. Somebody without such a limit has to sign.",
)
_NOT_SIGNER = Text(
    "{person} 没有签署人或审批人角色，登记授权没有用处。请先给予角色。",
    "{person} has neither the signer's nor the approver's role, so a mandate is of no use. Give the role first.",
)
_IN_THE_PAST = Text("有效期 {day} 已经过去。", "{day} is over already.")
_NO_LETTER = Text(
    "授权委托书须写明授权人并上传文件。", "A letter of authority needs the name of who gave it, and its file."
)
_BAD_LIMIT = Text("金额上限须大于 0。", "The limit of the amount must be above 0.")
_REVOKED = Text("这份授权已经撤销。", "This mandate was revoked already.")


@dataclass(frozen=True, slots=True)
class Amount:
    """What a contract amounts to; value None = its terms do not tell."""

    value: Decimal | None
    currency: str = "CNY"


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter of authority: who gave it, how long and how far it goes, and the file; all but the giver may be open."""

    granted_by: str
    filed: Filed | None
    valid_until: date | None = None
    limit: Decimal | None = None
    currency: str = "CNY"


def mandate_to_sign(user: User, organisation: Organisation, amount: Amount, day: date) -> Mandate:
    """The mandate that covers this signature. Raises AccountError with the reason none does."""
    held = list(Mandate.objects.filter(user=user, organisation=organisation, revoked_at=None))
    refusals = [objection(mandate, amount, day) for mandate in held]
    for mandate, refusal in zip(held, refusals, strict=True):
        if refusal is None:
            return mandate
    raise AccountError(_first(refusals) or _NOBODY.fill(person=user, organisation=organisation))


def objection(mandate: Mandate, amount: Amount, day: date) -> Text | None:
    """Why a mandate does not cover a signature; None when it does."""
    if mandate.valid_until is not None and day > mandate.valid_until:
        return _OVER.fill(person=mandate.user, day=mandate.valid_until.isoformat())
    if mandate.limit is None:
        return None
    limit = {"person": mandate.user, "limit": decimal_text(mandate.limit), "currency": mandate.currency}
    if amount.value is None:
        return _NO_AMOUNT.fill(**limit)
    if amount.currency != mandate.currency or amount.value > mandate.limit:
        return _BEYOND.fill(**limit, amount=decimal_text(amount.value), other=amount.currency)
    return None


@transaction.atomic
def record_legal(membership: Membership, *, by: User) -> Mandate:
    """Note that a member is the legal representative, who signs without a letter, limit or end."""
    return _record(membership, Basis.LEGAL, Letter("", None), by)


@transaction.atomic
def record_letter(membership: Membership, letter: Letter, *, by: User) -> Mandate:
    """Keep a letter of authority. Raises AccountError."""
    if not letter.granted_by.strip() or letter.filed is None:
        raise AccountError(_NO_LETTER)
    if letter.valid_until is not None and letter.valid_until < timezone.localdate():
        raise AccountError(_IN_THE_PAST.fill(day=letter.valid_until.isoformat()))
    if letter.limit is not None and letter.limit <= 0:
        raise AccountError(_BAD_LIMIT)
    return _record(membership, Basis.LETTER, letter, by)


@transaction.atomic
def revoke_mandate(mandate: Mandate, *, by: User) -> Mandate:
    """End a mandate now; what was signed under it stays signed."""
    organisation = journal.lock(mandate.organisation)
    must_administer(by, organisation)
    held = Mandate.objects.select_for_update().get(pk=mandate.pk)
    if held.revoked_at is not None:
        raise AccountError(_REVOKED)
    held.revoked_at = timezone.now()
    held.save(update_fields=["revoked_at"])
    journal.record(organisation, "mandate_revoked", by=by, at=held.revoked_at, body=held.facts())
    return held


def _record(membership: Membership, basis: Basis, letter: Letter, by: User) -> Mandate:
    organisation, user, now = journal.lock(membership.organisation), membership.user, timezone.now()
    must_administer(by, organisation)
    if not may_ever_sign(membership.roles):
        raise AccountError(_NOT_SIGNER.fill(person=user))
    filed = letter.filed or Filed("", "", "", 0)
    mandate = Mandate.objects.create(
        organisation=organisation, user=user, basis=basis.value, granted_by=letter.granted_by.strip(),
        valid_until=letter.valid_until, limit=letter.limit, currency=letter.currency, file_name=filed.name,
        file_kind=filed.kind, file_sha256=filed.sha256, recorded_by=by, recorded_at=now,
    )  # fmt: skip
    journal.record(organisation, "mandate_recorded", by=by, at=now, body=mandate.facts())
    return mandate


def _first(refusals: Iterable[Text | None]) -> Text | None:
    return next((refusal for refusal in refusals if refusal is not None), None)
