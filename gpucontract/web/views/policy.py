"""The limits of an organisation's checks: drafters read them, approvers and admins move them."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from gpucontract.accounts.members import administers
from gpucontract.contracts.errors import TermsRefused
from gpucontract.contracts.policies import may_on, set_policy
from gpucontract.web.access import policy_for
from gpucontract.web.policy_page import limits_of, typed_by


def organisation_policy(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Every number with its unit, its default, what it does and which checks read it."""
    organisation = policy_for(request.user, uuid)
    may_set = may_on(organisation, request.user, "set_policy")
    typed, refusals, status = None, {}, 200
    if request.method == "POST":
        if not may_set:
            raise PermissionDenied
        typed = typed_by(request.POST)
        try:
            set_policy(organisation, values=typed, by=request.user)
        except TermsRefused as refused:
            refusals, status = refused.refusals, 422
        else:
            messages.success(request, _("Saved. Every draft is checked by these limits from now on."))
            return redirect("organisation-policy", uuid)
    page = {"organisation": organisation, "limits": limits_of(organisation, typed, refusals), "may_set": may_set}
    page |= {"problems": [each for each in page["limits"] if each.error], "tab": "policy"}
    return render(
        request,
        "organisations/policy.html",
        page | {"is_admin": administers(request.user, organisation)},
        status=status,
    )
