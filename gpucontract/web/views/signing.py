"""Signing off: one exact hash, one typed name, one tick; both sides' state stays visible."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from gpucontract.accounts.roles import Side
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Revision
from gpucontract.documents.services import sign_off
from gpucontract.localise import spoken
from gpucontract.web.access import offer_for
from gpucontract.web.forms.signing import SignForm
from gpucontract.web.views.contracts import head_of


def contract_sign(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The hash to be signed and who has signed it; a signer signs here."""
    if request.method != "POST":
        revision = offer_for(request.user, uuid, "view")
        return render(request, "contracts/sign.html", sign_page(request, revision, _fresh(revision)))
    revision = offer_for(request.user, uuid, "sign")
    form = SignForm(request.POST)
    if not form.is_valid():
        return render(request, "contracts/sign.html", sign_page(request, revision, form), status=422)
    given = form.cleaned_data
    try:
        sign_off(revision, by=request.user, typed_name=given["typed_name"], sha256=given["sha256"], now=timezone.now())
    except ContractError as refusal:
        page = sign_page(request, revision, _fresh(revision)) | {"problem": spoken(refusal.text)}
        return render(request, "contracts/sign.html", page, status=409)
    messages.success(request, _("Signed."))
    return redirect("contract-sign", uuid)


def _fresh(revision: Revision) -> SignForm:
    return SignForm(initial={"sha256": revision.sha256})


def sign_page(request: HttpRequest, revision: Revision, form: SignForm) -> dict[str, Any]:
    """The context of sign.html."""
    contract = revision.contract
    page = head_of(request, contract, "sign")
    signed = {line.side: line for line in revision.sign_offs.select_related("user")}
    parties = [(side, getattr(contract, side.value), signed.get(side.value)) for side in Side]
    may = contract.state == State.AGREED and contract.may(request.user, "sign") and page["side"] not in signed
    return page | {"form": form, "parties": parties, "may_sign": may}
