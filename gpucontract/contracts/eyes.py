"""Four eyes: who changed the terms since they were last sent neither sends nor signs them."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from gpucontract.accounts.models import User
from gpucontract.accounts.roles import Side, may
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import FACTS, NEGOTIABLE, STATES, Fact, State
from gpucontract.contracts.models import Contract, Event
from gpucontract.contracts.rights import must
from gpucontract.wording import Text

# Accepting a vendor's counter is a decision on somebody else's text and does not make one its drafter.
DRAFTING = ("draft_filled", "terms_written", "group_added", "mount_added", "row_removed", "rows_ordered")
# What else alters what the next revision says.
CHANGING = (*DRAFTING, "counter_accepted", "counter_declined", "file_attached", "file_detached")

_NOT_NOW = Text(
    "合同 {number} 处于“{state}”，四眼原则只能在签署之前设定或取消。",
    "Contract {number} is “{state}”; four eyes are demanded or lifted only until it is signed.",
)
_ALONE = Text(
    "{organisation}除您之外没有人可以起草或审批：四眼原则需要第二个人。请组织管理员在成员页邀请一位起草人或审批人。",
    "In {organisation} nobody else may draft or approve: four eyes take a second person. An admin invites a drafter or "
    "an approver on the members' page.",
)


def drafters(contract: Contract) -> frozenset[int]:
    """The keys of all who changed the terms between the sending before the last change and now."""
    return drafters_of([contract])[contract.pk]


def drafters_of(contracts: Collection[Contract]) -> dict[int, frozenset[int]]:
    """The same for many contracts in one query, by contract key."""
    found: dict[int, set[int]] = {contract.pk: set() for contract in contracts}
    sent: set[int] = set()
    events = Event.objects.filter(contract__in=contracts, kind__in=(*DRAFTING, "move_send")).order_by("number")
    for key, kind, actor in events.values_list("contract", "kind", "actor"):
        if kind == "move_send":
            sent.add(key)
            continue
        if key in sent:
            sent.discard(key)
            found[key].clear()
        if actor is not None:
            found[key].add(actor)
    return {key: frozenset(people) for key, people in found.items()}


def last_change(contract: Contract) -> int:
    """The journal's number of the last change of the terms; another one than a page showed means other terms."""
    return contract.events.filter(kind__in=CHANGING).values_list("number", flat=True).last() or 0


def is_barred(contract: Contract, by: User) -> bool:
    """Whether four eyes keep this person from sending or signing."""
    return contract.four_eyes and by.pk in drafters(contract)


@transaction.atomic
def set_four_eyes(contract: Contract, is_on: bool, *, by: User) -> Contract:
    """Demand four eyes, or no longer; who is barred by the rule cannot lift it."""
    must(contract, by, "send")
    held = lock(contract)
    if held.state not in NEGOTIABLE:
        raise ContractError(_NOT_NOW.fill(number=held.number, state=STATES[State(held.state)]))
    if held.four_eyes == is_on:
        return held
    if is_barred(held, by):
        raise ContractError(FACTS[Fact.OTHER_EYES])
    if is_on and not _has_others(held, by):
        raise ContractError(_ALONE.fill(organisation=held.buyer))
    held.four_eyes = contract.four_eyes = is_on
    held.save(update_fields=["four_eyes"])
    record(held, "four_eyes_set", by=by, body={"on": is_on})
    return held


def _has_others(contract: Contract, by: User) -> bool:
    """Whether somebody else of the buyer may draft; alone, whoever drafts could never send, nor lift the rule."""
    others = contract.buyer.memberships.filter(user__is_active=True).exclude(user=by)
    return any(may(Side.BUYER, membership.roles, "draft") for membership in others)
