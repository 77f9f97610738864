"""All answers of a draft in one list, as the check page shows them before sending."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from gpucontract.contracts.models import DraftFile
from gpucontract.contracts.sections.gaps import is_required
from gpucontract.contracts.sections.steps import SECTIONS
from gpucontract.contracts.sections.term import Kind, TermInfo
from gpucontract.contracts.terms import Terms
from gpucontract.localise import spoken
from gpucontract.web.forms.steps import Place
from gpucontract.web.wizard import STEPS, Draft, place_on_page, said, summary_of


@dataclass(frozen=True, slots=True)
class Answer:
    """One term. values: one line each, none where it is missing; target: where on the step's page it is changed."""

    label: str
    values: Sequence[str]
    target: str


@dataclass(frozen=True, slots=True)
class AnsweredRow:
    """The answers of one row: the contract's own, or a group's or mount's under its title."""

    title: str
    summary: str
    answers: Sequence[Answer]


@dataclass(frozen=True, slots=True)
class AnsweredStep:
    """The answers of one step."""

    name: str
    title: str
    rows: Sequence[AnsweredRow]
    files: Sequence[DraftFile] = ()


def answers_of(draft: Draft) -> list[AnsweredStep]:
    """Every given term and every missing one, step by step; optional ones that are empty are left out."""
    titles = draft.titles()
    files = list(draft.contract.draft_files.in_draft())
    steps = []
    for name in STEPS:
        rows = [_row(place, draft.terms, titles) for place in draft.places(name)]
        own = [file for file in files if file.step == name]
        steps.append(AnsweredStep(name, spoken(SECTIONS[name].title), [row for row in rows if row.answers], own))
    return steps


def _row(place: Place, terms: Terms, titles: dict[str, str]) -> AnsweredRow:
    return AnsweredRow(place.title, summary_of(place.code, terms), list(_answers(place, terms, titles)))


def _answers(place: Place, terms: Terms, titles: dict[str, str]) -> Iterator[Answer]:
    for info in place.infos:
        value = terms.get(f"{place.code}/{info.id}")
        reason = terms.reason(f"{place.code}/{info.id}")
        lines = [_("Not applicable: %(reason)s") % {"reason": reason}] if reason else _lines(info, value, titles)
        if lines or is_required(terms, place.code, info):
            yield Answer(spoken(info.label), lines, place_on_page(place.code, info))


def _lines(info: TermInfo, value: Any, titles: dict[str, str]) -> list[str]:
    if value is None:
        return []
    if info.kind is Kind.ROWS:
        return [said(info, row) for row in value]
    if info.kind is Kind.MULTI and not info.choices:
        return [titles.get(code, code) for code in value]
    return [said(info, value)]
