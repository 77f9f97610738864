"""Drafts out and in as JSON: the export, the schema it follows, the import with its preview."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from gpucontract.contracts import copying, interchange, services
from gpucontract.contracts.errors import TermsRefused
from gpucontract.contracts.interchange import InterchangeRefused, Loaded
from gpucontract.contracts.interchange_schema import schema
from gpucontract.contracts.snapshot import terms_of
from gpucontract.localise import spoken
from gpucontract.web.access import contract_for
from gpucontract.web.forms.contract import drafts_for
from gpucontract.web.forms.exchange import ImportForm, ImportInto
from gpucontract.web.starting import contents_of, sections_of
from gpucontract.web.wizard import STEPS


def draft_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """All terms as they stand, for the buyer's side only."""
    contract = contract_for(request.user, uuid, "view_checks")
    text = interchange.to_text(interchange.dump(terms_of(contract), contract.title))
    return _download(text, f"{contract.number}-draft.json")


def draft_schema(_request: HttpRequest) -> HttpResponse:
    """The JSON Schema that an import is held against."""
    return _download(interchange.to_text(schema()), "contract-schema.json")


def contract_import(request: HttpRequest) -> HttpResponse:
    """A file is shown with all it holds; only what was shown and is confirmed makes a contract."""
    if not drafts_for(request.user):
        raise PermissionDenied
    if request.method != "POST":
        return render(request, "library/import.html", {"form": ImportForm()})
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return render(request, "library/import.html", {"form": form}, status=422)
    name, data = form.content()
    try:
        loaded = interchange.load(data)
    except InterchangeRefused as refusal:
        page = {"form": ImportForm(), "name": name, "faults": refusal.faults, "left_out": refusal.left_out}
        return render(request, "library/import.html", page, status=422)
    return _preview_or_write(request, name, data, loaded)


def _preview_or_write(request: HttpRequest, name: str, data: bytes | str, loaded: Loaded) -> HttpResponse:
    is_confirmed = "confirm" in request.POST
    into = ImportInto(request.user, request.POST if is_confirmed else None, initial={"title": loaded.title})
    page = _preview(name, data, loaded) | {"into": into}
    if not is_confirmed or not into.is_valid():
        return render(request, "library/preview.html", page, status=422 if into.errors else 200)
    given = into.cleaned_data
    try:
        source = copying.from_file(name, loaded)
        contract = services.start_from(source, given["buyer"], by=request.user, title=given["title"])
    except TermsRefused as refusal:
        said = {path: spoken(text) for path, text in refusal.refusals.items()}
        return render(request, "library/preview.html", page | {"refused": said}, status=422)
    messages.success(request, _("Imported as %(number)s.") % {"number": contract.number})
    return redirect("contract-draft-step", contract.uuid, STEPS[0])


def _preview(name: str, data: bytes | str, loaded: Loaded) -> dict[str, Any]:
    """What the file holds, and its text to be posted again when it is confirmed."""
    return {
        "name": name,
        "text": data.decode("utf-8-sig") if isinstance(data, bytes) else data,
        "contents": contents_of(loaded.terms),
        "sections": sections_of(loaded.terms),
    }


def _download(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response
