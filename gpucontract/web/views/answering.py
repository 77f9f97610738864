"""The vendor's page: every clause of the offer, confirm, counter or ask, save part, submit as the last act."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from gpucontract.contracts import services
from gpucontract.contracts.countering import PRICE_BASES
from gpucontract.contracts.earlier import amended, before
from gpucontract.contracts.errors import AnswersRefused, ContractError, StillOpen
from gpucontract.contracts.journal import newest_number
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Revision
from gpucontract.contracts.sections.commercial import CURRENCIES
from gpucontract.localise import choices, spoken
from gpucontract.web.access import answering_for, contract_for, offer_for
from gpucontract.web.answer_lines import CHANGED, SHOWS, listed, only, parts_of
from gpucontract.web.forms.answering import answers_in, files_in, unwanted_files
from gpucontract.web.stale import NEWER_OFFER, shown_number, still_meant, why_stale
from gpucontract.web.views.contracts import head_of
from gpucontract.wording import Text

NOTHING_POSTED = QueryDict()


def contract_answers(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The offer line by line, or what its buttons do."""
    if request.method != "POST":
        page = answers_page(request, answering_for(request.user, uuid), NOTHING_POSTED, {})
        return render(request, "vendor/answers.html", page)
    revision = offer_for(request.user, uuid, "answer")
    if stale := why_stale(revision, request.POST, NEWER_OFFER):
        page = answers_page(request, revision, still_meant(revision, request.POST), {}) | {"problem": spoken(stale)}
        return render(request, "vendor/answers.html", page, status=409)
    try:
        return _act(request, revision)
    except AnswersRefused as refusal:
        return _refused(request, revision, refusal.refusals, "")
    except StillOpen as refusal:
        return _refused(request, revision, {}, spoken(refusal.text), is_open_left=True)
    except ContractError as refusal:
        return _refused(request, revision, {}, spoken(refusal.text))


def _refused(
    request: HttpRequest, revision: Revision, refusals: Mapping[str, Text], problem: str, *, is_open_left: bool = False
) -> HttpResponse:
    page = answers_page(request, revision, request.POST, refusals)
    page |= {"problem": problem, "is_open_left": is_open_left}
    return render(request, "vendor/answers.html", page, status=422)


def _act(request: HttpRequest, revision: Revision) -> HttpResponse:
    """Whatever the button, what was chosen on the page is kept first."""
    act, _colon, which = request.POST.get("act", "save").partition(":")
    uuid = revision.contract.uuid
    services.keep_page(revision, _posted(request, revision), by=request.user)
    if act == "list" and which.isidentifier():
        return redirect("contract-answers-list", uuid, which)
    if act == "submit":
        services.submit_answers(revision, by=request.user)
        messages.success(request, _("Sent. The buyer has your answers now."))
        return redirect("contract-detail", uuid)
    messages.success(request, _("Saved. The buyer sees nothing until you submit."))
    return redirect("contract-answers", uuid)


def _posted(request: HttpRequest, revision: Revision) -> services.AnswersPage:
    given, unread = answers_in(request.POST, revision.body().clauses)
    files, too_large = files_in(request.POST, request.FILES)
    without = unwanted_files(request.POST)
    return services.AnswersPage(given, shown_number(request.POST), unread | too_large, files, without)


def contract_answers_list(request: HttpRequest, uuid: UUID, which: str) -> HttpResponse:
    """The open lines a bulk confirmation would confirm, each with its value; POST confirms exactly those shown."""
    if request.method == "POST":
        revision = offer_for(request.user, uuid, "answer")
        shown = dict(pair.rpartition("|")[::2] for pair in request.POST.getlist("line"))
        try:
            count = services.confirm_lines(revision, hashes=shown, by=request.user)
        except ContractError as refusal:
            return _refused(request, revision, {}, spoken(refusal.text))
        messages.success(
            request, ngettext("%(count)s line confirmed.", "%(count)s lines confirmed.", count) % {"count": count}
        )
        return redirect(f"{reverse('contract-answers', args=[uuid])}#section-{which}")
    revision = answering_for(request.user, uuid)
    parts = parts_of(revision, NOTHING_POSTED, {})
    titles = {part.id: part.title for part in parts}
    titles |= {"wording": _("Only the wording changed"), "open": _("All lines that are still open")}
    if amended(revision.contract):
        titles["signed"] = _("Unchanged since the contract was signed")
    if which not in titles:
        raise Http404
    page = head_of(request, revision.contract, "answers") | {
        "lines": listed(parts, which),
        "title": titles[which],
        "which": which,
    }
    return render(request, "vendor/confirm_lines.html", page)


@require_POST
def contract_reject(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Refuse the whole offer, with a reason."""
    contract = contract_for(request.user, uuid, "reject")
    try:
        services.reject(contract, by=request.user, reason=request.POST.get("reason", ""))
    except ContractError as refusal:
        messages.error(request, spoken(refusal.text))
    else:
        messages.success(request, _("Declined. The buyer has your reason."))
    return redirect("contract-detail", uuid)


def answers_page(
    request: HttpRequest, revision: Revision, posted: QueryDict, refusals: Mapping[str, Text]
) -> dict[str, Any]:
    """The context of answers.html; posted: what was chosen and refused, kept on the page; refusals: by clause key."""
    # Before anything is read: what a colleague saves while the page is made counts as unseen.
    newest = newest_number(revision.contract)
    page = head_of(request, revision.contract, "answers")
    parts = parts_of(revision, posted, refusals)
    lines = [line for part in parts for line in part.lines]
    states = [line.state for line in lines]
    shown, earlier = request.GET.get("show", ""), before(revision)
    return page | {
        "parts": only(parts, shown),
        "newest": newest,
        "shown": shown if shown in (*SHOWS, CHANGED) else "",
        "earlier": earlier,
        "as_signed": len(listed(parts, "signed")) if earlier and earlier.contract_id != revision.contract_id else 0,
        "changed": sum(line.change is not None for line in lines),
        "wording": len(listed(parts, "wording")),
        "all": len(lines),
        "answered": len(lines) - states.count("open"),
        "counts": {name: states.count(name) for name in SHOWS},
        "refused": [line for line in lines if line.refusal],
        "currencies": choices(CURRENCIES),
        "bases": choices(PRICE_BASES),
        "is_open": revision.contract.state == State.WITH_VENDOR and revision.contract.may(request.user, "answer"),
        "may_submit": revision.contract.may(request.user, "submit"),
    }
