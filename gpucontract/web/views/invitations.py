"""The page an invitation's link opens: looking uses nothing, only the button does."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from gpucontract.accounts import inviting
from gpucontract.accounts.company_sign_in import INVITATION
from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.models import Invitation, User
from gpucontract.localise import spoken
from gpucontract.web.forms.organisations import JoinForm


@login_not_required
@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Who invites to what; the right person accepts with one button, a new one opens an account with it."""
    found = inviting.by_token(token)
    if found is None:
        raise Http404
    state = inviting.standing(found, timezone.now())
    if settings.OIDC_SERVER_URL and state is inviting.Standing.OPEN:
        request.session[INVITATION] = token
    if request.method != "POST" or state is not inviting.Standing.OPEN:
        status = 410 if state is not inviting.Standing.OPEN else 200
        return render(request, "organisations/invitation.html", _page(request, found, token), status=status)
    if request.user.is_authenticated:
        return _join(request, found, token)
    return _open_account(request, found, token)


def _join(request: HttpRequest, found: Invitation, token: str) -> HttpResponse:
    try:
        organisation = inviting.accept(found, by=request.user)
    except AccountError as refusal:
        page = _page(request, found, token) | {"problem": spoken(refusal.text)}
        return render(request, "organisations/invitation.html", page, status=409)
    messages.success(request, _("Welcome to %(organisation)s.") % {"organisation": organisation})
    return redirect("dashboard")


def _open_account(request: HttpRequest, found: Invitation, token: str) -> HttpResponse:
    form = JoinForm(request.POST)
    if form.is_valid():
        try:
            user = inviting.accept_as_new(found, **form.cleaned_data)
        except AccountError as refusal:
            form.add_error(None, spoken(refusal.text))
        except ValidationError as refusal:
            form.add_error("password", refusal)
    if not form.is_valid():
        page = _page(request, found, token) | {"form": form}
        return render(request, "organisations/invitation.html", page, status=422)
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    messages.success(request, _("Your account is open. Welcome to %(place)s.") % {"place": found.place_name})
    return redirect("dashboard")


def _page(request: HttpRequest, found: Invitation, token: str) -> dict[str, Any]:
    own = request.user.email if request.user.is_authenticated else ""
    return {
        "invitation": found,
        "token": token,
        "state": inviting.standing(found, timezone.now()).value,
        "is_other_person": bool(own) and own != found.email,
        "has_account": User.objects.filter(email=found.email).exists(),
        "form": JoinForm(),
    }
