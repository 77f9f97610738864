"""One wizard step as forms: one per row (contract, node group, mount) and one per child row inside it.

Input names are `<code>-<term>`; in a child row `<code>-<term>-<row code>-<column>`, each row listed by a hidden
`<code>-<term>` with its code. `<code>-<term>.na` holds the reason why a term is not applicable.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from gpucontract.contracts.sections.gaps import is_required
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.term import Kind, Requirement, Row, Section, TermInfo
from gpucontract.contracts.sections.values import TermRefused, read
from gpucontract.contracts.terms import NotApplicable, Terms
from gpucontract.localise import spoken
from gpucontract.web.forms.fields import TermField, typed_as

Typed = Mapping[str, list[str]]
NEW = "new"
NONE = ".na"
# Lists the rows whose seldom-used terms were not on the page, so that leaving them out empties nothing.
FOLDED = "folded"
# Optional terms that decide too much to be folded away.
UP_FRONT = {
    "name", "vendor_role", "vendor_licence_no", "nvlink_active_links_min", "protocol", "shared_read_gbs",
    "shared_write_gbs", "nccl_version", "container_runtime", "fabric_manager", "delivery_form", "pcie_gen",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of the error summary: what to do, and the input it leads to."""

    message: str
    target: str


@dataclass(frozen=True, slots=True)
class Place:
    """A row of the step: its code, what it is called on the page, and the terms it holds here."""

    code: str
    title: str
    infos: tuple[TermInfo, ...]

    @property
    def tables(self) -> tuple[TermInfo, ...]:
        """The terms that are rows themselves."""
        return tuple(info for info in self.infos if info.kind is Kind.ROWS)


class RowForm(forms.Form):
    """The terms of one row. Nothing is required by itself; `require` adds what is missing when it counts."""

    use_required_attribute = False

    def __init__(self, place: Place, typed: Typed, groups: Mapping[str, str], *, is_bound: bool) -> None:
        self.place = place
        self.infos = {info.id: info for info in place.infos if info.kind is not Kind.ROWS}
        values = MultiValueDict({name: list(given) for name, given in typed.items()})
        self.reasons = reasons_in(typed, place.code, self.infos.values())
        self.notes: Mapping[str, Sequence[tuple[str, str]]] = {}
        super().__init__(values if is_bound else None, prefix=place.code, initial=self._initial(values))
        self.fields |= {info.id: TermField(info, groups) for info in self.infos.values()}

    def _initial(self, values: "MultiValueDict[str, str]") -> dict[str, Any]:
        initial: dict[str, Any] = {}
        for info in self.infos.values():
            name = f"{self.place.code}-{info.id}"
            initial[info.id] = values.getlist(name) if info.kind is Kind.MULTI else values.get(name, "")
        return initial

    def clean(self) -> dict[str, Any]:
        """Let a reason stand for each term that is not applicable; a value beside it must go first."""
        for name, reason in self.reasons.items():
            value, info = self.cleaned_data.get(name), self.infos[name]
            if not reason and value is not None:
                continue
            if value not in (None, info.default) and not self.fields[name].is_picked:
                self.add_error(name, _both(info))
            elif name not in self.errors:
                self._excuse(info, reason)
        return self.cleaned_data

    def _excuse(self, info: TermInfo, reason: str) -> None:
        try:
            self.cleaned_data[info.id] = read(info, NotApplicable(reason))
        except TermRefused as refusal:
            self.add_error(info.id, spoken(refusal.text))

    def given(self) -> dict[str, Any]:
        """Each term's value, None where it is empty or refused."""
        self.full_clean()
        return {name: self.cleaned_data.get(name) for name in self.infos}

    def require(self, names: set[str]) -> None:
        """Add an error for each of these terms that is empty."""
        for name in self.infos:
            if name in names and name not in self.errors and self.cleaned_data.get(name) is None:
                self.add_error(name, self.fields[name].missing)

    def problems(self) -> Iterator[Problem]:
        """What is wrong, field by field in the order of the page."""
        for name in (name for name in self.infos if name in self.errors):
            bound, messages = self[name], self.errors[name]
            target = f"{bound.auto_id}_0" if bound.field.is_picked else bound.auto_id
            where = f"{self.place.title} · " if self.place.title else ""
            yield from (Problem(f"{where}{message}", target) for message in messages)


