"""Stored files on their way out: as downloads, never shown inside the site."""

from django.http import HttpResponse
from django.utils.cache import patch_cache_control
from django.utils.http import content_disposition_header

from gpucontract.filing import MEDIA_TYPES, kind_of, stored


def handed_out(name: str, digest: str) -> HttpResponse:
    """The file with this sha256, to be saved under its name; the ETag is the hash. Raises FilingError."""
    data = stored(digest)
    response = HttpResponse(data, content_type=MEDIA_TYPES.get(kind_of(data), "application/octet-stream"))
    response["Content-Disposition"] = content_disposition_header(True, name)
    response["X-Content-Type-Options"] = "nosniff"
    response["ETag"] = f'"{digest}"'
    patch_cache_control(response, private=True, no_cache=True)
    return response
