"""The ten steps as pages: how far each one is, what was typed into it, and how its rows are shown."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from crispy_forms.helper import FormHelper
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gpucontract.contracts import services
from gpucontract.contracts.amounts import CURRENCIES
from gpucontract.contracts.models import Contract, StepBuffer
from gpucontract.contracts.reviewing import Review
from gpucontract.contracts.sections.gaps import Gap, unanswered
from gpucontract.contracts.sections.steps import SECTION_OF, SECTIONS, TERMS
from gpucontract.contracts.sections.steps import STEPS as SECTIONS_IN_ORDER
from gpucontract.contracts.sections.term import Kind, Row, Section, TermInfo
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.terms import Terms
from gpucontract.contracts.values import priced, words
from gpucontract.localise import spoken
from gpucontract.units import grouped
from gpucontract.web.forms.fields import typed_as, unit_of
from gpucontract.web.forms.layout import helper_for, when_json
from gpucontract.web.forms.steps import (
    FOLDED,
    NONE,
    Place,
    RowForm,
    StepForm,
    Typed,
    over,
    places_of,
    seldom_in,
    typed_from,
)
from gpucontract.web.marks import MARKS

STEPS: tuple[str, ...] = tuple(section.id for section in SECTIONS_IN_ORDER)
AUTOSAVE_MS = 500
# The step that adds and removes rows of a kind, and the letter of their codes.
ADDS = {"nodes": (Row.GROUP, "g"), "storage": (Row.MOUNT, "m")}


@dataclass(frozen=True, slots=True)
class Task:
    """One step in the list: untouched, started, complete or in need of attention; what is missing; who typed last.

    is_blocked: a risk check that nobody waived stops sending because of it.
    """

    name: str
    title: str
    state: str
    gaps: tuple[Gap, ...] = ()
    saved_by: str = ""
    saved_at: datetime | None = None
    is_unsaved: bool = False
    is_blocked: bool = False

    @property
    def state_word(self) -> str:
        """The state in words; a started step says how much is missing."""
        if self.state == "started" and (count := len(self.gaps)):
            return ngettext("%(count)s term missing", "%(count)s terms missing", count) % {"count": count}
        return str(MARKS[self.state].word)


@dataclass(frozen=True, slots=True)
class Draft:
    """A contract being drafted: its stored terms and what is typed but not yet valid, by step."""

    contract: Contract
    terms: Terms
    buffers: Mapping[str, StepBuffer]

    @classmethod
    def of(cls, contract: Contract) -> Draft:
        """Read from the database once per request."""
        buffers = {buffer.step: buffer for buffer in contract.step_buffers.select_related("saved_by")}
        return cls(contract, terms_of(contract), buffers)

    def titles(self) -> dict[str, str]:
        """What each row is called on the page: node group 1, shared mount 1."""
        return titles_of(self.terms)

    def places(self, step: str) -> list[Place]:
        """The rows of a step."""
        return places_of(SECTIONS[step], self.terms, self.titles())

    def stored(self, step: str) -> Typed:
        """The stored terms of a step as a person would have typed them."""
        return typed_from(self.places(step), self.terms)

    def raw(self, step: str) -> Typed:
        """What was posted into a step and is not written yet."""
        buffer = self.buffers.get(step)
        return buffer.values() if buffer else {}

    def typed(self, step: str) -> Typed:
        """What stands in the inputs of a step."""
        return self.filled_up(step, self.raw(step))

    def filled_up(self, step: str, raw: Typed) -> Typed:
        """What was posted, with the stored text for rows of which nothing came and for terms that were folded away."""
        typed: dict[str, list[str]] = {}
        for place in self.places(step):
            own = {name: values for name, values in raw.items() if _is_of(name, place.code)}
            kept = set(hidden_names(place)) if place.code in raw.get(FOLDED, ()) else set()
            stored = typed_from([place], self.terms)
            typed |= {name: values for name, values in stored.items() if name in kept} if own else stored
            typed |= own
        return typed

    def unfolded(self, step: str) -> set[str]:
        """The rows of which somebody had the seldom-used terms before them when typing."""
        raw = self.raw(step)
        return {name.partition("-")[0] for name in raw} - {*raw.get(FOLDED, ()), FOLDED}

    def is_unsaved(self, step: str) -> bool:
        """Whether the step holds text that differs from what is stored."""
        return bool(self.raw(step)) and not self.is_stored(step, self.typed(step))

    def is_stored(self, step: str, typed: Typed) -> bool:
        """Whether that text says what is stored: 30,000.00 does where 30000 is."""
        if filled(typed) == filled(self.stored(step)):
            return True
        form = self.form(step, typed, is_bound=True)
        read = typed_from(self.places(step), over(self.terms, form.values()))
        return filled(read) == filled(self.stored(step)) and not form.refused()

    def form(self, step: str, typed: Typed, *, is_bound: bool = False) -> StepForm:
        """The step's forms over that text."""
        groups = {code: title for code, title in self.titles().items() if code in self.terms.groups}
        currency = next(iter(typed.get("c-currency", ())), "") or self.terms.get("c/currency", "CNY")
        places = [
            replace(place, infos=tuple(priced(info, currency) for info in place.infos)) for place in self.places(step)
        ]
        return StepForm(places, typed, groups, is_bound=is_bound)

    def terms_with(self, step: str, typed: Typed) -> Terms:
        """The stored terms under what is typed into a step, as far as it can be read."""
        return over(self.terms, self.form(step, typed, is_bound=True).values())

    def tasks(self, review: Review | None = None) -> list[Task]:
        """The ten steps and how far each one is; review: what the checks say of the stored terms, where known."""
        review = review or services.review(self.contract, self.terms)
        gaps: dict[str, list[Gap]] = {section.id: [] for section in SECTIONS_IN_ORDER}
        for gap in unanswered(self.terms):
            gaps[SECTION_OF[gap.info.id]].append(gap)
        blocked = {SECTION_OF[result.path.partition("/")[2]] for result in review.blocking}
        return [self._task(section, tuple(gaps[section.id]), section.id in blocked) for section in SECTIONS_IN_ORDER]

    def _task(self, section: Section, gaps: tuple[Gap, ...], is_blocked: bool) -> Task:
        buffer = self.buffers.get(section.id)
        is_unsaved = self.is_unsaved(section.id)
        without_rows = bool(section.of(Row.GROUP)) and not self.terms.groups
        state = "started" if gaps or without_rows or is_unsaved else "complete"
        if not (buffer or self._is_touched(section)):
            state = "untouched"
        elif state == "complete" and is_blocked:
            state = "attention"
        who, when = (str(buffer.saved_by), buffer.saved_at) if buffer else ("", None)
        return Task(section.id, spoken(section.title), state, gaps, who, when, is_unsaved, is_blocked)

    def _is_touched(self, section: Section) -> bool:
        paths = ((f"{place.code}/{info.id}", info) for place in self.places(section.id) for info in place.infos)
        return any(
            self.terms.get(path, info.default) != info.default or self.terms.reason(path) for path, info in paths
        )


