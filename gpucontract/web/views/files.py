"""Files that go with a contract: those beside its terms, and those beside the vendor's answers."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from gpucontract.web.access import answer_file_for, draft_file_for
from gpucontract.web.handing_out import handed_out


@require_safe
def contract_file(request: HttpRequest, uuid: UUID, file: UUID) -> HttpResponse:
    """A file that was laid beside a step of the draft."""
    found = draft_file_for(request.user, uuid, file, "view")
    return handed_out(found.name, found.sha256)


@require_safe
def answer_file(request: HttpRequest, uuid: UUID, file: UUID) -> HttpResponse:
    """A file that the vendor laid beside a counter or a question."""
    found = answer_file_for(request.user, uuid, file)
    return handed_out(found.name, found.sha256)
