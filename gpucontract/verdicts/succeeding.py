"""An amendment takes the place of the contract that it amends: state, days, machines, evidence, waivers, remedies."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gpucontract.contracts.journal import record
from gpucontract.contracts.lifecycle import MEASURABLE
from gpucontract.contracts.models import Contract
from gpucontract.contracts.superseding import supersede, unchanged
from gpucontract.measurements.services import as_signed, in_force
from gpucontract.measurements.slots import give_up_runs, make_slots
from gpucontract.verdicts.models import Remedy, Waiver
from gpucontract.verdicts.remedies import Standing
from gpucontract.verdicts.rent import PRICE
from gpucontract.wording import Text

WAIVERS_CARRIED = "waivers_carried"
REMEDIES_CARRIED = "remedies_carried"
_KEPT = Text("已商定的处理办法有 {count} 项继续有效。", "Remedies agreed before that stay in force: {count}.")
_DROPPED = Text(
    "已商定的处理办法有 {count} 项不再有效，因为条款、价格或机器改了：仍要的请在签署后重新商定。",
    "Remedies agreed before that end, because their clause, the price or the machines change: {count}. Agree on them "
    "anew after signing if they are still meant.",
)


@transaction.atomic
def succeed(amendment: Contract, *, at: datetime) -> Contract:
    """What signing an amendment brings beside the signature, in the same transaction; the caller holds the line."""
    held = supersede(amendment, at=at)
    if held.state in MEASURABLE:
        make_slots(held, in_force(held), by=None, now=at)
    if held.amends is not None:
        give_up_runs(held.amends)
        _carry_waivers(held, held.amends, at)
        _carry_remedies(held, at)
    return held


def remedy_lines(amendment: Contract) -> tuple[Text, ...]:
    """What signing it does to the remedies agreed under its parent, in words for whoever is about to sign."""
    kept, dropped = _remedies(amendment)
    return tuple(words.fill(count=len(each)) for words, each in ((_KEPT, kept), (_DROPPED, dropped)) if each)


def _carry_waivers(amendment: Contract, parent: Contract, at: datetime) -> None:
    """What the buyer let be stays so where the clause says what it said."""
    same = _unchanged(amendment)
    kept = [each for each in Waiver.objects.filter(contract=parent).order_by("key") if each.key in same]
    Waiver.objects.bulk_create(
        Waiver(contract=amendment, key=each.key, reason=each.reason, by_id=each.by_id, at=each.at) for each in kept
    )
    if kept:
        said = {"of": parent.number, "keys": [each.key for each in kept]}
        record(amendment, WAIVERS_CARRIED, by=None, at=at, body=said)


def _carry_remedies(amendment: Contract, at: datetime) -> None:
    """What both agreed on binds on; judging finds out whether the clause still shows what it was agreed for."""
    kept, dropped = _remedies(amendment)
    Remedy.objects.bulk_create(_copied(each, amendment) for each in kept)
    if kept or dropped:
        said = {"kept": [each.pk for each in kept], "ended": [each.pk for each in dropped]}
        record(amendment, REMEDIES_CARRIED, by=None, at=at, body=said)


def _copied(remedy: Remedy, amendment: Contract) -> Remedy:
    own = ("id", "uuid", "contract")
    values = {
        each.attname: getattr(remedy, each.attname) for each in Remedy._meta.concrete_fields if each.name not in own
    }
    return Remedy(contract=amendment, **values)


def _remedies(amendment: Contract) -> tuple[list[Remedy], list[Remedy]]:
    """The parent's agreed remedies: those that stay, and those whose clause, price or machines change."""
    agreed = Remedy.objects.filter(contract=amendment.amends, standing=Standing.AGREED)
    if not agreed:
        return [], []
    same, groups = _unchanged(amendment), as_signed(amendment).body().groups
    kept: list[Remedy] = []
    dropped: list[Remedy] = []
    for remedy in agreed:
        has_machines = all(any(group.has(slot) for group in groups) for slot in remedy.slots)
        (kept if {remedy.key, PRICE} <= same and has_machines else dropped).append(remedy)
    return kept, dropped


def _unchanged(amendment: Contract) -> frozenset[str]:
    """The clauses that say what they said in the contract that it amends."""
    parent = amendment.amends
    return unchanged(as_signed(parent).body(), as_signed(amendment).body()) if parent else frozenset()
