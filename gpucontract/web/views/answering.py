"""The vendor's page: every clause of the offer on one page, confirm or ask, save part, submit as the last act."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gpucontract.contracts import services
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Revision
from gpucontract.localise import spoken
from gpucontract.web.access import answering_for, offer_for
from gpucontract.web.clause_list import Known, Section, sections_of
from gpucontract.web.forms.answering import answers_in
from gpucontract.web.views.contracts import answers_for, head_of

SHOWS = ("open", "ask", "confirm")


def contract_answers(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The offer line by line, or what its buttons do."""
    if request.method != "POST":
        return render(request, "vendor/answers.html", answers_page(request, answering_for(request.user, uuid), {}))
    revision = offer_for(request.user, uuid, "answer")
    act, _colon, section = request.POST.get("act", "save").partition(":")
    try:
        return _act(request, revision, act, section)
    except ContractError as refusal:
        page = answers_page(request, revision, request.POST) | {"problem": spoken(refusal.text)}
        return render(request, "vendor/answers.html", page, status=422)


def _act(request: HttpRequest, revision: Revision, act: str, section: str) -> HttpResponse:
    """Whatever the button, what was chosen on the page is kept first."""
    uuid, here = revision.contract.uuid, reverse("contract-answers", args=[revision.contract.uuid])
    given = answers_in(request.POST, [clause.key for clause in revision.body().clauses])
    services.answer_clauses(revision, answers=given, by=request.user)
    if act == "section":
        count = services.confirm_open_in_section(revision, section, by=request.user)
        text = ngettext("%(count)s line confirmed.", "%(count)s lines confirmed.", count)
        messages.success(request, text % {"count": count})
        return redirect(f"{here}#section-{section}" if section.isidentifier() else here)
    if act == "submit":
        services.submit_answers(revision, by=request.user)
        messages.success(request, _("Sent. The buyer has your answers now."))
        return redirect("contract-detail", uuid)
    messages.success(request, _("Saved. The buyer sees nothing until you submit."))
    return redirect(here)


def answers_page(request: HttpRequest, revision: Revision, posted: Mapping[str, str]) -> dict[str, Any]:
    """The context of answers.html; posted: what was chosen and refused, kept on the page."""
    page = head_of(request, revision.contract, "answers")
    answers = answers_for(revision, page["side"])
    sections = sections_of(revision.body(), Known(answers={answer.key: answer for answer in answers}))
    shown = request.GET.get("show", "")
    earlier = revision.contract.revisions.sent().filter(number__lt=revision.number).order_by("-number").first()
    before = {clause.key: clause.sha256 for clause in earlier.body().clauses} if earlier else {}
    now = {clause.key: clause.sha256 for clause in revision.body().clauses}
    by_answer = [answer.answer for answer in answers]
    return page | {
        "sections": _shown(sections, shown),
        "shown": shown if shown in SHOWS else "",
        "earlier": earlier,
        "changed": {key for key, sha in now.items() if earlier and before.get(key) != sha},
        "posted": posted,
        "all": len(now),
        "answered": len(answers),
        "counts": {"open": len(now) - len(answers), **{name: by_answer.count(name) for name in ("ask", "confirm")}},
        "open_in": _open_in(sections),
        "is_open": revision.contract.state == State.WITH_VENDOR and revision.contract.may(request.user, "answer"),
    }


def _shown(sections: list[Section], show: str) -> list[Section]:
    if show not in SHOWS:
        return sections
    found = []
    for section in sections:
        rows = tuple(row for row in section.rows if (row.answer.answer if row.answer else "open") == show)
        if rows:
            found.append(Section(section.title, section.id, rows))
    return found


def _open_in(sections: list[Section]) -> dict[str, int]:
    return {section.id: sum(row.answer is None for row in section.rows) for section in sections}
