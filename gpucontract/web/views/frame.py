"""What every page needs: the language switch and the page for a fault of ours."""

import logging
import secrets

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.i18n import set_language as django_set_language

log = logging.getLogger(__name__)


@login_not_required
def set_language(request: HttpRequest) -> HttpResponse:
    """Keep the chosen language in a cookie and go back; open to all, as the sign-in page has the switch too."""
    return django_set_language(request)


def server_error(request: HttpRequest) -> HttpResponse:
    """The page for a fault of ours, with a reference that stands in the log too; touches no database."""
    reference = secrets.token_hex(4)
    log.error("reference %s: %s %s failed", reference, request.method, request.path)
    return render(None, "500.html", {"reference": reference}, status=500)
