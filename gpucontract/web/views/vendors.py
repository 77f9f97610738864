"""Calling a vendor in: the buyer invites the first person of a company that its draft names and that has no account."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from gpucontract.accounts import inviting
from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.models import Organisation
from gpucontract.accounts.services import Place
from gpucontract.contracts.checks.parties import is_uscc
from gpucontract.contracts.models import Contract, PartiesTerms
from gpucontract.localise import spoken
from gpucontract.web.access import draft_for
from gpucontract.web.forms.organisations import VendorForm


def contract_vendor(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Whether the drafted vendor is here, who was invited, and the form for inviting."""
    contract = draft_for(request.user, uuid)
    place, form = place_of(contract), VendorForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            inviting.invite_vendor(contract.buyer, place=place, email=form.cleaned_data["email"], by=request.user)
        except AccountError as refusal:
            form.add_error("email", spoken(refusal.text))
    if request.method != "POST" or not form.is_valid():
        page = vendor_page(contract, place) | {"form": form}
        return render(request, "contracts/draft/vendor.html", page, status=422 if request.method == "POST" else 200)
    said = _("Invited %(email)s. Once they have opened the account, you can send the contract.")
    messages.success(request, said % {"email": form.cleaned_data["email"]})
    return redirect("contract-vendor", uuid)


def vendor_page(contract: Contract, place: Place) -> dict[str, Any]:
    """The context of vendor.html: the company of the draft, its account if it has one, open invitations."""
    now = timezone.now()
    sent = contract.buyer.invitations.filter(place_uscc=place.uscc, organisation=None, revoked_at=None)
    return {
        "contract": contract,
        "place": place,
        "is_wrong": bool(place.uscc) and not is_uscc(place.uscc),
        "vendor": vendor_of(place),
        "invitations": [(each, inviting.standing(each, now) is inviting.Standing.EXPIRED) for each in sent]
        if place.uscc
        else [],
    }


def place_of(contract: Contract) -> Place:
    """The vendor as drafted; empty where it is not named yet."""
    named = PartiesTerms.objects.filter(contract=contract).values_list("vendor_name", "vendor_uscc").first()
    return Place(*named) if named else Place("", "")


def vendor_of(place: Place) -> Organisation | None:
    """The account of the drafted vendor, if it has one."""
    return Organisation.objects.filter(uscc=place.uscc).first() if place.uscc else None
