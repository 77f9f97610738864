"""Which term the label of a spec sheet's row most likely means, and where its labels and values stand."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.term import Kind, TermInfo
from gpucontract.contracts.sheets import Cell, Sheet

SHORTEST_INSIDE = 3
_IN_BRACKETS = re.compile(r"[(（\[【]([^()（）\[\]【】]*)[)）\]】]")
_NOISE = re.compile(r"[\s:：*·、，,。.\-_/\\#|]+")


@dataclass(frozen=True, slots=True)
class Guess:
    """A term a label may mean. is_sure: the label is its name or a synonym, nothing was left over."""

    term: str
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a sheet says what. is_across: labels run along a row instead of down a column; units: 0 where nowhere."""

    labels: int
    values: int
    units: int = 0
    is_across: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One label with its value: their cells by name (B7), the texts, and the unit another cell or bracket gives."""

    place: int
    label: str
    label_at: str
    value: Cell | None
    value_at: str
    unit: str


def mappable() -> tuple[TermInfo, ...]:
    """The terms one cell can hold: no rows of their own, nothing that names groups, nothing computed."""
    return tuple(
        info for info in TERMS.values()
        if info.kind is not Kind.ROWS and (info.choices or info.kind is not Kind.MULTI) and not info.is_computed
    )  # fmt: skip


def guess(label: str) -> Guess | None:
    """The term of a label: its own name or a synonym; else the one whose longest name stands in it; None for a tie."""
    word = _key(_IN_BRACKETS.sub("", label))
    if word in _names():
        return Guess(_names()[word], True)
    starts = (word[place : place + SHORTEST_INSIDE] for place in range(len(word)))
    inside = {name for start in starts for name in _by_start().get(start, ()) if name in word}
    longest = max(map(len, inside), default=0)
    best = {_names()[name] for name in inside if len(name) == longest}
    return Guess(best.pop(), False) if len(best) == 1 else None


def layout_of(sheet: Sheet) -> Layout:
    """The line with most labels that are known, and the first line beside it that holds values for most of them."""
    best = Layout(1, 2)
    most = 0
    for is_across in (False, True):
        lines = _lines(sheet, is_across)
        for labels, line in lines.items():
            known = {place for place, cell in line.items() if guess(cell.text)}
            beside = [other for other in sorted(lines) if other > labels and known & lines[other].keys()]
            if len(known) > most and beside:
                most, best = len(known), _with_values(lines, known, labels, beside, is_across)
    return best


def entries_of(sheet: Sheet, layout: Layout) -> list[Entry]:
    """Every label with the value beside it, in the order of the sheet; a label without a value included."""
    lines = _lines(sheet, layout.is_across)
    labels, values = lines.get(layout.labels, {}), lines.get(layout.values, {})
    units = lines.get(layout.units, {})
    return [
        Entry(
            place, label.text, _name(layout.labels, place, layout.is_across), values.get(place),
            _name(layout.values, place, layout.is_across), units[place].text if place in units else _bracketed(label),
        )
        for place, label in sorted(labels.items())
    ]  # fmt: skip


def line_names(sheet: Sheet, is_across: bool) -> dict[int, str]:
    """The columns (or rows) that hold anything, by number: B and what stands first in it."""
    lines = _lines(sheet, is_across)
    return {
        number: f"{number if is_across else column_name(number)} · {line[min(line)].text[:30]}"
        for number, line in sorted(lines.items())
    }


def column_name(number: int) -> str:
    """2 -> B, 28 -> AB."""
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _with_values(
    lines: Mapping[int, Mapping[int, Cell]], known: set[int], labels: int, beside: list[int], is_across: bool
) -> Layout:
    values = max(beside, key=lambda other: (len(known & lines[other].keys()), -other))
    headed = [
        other for other in beside if other != values and _key(lines[other][min(lines[other])].text) in _UNIT_HEADS
    ]
    return Layout(labels, values, headed[0] if headed else 0, is_across)


_UNIT_HEADS = frozenset({"单位", "unit", "units"})


def _lines(sheet: Sheet, is_across: bool) -> dict[int, dict[int, Cell]]:
    """The cells by line and place: columns by row, or rows by column where labels run across."""
    lines: dict[int, dict[int, Cell]] = {}
    for (row, column), cell in sheet.cells.items():
        line, place = (row, column) if is_across else (column, row)
        lines.setdefault(line, {})[place] = cell
    return lines


def _name(line: int, place: int, is_across: bool) -> str:
    return f"{column_name(place)}{line}" if is_across else f"{column_name(line)}{place}"


def _bracketed(label: Cell) -> str:
    found = _IN_BRACKETS.search(label.text)
    return found[1].strip() if found else ""


@cache
def _names() -> Mapping[str, str]:
    """Every name a term goes by -> its id; a name that two terms share stands for neither."""
    pairs = [(_key(name), info.id) for info in mappable() for name in (info.id, info.label.zh, info.label.en)]
    pairs += [(_key(name), term) for term, names in synonyms().items() for name in names]
    shared = {name for name, term in pairs if any(other == name and owner != term for other, owner in pairs)}
    return {name: term for name, term in pairs if name and name not in shared}


@cache
def _by_start() -> Mapping[str, tuple[str, ...]]:
    """The names by their first letters: thousands of cells are held against them."""
    found: dict[str, tuple[str, ...]] = {}
    for name in _names():
        start = name[:SHORTEST_INSIDE]
        found[start] = (*found.get(start, ()), name)
    return {start: names for start, names in found.items() if len(start) == SHORTEST_INSIDE}


@cache
def synonyms() -> Mapping[str, tuple[str, ...]]:
    """What vendors call a term, by its id."""
    text = (resources.files(__package__) / "synonyms.csv").read_text(encoding="utf-8")
    return {row["term"]: tuple(row["names"].split("|")) for row in csv.DictReader(text.splitlines())}


def _key(text: str) -> str:
    return _NOISE.sub("", unicodedata.normalize("NFKC", text).casefold())
