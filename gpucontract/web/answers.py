"""All answers of a draft in one list, as the check page shows them before sending."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from gpucontract.contracts.models import DraftFile
from gpucontract.contracts.sections.gaps import Gap, is_asked
from gpucontract.contracts.sections.hints import hint
from gpucontract.contracts.sections.term import Kind, TermInfo
from gpucontract.contracts.templates import Difference, differences
from gpucontract.contracts.terms import NotApplicable, Terms
from gpucontract.localise import spoken
from gpucontract.web.forms.steps import Place
from gpucontract.web.wizard import Draft, Task, place_in_words, place_on_page, said, summary_of


@dataclass(frozen=True, slots=True)
class Answer:
    """One term. values: one line each, none where it is missing; target: where on the step's page it is changed.

    vague: what is doubtful about it, "" if nothing is; before: what the draft was started with, none where it is that.
    """

    label: str
    values: Sequence[str]
    target: str
    vague: str
    before: Sequence[str]


@dataclass(frozen=True, slots=True)
class AnsweredRow:
    """The answers of one row: the contract's own, or a group's or mount's under its title."""

    title: str
    summary: str
    answers: Sequence[Answer]


@dataclass(frozen=True, slots=True)
class AnsweredStep:
    """The answers of one step."""

    task: Task
    rows: Sequence[AnsweredRow]
    files: Sequence[DraftFile] = ()

    @property
    def is_open(self) -> bool:
        """Whether the answers are shown at once: something in a step that was begun stops sending."""
        stops = self.task.is_blocked or any(gap.stops for gap in self.task.gaps)
        return stops and self.task.state != "untouched"


@dataclass(frozen=True, slots=True)
class Lacking:
    """One empty term that is asked for: where it is typed, whether sending waits for it."""

    label: str
    target: str
    stops: bool


@dataclass(frozen=True, slots=True)
class LackingStep:
    """The empty terms of one step."""

    name: str
    title: str
    terms: Sequence[Lacking]


def answers_of(draft: Draft, given: Terms | None, tasks: Sequence[Task]) -> list[AnsweredStep]:
    """Every given term and every missing one, step by step; optional ones that are empty are left out.

    given: what the draft was started with; None where it was started empty.
    """
    spoken_of = _Speaker(draft.terms, draft.titles(), _changed(draft.terms, given))
    files = list(draft.contract.draft_files.in_draft())
    steps = []
    for task in tasks:
        rows = [spoken_of.row(place) for place in draft.places(task.name)]
        own = [file for file in files if file.step == task.name]
        steps.append(AnsweredStep(task, [row for row in rows if row.answers], own))
    return steps


def lacking_of(draft: Draft, tasks: Sequence[Task]) -> list[LackingStep]:
    """What is still to be filled in, step by step, in the order of the pages."""
    titles = draft.titles()
    found = [LackingStep(task.name, task.title, [_lacking(gap, titles) for gap in task.gaps]) for task in tasks]
    return [step for step in found if step.terms]


def _lacking(gap: Gap, titles: Mapping[str, str]) -> Lacking:
    code = gap.path.partition("/")[0]
    return Lacking(place_in_words(gap.path, titles), place_on_page(code, gap.info), gap.stops)


def _changed(terms: Terms, given: Terms | None) -> dict[str, Difference]:
    """What was given and is something else now, by path; what was left to be filled in is no change."""
    found = differences(terms, given) if given else ()
    return {each.path: each for each in found if each.before is not None}


@dataclass(frozen=True, slots=True)
class _Speaker:
    """Says the terms of a draft in the reader's language."""

    terms: Terms
    titles: Mapping[str, str]
    changed: Mapping[str, Difference]

    def row(self, place: Place) -> AnsweredRow:
        return AnsweredRow(place.title, summary_of(place.code, self.terms), list(self._answers(place)))

    def _answers(self, place: Place) -> Iterator[Answer]:
        for info in place.infos:
            path = f"{place.code}/{info.id}"
            value = self.terms.rows.get(place.code, {}).get(info.id)
            lines, change = self._lines(info, value), self.changed.get(path)
            if not (lines or change or is_asked(self.terms, place.code, info)):
                continue
            doubt = hint(info, value)
            yield Answer(
                label=spoken(info.label), values=lines, target=place_on_page(place.code, info),
                vague=spoken(doubt) if doubt else "", before=self._lines(info, change.before) if change else [],
            )  # fmt: skip

    def _lines(self, info: TermInfo, value: Any) -> list[str]:
        if isinstance(value, NotApplicable):
            return [_("Not applicable: %(reason)s") % {"reason": value.reason}]
        if value in (None, "", ()):
            return []
        if info.kind is Kind.MULTI and not info.choices:
            return [self.titles.get(code, code) for code in value]
        currency = self.terms.get("c/currency", "CNY")
        return [said(info, row, currency) for row in (value if info.kind is Kind.ROWS else (value,))]
