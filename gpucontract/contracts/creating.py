"""The first row of a contract: a draft with its number, its buyer's name and one empty node group."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts import roles
from gpucontract.accounts.models import Organisation, User
from gpucontract.accounts.roles import Side
from gpucontract.contracts.errors import NotAllowed
from gpucontract.contracts.groups import add_group
from gpucontract.contracts.journal import record
from gpucontract.contracts.models import Contract, PartiesTerms
from gpucontract.wording import Text

# What a new draft knows of its buyer from the start.
BUYERS_OWN = frozenset({"buyer_name", "buyer_uscc"})

_MAY_NOT_DRAFT = Text(
    "{person} 没有为{organisation}起草合同的权限。请找组织管理员。",
    "{person} may not draft contracts for {organisation}. Ask the organisation's admin.",
)


@transaction.atomic
def create_contract(
    buyer: Organisation, *, by: User, title: str = "", demo: bool = False, now: datetime | None = None
) -> Contract:
    """A draft with the buyer's name filled in and one empty node group g1. The year in its number is the local one."""
    must_draft_for(buyer, by)
    at = now or timezone.now()
    held = Organisation.objects.select_for_update(no_key=True).get(pk=buyer.pk)
    number = _next_number(held, timezone.localtime(at).year)
    contract = Contract.objects.create(buyer=buyer, number=number, title=title.strip(), demo=demo, created_by=by)
    PartiesTerms.objects.create(contract=contract, buyer_name=buyer.name, buyer_uscc=buyer.uscc)
    record(contract, "contract_created", by=by, at=at, body={"number": number, "demo": demo})
    add_group(contract, by=by)
    contract.refresh_from_db()
    return contract


def must_draft_for(buyer: Organisation, by: User) -> None:
    """Raise NotAllowed unless the person may draft contracts for the organisation."""
    own = {"organisation": buyer, "organisation__is_active": True}
    membership = by.memberships.filter(**own).first() if by.is_active else None
    if membership is None or not roles.may(Side.BUYER, membership.roles, "draft"):
        raise NotAllowed(_MAY_NOT_DRAFT.fill(person=by, organisation=buyer))


def _next_number(buyer: Organisation, year: int) -> str:
    """C-<year>-<n>, counted per buyer; the caller holds the buyer's row, so that two drafts cannot get one number."""
    prefix = f"C-{year}-"
    last = buyer.contracts_bought.filter(number__startswith=prefix).order_by("-pk").first()
    return f"{prefix}{int(last.number.removeprefix(prefix)) + 1 if last else 1}"
