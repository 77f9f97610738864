"""Answers that do not come from a page's view: a lost session told to htmx, a refusal told to a person."""

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.translation import gettext as _

from gpucontract.accounts.errors import AccountError, NotAdmin
from gpucontract.accounts.sessions import presence_of
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.filing import FilingError
from gpucontract.localise import spoken
from gpucontract.web.held_text import hold

View = Callable[[HttpRequest], HttpResponse]


class LostSessionMiddleware:
    """Turns the redirect to the sign-in page into a 401 with one sentence for requests made by htmx."""

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "HX-Request" not in request.headers or response.status_code != 302:
            return response
        if not response["Location"].startswith(resolve_url(settings.LOGIN_URL)):
            return response
        return HttpResponse(_("You are no longer signed in. Sign in again, then go on here."), status=401)

    def process_view(self, request: HttpRequest, *_view: object) -> None:
        """Without a script nothing else holds what was typed into a page whose session has ended."""
        is_lost = request.method == "POST" and not request.user.is_authenticated and "HX-Request" not in request.headers
        if is_lost and hold(request):
            messages.info(request, _("You were no longer signed in. What you typed is kept; sign in and go on."))


class PresenceMiddleware:
    """Lays beside the signed-in person how they are here, so that journals can say it."""

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: object) -> None:
        if request.user.is_authenticated:
            request.user.presence = presence_of(request)


class RefusalMiddleware:
    """Shows what a service refused as a page with its sentence; views that can do better catch it themselves."""

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, ContractError | AccountError | FilingError):
            return None
        status = 403 if isinstance(exception, NotAllowed | NotAdmin) else 409
        return render(request, "refused.html", {"sentence": spoken(exception.text)}, status=status)
