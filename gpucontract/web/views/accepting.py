"""Deciding the acceptance: what still blocks it, or what it means, with a tick for each marginal clause."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.lifecycle import Fact, State, next_state
from gpucontract.contracts.models import Contract
from gpucontract.contracts.running import tenure_if_accepted
from gpucontract.localise import spoken
from gpucontract.verdicts.accepting import accept, outlook
from gpucontract.web.access import contract_for
from gpucontract.web.clause_list import Known, sections_of
from gpucontract.web.remedies_page import shown as shown_remedies
from gpucontract.web.views.contracts import head_of


def contract_accept(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page of the decision, and the decision; a second click finds the contract accepted already."""
    contract = contract_for(request.user, uuid, "accept")
    if contract.state == State.ACTIVE:
        messages.info(request, _("The machines are accepted; the term runs."))
        return redirect("contract-detail", uuid)
    next_state(contract.state, "accept", {Fact.ALL_SETTLED})
    if request.method != "POST":
        return render(request, "contracts/accept.html", accept_page(request, contract))
    if "is_meant" not in request.POST:
        return _refused(request, contract, _("Tick the box to say that you accept the machines."), 422)
    seen, ticked = request.POST.get("seen", "")[:64], request.POST.getlist("tick")
    try:
        accept(contract, by=request.user, seen=seen, ticked=ticked)
    except NotAllowed:
        raise
    except ContractError as refusal:
        return _refused(request, contract, spoken(refusal.text), 409)
    messages.success(request, _("Accepted. The term runs; both sides are told."))
    return redirect("contract-detail", uuid)


def accept_page(request: HttpRequest, contract: Contract) -> dict[str, Any]:
    """The context of accept.html, read afresh."""
    page = head_of(request, contract, "clauses")
    known, today = outlook(contract, timezone.now()), timezone.localdate()
    shown = Known.about(known.revision, (), shows_waivers=True)
    remedies = shown_remedies(contract, known.revision.body(), request.user, known.held)
    rows = {row.key: row for section in sections_of(known.revision.body(), shown) for row in section.rows}
    return page | {
        "outlook": known,
        "blocking": [rows[key] for key in known.settlement.blocking],
        "marginal": [rows[key] for key in known.settlement.marginal],
        "has_remedies": bool(remedies),
        "remedies": [each for each in remedies if each.is_in_force],
        "offered": [replace(each, may_decide=False, may_withdraw=False) for each in remedies if each.is_open],
        "rent_lines": [spoken(line) for line in known.rent.lines] if known.rent else [],
        "means": [spoken(line) for line in tenure_if_accepted(contract, today).lines],
        # A tick speaks of the value that was seen.
        "ticked": request.POST.getlist("tick") if request.POST.get("seen") == known.sha256 else [],
    }


def _refused(request: HttpRequest, contract: Contract, problem: str, status: int) -> HttpResponse:
    page = accept_page(request, contract) | {"problem": problem}
    return render(request, "contracts/accept.html", page, status=status)
