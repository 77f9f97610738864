"""A term's value as a clause holds it, and as it is spoken."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from gpucontract.canonical import decimal_text
from gpucontract.contracts.amounts import CURRENCIES, as_agreed
from gpucontract.contracts.clauses import Value
from gpucontract.contracts.sections.acceptance import DAY_BASES
from gpucontract.contracts.sections.commercial import IN_CURRENCY
from gpucontract.contracts.sections.term import YES_NO_TEXT, Kind, TermInfo
from gpucontract.units import grouped, in_words
from gpucontract.wording import Text

# A bare number still needs a unit that says it is one, or it would come back from the frozen form as text.
UNIT_OF_KIND = {
    Kind.TEXT: "text", Kind.CHOICE: "enum", Kind.MULTI: "set", Kind.YES_NO: "bool", Kind.WHOLE: "count",
    Kind.DECIMAL: "count", Kind.DATE: "date", Kind.ROWS: "set",
}  # fmt: skip


def held(value: Any) -> Value:
    """The value as a clause holds it: every number a Decimal, dates ISO text, several things a tuple of texts."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | Decimal):
        return Decimal(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return tuple(f"{name}={plain(item)}" for name, item in value.items() if item is not None and name != "code")
    return tuple(str(item) for item in value)


def plain(value: Any) -> Any:
    """The value as a condition holds it: numbers as exact text, or whole ones as they are."""
    return decimal_text(value) if isinstance(value, Decimal) else value


def words(info: TermInfo, value: Any) -> Text:
    """The value in both languages, with its unit where it is a measure: 双向之和, 900 GB/s, 是."""
    if isinstance(value, Mapping):
        return _row_words(info, value)
    if isinstance(value, tuple | list):
        return joined([words(info, item) for item in value])
    if isinstance(value, bool):
        return (info.choices or YES_NO_TEXT)[value]
    if value in info.choices:
        return info.printed_choices.get(value) or info.choices[value]
    if isinstance(value, int | Decimal):
        return counted(value, info.counted) if info.counted else measure(value, info.unit)
    return same(value.isoformat() if isinstance(value, date) else str(value))


def priced(info: TermInfo, currency: str) -> TermInfo:
    """The term with the currency of the contract as its unit where it is an amount of money, its columns likewise."""
    unit = currency if info.id in IN_CURRENCY else info.unit
    return replace(info, unit=unit, columns=tuple(priced(column, currency) for column in info.columns))


def measure(value: int | Decimal, unit: str) -> Text:
    """A number with its unit; an amount of money as it is paid: 900 GB/s, 15 分钟, 65,000.00 元."""
    return as_agreed(Decimal(value), unit) if unit in CURRENCIES else in_words(value, unit)


def counted(value: int | Decimal, counter: Text) -> Text:
    """A number with what it counts, one of it in the singular: 8 张 GPU / 8 GPUs, 1 个月 / 1 month."""
    number = grouped(value)
    english = counter.en if value != 1 else re.sub("(?<=ss)es$|(?<!s)s$", "", counter.en)
    return Text(f"{number} {counter.zh}", f"{number} {english}")


def in_days(value: int | Decimal, basis: str) -> Text:
    """So many days of their kind: 10 个工作日 / 10 working days."""
    return Text("{number} 个{kind}", "{number} {kind}").fill(number=grouped(value), kind=DAY_BASES[basis])


def joined(parts: list[Text]) -> Text:
    """Several things in a row: 、 in Chinese, commas in English."""
    return Text("、".join(part.zh for part in parts), ", ".join(part.en for part in parts))


def same(text: str) -> Text:
    """A text that is the same in both languages."""
    return Text(text, text)


def _row_words(info: TermInfo, row: Mapping[str, Any]) -> Text:
    """A row's values, each behind its column's name; words in the first column name the row by themselves."""
    given = [column for column in info.columns if row.get(column.id) not in (None, "")]
    parts = [_cell_words(info, column, row[column.id]) for column in given]
    return Text("，".join(part.zh for part in parts), "; ".join(part.en for part in parts))


def _cell_words(info: TermInfo, column: TermInfo, value: Any) -> Text:
    """In Chinese a name runs on into its number and takes a colon before words."""
    said = words(column, value)
    if len(info.columns) == 1 or (column is info.columns[0] and column.kind in (Kind.CHOICE, Kind.TEXT)):
        return said
    is_number = column.kind in (Kind.WHOLE, Kind.DECIMAL) or (column.kind is Kind.CHOICE and said.zh[0].isdigit())
    return Text("{label} {value}" if is_number else "{label}：{value}", "{label}: {value}").fill(
        label=column.formal, value=said
    )
