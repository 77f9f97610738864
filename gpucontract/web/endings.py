"""How an offer came to its end before it was signed: who ended it, when, and why."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from gpucontract.accounts.models import User
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Contract

ENDED_BY = {State.REJECTED: "move_reject", State.WITHDRAWN: "move_withdraw"}


@dataclass(frozen=True, slots=True)
class Ending:
    """The move that ended the offer; both sides may read its reason."""

    by: User | None
    at: datetime
    reason: str


def ending_of(contract: Contract) -> Ending | None:
    """None while the offer lives, and for contracts that were signed."""
    kind = ENDED_BY.get(State(contract.state))
    event = contract.events.filter(kind=kind).select_related("actor").order_by("number").last() if kind else None
    return Ending(event.actor, event.at, str(json.loads(event.body).get("reason") or "")) if event else None
