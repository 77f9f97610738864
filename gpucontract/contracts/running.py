"""The terms that run or have run, read from the frozen clauses and the journal."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from django.utils import timezone

from gpucontract.contracts.handover import handovers, parts_of
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Contract, Event
from gpucontract.contracts.tenure import Days, Tenure, tenure

_ACCEPTED = (State.ACTIVE, State.ENDED)


def tenures(contracts: Collection[Contract]) -> dict[int, Tenure]:
    """By contract key, for those that were accepted and not terminated; a few queries for all of them."""
    accepted = [contract for contract in contracts if contract.state in _ACCEPTED]
    if not accepted:
        return {}
    events = Event.objects.filter(contract__in=accepted, kind="move_accept")
    days = {event.contract_id: timezone.localdate(event.at) for event in events}
    return _tenures(accepted, days)


def tenure_if_accepted(contract: Contract, on: date) -> Tenure:
    """What acceptance on that day would mean."""
    return _tenures([contract], {contract.pk: on})[contract.pk]


def _tenures(contracts: Collection[Contract], accepted: dict[int, date]) -> dict[int, Tenure]:
    handed_over, signed = handovers(contracts)
    found = {}
    for key, body in parts_of(contracts, ("acceptance", "commercial")).items():
        given = handed_over.get(key)
        day = (given.confirmed_on or given.recorded_on) if given else None
        found[key] = tenure(body, Days(signed.get(key), day, accepted.get(key)))
    return found
