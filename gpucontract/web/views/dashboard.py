"""The first page after signing in: figures, what waits for this person, the contracts by state."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise

from gpucontract.contracts.lifecycle import STATES, State
from gpucontract.contracts.models import Contract
from gpucontract.web.forms.contract import drafts_for
from gpucontract.web.todo import Desk, Step

MOST_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Row:
    """A contract as lists show it. counts: every clause once, as the contract's page shows it; None before a verdict.

    days_left: until the acceptance window ends, below 0 once it is over. successor: what took its place.
    """

    contract: Contract
    vendor: str
    counts: Mapping[str, int] | None
    step: Step | None
    waits: str | Promise
    days_left: int | None
    successor: Contract | None


def dashboard(request: HttpRequest) -> HttpResponse:
    """Everything the person may see, summed up; each number leads to the list behind it."""
    contracts = Contract.objects.visible_to(request.user).select_related("buyer", "vendor")
    desk = Desk.of(request.user, contracts)
    page = figures(desk) | {
        "rows": rows_of(desk)[:MOST_SHOWN],
        "steps": desk.steps,
        "may_draft": drafts_for(request.user).exists(),
    }
    return render(request, "dashboard/dashboard.html", page)


def rows_of(desk: Desk) -> list[Row]:
    """One row per contract, in the order given."""
    return [
        Row(contract, desk.vendor_of(contract), desk.counts_of(contract), desk.step(contract), desk.waits(contract),
            desk.days_left(contract), desk.successors.get(contract.pk))
        for contract in desk.contracts
    ]  # fmt: skip


def figures(desk: Desk) -> dict[str, Any]:
    """The tiles and the states that occur, in the order a contract passes them."""
    found = Counter(contract.state for contract in desk.contracts)
    # What an amendment replaced keeps its verdicts; they count once, on the amendment.
    standing = (desk.counts_of(each) for each in desk.contracts if each.pk not in desk.successors)
    judged = [counts for counts in standing if counts]
    return {
        "accepting": found[State.ACCEPTING],
        "breached": sum(counts["breached"] for counts in judged),
        "breached_in": sum(counts["breached"] > 0 for counts in judged),
        "unmeasured": sum(counts["pending"] for counts in judged),
        "inconclusive": sum(counts["inconclusive"] for counts in judged),
        "states": [(state, found[state]) for state in STATES if found[state]],
    }
