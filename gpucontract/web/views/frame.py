"""What every page needs: the language switch and the page for a fault of ours."""

import logging
import secrets

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.i18n import set_language as django_set_language

log = logging.getLogger(__name__)


@login_not_required
def set_language(request: HttpRequest) -> HttpResponse:
    """Keep the chosen language in a cookie and go back; open to all, as the sign-in page has the switch too."""
    return django_set_language(request)


def bad_request(_request: HttpRequest, exception: Exception) -> HttpResponse:
    """What is wrong with a request that no view can read, and the limit it broke; touches nothing of the request."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20
    if isinstance(exception, RequestDataTooBig):
        said = _("What was sent is larger than %(limit)s MiB, the most a form may hold. Nothing was saved; send less.")
        return render(None, "400.html", {"sentence": said % {"limit": limit}}, status=413)
    if isinstance(exception, TooManyFieldsSent | TooManyFilesSent):
        said = _("The form has more fields than this site reads at once. Nothing was saved; send fewer rows.")
    else:
        said = _("This request could not be read. Nothing was saved; go back, load the page again and retry.")
    return render(None, "400.html", {"sentence": said}, status=400)


def server_error(request: HttpRequest) -> HttpResponse:
    """The page for a fault of ours, with a reference that stands in the log too; touches no database."""
    reference = secrets.token_hex(4)
    log.error("reference %s: %s %s failed", reference, request.method, request.path)
    return render(None, "500.html", {"reference": reference}, status=500)
