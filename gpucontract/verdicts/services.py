"""What people do with verdicts, and the counts every page shows."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import State as Stage
from gpucontract.contracts.models import Contract
from gpucontract.contracts.numbering import citations
from gpucontract.contracts.rights import must, must_be_in_force
from gpucontract.contracts.values import same
from gpucontract.measurements.services import in_force
from gpucontract.verdicts.models import Verdict, Waiver
from gpucontract.verdicts.remedying import held
from gpucontract.verdicts.states import STATE_TEXTS, State
from gpucontract.verdicts.summary import Counts, count
from gpucontract.verdicts.writing import append_changes
from gpucontract.wording import Text

_UNKNOWN = Text(
    "合同 {number} 没有条款 {key} 的判定。请从条款列表中选择。",
    "Contract {number} has no verdict for clause {key}. Choose one from the clause list.",
)
_NOT_FAILING = Text(
    "条款 {clause}的判定是“{state}”，不需要豁免。", "Clause {clause} is {state}; there is nothing to waive."
)
_NO_REASON = Text("豁免条款 {clause}要写明理由。", "Give a reason for waiving clause {clause}.")
_ALREADY = Text("条款 {clause}已被豁免。", "Clause {clause} is waived already.")
_NOT_WAIVED = Text("条款 {clause}没有豁免可撤回。", "Clause {clause} bears no waiver to take back.")
_FINAL = Text(
    "条款 {clause}的豁免是验收的依据，验收已于 {day} 作出，不能再撤回。租期内的新问题请按合同约定处理。",
    "Acceptance was given on {day} on the ground of this waiver of clause {clause}, so it cannot be taken back. What "
    "shows up during the term is dealt with as the contract says.",
)
LONGEST_REASON = 1000
_TOO_LONG = Text(
    "理由有 {length} 个字符，最多 {limit} 个：请写短些。",
    "The reason has {length} characters, the limit is {limit}; shorten it.",
)


class VerdictError(Exception):
    """A refusal with its sentence in both languages."""

    def __init__(self, text: Text) -> None:
        super().__init__(f"{text.zh} / {text.en}")
        self.text = text


@transaction.atomic
def waive_clause(contract: Contract, *, key: str, reason: str, by: User, now: datetime | None = None) -> Waiver:
    """Let a clause be that is not verified; the measured state stays. Raises VerdictError and NotAllowed."""
    must(contract, by, "waive")
    standing, at, why = lock(contract), now or timezone.now(), reason.strip()
    must_be_in_force(standing)
    verdict = _waivable(standing, key, why)
    waiver = Waiver.objects.create(contract=standing, key=key, reason=why, by=by, at=at)
    said = {"state": verdict.state, "failing": [[each["scope"], each["state"]] for each in verdict.exceptions]}
    append_changes(standing, {key: {**said, "waived": True}}, "waiver", at)
    record(standing, "clause_waived", by=by, at=at, key=key, body={"reason": why, "state": verdict.state})
    return waiver


@transaction.atomic
def withdraw_waiver(contract: Contract, *, key: str, by: User, now: datetime | None = None) -> None:
    """Take a waiver back; the measured state, never replaced, counts again. Raises VerdictError and NotAllowed.

    What acceptance was given on stays, be it a waiver or a clause accepted as marginal.
    """
    must(contract, by, "waive")
    standing, at = lock(contract), now or timezone.now()
    must_be_in_force(standing)
    verdict = _verdict(standing, key)
    waiver = Waiver.objects.filter(contract=standing, key=key).first()
    if waiver is None:
        raise VerdictError(_NOT_WAIVED.fill(clause=_cited(standing, key)))
    accepted = accepted_at(standing)
    if accepted and waiver.at <= accepted:
        raise VerdictError(_FINAL.fill(clause=_cited(standing, key), day=timezone.localdate(accepted)))
    reason = waiver.reason
    waiver.delete()
    said = {"state": verdict.state, "failing": [[each["scope"], each["state"]] for each in verdict.exceptions]}
    append_changes(standing, {key: {**said, "waived": False}}, "waiver", at)
    record(standing, "waiver_withdrawn", by=by, at=at, key=key, body={"reason": reason, "state": verdict.state})


def accepted_at(contract: Contract) -> datetime | None:
    """Since when the acceptance of an active contract stands; an amendment takes over what was accepted before it."""
    if contract.state != Stage.ACTIVE:
        return None
    event = contract.events.filter(kind__in=("move_accept", "move_sign")).order_by("number").last()
    return event.at if event else None


def counts_of(contract: Contract) -> Counts:
    """How many clauses of a contract are in each state, and how many are waived."""
    return counts_by_contract([contract]).get(contract.pk, Counts())


def counts_by_contract(contracts: Collection[Contract]) -> dict[int, Counts]:
    """The same for many contracts in a few queries, by contract key; a contract without verdicts is left out."""
    states: dict[int, dict[str, str]] = {}
    for contract, key, state in Verdict.objects.filter(contract__in=contracts).values_list("contract", "key", "state"):
        states.setdefault(contract, {})[key] = state
    waived: dict[int, set[str]] = {}
    for contract, key in Waiver.objects.filter(contract__in=contracts).values_list("contract", "key"):
        waived.setdefault(contract, set()).add(key)
    remedied = held([contract for contract in contracts if contract.pk in states])
    return {
        contract: count(known, waived.get(contract, ()), remedied[contract].settled if contract in remedied else ())
        for contract, known in states.items()
    }


def _verdict(contract: Contract, key: str) -> Verdict:
    verdict = Verdict.objects.filter(contract=contract, key=key).first()
    if verdict is None:
        raise VerdictError(_UNKNOWN.fill(number=contract.number, key=key))
    return verdict


def _cited(contract: Contract, key: str) -> Text:
    """The clause by number and words, as sentences speak of it; its key where the contract has none of that key."""
    return citations(in_force(contract).body()).get(key, same(key))


def _waivable(contract: Contract, key: str, reason: str) -> Verdict:
    verdict = _verdict(contract, key)
    if not State(verdict.state).is_failing:
        raise VerdictError(_NOT_FAILING.fill(clause=_cited(contract, key), state=STATE_TEXTS[State(verdict.state)]))
    if not reason:
        raise VerdictError(_NO_REASON.fill(clause=_cited(contract, key)))
    if len(reason) > LONGEST_REASON:
        raise VerdictError(_TOO_LONG.fill(length=len(reason), limit=LONGEST_REASON))
    if Waiver.objects.filter(contract=contract, key=key).exists():
        raise VerdictError(_ALREADY.fill(clause=_cited(contract, key)))
    return verdict
