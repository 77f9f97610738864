"""The appendix as a PDF: asked for, waited for, handed out under the hash of its bytes."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_cache_control

from gpucontract.contracts.models import Contract, DraftFile, Revision
from gpucontract.documents.models import Document
from gpucontract.documents.rendering import stored_bytes
from gpucontract.documents.services import is_current, request_appendix
from gpucontract.web.access import contract_for, revision_for
from gpucontract.web.views.contracts import head_of

RIGHTS = {"may_reuse": "draft", "sees_draft": "view_checks"}


def contract_documents(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Every revision this side may read, with its appendix."""
    contract = contract_for(request.user, uuid, "download_appendix")
    page = head_of(request, contract, "documents")
    revisions = Revision.objects.visible_to(request.user).filter(contract=contract).order_by("-number").distinct()
    newest = _newest_documents(contract)
    files = DraftFile.objects.visible_to(request.user).filter(contract=contract)
    rows = [
        (revision, newest.get(revision.pk), _is_outdated(newest.get(revision.pk), revision)) for revision in revisions
    ]
    rights = {name: contract.may(request.user, action) for name, action in RIGHTS.items()}
    return render(request, "contracts/documents.html", page | rights | {"rows": rows, "files": files})


def _newest_documents(contract: Contract) -> dict[int, Document]:
    documents = Document.objects.filter(revision__contract=contract, kind="appendix").order_by("pk")
    return {document.revision_id: document for document in documents}


def contract_appendix_state(request: HttpRequest, uuid: UUID, number: int) -> HttpResponse:
    """POST asks for the PDF, or once more after a failure; GET tells how far it is, for the page's polling."""
    revision = revision_for(request.user, uuid, number, "download_appendix")
    if request.method == "POST":
        request_appendix(revision, by=request.user, now=timezone.now())
    if request.method == "POST" and "HX-Request" not in request.headers:
        return redirect("contract-documents", uuid)
    return render(request, "contracts/_appendix.html", appendix_page(revision))


def appendix_page(revision: Revision) -> dict[str, Any]:
    """The context of _appendix.html."""
    document = revision.documents.filter(kind="appendix").order_by("-pk").first()
    outdated = _is_outdated(document, revision)
    return {"contract": revision.contract, "revision": revision, "document": document, "is_outdated": outdated}


def _is_outdated(document: Document | None, revision: Revision) -> bool:
    """Whether the newest rendering was made before the revision was signed, and so names nobody."""
    return document is not None and revision.sign_offs.exists() and not is_current(document, revision)


def contract_appendix(request: HttpRequest, uuid: UUID, number: int) -> HttpResponse:
    """The newest finished appendix of a revision; its ETag is the sha256 of the bytes."""
    revision = revision_for(request.user, uuid, number, "download_appendix")
    document = revision.documents.filter(kind="appendix", state="done").order_by("-pk").first()
    if document is None:
        raise Http404
    etag = f'"{document.sha256}"'
    if request.headers.get("If-None-Match") == etag:
        response = HttpResponse(status=304)
    else:
        response = HttpResponse(stored_bytes(document), content_type="application/pdf")
        name = f"{revision.contract.number}-r{revision.number}.pdf"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    return response
