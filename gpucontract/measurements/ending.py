"""The end of a signed contract: terminated by a side with its reason, or over with its term; open runs are given up."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.given import LONGEST_REASON
from gpucontract.contracts.lifecycle import MOVES, Fact
from gpucontract.contracts.models import Contract
from gpucontract.contracts.moving import move
from gpucontract.contracts.running import tenures
from gpucontract.contracts.succession import must_stand
from gpucontract.measurements import claims
from gpucontract.measurements.states import RunState
from gpucontract.wording import Text

_TOO_LONG = Text(
    "理由有 {length} 个字符，最多 {limit} 个：请写短些。",
    "The reason has {length} characters, the limit is {limit}; shorten it.",
)
_ENDING = MOVES["end"].from_states


@transaction.atomic
def terminate(contract: Contract, *, by: User, reason: str, now: datetime | None = None) -> Contract:
    """End a signed contract for good, for either side; the other side reads the reason."""
    at, said = now or timezone.now(), reason.replace("\x00", "").strip()
    if len(said) > LONGEST_REASON:
        raise ContractError(_TOO_LONG.fill(length=len(said), limit=LONGEST_REASON))
    claims.lock_contracts([contract.pk])
    must_stand(contract)
    facts = {Fact.REASON_GIVEN} if said else set()
    body = {"reason": said, "runs_cancelled": contract.runs.open().count()}
    moved = move(contract, "terminate", by=by, facts=facts, now=at, body=body)
    _give_up_runs(moved, at)
    return moved


def end_due(now: datetime | None = None) -> int:
    """End every contract whose term is over; returns how many. Run twice, or after a kill, it finds what is left."""
    at = now or timezone.now()
    active = list(Contract.objects.filter(state__in=_ENDING).order_by("pk"))
    today, known = timezone.localdate(at), tenures(active)
    over = [each for each in active if each.pk in known and known[each.pk].is_over(today)]
    return sum(_end(contract, at) for contract in over)


@transaction.atomic
def _end(contract: Contract, at: datetime) -> bool:
    claims.lock_contracts([contract.pk])
    contract.refresh_from_db()
    if contract.state not in _ENDING:
        return False
    body = {"runs_cancelled": contract.runs.open().count()}
    move(contract, "end", by=None, facts={Fact.TERM_OVER}, now=at, body=body)
    _give_up_runs(contract, at)
    return True


def _give_up_runs(contract: Contract, at: datetime) -> None:
    """Nobody asks for these results any more; what else waits for the machines may go on."""
    keys = list(contract.runs.open().values_list("pk", flat=True))
    nodes = claims.nodes_of(keys)
    contract.runs.open().update(state=RunState.FAILED, error="contract_over", due_at=None, lease="")
    claims.release(nodes, at)
