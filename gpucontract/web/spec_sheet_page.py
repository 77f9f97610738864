"""The page that maps a spec sheet to terms: what was chosen, what each cell would write, what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from gpucontract.contracts.converting import converted
from gpucontract.contracts.matching import Entry, Layout, entries_of, guess, layout_of, line_names, mappable
from gpucontract.contracts.models import SpecSheet
from gpucontract.contracts.sections.steps import SECTION_OF, SECTIONS, TERMS
from gpucontract.contracts.sections.term import Row, TermInfo
from gpucontract.contracts.sheets import Sheet
from gpucontract.contracts.terms import Terms
from gpucontract.localise import spoken
from gpucontract.web.wizard import Draft, said

MOST_LINES = 200
LETTERS = {Row.GROUP: "g", Row.MOUNT: "m"}
Params = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Line:
    """One label of the sheet. typed: the term as typed or guessed; path: where its value would go, "" for nowhere."""

    entry: Entry
    typed: str
    path: str
    now: str
    new: str
    value: Any
    notes: tuple[str, ...]
    fault: str
    is_used: bool

    @property
    def is_open(self) -> bool:
        """Whether it can be taken over: it has a value for a term that differs."""
        return bool(self.path) and not self.fault and self.new != self.now


@dataclass(frozen=True, slots=True)
class Mapped:
    """What a person has chosen so far, read from what the form posts; the guesses where it posts nothing."""

    number: int
    sheet: Sheet
    layout: Layout
    targets: Mapping[Row, str]
    lines: tuple[Line, ...]
    left_out: int = 0

    @property
    def codes(self) -> tuple[str, ...]:
        """The group and the mount that values go to."""
        return tuple(self.targets.values())

    @property
    def values(self) -> dict[str, dict[str, Any]]:
        """What the ticked lines write, by row code and term."""
        values: dict[str, dict[str, Any]] = {}
        for line in self.lines:
            if line.is_used and line.is_open:
                code, _slash, term = line.path.partition("/")
                values.setdefault(code, {})[term] = line.value
        return values

    @property
    def blocked(self) -> list[Line]:
        """Ticked lines that cannot be taken over."""
        return [line for line in self.lines if line.is_used and line.fault]


def mapped(spec: SpecSheet, draft: Draft, params: Params) -> Mapped:
    """The choices in the form, over the guesses."""
    sheets = spec.sheets()
    number = _whole(params.get("sheet"), len(sheets) - 1)
    sheet = sheets[number]
    layout = _layout(sheet, params)
    targets = {row: _target(row, draft.terms, params) for row in LETTERS}
    entries = [entry for entry in entries_of(sheet, layout) if entry.value]
    lines = tuple(_line(entry, draft.terms, targets, params) for entry in _shown_of(entries))
    return Mapped(number, sheet, layout, targets, _without_doubles(lines), len(entries) - len(lines))


def _shown_of(entries: list[Entry]) -> list[Entry]:
    """All of them up to a limit; beyond it those whose label is known come before the others."""
    first = sorted(entries, key=lambda entry: guess(entry.label) is None)[:MOST_LINES]
    return sorted(first, key=lambda entry: entry.place)


def page_of(spec: SpecSheet, draft: Draft, found: Mapped) -> dict[str, Any]:
    """The context of the mapping page."""
    titles = draft.titles()
    return {
        "spec": spec,
        "contract": spec.contract,
        "found": found,
        "sheets": [sheet.name for sheet in spec.sheets()],
        "columns": line_names(found.sheet, found.layout.is_across),
        "groups": {code: titles[code] for code in draft.terms.groups},
        "mounts": {code: titles[code] for code in draft.terms.mounts},
        "terms": [(spoken(SECTIONS[SECTION_OF[info.id]].title), spoken(info.label)) for info in mappable()],
        "open": sum(line.is_open for line in found.lines),
        "unsaved": [task for task in draft.tasks() if task.is_unsaved],
    }


def _layout(sheet: Sheet, params: Params) -> Layout:
    guessed = layout_of(sheet)
    if "labels" not in params or params.get("shown") != params.get("sheet"):
        return guessed
    is_across = params.get("across") == "yes"
    if is_across != (params.get("was_across") == "yes"):
        return guessed if guessed.is_across == is_across else Layout(1, 2, 0, is_across)
    labels, values, units = (_whole(params.get(name), 10_000) for name in ("labels", "values", "units"))
    return Layout(labels, values, units, is_across)


def _target(row: Row, terms: Terms, params: Params) -> str:
    codes = terms.groups if row is Row.GROUP else terms.mounts
    asked = params.get(f"to-{LETTERS[row]}", "")
    return asked if asked in codes else (codes[0] if codes else "")


def _line(entry: Entry, terms: Terms, targets: Mapping[Row, str], params: Params) -> Line:
    first = guess(entry.label)
    posted = params.get(f"term-{entry.place}") if params.get(f"label-{entry.place}") == entry.label else None
    typed = posted if posted is not None else spoken(TERMS[first.term].label) if first else ""
    info, fault = _term(typed.strip())
    path = _path(info, targets) if info else ""
    if info and not path:
        fault = _("The draft has no shared mount yet; add one in the storage step.")
    value, notes, misread = _read(info, entry) if info else (None, (), "")
    fault = fault or misread
    now = _shown(info, terms.get(path)) if info and path else ""
    new = _shown(info, value) if info and value is not None else ""
    is_sure = bool(first and first.is_sure) and not fault and new != now
    is_used = f"use-{entry.place}" in params if posted is not None else is_sure
    return Line(entry, typed, path, now, new, value, notes, fault, is_used)


def _term(typed: str) -> tuple[TermInfo | None, str]:
    """The term somebody named, by its label or id."""
    if not typed:
        return None, ""
    found = next((info for info in mappable() if typed in (info.id, info.label.zh, info.label.en)), None)
    return found, "" if found else _("There is no term of this name; choose one from the list.")


def _path(info: TermInfo, targets: Mapping[Row, str]) -> str:
    code = "c" if info.row is Row.CONTRACT else targets[info.row]
    return f"{code}/{info.id}" if code else ""


def _read(info: TermInfo, entry: Entry) -> tuple[Any, tuple[str, ...], str]:
    cell = entry.value
    if cell is None or cell.is_error:
        return (
            None,
            (),
            _("A formula without a stored result, or an error. Write the value itself into the cell."),
        )
    found = converted(info, cell.text, entry.unit)
    notes = tuple(spoken(note) for note in found.notes)
    if cell.is_formula:
        notes = (_("A formula; this is the result that was stored with the file."), *notes)
    return found.value, notes, spoken(found.fault) if found.fault else ""


def _shown(info: TermInfo, value: Any) -> str:
    return "" if value is None else said(info, value)


def _without_doubles(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Two ticked lines for one term contradict each other: the later one is a fault."""
    seen: set[str] = set()
    return tuple(_once(line, seen) for line in lines)


def _once(line: Line, seen: set[str]) -> Line:
    if not line.is_used or not line.path:
        return line
    if line.path not in seen:
        seen.add(line.path)
        return line
    said_twice = _("Another line is taken over for the same term. Untick one of the two.")
    return Line(line.entry, line.typed, line.path, line.now, line.new, line.value, line.notes, said_twice, True)


def _whole(text: str | None, most: int) -> int:
    return min(int(text), most) if text and text.isascii() and text.isdigit() and len(text) < 6 else 0


def faults_of(found: Mapped) -> Iterator[tuple[Entry, str]]:
    """Each ticked line that cannot be taken over, and why."""
    yield from ((line.entry, line.fault) for line in found.blocked)
