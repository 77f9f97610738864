"""Cards, drives and machines exchanged by agreement: the vendor declares, the buyer agrees; then they are expected."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction

from gpucontract.accounts.models import User
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import MEASURABLE, STATES, State
from gpucontract.contracts.models import Contract
from gpucontract.contracts.rights import must
from gpucontract.contracts.succession import must_stand
from gpucontract.measurements.errors import MeasurementError
from gpucontract.measurements.models import Node, Replacement
from gpucontract.wording import Text

MOST_NAMES = 64
LONGEST_REASON = 300
_NAME = re.compile(r"[\x21-\x7e]{4,80}")

_NOT_NOW = Text(
    "合同处于“{state}”，交付之后才能登记更换。",
    "The contract is “{state}”; replacements are recorded once it is delivered, until it ends.",
)
_NO_NAMES = Text(
    "请写明新部件的序列号或 UUID，每行一个，最多 {most} 个。",
    "Give the serial numbers or UUIDs of the new parts, one a line, at most {most}.",
)
_ODD_NAME = Text(
    "“{name}”不是序列号或 UUID：应为 4 至 80 个字母、数字或符号，中间没有空格。",
    "“{name}” is no serial number or UUID: it has 4 to 80 letters, digits or signs and no blank.",
)
_NO_REASON = Text("请写明更换原因，最多 {limit} 个字。", "Say why it was replaced, in at most {limit} characters.")
_OWN_WORD = Text(
    "这项更换是您自己登记的，须由甲方的另一个人答复。",
    "You declared this replacement yourself; somebody else on the buyer's side has to answer it.",
)
_DECIDED = Text("这项更换已经答复过了。", "This replacement was answered already.")


@transaction.atomic
def declare_replacement(node: Node, *, names: Sequence[str], reason: str, by: User, now: datetime) -> Replacement:
    """Record on the vendor's side that parts of a slot were replaced. names: serials or UUIDs of the new ones."""
    contract = node.group.contract
    must(contract, by, "declare_replacement")
    held = lock(contract)
    must_stand(held)
    _must_be_there(held)
    known, why = _checked(names), reason.strip()
    if not 0 < len(why) <= LONGEST_REASON:
        raise MeasurementError(_NO_REASON.fill(limit=LONGEST_REASON))
    made = Replacement.objects.create(node=node, names=known, reason=why, declared_by=by, declared_at=now)
    said = {"replacement": made.pk, "node": node.code, "names": known, "reason": why}
    record(held, "replacement_declared", by=by, at=now, body=said)
    return made


@transaction.atomic
def decide_replacement(replacement: Replacement, *, is_agreed: bool, by: User, now: datetime) -> Replacement:
    """Agree to a replacement on the buyer's side, after which its names are expected, or refuse it; once only."""
    contract = replacement.node.group.contract
    must(contract, by, "approve_node")
    if replacement.declared_by_id == by.pk:
        raise MeasurementError(_OWN_WORD)
    held = lock(contract)
    _must_be_there(held)
    undecided = Replacement.objects.filter(pk=replacement.pk, is_agreed=None)
    if not undecided.update(is_agreed=is_agreed, decided_by=by, decided_at=now):
        raise MeasurementError(_DECIDED)
    replacement.refresh_from_db()
    said = {"replacement": replacement.pk, "node": replacement.node.code, "names": replacement.names}
    record(held, "replacement_agreed" if is_agreed else "replacement_refused", by=by, at=now, body=said)
    return replacement


def waiting(contracts: Collection[Contract]) -> frozenset[int]:
    """Those of these contracts, by key, in which a replacement has no answer yet."""
    if not contracts:
        return frozenset()
    open_ones = Replacement.objects.filter(node__group__contract__in=contracts, is_agreed=None)
    return frozenset(open_ones.values_list("node__group__contract", flat=True))


def agreed_names(slots: Collection[int]) -> frozenset[str]:
    """The serials and UUIDs that both sides expect to be new in this slot, or in one of these."""
    known = Replacement.objects.filter(node__in=slots, is_agreed=True).values_list("names", flat=True)
    return frozenset(name for names in known for name in names)


def _must_be_there(contract: Contract) -> None:
    if contract.state not in MEASURABLE:
        raise MeasurementError(_NOT_NOW.fill(state=STATES[State(contract.state)]))


def _checked(names: Sequence[str]) -> list[str]:
    known = list(dict.fromkeys(name.strip() for name in names if name.strip()))
    if not 0 < len(known) <= MOST_NAMES:
        raise MeasurementError(_NO_NAMES.fill(most=MOST_NAMES))
    odd = next((name for name in known if not _NAME.fullmatch(name)), None)
    if odd is not None:
        raise MeasurementError(_ODD_NAME.fill(name=odd[:80]))
    return known
