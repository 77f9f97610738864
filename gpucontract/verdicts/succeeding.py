"""An amendment takes the place of the contract that it amends: state, days, machines, evidence, waivers, remedies."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gpucontract.contracts.journal import record
from gpucontract.contracts.lifecycle import MEASURABLE, State
from gpucontract.contracts.models import Contract, Event
from gpucontract.contracts.succession import amended_by
from gpucontract.contracts.superseding import supersede, unchanged
from gpucontract.measurements.services import as_signed, in_force
from gpucontract.measurements.slots import give_up_runs, make_slots
from gpucontract.verdicts.models import Remedy, Waiver
from gpucontract.verdicts.remedying import Held, held
from gpucontract.verdicts.rent import PRICE
from gpucontract.verdicts.scopes import nodes_of
from gpucontract.wording import Text

WAIVERS_CARRIED = "waivers_carried"
WAIVERS_ENDED = "waivers_ended"
REMEDIES_CARRIED = "remedies_carried"
_KEPT = Text("已商定的处理办法有 {count} 项继续有效。", "Remedies agreed before that stay in force: {count}.")
_DROPPED = Text(
    "已商定的处理办法有 {count} 项不再有效，因为条款、价格或机器改了：仍要的请在签署后重新商定。",
    "Remedies agreed before that end, because their clause, the price or the machines change: {count}. Agree on them "
    "anew after signing if they are still meant.",
)
_WAIVERS_KEPT = Text("已有豁免 {kept} 项继续有效。", "Waivers that stay in force: {kept}.")
_WAIVERS_ENDED = Text(
    "已有豁免 {ended} 项失效，须重新决定：条款或其适用的机器改了，或是须重新验收的临界接受。",
    "Waivers that end and need a new decision, because their clause or its machines change or because what was "
    "accepted as marginal is accepted anew: {ended}.",
)
_WAIVERS_BOTH = Text(
    "已有豁免 {kept} 项继续有效、{ended} 项失效，须重新决定：条款或其适用的机器改了，或是须重新验收的临界接受。",
    "Waivers that stay in force: {kept}; that end and need a new decision, because their clause or its machines change "
    "or because what was accepted as marginal is accepted anew: {ended}.",
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


def waiver_lines(amendment: Contract, state: State) -> tuple[Text, ...]:
    """What signing it does to the buyer's waivers, in words for the buyer alone. state: where it will stand then."""
    kept, ended = _waivers(amendment, state)
    if not kept and not ended:
        return ()
    words = _WAIVERS_BOTH if kept and ended else _WAIVERS_KEPT if kept else _WAIVERS_ENDED
    return (words.fill(kept=len(kept), ended=len(ended)),)


def _carry_waivers(amendment: Contract, parent: Contract, at: datetime) -> None:
    """What the buyer let be stays so where nothing is judged that the buyer did not look at."""
    kept, ended = _waivers(amendment, State(amendment.state))
    Waiver.objects.bulk_create(
        Waiver(contract=amendment, key=each.key, reason=each.reason, by_id=each.by_id, at=each.at) for each in kept
    )
    for kind, waivers in ((WAIVERS_CARRIED, kept), (WAIVERS_ENDED, ended)):
        if waivers:
            said = {"of": parent.number, "keys": [each.key for each in waivers]}
            record(amendment, kind, by=None, at=at, body=said)


def _waivers(amendment: Contract, state: State) -> tuple[list[Waiver], list[Waiver]]:
    """The parent's waivers of clauses that are still there: those that stay, and those to be decided on anew.

    What was ticked as marginal at acceptance speaks of the value seen then: it ends where there is acceptance again.
    """
    kept: list[Waiver] = []
    ended: list[Waiver] = []
    waivers = Waiver.objects.filter(contract=amendment.amends).order_by("key")
    if amendment.amends is None or not waivers:
        return kept, ended
    old, new = as_signed(amendment.amends).body(), as_signed(amendment).body()
    same, judged = _unchanged(amendment), {clause.key: clause.code for clause in new.judged}
    grown = {code for code in set(judged.values()) if not set(nodes_of(code, new)) <= set(nodes_of(code, old))}
    ticked = _ticked(amendment) if state is State.ACCEPTING else frozenset()
    for waiver in waivers:
        if waiver.key in judged:
            stays = waiver.key in same and judged[waiver.key] not in grown and (waiver.key, waiver.at) not in ticked
            (kept if stays else ended).append(waiver)
    return kept, ended


def _ticked(amendment: Contract) -> frozenset[tuple[str, datetime]]:
    """Clause and moment of every tick at an acceptance before; a waiver keeps its moment when it is carried."""
    ticks = Event.objects.filter(contract__in=amended_by(amendment), kind="marginal_accepted")
    return frozenset(ticks.values_list("key", "at"))


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
    """The parent's remedies in force: those that stay, and those whose clause, price or machines change."""
    parent = amendment.amends
    agreed = held([parent]).get(parent.pk, Held()).remedies if parent else ()
    if not parent or not agreed:
        return [], []
    same = _unchanged(amendment)
    # The rent is the price for each machine: with others it is another sum than the two sides agreed on.
    is_same_rent = PRICE in same and _machines(parent) == _machines(amendment)
    kept = [remedy for remedy in agreed if is_same_rent and remedy.key in same]
    return kept, [remedy for remedy in agreed if remedy not in kept]


def _machines(contract: Contract) -> list[tuple[str, int, int]]:
    return [(group.code, group.node_count, group.gpus_per_node) for group in as_signed(contract).body().groups]


def _unchanged(amendment: Contract) -> frozenset[str]:
    """The clauses that say what they said in the contract that it amends."""
    parent = amendment.amends
    return unchanged(as_signed(parent).body(), as_signed(amendment).body()) if parent else frozenset()
