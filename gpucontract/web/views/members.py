"""One member of an organisation, as its admin sees them: roles, mandate, handing over, removal."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.accounts import mandates, members
from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.mandates import Basis, Letter
from gpucontract.accounts.models import Membership
from gpucontract.accounts.roles import may_ever_sign
from gpucontract.filing import FilingError, file_away
from gpucontract.localise import spoken
from gpucontract.web.access import mandate_for, member_for
from gpucontract.web.forms.organisations import MandateForm, RolesForm
from gpucontract.web.handing_out import handed_out


def member_detail(request: HttpRequest, uuid: UUID, member: int) -> HttpResponse:
    """Roles as boxes, the mandates, and what ends a membership; POST changes the roles."""
    membership = member_for(request.user, uuid, member)
    if request.method != "POST":
        return render(request, "organisations/member.html", member_page(request, membership))
    form = RolesForm(request.POST)
    if form.is_valid():
        try:
            members.change_roles(membership, by=request.user, **form.cleaned_data)
        except AccountError as refusal:
            form.add_error("roles", spoken(refusal.text))
    if not form.is_valid():
        page = member_page(request, membership) | {"roles_form": form}
        return render(request, "organisations/member.html", page, status=422)
    messages.success(request, _("The roles of %(person)s are changed.") % {"person": membership.user})
    return redirect("organisation-detail", uuid)


def member_page(request: HttpRequest, membership: Membership) -> dict[str, Any]:
    """The context of member.html."""
    held = membership.organisation.mandates.filter(user=membership.user)
    return {
        "organisation": membership.organisation,
        "membership": membership,
        "roles_form": RolesForm(initial={"roles": membership.roles}),
        "mandate_form": MandateForm(),
        "mandates": held,
        "may_sign": may_ever_sign(membership.roles),
        "is_self": membership.user_id == request.user.pk,
        "tab": "members",
        "is_admin": True,
    }


@require_POST
def member_remove(request: HttpRequest, uuid: UUID, member: int) -> HttpResponse:
    """End a membership and sign the person out everywhere."""
    membership = member_for(request.user, uuid, member)
    try:
        person = members.remove_member(membership, by=request.user, reason=request.POST.get("reason", ""))
    except AccountError as refusal:
        messages.error(request, spoken(refusal.text))
        return redirect("member-detail", uuid, member)
    messages.success(request, _("%(person)s is removed and signed out everywhere.") % {"person": person})
    return redirect("dashboard" if person == request.user else "organisation-detail", *_after(person, request, uuid))


def _after(person: Any, request: HttpRequest, uuid: UUID) -> tuple[UUID, ...]:
    return () if person == request.user else (uuid,)


@require_POST
def member_hand_over(request: HttpRequest, uuid: UUID, member: int) -> HttpResponse:
    """Make this member the admin in one's own place."""
    membership = member_for(request.user, uuid, member)
    try:
        members.hand_over(membership, by=request.user, reason=request.POST.get("reason", ""))
    except AccountError as refusal:
        messages.error(request, spoken(refusal.text))
        return redirect("member-detail", uuid, member)
    said = _("%(person)s administers the organisation now; you no longer do.")
    messages.success(request, said % {"person": membership.user})
    return redirect("organisation-detail", uuid)


@require_POST
def member_mandate(request: HttpRequest, uuid: UUID, member: int) -> HttpResponse:
    """Record by what right the member signs; what is refused stays on the page with its reason."""
    membership = member_for(request.user, uuid, member)
    form = MandateForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            _record(membership, form.cleaned_data, request)
        except (AccountError, FilingError) as refusal:
            form.add_error(None, spoken(refusal.text))
    if not form.is_valid():
        page = member_page(request, membership) | {"mandate_form": form}
        return render(request, "organisations/member.html", page, status=422)
    messages.success(request, _("The mandate is on record."))
    return redirect("member-detail", uuid, member)


def _record(membership: Membership, given: dict[str, Any], request: HttpRequest) -> None:
    if given["basis"] == Basis.LEGAL:
        mandates.record_legal(membership, by=request.user)
        return
    filed = file_away(given["file"].name, given["file"].read())
    letter = Letter(given["granted_by"], filed, given["valid_until"], given["limit"], given["currency"] or "CNY")
    mandates.record_letter(membership, letter, by=request.user)


@require_POST
def mandate_revoke(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """End a mandate; what was signed under it stays signed."""
    mandate = mandates.revoke_mandate(mandate_for(request.user, uuid, manage=True), by=request.user)
    messages.success(request, _("The mandate is revoked; what was signed under it stays signed."))
    return redirect("organisation-detail", mandate.organisation.uuid)


def mandate_letter(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The letter of authority, for members of the organisation."""
    mandate = mandate_for(request.user, uuid)
    return handed_out(mandate.file_name, mandate.file_sha256)
