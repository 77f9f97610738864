"""An amendment takes the place of the contract that it amends: state, days, machines, evidence, waivers."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gpucontract.contracts.journal import record
from gpucontract.contracts.lifecycle import MEASURABLE
from gpucontract.contracts.models import Contract
from gpucontract.contracts.superseding import supersede, unchanged
from gpucontract.measurements.services import in_force
from gpucontract.measurements.slots import give_up_runs, make_slots
from gpucontract.verdicts.models import Waiver

WAIVERS_CARRIED = "waivers_carried"


@transaction.atomic
def succeed(amendment: Contract, *, at: datetime) -> Contract:
    """What signing an amendment brings beside the signature, in the same transaction; the caller holds the line."""
    held = supersede(amendment, at=at)
    if held.state in MEASURABLE:
        make_slots(held, in_force(held), by=None, now=at)
    if held.amends is not None:
        give_up_runs(held.amends)
        _carry_waivers(held, held.amends, at)
    return held


def _carry_waivers(amendment: Contract, parent: Contract, at: datetime) -> None:
    """What the buyer let be stays so where the clause says what it said."""
    before = parent.revisions.sent().order_by("-number").first()
    if before is None:
        return
    same = unchanged(before.body(), in_force(amendment).body())
    kept = [each for each in Waiver.objects.filter(contract=parent).order_by("key") if each.key in same]
    Waiver.objects.bulk_create(
        Waiver(contract=amendment, key=each.key, reason=each.reason, by_id=each.by_id, at=each.at) for each in kept
    )
    if kept:
        said = {"of": parent.number, "keys": [each.key for each in kept]}
        record(amendment, WAIVERS_CARRIED, by=None, at=at, body=said)