class StepForm:
    """All inputs of one step. Unbound it shows what was typed; bound it says what is given and what is wrong."""

    def __init__(
        self, places: Sequence[Place], typed: Typed, groups: Mapping[str, str], *, is_bound: bool = False
    ) -> None:
        self.is_bound = is_bound
        self.rows = [RowForm(place, typed, groups, is_bound=is_bound) for place in places]
        self.children: dict[str, list[RowForm]] = {}
        self.extra: list[Problem] = []
        self.reasons: dict[str, str] = {}
        self.added = ""
        self._refused: set[str] = set()
        for place in places:
            for info in place.tables:
                found = reasons_in(typed, place.code, [info])
                self.reasons |= {f"{place.code}-{name}": reason for name, reason in found.items()}
                inner = _child_places(place, info, typed)
                self.children[f"{place.code}-{info.id}"] = [
                    RowForm(child, typed, groups, is_bound=is_bound) for child in inner
                ]

    @property
    def forms(self) -> list[RowForm]:
        """Every form of the step, the rows before their children."""
        return [*self.rows, *(form for inner in self.children.values() for form in inner)]

    def values(self) -> dict[str, Any]:
        """Every term of the step by path; None where it is empty or refused."""
        values = {f"{row.place.code}/{name}": value for row in self.rows for name, value in row.given().items()}
        for name, inner in self.children.items():
            code, _dash, term = name.partition("-")
            rows = tuple(_row_code(form.place.code) | form.given() for form in inner)
            values[f"{code}/{term}"] = rows or self._excused(code, TERMS[term])
        return values

    def _excused(self, code: str, info: TermInfo) -> NotApplicable | None:
        """The reason why a term that is rows has none."""
        if (reason := self.reasons.get(f"{code}-{info.id}")) is None:
            return None
        try:
            return cast(NotApplicable, read(info, NotApplicable(reason)))
        except TermRefused as refusal:
            self.extra.append(Problem(spoken(refusal.text), f"title-{code}-{info.id}"))
            self._refused.add(f"{code}/{info.id}")
            return None

    def without_lines(self, terms: Terms) -> dict[str, Problem]:
        """The terms that are rows, need one and have none, with what to say of it."""
        return {
            name: _needs_a_line(row.place, info)
            for row in self.rows
            for info in row.place.tables
            if is_required(terms, row.place.code, info)
            and not self.children[name := f"{row.place.code}-{info.id}"]
            and name not in self.reasons
        }

    def require(self, terms: Terms) -> None:
        """Add an error wherever a term that these terms make necessary is empty."""
        for row in self.rows:
            row.require({name for name, info in row.infos.items() if is_required(terms, row.place.code, info)})
        without = self.without_lines(terms)
        self.extra += without.values()
        self._refused |= {_path(name) for name in without}
        for form in (form for inner in self.children.values() for form in inner):
            form.require({name for name, info in form.infos.items() if info.requirement is Requirement.REQUIRED})

    def refuse(self, sentences: Mapping[str, str]) -> None:
        """Add what was refused by path when the values were written."""
        rows = {row.place.code: row for row in self.rows}
        for path, sentence in sentences.items():
            code, _slash, name = path.partition("/")
            if code in rows and name in rows[code].fields:
                rows[code].add_error(name, sentence)
            else:
                self.extra.append(Problem(sentence, f"row-{code}"))
                self._refused.add(path)

    def wrong(self) -> set[str]:
        """The names of the inputs with something wrong in them."""
        return {form[name].html_name for form in self.forms for name in form.errors}

    def refused(self) -> set[str]:
        """The paths of the terms with something wrong in them; one that is rows, by any of its inputs."""
        own = {f"{row.place.code}/{name}" for row in self.rows for name in row.errors}
        inner = {_path(name) for name, forms in self.children.items() if any(form.errors for form in forms)}
        return own | inner | self._refused

    def problems(self) -> list[Problem]:
        """Everything that is wrong, in the order of the page."""
        return [problem for form in self.forms for problem in form.problems()] + self.extra


