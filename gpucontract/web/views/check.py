"""The last page of drafting: all answers, all checks, waivers, and sending to the vendor."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.contracts import services
from gpucontract.contracts.copying import given_values
from gpucontract.contracts.errors import ContractError, NotReady
from gpucontract.contracts.eyes import last_change
from gpucontract.contracts.sections.gaps import counted
from gpucontract.localise import spoken
from gpucontract.web.access import contract_for, draft_for
from gpucontract.web.answers import answers_of, lacking_of
from gpucontract.web.change_list import drafted_since_sent
from gpucontract.web.findings import findings_of
from gpucontract.web.forms.offering import DeadlineForm
from gpucontract.web.forms.steps import Problem
from gpucontract.web.plan_preview import preview_of
from gpucontract.web.price import price_of
from gpucontract.web.stale import SAYS_NOTHING
from gpucontract.web.wizard import Draft


def draft_check(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """All answers with a way to change each, and what the checks say."""
    return render(request, "contracts/draft/check.html", check_page(request, draft_for(request.user, uuid)))


@require_POST
def draft_send(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Freeze the terms and show them to the vendor; what stands in the way is listed."""
    contract = contract_for(request.user, uuid, "send")
    form = DeadlineForm(request.POST)
    if not form.is_valid():
        return _refused(request, contract, [Problem(said, "until-day") for said in form.errors["until_day"]])
    if (seen := _seen(request)) is None:
        return _refused(request, contract, [Problem(spoken(SAYS_NOTHING), "answers")])
    try:
        revision = services.send_revision(contract, by=request.user, valid_until=form.until, seen=seen)
    except NotReady as refusal:
        problems = [Problem(spoken(reason), "answers") for reason in refusal.reasons]
        return _refused(request, contract, problems, is_barred_by_terms=True)
    except ContractError as refusal:
        return _refused(request, contract, [Problem(spoken(refusal.text), "answers")])
    contract.refresh_from_db()
    message = _("Sent to %(vendor)s as revision %(number)s.")
    messages.success(request, message % {"vendor": contract.vendor, "number": revision.number})
    return redirect("contract-detail", uuid)


def _seen(request: HttpRequest) -> int | None:
    """The last change of the terms that the page showed; None where it does not say."""
    number = request.POST.get("seen", "")
    return int(number) if number.isascii() and number.isdigit() else None


@require_POST
def draft_waive(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Let one blocking check pass, with the approver's reason."""
    contract = contract_for(request.user, uuid, "waive")
    check, code, reason = (request.POST.get(name, "") for name in ("check", "code", "reason"))
    try:
        services.waive_check(contract, check, code=code, reason=reason, by=request.user)
    except ContractError as refusal:
        return _refused(request, contract, [Problem(spoken(refusal.text), f"waive-{check}-{code}")])
    messages.success(request, _("Waived. The reason is kept in the journal and never shown to the vendor."))
    return redirect("contract-draft-check", uuid)


@require_POST
def draft_ready(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Tell the approvers by mail that the draft is ready for them."""
    contract = draft_for(request.user, uuid)
    try:
        people = services.tell_approvers(contract, by=request.user)
    except ContractError as refusal:
        messages.error(request, spoken(refusal.text))
    else:
        names = _(", ").join(map(str, people))
        messages.success(request, _("Told by mail: %(names)s.") % {"names": names})
    return redirect(f"{reverse('contract-draft-check', args=[uuid])}#send-title")


def _refused(
    request: HttpRequest, contract: Any, problems: list[Problem], *, is_barred_by_terms: bool = False
) -> HttpResponse:
    page = check_page(request, contract) | {"problems": problems, "typed": request.POST}
    page["are_barriers"] = is_barred_by_terms and len(problems) == page["left"].stops + page["blocking"]
    return render(request, "contracts/draft/check.html", page, status=422)


def _still_ahead(until: datetime | None) -> datetime | None:
    """The last day of the revision before, to keep or change; one that is past would be refused."""
    return until if until and until > timezone.now() else None


def check_page(request: HttpRequest, contract: Any) -> dict[str, Any]:
    """The context of check.html."""
    # Before the terms are read: what changes while the page is made counts as unseen.
    seen = last_change(contract)
    draft = Draft.of(contract)
    review = services.review(contract, draft.terms)
    tasks = draft.tasks(review)
    origin = getattr(contract, "origin", None)
    steps = answers_of(draft, given_values(contract), tasks)
    return {
        "contract": contract,
        "here": _("Check answers"),
        "step_name": "check",
        "tasks": tasks,
        "unsaved": [task for task in tasks if task.is_unsaved],
        "left": counted(gap for task in tasks for gap in task.gaps),
        "blocking": len(review.blocking),
        "lacking": lacking_of(draft, tasks),
        "price": price_of(draft.terms),
        "steps": steps,
        "origin": origin,
        "changes_of_origin": sum(bool(answer.before) for step in steps for row in step.rows for answer in row.answers),
        "findings": findings_of(review, draft.terms, draft.titles()),
        "plan": preview_of(draft.terms, draft.titles()),
        "seen": seen,
        "may_send": contract.may(request.user, "send"),
        "is_barred": services.is_barred(contract, request.user),
        "approvers": [user for user in services.approvers(contract) if user != request.user],
        "told": services.told_today(contract),
        "unfinished": services.unfinished(draft.terms, review),
        "until": _still_ahead(contract.offer_valid_until),
        "may_waive": contract.may(request.user, "waive"),
    } | drafted_since_sent(contract)
