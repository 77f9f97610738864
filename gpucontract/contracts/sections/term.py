"""What one term of the wizard is: its words, its kind, its limits, and when it must be given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from gpucontract.wording import Text

YES_NO_TEXT: Mapping[bool, Text] = {True: Text("是", "yes"), False: Text("否", "no")}


class Kind(StrEnum):
    """How a term is typed; its Python value is str, str, a tuple of str, bool, int, Decimal, date, a tuple of rows."""

    TEXT = "text"
    CHOICE = "choice"
    MULTI = "multi"
    YES_NO = "yes_no"
    WHOLE = "whole"
    DECIMAL = "decimal"
    DATE = "date"
    ROWS = "rows"


class Row(StrEnum):
    """Where a term lives: once per contract (code c), per node group (g1), per shared mount (m1), or in a child row."""

    CONTRACT = "contract"
    GROUP = "group"
    MOUNT = "mount"
    CHILD = "child"


class Requirement(StrEnum):
    """Required, required when its condition holds, optional."""

    REQUIRED = "R"
    CONDITIONAL = "C"
    OPTIONAL = "O"


@dataclass(frozen=True, slots=True)
class When:
    """One condition on another term, looked up in the same row first and then contract-wide; bare: it is given."""

    term: str
    one_of: tuple[Any, ...] = ()
    above: int | None = None

    def holds(self, value: object) -> bool:
        """Whether a given value meets the condition; a value that is not given never does."""
        if value is None:
            return False
        if self.above is not None:
            return isinstance(value, int | Decimal) and value > self.above
        given = value if isinstance(value, tuple) else (value,)
        return not self.one_of or any(each in self.one_of for each in given)


@dataclass(frozen=True, slots=True)
class TermInfo:
    """One term. unit: a name of units.py or ""; minimum and maximum are inclusive; decimals: digits after the point.

    counted: what a bare count is of, as printed behind it: 台 / machines.
    choices: for choice and multi the allowed values, for whole numbers the only numbers allowed.
    conditions: all must hold for a conditional term to be required, and for an optional one to be of use.
    columns: the terms of a child row.
    vague: whole phrases that say nothing here and deserve a hint. default: what a new draft starts with.
    shape: path, version or email where a text must read as one to be of use; uscc for a code put in order; else "".
    is_indispensable: no contract can do without it, so it cannot be answered "not applicable".
    printed: how a clause calls it where the label is a question, colloquial or leaves open what a share is of; None: as
    the form does. printed_choices: the same for single choices.
    is_seldom: shown behind "more". is_computed: follows from other terms; nobody types it and no table holds it.
    """

    id: str
    label: Text
    why: Text
    kind: Kind
    row: Row = Row.CONTRACT
    unit: str = ""
    counted: Text | None = None
    requirement: Requirement = Requirement.REQUIRED
    conditions: tuple[When, ...] = ()
    choices: Mapping[Any, Text] = field(default_factory=dict)
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    decimals: int = 0
    length: int = 200
    default: Any = None
    columns: tuple[TermInfo, ...] = ()
    vague: tuple[str, ...] = ()
    shape: str = ""
    printed: Text | None = None
    printed_choices: Mapping[Any, Text] = field(default_factory=dict)
    is_indispensable: bool = False
    is_seldom: bool = False
    is_computed: bool = False

    @property
    def formal(self) -> Text:
        """What it is called in the text of a clause."""
        return self.printed or self.label

    @property
    def formal_choices(self) -> Mapping[Any, Text]:
        """What each choice is called in the text of a clause."""
        return {**self.choices, **self.printed_choices}

    @property
    def may_be_none(self) -> bool:
        """Whether "not applicable" with a reason answers it; an optional term is simply left empty."""
        is_free = self.requirement is Requirement.OPTIONAL or self.row is Row.CHILD
        return not (is_free or self.is_indispensable or self.is_computed)


@dataclass(frozen=True, slots=True)
class Section:
    """One of the ten steps: its id in URLs and clauses, its title, what it asks for, its terms in the order asked."""

    id: str
    title: Text
    intro: Text
    terms: tuple[TermInfo, ...]

    def of(self, row: Row) -> tuple[TermInfo, ...]:
        """The section's terms that are typed into such a row."""
        return tuple(term for term in self.terms if term.row is row and not term.is_computed)


def only(term: str, *values: Any) -> tuple[When, ...]:
    """The condition that another term has one of these values."""
    return (When(term, one_of=values),)


def above(term: str, limit: int) -> tuple[When, ...]:
    """The condition that another term's number is larger than limit."""
    return (When(term, above=limit),)


def parted(sizes: Iterable[str]) -> dict[str, Text]:
    """Sizes as a sentence writes them, number and unit apart: 8 GiB for 8GiB."""
    said = {size: re.sub(r"(?<=\d)(?=\D)", " ", size) for size in sizes}
    return {size: Text(words, words) for size, words in said.items()}


def number(text: str | int) -> Decimal:
    """An exact limit written as text: number("0.001")."""
    return Decimal(text)