def titles_of(terms: Terms) -> dict[str, str]:
    """What each group and each mount is called."""
    groups = {code: _("Node group %(number)s") % {"number": n} for n, code in enumerate(terms.groups, 1)}
    mounts = {code: _("Shared mount %(number)s") % {"number": n} for n, code in enumerate(terms.mounts, 1)}
    return groups | mounts


def place_on_page(code: str, info: TermInfo) -> str:
    """Where a term stands on its step's page, as the end of an address; a folded one is asked for on the way.

    A term of a group or mount that is not there yet leads to the button that adds one.
    """
    letter = {Row.GROUP: "g", Row.MOUNT: "m"}.get(info.row, code[:1])
    if not code.startswith(letter):
        return f"#add-{letter}"
    if info.kind is Kind.ROWS:
        return f"#title-{code}-{info.id}"
    siblings = SECTIONS[SECTION_OF[info.id]].of(info.row)
    return f"{f'?more={code}' if info.id in seldom_in(siblings) else ''}#div_id_{code}-{info.id}"


def place_in_words(path: str, titles: Mapping[str, str]) -> str:
    """A term by its label, under the title of its row: Node group 1 · GPU model."""
    code, _slash, term = path.partition("/")
    return " · ".join(filter(None, (titles.get(code, ""), spoken(TERMS[term].label))))


