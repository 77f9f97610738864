"""Taking terms out of a vendor's spec sheet: upload, map and preview, take over what is ticked."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from gpucontract.contracts import services
from gpucontract.contracts.errors import TermsRefused
from gpucontract.contracts.sheets import SheetRefused
from gpucontract.localise import spoken
from gpucontract.web.access import draft_for, spec_sheet_for
from gpucontract.web.forms.exchange import SheetForm
from gpucontract.web.spec_sheet_page import Mapped, faults_of, mapped, page_of
from gpucontract.web.wizard import Draft


def contract_spec_sheet(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Upload a spec sheet; the page that maps it follows."""
    contract = draft_for(request.user, uuid)
    form = SheetForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            kept = services.keep_sheet(contract, name=file.name, data=file.read(), by=request.user)
        except SheetRefused as refusal:
            form.add_error("file", spoken(refusal.text))
        else:
            return redirect("spec-sheet", kept.uuid)
    page = {"contract": contract, "form": form}
    return render(request, "library/sheet_upload.html", page, status=422 if form.errors else 200)


def spec_sheet(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """What each line of the sheet would write; “take over” writes the ticked ones."""
    spec = spec_sheet_for(request.user, uuid)
    draft = Draft.of(spec.contract)
    found = mapped(spec, draft, request.POST.dict())
    page = page_of(spec, draft, found)
    if request.POST.get("act") != "take":
        return render(request, "library/sheet.html", page)
    if found.blocked or not found.values:
        none = "" if found.blocked else _("Tick at least one line to take over.")
        return _refused(request, page | {"faults": list(faults_of(found)), "none": none})
    return _taken(request, page, found)


@require_POST
def spec_sheet_drop(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Give the sheet up; nothing of it is kept."""
    spec = spec_sheet_for(request.user, uuid)
    services.drop_sheet(spec, by=request.user)
    return redirect("contract-spec-sheet", spec.contract.uuid)


def _taken(request: HttpRequest, page: dict[str, Any], found: Mapped) -> HttpResponse:
    spec = page["spec"]
    try:
        paths = services.apply_sheet(spec, values=found.values, by=request.user)
    except TermsRefused as refusal:
        at = {line.path: line.entry for line in found.lines if line.is_used}
        faults = [(at[path], spoken(said)) for path, said in refusal.refusals.items()]
        return _refused(request, page | {"faults": faults})
    said = ngettext("%(count)s term taken over.", "%(count)s terms taken over.", len(paths))
    messages.success(request, said % {"count": len(paths)})
    return redirect("contract-draft-check", spec.contract.uuid)


def _refused(request: HttpRequest, page: dict[str, Any]) -> HttpResponse:
    return render(request, "library/sheet.html", page, status=422)
