"""What the buyer does with an offer as a whole: reopen, withdraw, give more time, demand four eyes."""

from datetime import datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.contracts import services
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.models import Contract
from gpucontract.contracts.rights import EDITABLE
from gpucontract.localise import spoken
from gpucontract.web.access import contract_for
from gpucontract.web.forms.offering import DeadlineForm


@require_POST
def contract_reopen(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Take the offer back into editing."""
    contract = contract_for(request.user, uuid, "send")
    services.reopen(contract, by=request.user, reason=request.POST.get("reason", "")[:1000])
    messages.success(request, _("The terms are open again. What the vendor confirmed stays confirmed where unchanged."))
    return redirect("contract-draft", uuid)


@require_POST
def contract_withdraw(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """End the contract before it is signed."""
    contract = contract_for(request.user, uuid, "withdraw")
    services.withdraw(contract, by=request.user, reason=request.POST.get("reason", "")[:1000])
    messages.success(request, _("Withdrawn."))
    return redirect("contract-detail", uuid)


@require_POST
def contract_extend(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Give the vendor more time to answer."""
    contract = contract_for(request.user, uuid, "send")
    form = DeadlineForm(request.POST)
    if not form.is_valid() or form.until is None:
        messages.error(request, _("Choose the new last day to answer, like 2026-11-30."))
        return redirect("contract-detail", uuid)
    try:
        services.extend_offer(contract, form.until, by=request.user)
    except ContractError as refusal:
        messages.error(request, _too_early(contract, form.until) or spoken(refusal.text))
    else:
        messages.success(request, _("The vendor has more time now."))
    return redirect("contract-detail", uuid)


def _too_early(contract: Contract, until: datetime) -> str:
    """Why a new last day gives no more time, with the day it must be after; empty where that is not the reason."""
    least = max(timezone.now(), contract.offer_valid_until or timezone.now())
    if until > least:
        return ""
    said = _("%(day)s gives the vendor no more time: choose a day after %(least)s.")
    return said % {"day": timezone.localdate(until), "least": timezone.localdate(least)}


@require_POST
def contract_four_eyes(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Demand that who changed the terms of a version neither sends nor signs them, or no longer."""
    contract = contract_for(request.user, uuid, "send")
    try:
        held = services.set_four_eyes(contract, request.POST.get("on") == "on", by=request.user)
    except ContractError as refusal:
        messages.error(request, spoken(refusal.text))
    else:
        messages.success(request, _("Four eyes are required now.") if held.four_eyes else _("The rule is lifted."))
    return redirect("contract-draft-check" if contract.state in EDITABLE else "contract-detail", uuid)


@require_POST
def contract_amend(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Start an amendment of a signed contract."""
    contract = contract_for(request.user, uuid, "draft")
    try:
        amendment = services.amend_contract(contract, by=request.user)
    except ContractError as refusal:
        messages.error(request, spoken(refusal.text))
        return redirect("contract-detail", uuid)
    messages.success(request, _("A draft that amends the signed contract: change what should change, then send it."))
    return redirect("contract-draft", amendment.uuid)