def _path(name: str) -> str:
    code, _dash, term = name.partition("-")
    return f"{code}/{term}"


def _row_code(code: str) -> dict[str, str]:
    """A stored child row keeps its code, which ends its input names; a new one has none yet."""
    own = code.rpartition("-")[2]
    return {} if own.startswith(NEW) else {"code": own}


def _child_places(place: Place, info: TermInfo, typed: Typed) -> list[Place]:
    name = f"{place.code}-{info.id}"
    label = spoken(info.label)
    titles = (" · ".join(filter(None, (place.title, f"{label} {n}"))) for n in range(1, len(typed.get(name, [])) + 1))
    return [Place(f"{name}-{n}", title, info.columns) for n, title in zip(typed.get(name, []), titles, strict=True)]


def reasons_in(typed: Typed, code: str, infos: Iterable[TermInfo]) -> dict[str, str]:
    """Why terms are not applicable, as typed; a blank one says that they are and lacks the reason."""
    found = {info.id: "".join(typed.get(f"{code}-{info.id}{NONE}", [])) for info in infos if info.may_be_none}
    return {name: reason.strip() for name, reason in found.items() if reason}


def _both(info: TermInfo) -> str:
    label = {"label": spoken(info.label)}
    return _("%(label)s: there is a value and a reason why it is not applicable. Remove one of them.") % label


def _needs_a_line(place: Place, info: TermInfo) -> Problem:
    label = " · ".join(filter(None, (place.title, spoken(info.label))))
    return Problem(_("%(label)s: add at least one line.") % {"label": label}, f"add-{place.code}-{info.id}")


def over(terms: Terms, values: Mapping[str, Any]) -> Terms:
    """The terms with these values laid over them."""
    rows = {code: dict(held) for code, held in terms.rows.items()}
    for path, value in values.items():
        code, _slash, term = path.partition("/")
        rows.setdefault(code, {})[term] = value
    return Terms(rows)


def typed_from(places: Sequence[Place], terms: Terms) -> dict[str, list[str]]:
    """What a person would have typed to reach these terms."""
    typed: dict[str, list[str]] = {}
    for place in places:
        for info in place.infos:
            name, value = f"{place.code}-{info.id}", terms.get(f"{place.code}/{info.id}")
            if reason := terms.reason(f"{place.code}/{info.id}"):
                typed[f"{name}{NONE}"] = [reason]
            typed |= _typed_rows(name, info, value or ()) if info.kind is Kind.ROWS else {name: typed_as(value)}
    return typed


def _typed_rows(name: str, info: TermInfo, rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    codes = [row.get("code") or f"{NEW}{number}" for number, row in enumerate(rows, 1)]
    typed = {name: codes}
    for code, row in zip(codes, rows, strict=True):
        typed |= {f"{name}-{code}-{column.id}": typed_as(row.get(column.id)) for column in info.columns}
    return typed


def seldom_in(infos: Iterable[TermInfo]) -> set[str]:
    """The terms of a row that stand behind "more", with those that only count when one of them is given."""
    fields = [info for info in infos if info.kind is not Kind.ROWS]
    seldom = {
        info.id
        for info in fields
        if info.is_seldom or (info.requirement is Requirement.OPTIONAL and info.id not in UP_FRONT)
    }
    return seldom | {info.id for info in fields if {each.term for each in info.conditions} & seldom}


def places_of(section: Section, terms: Terms, titles: Mapping[str, str]) -> list[Place]:
    """The rows this step shows: the contract's own terms, then each group's, then each mount's."""
    codes = {Row.CONTRACT: ("c",), Row.GROUP: terms.groups, Row.MOUNT: terms.mounts}
    return [
        Place(code, titles.get(code, ""), section.of(row)) for row in codes for code in codes[row] if section.of(row)
    ]
