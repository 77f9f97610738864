"""A person's own second factors: when they are asked for, and the way back to what was waiting for one."""

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.accounts.members import end_sessions
from gpucontract.accounts.services import ask_factor_at_sign_in

COME_BACK = "come_back_to"


def come_back_to(request: HttpRequest, path: str) -> None:
    """Remember the page that waits for a second factor, "" for none; the set-up pages lead back to it."""
    if request.session.get(COME_BACK, "") != path:
        request.session[COME_BACK] = path


@require_POST
@reauthentication_required
def account_factor(request: HttpRequest) -> HttpResponse:
    """Have the second factor asked at every sign-in, or at signing alone."""
    wanted = request.POST.get("asks") == "always"
    ask_factor_at_sign_in(request.user, wanted=wanted)
    said = _("Your second factor is asked at every sign-in.") if wanted else _("It is now asked at signing alone.")
    messages.success(request, said)
    return redirect("mfa_index")


@require_POST
def sign_out_everywhere(request: HttpRequest) -> HttpResponse:
    """End every session of the person, this one too."""
    end_sessions(request.user)
    logout(request)
    messages.success(request, _("Signed out on every device. Sign in again here."))
    return redirect("account_login")
