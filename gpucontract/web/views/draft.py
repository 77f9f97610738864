"""The drafting wizard: task list, ten steps, autosave."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.crypto import get_random_string

from gpucontract.contracts.sections.steps import SECTIONS
from gpucontract.localise import spoken
from gpucontract.web.access import contract_for
from gpucontract.web.forms.steps import StepForm, Typed
from gpucontract.web.panel import panel_of
from gpucontract.web.wizard import ADDS, AUTOSAVE_MS, STEPS, Draft, shown_rows


def step_page(draft: Draft, step: str, form: StepForm, typed: Typed) -> dict[str, Any]:
    section, number = SECTIONS[step], STEPS.index(step)
    terms, buffer = draft.terms_with(step, typed), draft.buffers.get(step)
    return {
        "contract": draft.contract,
        "step_name": step,
        "title": spoken(section.title),
        "intro": spoken(section.intro),
        "here": spoken(section.title),
        "number": number + 1,
        "count": len(STEPS),
        "previous": STEPS[number - 1] if number else "",
        "tasks": draft.tasks(),
        "rows": shown_rows(step, form, terms),
        "problems": form.problems() if form.rows and form.rows[0].is_bound else [],
        "adds": ADDS.get(step),
        "autosave_ms": AUTOSAVE_MS,
        "tab": get_random_string(12),
        "revision": buffer.revision if buffer else 0,
        "saved_at": buffer.saved_at if buffer else None,
        "saved_by": buffer.saved_by if buffer else "",
    } | panel_of(step, terms, draft.titles())


def draft_step(request: HttpRequest, uuid: UUID, step: str) -> HttpResponse:
    contract = contract_for(request.user, uuid, "draft")
    if step not in SECTIONS:
        raise Http404
    draft = Draft.of(contract)
    typed = draft.typed(step)
    return render(request, "contracts/draft/step.html", step_page(draft, step, draft.form(step, typed), typed))


def draft_tasks(request: HttpRequest, uuid: UUID) -> HttpResponse:
    draft = Draft.of(contract_for(request.user, uuid, "draft"))
    tasks = draft.tasks()
    done = sum(task.state == "complete" for task in tasks)
    return render(request, "contracts/draft/tasks.html", {"contract": draft.contract, "tasks": tasks, "done": done})
