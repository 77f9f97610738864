"""The terms that run or have run, read from the frozen clauses and the journal."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from django.utils import timezone

from gpucontract.contracts.carrying import carried
from gpucontract.contracts.handover import handovers, parts_of
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Contract, Event
from gpucontract.contracts.tenure import Days, Tenure, tenure

_ACCEPTED = (State.ACTIVE, State.ENDED)
# An amendment of what was accepted, whose changes are still to be.
_AGAIN = (State.ACCEPTING,)


def tenures(contracts: Collection[Contract]) -> dict[int, Tenure]:
    """By contract key, for those that were accepted and not terminated; a few queries for all of them."""
    days = accepted_on(contracts)
    accepted = [each for each in contracts if each.state in _ACCEPTED or (each.state in _AGAIN and each.pk in days)]
    return _tenures(accepted, days) if accepted else {}


def accepted_on(contracts: Collection[Contract]) -> dict[int, date]:
    """By contract key: the day the machines were first accepted; an amendment's are since its parent's were."""
    events = Event.objects.filter(contract__in=contracts, kind="move_accept")
    days = {event.contract_id: timezone.localdate(event.at) for event in events}
    return days | {key: each.accepted_on for key, each in carried(contracts).items() if each.accepted_on}


def tenure_if_accepted(contract: Contract, on: date) -> Tenure:
    """What acceptance on that day would mean."""
    return _tenures([contract], {contract.pk: on} | accepted_on([contract]))[contract.pk]


def _tenures(contracts: Collection[Contract], accepted: dict[int, date]) -> dict[int, Tenure]:
    handed_over, signed = handovers(contracts)
    found = {}
    for key, body in parts_of(contracts, ("acceptance", "commercial")).items():
        given = handed_over.get(key)
        day = (given.confirmed_on or given.recorded_on) if given else None
        found[key] = tenure(body, Days(signed.get(key), day, accepted.get(key)))
    return found
