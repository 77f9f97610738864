"""The catalogue's tables as they lie beside this file, and how their cells are read: blank means not known."""

from __future__ import annotations

import csv
from decimal import Decimal
from importlib import resources

VERSION = "2026.2"


def rows(table: str) -> tuple[dict[str, str], ...]:
    """The rows of a table such as gpus, as text by column name."""
    text = (resources.files(__package__) / f"{table}.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


def number(cell: str) -> Decimal | None:
    """A cell's number; None for a blank one."""
    return Decimal(cell) if cell else None


def whole(cell: str) -> int | None:
    """A cell's whole number; None for a blank one."""
    return int(cell) if cell else None


def several(cell: str) -> tuple[str, ...]:
    """The alternatives of a cell, separated by |."""
    return tuple(cell.split("|")) if cell else ()
