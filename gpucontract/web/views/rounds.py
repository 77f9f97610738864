"""The rounds of a negotiation: what waits for the buyer, what was said on each line, what changed between revisions."""

import itertools
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.accounts.roles import Side
from gpucontract.contracts import services
from gpucontract.contracts.comparing import changes, counts
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.lifecycle import State
from gpucontract.localise import spoken
from gpucontract.web.access import contract_for, offer_for, revision_for
from gpucontract.web.change_list import chapters_of, drafted_changes
from gpucontract.web.rounds_page import threads_of
from gpucontract.web.views.contracts import head_of


def contract_rounds(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """What waits for a decision, and the conversation on each line."""
    revision = offer_for(request.user, uuid, "view")
    return render(request, "contracts/rounds.html", rounds_page(request, revision))


def rounds_page(request: HttpRequest, revision: Any) -> dict[str, Any]:
    """The context of rounds.html."""
    contract = revision.contract
    page = head_of(request, contract, "rounds")
    threads = threads_of(revision, page["side"])
    deciding = page["side"] is Side.BUYER and contract.state == State.ANSWERED
    asked = [thread for thread in threads if thread.is_asked]
    sent = list(contract.revisions.sent().order_by("number"))
    return page | {
        "threads": threads,
        "deciding": deciding,
        "asked": asked if deciding else [],
        "waiting": sum(thread.is_waiting for thread in asked),
        "may_accept": contract.may(request.user, "agree"),
        "may_reply": contract.may(request.user, "draft"),
        "may_send": contract.may(request.user, "send"),
        "pairs": list(itertools.pairwise(sent)),
        "drafted": drafted_changes(contract, revision) if deciding else [],
    }


@require_POST
def contract_decide(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Accept or decline one counter, or answer one question."""
    decision, key = request.POST.get("decision", ""), request.POST.get("key", "")[:80]
    revision = offer_for(request.user, uuid, "agree" if decision == "accepted" else "draft")
    here = reverse("contract-rounds", args=[uuid])
    try:
        services.decide(revision, key, decision=decision, text=request.POST.get("text", ""), by=request.user)
    except ContractError as refusal:
        page = rounds_page(request, revision)
        page |= {"problem": spoken(refusal.text), "typed_key": key, "typed": request.POST.get("text", "")}
        return render(request, "contracts/rounds.html", page, status=422)
    messages.success(request, _("Kept. The vendor reads it when you send the next revision."))
    return redirect(here)


def contract_compare(request: HttpRequest, uuid: UUID, old: int, new: int) -> HttpResponse:
    """Every line that differs between two revisions this side may read."""
    contract = contract_for(request.user, uuid, "view")
    earlier, later = (revision_for(request.user, uuid, number, "view") for number in (old, new))
    if old >= new:
        raise Http404
    found = changes(earlier.body(), later.body())
    page = head_of(request, contract, "rounds")
    page |= {"old": earlier, "new": later, "chapters": chapters_of(found), "kinds": counts(found), "all": len(found)}
    return render(request, "contracts/compare.html", page)