def hidden_names(place: Place) -> Iterator[str]:
    """The input names of a row's seldom-used terms."""
    for term in seldom_in(place.infos):
        yield from (f"{place.code}-{term}", f"{place.code}-{term}{NONE}")


def filled(typed: Typed) -> dict[str, list[str]]:
    """The inputs that hold something: a browser posts no empty group of boxes."""
    found = {name: [value for value in values if value] for name, values in typed.items() if name != FOLDED}
    return {name: values for name, values in found.items() if values}


def _is_of(name: str, code: str) -> bool:
    """Whether an input belongs to a row, its child rows included."""
    return name.partition("-")[0] == code


@dataclass(frozen=True, slots=True)
class Line:
    """A child row as shown."""

    code: str
    index: str
    title: str
    form: RowForm
    helper: FormHelper


@dataclass(frozen=True, slots=True)
class Table:
    """A term that is rows itself, as shown. is_none, reason: that and why it has none, where it may have none."""

    name: str
    label: str
    why: str
    when: str
    may_be_none: bool
    is_none: bool
    reason: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of the step as shown. known: values of other steps that conditions of this one look at, as JSON."""

    code: str
    title: str
    summary: str
    known: str
    is_movable: bool
    form: RowForm
    helper: FormHelper
    tables: Sequence[Table]


def shown_rows(step: str, form: StepForm, terms: Terms, unfolded: Collection[str] = ()) -> list[ShownRow]:
    """The rows of a step with their layout; unfolded: those whose seldom-used terms stand open."""
    added = ADDS[step][1] if step in ADDS else "-"
    return [
        ShownRow(
            code=row.place.code,
            title=row.place.title,
            summary=summary_of(row.place.code, terms),
            known=json.dumps(_known(row.place.code, terms)),
            is_movable=row.place.code.startswith(added),
            form=row,
            helper=helper_for(row, terms, is_wanted=row.place.code in unfolded),
            tables=[_table(row.place, info, form, terms) for info in row.place.tables],
        )
        for row in form.rows
    ]


def summary_of(code: str, terms: Terms) -> str:
    """A group in few words: training · 2 × 8 H100 80GB SXM5; a mount by its path."""
    local = terms.at(code)
    if code.startswith("m"):
        return str(local.get("path", ""))
    if not code.startswith("g"):
        return ""
    size = " × ".join(str(local.get(name)) for name in ("node_count", "gpus_per_node") if local.is_given(name))
    machines = " ".join(filter(None, (size, local.get("gpu_model", ""))))
    return " · ".join(filter(None, (local.get("name", ""), machines)))


def _known(code: str, terms: Terms) -> dict[str, list[str]]:
    """What conditions look at, as a form would have posted it; several values where several rows hold the term."""
    local = terms.at(code)
    asked = {condition.term for info in _infos(code) for condition in info.conditions}
    return {term: [word for value in seen for word in typed_as(value)] for term in asked if (seen := local.seen(term))}


def _infos(code: str) -> tuple[TermInfo, ...]:
    row = {"c": Row.CONTRACT, "g": Row.GROUP, "m": Row.MOUNT}[code[0]]
    return tuple(info for section in SECTIONS_IN_ORDER for info in section.of(row))


def _table(place: Place, info: TermInfo, form: StepForm, terms: Terms) -> Table:
    name = f"{place.code}-{info.id}"
    lines = [
        Line(
            inner.place.code,
            inner.place.code.rpartition("-")[2],
            inner.place.title.rpartition(" · ")[2],
            inner,
            helper_for(inner, terms),
        )
        for inner in form.children[name]
    ]
    return Table(
        name, spoken(info.label), spoken(info.why), when_json(info), info.may_be_none, name in form.reasons,
        form.reasons.get(name, ""), lines,
    )  # fmt: skip


def said(info: TermInfo, value: Any, currency: str = "") -> str:
    """A value in the reader's language with its unit, times in words; an amount of money in the contract's currency."""
    info = priced(info, currency)
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool) and value not in info.choices
    if is_number and info.unit not in CURRENCIES:
        return f"{grouped(value)} {unit_of(info)}".rstrip()
    return spoken(words(info, value))
