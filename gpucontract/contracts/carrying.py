"""What an amendment carried over from the contract that it amends, as its journal says."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import date

from gpucontract.contracts.deadlines import Carried
from gpucontract.contracts.models import Contract, Event

CARRIED = "amendment_took_over"


def carried(contracts: Collection[Contract]) -> dict[int, Carried]:
    """By contract key, for amendments that took their parent's place; one query where there are any."""
    amendments = [contract for contract in contracts if contract.amends_id]
    if not amendments:
        return {}
    events = Event.objects.filter(contract__in=amendments, kind=CARRIED)
    return {event.contract_id: _read(event) for event in events}


def _read(event: Event) -> Carried:
    said = json.loads(event.body)
    accepted = said.get("accepted_on")
    day = date.fromisoformat(accepted) if accepted else None
    return Carried(said["of"], day, tuple(said["changed"]), tuple(said["added"]))
