"""Four eyes: who changed the terms last neither sends nor signs them."""

from __future__ import annotations

from django.db import transaction

from gpucontract.accounts.models import User
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import FACTS, Fact
from gpucontract.contracts.models import Contract
from gpucontract.contracts.rights import must

# Accepting a vendor's counter is a decision on somebody else's text and does not make one its drafter.
DRAFTING = ("draft_filled", "terms_written", "group_added", "mount_added", "row_removed", "rows_ordered")


def last_drafter(contract: Contract) -> int | None:
    """The key of the person whose change of the terms was the last."""
    found = contract.events.filter(kind__in=DRAFTING).order_by("-number").values_list("actor", flat=True)
    return found.first()


def is_barred(contract: Contract, by: User) -> bool:
    """Whether four eyes keep this person from sending or signing."""
    return contract.four_eyes and last_drafter(contract) == by.pk


@transaction.atomic
def set_four_eyes(contract: Contract, is_on: bool, *, by: User) -> Contract:
    """Demand four eyes, or no longer; who is barred by the rule cannot lift it."""
    must(contract, by, "send")
    held = lock(contract)
    if held.four_eyes == is_on:
        return held
    if is_barred(held, by):
        raise ContractError(FACTS[Fact.OTHER_EYES])
    held.four_eyes = contract.four_eyes = is_on
    held.save(update_fields=["four_eyes"])
    record(held, "four_eyes_set", by=by, body={"on": is_on})
    return held
