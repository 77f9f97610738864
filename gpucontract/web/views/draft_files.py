"""Files that go with a contract: handed out under the hash of their bytes, never shown inside a page."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from gpucontract.filing import MEDIA_TYPES, stored
from gpucontract.web.access import draft_file_for


@require_safe
def contract_file(request: HttpRequest, uuid: UUID, file: UUID) -> HttpResponse:
    """The file as it was uploaded, to be saved; its ETag is the sha256 of the bytes."""
    found = draft_file_for(request.user, uuid, file, "view")
    response = HttpResponse(stored(found.sha256), content_type=MEDIA_TYPES[found.kind])
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=found.name) or ""
    response["X-Content-Type-Options"] = "nosniff"
    response["ETag"] = f'"{found.sha256}"'
    patch_cache_control(response, private=True, no_cache=True)
    return response
