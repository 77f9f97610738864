"""The drafting wizard: task list, ten steps, autosave."""

import json
from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from gpucontract.accounts.models import User
from gpucontract.contracts import services
from gpucontract.contracts.errors import ContractError, StepConflict
from gpucontract.contracts.models import Contract
from gpucontract.contracts.sections.gaps import counted
from gpucontract.contracts.sections.steps import SECTIONS
from gpucontract.filing import KINDS, MOST_BYTES, FilingError
from gpucontract.localise import spoken
from gpucontract.web.access import draft_file_for, draft_for, seen_for
from gpucontract.web.conflicts import differences
from gpucontract.web.forms.layout import more_of
from gpucontract.web.forms.steps import StepForm, Typed, over
from gpucontract.web.held_text import held, release, typist
from gpucontract.web.panel import notes_of, panel_of
from gpucontract.web.saving import ACTS, Posted, keep, later, page_of, posted_from, raw_from, save
from gpucontract.web.wizard import ADDS, AUTOSAVE_MS, STEPS, Draft, filled, shown_rows

TAB_LENGTH = 12


def draft_tasks(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The ten steps, how far each is, and who typed last."""
    draft = Draft.of(draft_for(request.user, uuid))
    tasks = draft.tasks()
    done = sum(task.state == "complete" for task in tasks)
    left = counted(gap for task in tasks for gap in task.gaps)
    page = {"contract": draft.contract, "tasks": tasks, "done": done, "left": left}
    return render(request, "contracts/draft/tasks.html", page)


def draft_step(request: HttpRequest, uuid: UUID, step: str) -> HttpResponse:
    """One step: shown as it was left, or what its buttons do."""
    draft = _draft_at(request, uuid, step)
    if request.method == "POST":
        release(request)
        return _act(request, posted_from(draft, step, request.user, request.POST))
    if (kept := held(request)) is not None:
        return _held_page(request, posted_from(draft, step, request.user, kept))
    typed = draft.typed(step)
    form, unfolded = draft.form(step, typed), draft.unfolded(step) | {*request.GET.getlist("more")}
    page = step_page(draft, step, form, typed, by=request.user, unfolded=unfolded)
    return render(request, "contracts/draft/step.html", page)


@require_POST
def draft_autosave(request: HttpRequest, uuid: UUID, step: str) -> HttpResponse:
    """Keep what is typed; answers with the note and the new revision, never the inputs. The panel follows by itself."""
    contract = seen_for(request.user, uuid)
    if step not in SECTIONS:
        raise Http404
    raw, (revision, tab) = raw_from(step, request.POST), page_of(request.POST)
    try:
        buffer = services.buffer_step(contract, step, raw=raw, revision=revision, by=request.user, tab=tab)
    except StepConflict as conflict:
        return render(request, "contracts/draft/_saved.html", {"conflict": spoken(conflict.text)}, status=409)
    context = {"revision": buffer.revision, "saved_at": buffer.saved_at, "saved_by": buffer.saved_by}
    response = render(request, "contracts/draft/_autosaved.html", context | {"is_fragment": True})
    response["HX-Trigger"] = "draft-saved"
    return response


@require_safe
def draft_panel(request: HttpRequest, uuid: UUID, step: str) -> HttpResponse:
    """The checks, figures and step list over what is typed now."""
    draft = _draft_at(request, uuid, step)
    side = side_of(draft, step, draft.typed(step))
    response = render(request, "contracts/draft/_panel.html", side)
    response["HX-Trigger"] = json.dumps({"draft-checked": {"wrong": sorted(side["wrong"])}})
    return response


@require_safe
def draft_more(request: HttpRequest, uuid: UUID, step: str) -> HttpResponse:
    """The seldom-used terms of one row, as a page asks for them."""
    draft, code = _draft_at(request, uuid, step), request.GET.get("row", "")
    typed = draft.typed(step)
    form = draft.form(step, typed)
    row = next((row for row in form.rows if row.place.code == code), None)
    if row is None:
        raise Http404
    return HttpResponse(more_of(row, draft.terms_with(step, typed)))


def _draft_at(request: HttpRequest, uuid: UUID, step: str) -> Draft:
    contract = draft_for(request.user, uuid)
    if step not in SECTIONS:
        raise Http404
    return Draft.of(contract)


def _act(request: HttpRequest, posted: Posted) -> HttpResponse:
    act, __, subject = request.POST.get("act", "save").partition(":")
    if act in ("attach", "detach"):
        return _file(request, posted, subject)
    uuid, here = (
        posted.draft.contract.uuid,
        reverse("contract-draft-step", args=[posted.draft.contract.uuid, posted.step]),
    )
    try:
        if act in ACTS:
            goal = ACTS[act](posted, subject)
            return redirect(f"{here}{_opened(posted, subject) if act == 'more' else ''}#{goal}")
        if act == "later":
            later(posted)
            return redirect("contract-draft", uuid)
        form = save(posted)
    except StepConflict as conflict:
        return _conflict(request, posted, conflict)
    except ContractError as refusal:
        messages.error(request, spoken(refusal.text))
        return redirect(here)
    if form.added:
        messages.info(request, form.added)
    if form.problems():
        return render(request, "contracts/draft/step.html", _bound_page(posted, form), status=422)
    return _next(posted)


def _file(request: HttpRequest, posted: Posted, subject: str) -> HttpResponse:
    """Lay files beside the step, or take one away; what is typed is kept as it stands."""
    contract, step = posted.draft.contract, posted.step
    try:
        keep(posted)
        if subject:
            services.detach(draft_file_for(request.user, contract.uuid, uuid_of(subject), "draft"), by=request.user)
    except StepConflict as conflict:
        return _conflict(request, posted, conflict)
    except ContractError as refusal:
        messages.error(request, spoken(refusal.text))
    else:
        _attach(request, contract, step)
    return redirect(f"{reverse('contract-draft-step', args=[contract.uuid, step])}#files")


def _attach(request: HttpRequest, contract: Contract, step: str) -> None:
    """Each file by itself: one that is refused takes no other with it."""
    for file in request.FILES.getlist("file"):
        term, data = request.POST.get("file-term", ""), file.read(MOST_BYTES + 1)
        try:
            services.attach(contract, step, term=term, name=file.name or "", data=data, by=request.user)
        except (ContractError, FilingError) as refusal:
            messages.error(request, spoken(refusal.text))


def uuid_of(text: str) -> UUID:
    """The UUID a button names; anything else is not found."""
    try:
        return UUID(text)
    except ValueError as fault:
        raise Http404 from fault


def _opened(posted: Posted, code: str) -> str:
    """The part of an address that keeps open what stood open on the page, and this row's seldom-used terms."""
    places = posted.draft.places(posted.step)
    codes = [place.code for place in places if place.code not in posted.folded or place.code == code]
    return f"?{urlencode({'more': codes}, doseq=True)}"


def _next(posted: Posted) -> HttpResponse:
    number = STEPS.index(posted.step) + 1
    uuid = posted.draft.contract.uuid
    if number == len(STEPS):
        return redirect("contract-draft-check", uuid)
    return redirect("contract-draft-step", uuid, STEPS[number])


def _conflict(request: HttpRequest, posted: Posted, conflict: StepConflict) -> HttpResponse:
    """The page as it was typed, built on the other person's revision: saving once more replaces theirs."""
    form = posted.draft.form(posted.step, posted.typed)
    both = differences(Draft.of(posted.draft.contract), posted.step, posted.typed)
    page = _bound_page(posted, form) | {"conflict": spoken(conflict.text), "differences": both}
    return render(request, "contracts/draft/step.html", page, status=409)


def _held_page(request: HttpRequest, posted: Posted) -> HttpResponse:
    """What was typed before the session ended, on the revision it was built on; it is saved when it is posted."""
    page = _bound_page(posted, posted.draft.form(posted.step, posted.typed))
    return render(request, "contracts/draft/step.html", page | {"is_held": True, "revision": posted.revision})


def _bound_page(posted: Posted, form: StepForm) -> dict[str, Any]:
    draft = Draft.of(posted.draft.contract)
    unfolded = {place.code for place in draft.places(posted.step)} - posted.folded
    page = step_page(draft, posted.step, form, posted.typed, by=posted.by, unfolded=unfolded)
    # The same tab: an autosave of the page before may still arrive, and is no conflict with oneself.
    own = {"tab": posted.tab or page["tab"]}
    return page | own | {"problems": form.problems() if form.is_bound else []}


def step_page(
    draft: Draft, step: str, form: StepForm, typed: Typed, *, by: User, unfolded: Collection[str] = ()
) -> dict[str, Any]:
    """The context of step.html; unfolded: the rows whose seldom-used terms stand open."""
    section, number = SECTIONS[step], STEPS.index(step)
    side = side_of(draft, step, typed)
    notes = notes_of(step, draft.terms_with(step, typed), side["findings"])
    for row in form.rows:
        row.notes = notes
    page = {
        "title": spoken(section.title),
        "here": spoken(section.title),
        "intro": spoken(section.intro),
        "number": number + 1,
        "count": len(STEPS),
        "previous": STEPS[number - 1] if number else "",
        "rows": shown_rows(step, form, draft.terms_with(step, typed), unfolded),
        "more_url": reverse("contract-draft-more", args=[draft.contract.uuid, step]),
        "adds": ADDS.get(step),
        "red_notes": sum(tone == "bad" for told in notes.values() for tone, _text in told),
        "needs_groups": step in ("interconnect", "storage") and not draft.terms.groups,
        "autosave_ms": AUTOSAVE_MS,
        "token_cookie": settings.CSRF_COOKIE_NAME,
        "tab": get_random_string(TAB_LENGTH),
        "typist": typist(by, reverse("contract-draft-step", args=[draft.contract.uuid, step])),
    }
    return page | files_of(draft, step) | side | saved_state(draft, step)


def files_of(draft: Draft, step: str) -> dict[str, Any]:
    """The files beside a step, and what a new one can belong to."""
    titles = draft.titles()
    terms = [
        (f"{place.code}/{info.id}", " · ".join(filter(None, (titles.get(place.code, ""), spoken(info.label)))))
        for place in draft.places(step)
        for info in place.infos
    ]
    files = draft.contract.draft_files.in_draft().filter(step=step)
    return {"files": files, "file_terms": terms, "file_kinds": _(", ").join(map(spoken, KINDS.values()))}


def side_of(draft: Draft, step: str, typed: Typed) -> dict[str, Any]:
    """What stands beside the inputs: the step list, the checks, the figures; which inputs are wrong or missing."""
    form = draft.form(step, typed, is_bound=True)
    terms = over(draft.terms, form.values())
    panel = panel_of(draft.contract, step, terms, draft.titles(), form.wrong())
    form.require(terms)
    tasks = draft.tasks()
    is_empty = tasks[STEPS.index(step)].state == "untouched" and filled(typed) == filled(draft.stored(step))
    shown = {"contract": draft.contract, "step_name": step, "tasks": tasks, "is_empty": is_empty}
    return panel | shown | {"wrong": form.wrong()}


def saved_state(draft: Draft, step: str) -> dict[str, Any]:
    """Who saved the step last, when, and as which revision."""
    buffer = draft.buffers.get(step)
    if buffer is None:
        return {"revision": 0}
    return {"revision": buffer.revision, "saved_at": buffer.saved_at, "saved_by": buffer.saved_by}
