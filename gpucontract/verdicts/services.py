"""What people do with verdicts: count them, waive a clause, take the waiver back."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gpucontract.accounts.models import User
from gpucontract.contracts import services as contracts
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.models import Contract
from gpucontract.verdicts.models import Verdict, Waiver
from gpucontract.verdicts.summary import Counts, count
from gpucontract.wording import Text

_MAY_NOT = Text("您没有权限豁免条款，请找审批人。", "You may not waive a clause; ask an approver.")
_NO_REASON = Text("请写明豁免的理由。", "Say why the clause is waived.")
_NOT_JUDGED = Text("条款 {key} 没有判定，不能豁免。", "Clause {key} has no verdict and cannot be waived.")


def counts_of(contract: Contract) -> Counts:
    """The six counts of a contract's judged clauses, and the waivers in force."""
    states = Verdict.objects.filter(contract=contract).values_list("state", flat=True)
    return count(states, Waiver.objects.filter(contract=contract, withdrawn_at=None).count())


@transaction.atomic
def waive_clause(contract: Contract, *, key: str, reason: str, by: User, now: datetime) -> Waiver:
    """Do without a clause, with a reason; its measured state stays what it is."""
    if not contract.may(by, "waive"):
        raise NotAllowed(_MAY_NOT)
    if not reason.strip():
        raise ContractError(_NO_REASON)
    if not Verdict.objects.filter(contract=contract, key=key).exists():
        raise ContractError(_NOT_JUDGED.fill(key=key))
    waiver, is_new = Waiver.objects.get_or_create(
        contract=contract, key=key, withdrawn_at=None,
        defaults={"reason": reason.strip()[:1000], "waived_by": by, "waived_at": now},
    )  # fmt: skip
    if is_new:
        contracts.record(contract, "clause_waived", by=by, at=now, key=key, body={"reason": waiver.reason})
    return waiver


@transaction.atomic
def withdraw_waiver(waiver: Waiver, *, by: User, now: datetime) -> None:
    """Take a waiver back; it stays in the history."""
    if not waiver.contract.may(by, "waive"):
        raise NotAllowed(_MAY_NOT)
    if Waiver.objects.filter(pk=waiver.pk, withdrawn_at=None).update(withdrawn_at=now):
        contracts.record(waiver.contract, "waiver_withdrawn", by=by, at=now, key=waiver.key)
