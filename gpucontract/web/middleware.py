"""What htmx must be told in another way than a browser: a lost session is a 401, not a sign-in page in a note."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _


class LostSessionMiddleware:
    """Turns the redirect to the sign-in page into a 401 with one sentence for requests made by htmx."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "HX-Request" not in request.headers or response.status_code != 302:
            return response
        if not response["Location"].startswith(resolve_url(settings.LOGIN_URL)):
            return response
        return HttpResponse(_("You are no longer signed in. Sign in again, then go on here."), status=401)
