"""What a vendor may counter: which clauses take a value, how it is read, what it does to the price."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gpucontract.canonical import decimal_text
from gpucontract.contracts.amounts import as_agreed
from gpucontract.contracts.clauses import Clause, Operator
from gpucontract.contracts.converting import refuse_hours
from gpucontract.contracts.printing import stated_value
from gpucontract.contracts.sections.commercial import CURRENCIES
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.term import Kind, TermInfo, number
from gpucontract.contracts.sections.values import TermRefused, has_odd_digits, read
from gpucontract.contracts.values import held
from gpucontract.units import UnitError, convert, exact
from gpucontract.wording import Text

_WITH_UNIT = re.compile(r"((?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?)\s*([A-Za-zµ‰/]+)")
# One value cannot say what a whole table says, or which groups see a mount.
UNCOUNTERED_TERMS = frozenset({"groups"})
PRICE_BASES: Mapping[str, Text] = {
    "gpu_hour": Text("每卡每小时", "per GPU and hour"),
    "gpu_month": Text("每卡每月", "per GPU and month"),
    "node_month": Text("每台每月", "per machine and month"),
    "month": Text("合计每月", "per month in total"),
    "once": Text("一次性", "once"),
}

_PRICE = TermInfo(
    "price_effect", Text("对价格的影响", "Price effect"),
    Text("这项修改使价格增加或减少多少。", "How much more or less the price becomes."), Kind.DECIMAL,
    decimals=2, minimum=number(-10_000_000_000), maximum=number(10_000_000_000),
)  # fmt: skip
_NO_COUNTER = Text(
    "“{line}”没有可以修改的数值，只能确认或提问。", "“{line}” has no value to counter; confirm it or ask about it."
)
_ONE_ROW = Text(
    "这是表格中的一行，不是单个数值。要改它，请提问并写明您要的内容。",
    "it is one row of a table, not a single value. To have it changed, ask and say what you want instead.",
)
_WHOLE_LIST = Text("它写的是一整张表或一份清单，不是单个数值。", "it states a whole table or list, not a single value.")
_NO_OWN_VALUE = Text(
    "它是固定要求，或由其他约定项得出，没有自己的数值可改。",
    "it is a fixed requirement or follows from other terms, with no value of its own to change.",
)
_NO_VALUE = Text("“{line}”：提出修改时请填写您方的值。", "“{line}”: enter your value to counter it.")
_SAME = Text(
    "“{line}”：所提的值与甲方的值相同（{value}）。同意请选“确认”。",
    "“{line}”: your counter equals the buyer's value ({value}). Choose “Confirm” if you agree.",
)
_HALF_A_PRICE = Text(
    "对价格的影响：填了金额 {amount}，还要选币种和计价方式。",
    "Price effect: with the amount {amount}, choose a currency and what it is per.",
)


@dataclass(frozen=True, slots=True)
class Price:
    """What a counter does to the price: a signed amount, its currency, per what."""

    amount: Decimal
    currency: str
    basis: str


def counter_term(clause: Clause) -> TermInfo | None:
    """The term a counter to this clause writes to; None where the clause can only be confirmed or asked about."""
    name = clause.term.partition("/")[2] if clause.term else ""
    info = TERMS.get(name)
    if info is None or info.kind is Kind.ROWS or name in UNCOUNTERED_TERMS:
        return None
    return info


def why_no_counter(clause: Clause) -> Text | None:
    """Why a clause can only be confirmed or asked about; None where it takes a counter."""
    if counter_term(clause) is not None:
        return None
    if ":" in clause.key:
        return _ONE_ROW
    name = clause.term.partition("/")[2] if clause.term else ""
    return _WHOLE_LIST if name in TERMS else _NO_OWN_VALUE


def read_counter(clause: Clause, raw: object) -> str:
    """The countered value as text that the term reads again. Raises TermRefused with a sentence naming the limit."""
    info = counter_term(clause)
    if info is None:
        raise TermRefused(_NO_COUNTER.fill(line=clause.text))
    value = read(info, _in_own_unit(info, raw))
    if value is None:
        raise TermRefused(_NO_VALUE.fill(line=clause.text))
    typed = stored(value)
    if stands_in(clause, typed):
        raise TermRefused(_SAME.fill(line=clause.text, value=stated_value(clause)))
    return typed


def _in_own_unit(info: TermInfo, raw: object) -> object:
    """1.5 TiB for a term in GiB as 1536; what names no unit, another dimension's or comes out uneven stays as typed.

    Raises TermRefused for hours where the term's days may be working days.
    """
    found = _WITH_UNIT.fullmatch(raw.strip()) if isinstance(raw, str) else None
    if found is None or info.choices or info.kind not in (Kind.WHOLE, Kind.DECIMAL) or has_odd_digits(found[1]):
        return raw
    refuse_hours(info, found[2], found[0])
    try:
        number = Decimal(found[1].replace(",", ""))
        meant, written = exact(number, found[2], info.unit), convert(number, found[2], info.unit)
    except UnitError:
        return raw
    return decimal_text(written) if Fraction(written) == meant else raw


def stands_in(clause: Clause, typed: str) -> bool:
    """Whether the clause says what the counter asked for."""
    return counter_words(clause, typed) == stated_value(clause)


def counter_words(clause: Clause, typed: str) -> Text:
    """A counter as the clause would print it: ≥ 1.5 TiB."""
    info = counter_term(clause)
    if info is None:
        return Text(typed, typed)
    try:
        value = held(read(info, typed))
    except TermRefused:
        # Kept while its term still took it: shown as it was typed.
        return Text(typed, typed)
    if clause.operator is Operator.IN and isinstance(value, str):
        value = (value,)
    applies = {name: item for name, item in clause.conditions.items() if name != "not_applicable"}
    return stated_value(replace(clause, value=value, conditions=applies))


def stored(value: Any) -> str:
    """A term's value as text that its reader takes back; nothing given is an empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ",".join(str(each) for each in value)
    if isinstance(value, int | Decimal):
        return decimal_text(Decimal(value))
    return value.isoformat() if isinstance(value, date) else str(value)


def read_price(amount: str, currency: str, basis: str) -> Price | None:
    """The price effect as typed; None where no amount is given. Raises TermRefused."""
    value = read(_PRICE, amount)
    if value is None:
        return None
    if currency not in CURRENCIES or basis not in PRICE_BASES:
        raise TermRefused(_HALF_A_PRICE.fill(amount=amount))
    return Price(value, currency, basis)


def price_words(price: Price) -> Text:
    """The price effect in words: +CNY 120.00 per machine and month."""
    sign = "+" if price.amount > 0 else "−" if price.amount < 0 else ""
    return Text("{sign}{amount}，{basis}", "{sign}{amount} {basis}").fill(
        sign=sign, amount=as_agreed(abs(price.amount), price.currency), basis=PRICE_BASES[price.basis]
    )
