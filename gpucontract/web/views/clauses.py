"""The clause list as Word and Excel files for counsel: the draft for the buyer, sent wordings for both sides."""

from collections.abc import Callable, Mapping
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.utils.http import content_disposition_header

from gpucontract.documents.clause_docx import clause_docx
from gpucontract.documents.clause_list import ClauseList
from gpucontract.documents.clause_xlsx import clause_xlsx
from gpucontract.documents.listing import draft_list, revision_list
from gpucontract.filing import MEDIA_TYPES
from gpucontract.web.access import contract_for, revision_for

WRITERS: Mapping[str, Callable[[ClauseList], bytes]] = {"docx": clause_docx, "xlsx": clause_xlsx}


def contract_draft_clauses(request: HttpRequest, uuid: UUID, kind: str) -> HttpResponse:
    """The clauses that the terms make now; the vendor is never shown a draft."""
    contract = contract_for(request.user, uuid, "view_checks")
    return _file(draft_list(contract), kind, f"{contract.number}-draft")


def contract_clauses(request: HttpRequest, uuid: UUID, number: int, kind: str) -> HttpResponse:
    """One revision's clauses, with the answers and verdicts this side may read."""
    revision = revision_for(request.user, uuid, number, "download_appendix")
    clauses = revision_list(revision, revision.contract.side_of(request.user))
    return _file(clauses, kind, f"{revision.contract.number}-r{number}")


def _file(clauses: ClauseList, kind: str, name: str) -> HttpResponse:
    if kind not in WRITERS:
        raise Http404
    response = HttpResponse(WRITERS[kind](clauses), content_type=MEDIA_TYPES[kind])
    response["Content-Disposition"] = content_disposition_header(True, f"{name}-clauses.{kind}") or ""
    patch_cache_control(response, private=True, no_cache=True)
    return response
