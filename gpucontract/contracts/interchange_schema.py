"""The JSON Schema of a draft's file, made from the terms: what each may hold, in which unit, and why it is asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from gpucontract.contracts.sections.steps import SECTION_OF, terms_of
from gpucontract.contracts.sections.term import Kind, TermInfo
from gpucontract.contracts.sections.values import LONGEST_NUMBER, LONGEST_REASON, MOST_ROWS

FORMAT = "gpucontract-draft/1"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
# The list a kind of row stands in, and the letter of its codes.
ROW_LISTS: Mapping[str, str] = {"groups": "g", "mounts": "m"}
MOST_LISTED = 100
LONGEST_TITLE = 200
# Stands instead of a value where a required term does not apply, with the reason.
NOT_APPLICABLE = "not_applicable"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


@cache
def schema() -> dict[str, Any]:
    """The whole schema; every object is closed, so that a misspelt term is a fault and never lost."""
    lists = {name: _list_of(letter) for name, letter in ROW_LISTS.items()}
    return {
        "$schema": DIALECT,
        "title": "gpucontract draft",
        "description": (
            "The terms of a contract draft. A term that is left out keeps its default, null empties it. "
            "Decimals are text, so that they stay exact; dates are YYYY-MM-DD. A required term that does not apply is "
            'answered by {"not_applicable": "the reason"}.'
        ),
        **_closed(
            {"format": {"const": FORMAT}, "title": _text(LONGEST_TITLE), "contract": _row("c"), **lists}, ["format"]
        ),
    }


def _list_of(letter: str) -> dict[str, Any]:
    code = {"type": "string", "pattern": f"^{letter}[1-9][0-9]{{0,6}}$", "description": "how this file calls the row"}
    row = _row(letter)
    return {"type": "array", "maxItems": MOST_LISTED, "items": row | {"properties": {"code": code} | row["properties"]}}


def _row(code: str) -> dict[str, Any]:
    return _closed({info.id: _described(info) for info in terms_of(code)})


def _described(info: TermInfo) -> dict[str, Any]:
    """What a term may hold, or null, under its name in both languages."""
    described: dict[str, Any] = {"title": f"{info.label.zh} / {info.label.en}", "description": info.why.en}
    if info.unit and info.unit != "count":
        described["unit"] = info.unit
    if info.id in SECTION_OF:
        described["section"] = SECTION_OF[info.id]
    fits = _nullable(_KINDS[info.kind](info))
    return described | ({"if": {"type": "object"}, "then": _excused(), "else": fits} if info.may_be_none else fits)


def _excused() -> dict[str, Any]:
    reason = {"type": "string", "minLength": 1, "maxLength": LONGEST_REASON}
    return _closed({NOT_APPLICABLE: reason}, [NOT_APPLICABLE])


def _nullable(described: dict[str, Any]) -> dict[str, Any]:
    if "enum" in described:
        return described | {"enum": [*described["enum"], None]}
    kinds = described["type"]
    return described | {"type": [*([kinds] if isinstance(kinds, str) else kinds), "null"]}


def _text(longest: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest}


def _choice(info: TermInfo) -> dict[str, Any]:
    return {"enum": list(info.choices)}


def _multi(info: TermInfo) -> dict[str, Any]:
    items = {"enum": list(info.choices)} if info.choices else _text(20)
    return {"type": "array", "uniqueItems": True, "maxItems": max(len(info.choices), MOST_LISTED), "items": items}


def _whole(info: TermInfo) -> dict[str, Any]:
    if info.choices:
        return {"enum": list(info.choices)}
    return {"type": "integer"} | _range(info)


def _decimal(info: TermInfo) -> dict[str, Any]:
    point = f"(\\.[0-9]{{1,{info.decimals}}})?" if info.decimals else ""
    shape = {"pattern": f"^-?[0-9]{{1,{LONGEST_NUMBER}}}{point}$"}
    return {"type": ["string", "number"], **shape} | _range(info)


def _range(info: TermInfo) -> dict[str, Any]:
    limits = {"minimum": info.minimum, "maximum": info.maximum}
    return {name: _number(limit) for name, limit in limits.items() if limit is not None}


def _number(limit: Decimal) -> int | float:
    """A limit as JSON writes it; the exact comparison is the term's own, made when the file is read."""
    return int(limit) if limit == limit.to_integral_value() else float(limit)


def _rows(info: TermInfo) -> dict[str, Any]:
    inner = _closed({column.id: _described(column) for column in info.columns})
    return {"type": "array", "maxItems": MOST_ROWS, "items": inner}


def _closed(properties: Mapping[str, Any], required: Iterable[str] = ()) -> dict[str, Any]:
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "additionalProperties": False, **needed, "properties": dict(properties)}


_KINDS = {
    Kind.TEXT: lambda info: _text(info.length),
    Kind.CHOICE: _choice,
    Kind.MULTI: _multi,
    Kind.YES_NO: lambda _: {"type": "boolean"},
    Kind.WHOLE: _whole,
    Kind.DECIMAL: _decimal,
    Kind.DATE: lambda _: {"type": "string", "pattern": _DATE},
    Kind.ROWS: _rows,
}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(schema(), ensure_ascii=False, indent=2) + "\n")
