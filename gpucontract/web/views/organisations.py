"""One's organisation: its members, who may sign, who is invited, and its journal."""

import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.accounts import inviting
from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.inviting import Standing
from gpucontract.accounts.journal import verify_chain
from gpucontract.accounts.members import administers
from gpucontract.accounts.models import Mandate, Organisation
from gpucontract.localise import spoken
from gpucontract.web.access import invitation_for, organisation_for, organisations_of
from gpucontract.web.events import ORGANISATION_WORDS
from gpucontract.web.forms.journal import JournalFilter, kinds_in
from gpucontract.web.forms.organisations import InviteForm
from gpucontract.web.views.contracts import query_of
from gpucontract.wording import Text

EVENTS_PER_PAGE = 100


def organisation_list(request: HttpRequest) -> HttpResponse:
    """The person's organisations; whoever has one goes straight there."""
    own = list(organisations_of(request.user))
    if len(own) == 1:
        return redirect("organisation-detail", own[0].uuid)
    return render(request, "organisations/list.html", {"organisations": own})


def organisation_detail(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Members with roles and mandates; an admin invites and changes here."""
    organisation = organisation_for(request.user, uuid)
    return render(request, "organisations/detail.html", members_page(request, organisation, InviteForm()))


def members_page(request: HttpRequest, organisation: Organisation, form: InviteForm) -> dict[str, Any]:
    """The context of detail.html."""
    is_admin = administers(request.user, organisation)
    members = organisation.memberships.select_related("user").order_by("user__name", "user__email")
    mandates: dict[int, list[Mandate]] = {}
    for mandate in organisation.mandates.filter(revoked_at=None):
        mandates.setdefault(mandate.user_id, []).append(mandate)
    now, open_ones = timezone.now(), organisation.invitations.filter(accepted_at=None, revoked_at=None)
    return {
        "organisation": organisation,
        "is_admin": is_admin,
        "members": [(member, mandates.get(member.user_id, [])) for member in members],
        "invitations": [(each, inviting.standing(each, now) is Standing.EXPIRED) for each in open_ones]
        if is_admin
        else [],
        "form": form,
        "tab": "members",
    }


@require_POST
def organisation_invite(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Invite somebody; what is refused stays on the page with its reason."""
    organisation = organisation_for(request.user, uuid, manage=True)
    form = InviteForm(request.POST)
    if form.is_valid():
        try:
            inviting.invite(organisation, by=request.user, **form.cleaned_data)
        except AccountError as refusal:
            form.add_error("email", spoken(refusal.text))
    if not form.is_valid():
        return render(request, "organisations/detail.html", members_page(request, organisation, form), status=422)
    said = _("Invited %(email)s. The link is in the mail; it is good for seven days.")
    messages.success(request, said % {"email": form.cleaned_data["email"]})
    return redirect("organisation-detail", uuid)


@require_POST
def invitation_revoke(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Take an invitation back."""
    invitation = inviting.revoke(invitation_for(request.user, uuid), by=request.user)
    messages.success(request, _("Revoked: the link works no more."))
    return redirect("organisation-detail", invitation.host.uuid)


@require_POST
def invitation_again(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Send a new link; the old one works no more."""
    invitation = inviting.send_again(invitation_for(request.user, uuid), by=request.user)
    messages.success(request, _("Sent again with a new link; the old one works no more."))
    return redirect("organisation-detail", invitation.host.uuid)


def organisation_journal(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Who changed what, newest first, and whether the chain is whole."""
    organisation = organisation_for(request.user, uuid, manage=True)
    events = list(organisation.events.select_related("actor").order_by("-number"))
    form = JournalFilter(request.GET, kinds_in(events, ORGANISATION_WORDS), has_clauses=False)
    shown = Paginator([event for event in events if form.fits(event)], EVENTS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    rows = [(event, _word(event.kind), json.loads(event.body)) for event in shown]
    page = {"organisation": organisation, "page": shown, "rows": rows, "chain": verify_chain(organisation)}
    page |= {"form": form, "query": query_of(request)}
    return render(request, "organisations/journal.html", page | {"tab": "journal", "is_admin": True})


def _word(kind: str) -> Text:
    return ORGANISATION_WORDS.get(kind, Text(kind, kind))
