"""What a contract costs: the total, a month, a GPU-hour, an hour at the promised availability; exact to the cent.

Everything is computed with fractions and rounded once, half up: amounts to 0.01, prices of an hour to 0.0001.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gpucontract.contracts.amounts import CURRENCIES, in_full
from gpucontract.contracts.terms import NotGiven, Terms
from gpucontract.wording import Text

# Hours of a month where the contract fixes them; a natural month has those of its own days.
FIXED_HOURS = {"30d": 720, "720h": 720, "730h": 730}
# A year's hours over twelve, for the price of an hour while the first day is not known.
USUAL_HOURS = Fraction(8760, 12)
CENT, FINE = 2, 4

_PACKAGE = Text("打包总价", "the package")
_UNITS = {
    "CNY/GPU/hour": Text(
        "{price} {currency}/卡/小时 × {gpus} × {hours} 小时",
        "{currency} {price} per GPU and hour × {gpus} × {hours} hours",
    ),
    "CNY/GPU/month": Text(
        "{price} {currency}/卡/月 × {gpus} × {months}",
        "{currency} {price} per GPU and month × {gpus} × {months}",
    ),
    "CNY/node/month": Text(
        "{price} {currency}/台/月 × {nodes} × {months}",
        "{currency} {price} per machine and month × {nodes} × {months}",
    ),
}
_WITH_FEES = Text("{rent}，另加固定费用 {fees}", "{rent}, plus fixed fees of {fees}")
_WITH_TAX = Text("{sum}，再加 {rate} % 增值税", "{sum}, plus {rate} % VAT")


@dataclass(frozen=True, slots=True)
class Quote:
    """What can be told so far; an amount is None while something it needs is not given.

    total, monthly: tax included, fixed other fees included, in currency, to the cent. net: the total without tax.
    gpu_hour: the total over every GPU and every hour of the term; healthy_gpu_hour: over the promised ones only.
    how: the sum in words. is_firm: False where the total also depends on what is used (actual hours, open fees).
    lacking: the path of the first term that the total still needs, "" when there is a total.
    """

    currency: str
    total: Decimal | None
    net: Decimal | None
    monthly: Decimal | None
    gpu_hour: Decimal | None
    healthy_gpu_hour: Decimal | None
    how: Text | None
    is_firm: bool
    lacking: str = ""


def quote(terms: Terms) -> Quote:
    """The price of the drafted terms, as far as it can be told."""
    return Quote(
        currency=str(terms.get("c/currency", "CNY")),
        total=_told(_total, terms, CENT),
        net=_told(_net, terms, CENT),
        monthly=_told(_monthly, terms, CENT),
        gpu_hour=_told(_gpu_hour, terms, FINE),
        healthy_gpu_hour=_told(_healthy_hour, terms, FINE),
        how=_how(terms),
        is_firm=is_firm(terms),
        lacking=_lacking(terms),
    )


def total(terms: Terms) -> Decimal:
    """The whole fee of the term with tax and fixed fees, to the cent. Raises NotGiven."""
    return half_up(_total(terms), CENT)


def is_firm(terms: Terms) -> bool:
    """Whether the total follows from the terms alone: no hours and no fees are left to what will be used."""
    open_fees = any(row.get("basis") == "open" for row in terms.get("c/other_fees", ()))
    return terms.get("c/month_basis") != "actual" and not open_fees


def add_months(start: date, months: int) -> date:
    """The same day some months on; the last of the month where that month is too short, the calendar's where it ends.

    A day that was stored before dates had a range may lie at the very end of the calendar.
    """
    years, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    if years > date.max.year:
        return date.max
    return date(years, month + 1, min(start.day, calendar.monthrange(years, month + 1)[1]))


def natural_months(start: date, end: date) -> Fraction:
    """How many natural months lie from start up to, not including, end; a part counts by that month's own days."""
    return sum((Fraction(days, of) for days, of in _pieces(start, end)), Fraction(0))


def half_up(value: Fraction, places: int) -> Decimal:
    """The value to so many decimals, halves away from zero."""
    scaled = abs(value) * 10**places
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Decimal(whole if value >= 0 else -whole).scaleb(-places)


def _pieces(start: date, end: date) -> Iterator[tuple[int, int]]:
    """(days, days of that month) for each natural month the span touches."""
    while start < end:
        of = calendar.monthrange(start.year, start.month)[1]
        days = min(of - start.day + 1, (end - start).days)
        yield days, of
        start += timedelta(days=days)


def _total(terms: Terms) -> Fraction:
    return (_rent(terms) + _fees(terms)) * _tax_factor(terms)


def _net(terms: Terms) -> Fraction:
    rate = 1 + Fraction(terms["c/vat_rate_pct"]) / 100
    return _total(terms) / rate if terms["c/price_tax_included"] else _rent(terms) + _fees(terms)


def _monthly(terms: Terms) -> Fraction:
    return _total(terms) / int(terms["c/term_months"])


def _gpu_hour(terms: Terms) -> Fraction:
    return _total(terms) / (gpus_in_total(terms) * _hours(terms))


def _healthy_hour(terms: Terms) -> Fraction:
    promised = Fraction(terms["c/sla_availability_pct"]) / 100
    if not promised:
        raise NotGiven("c/sla_availability_pct")
    return _gpu_hour(terms) / promised


def _rent(terms: Terms) -> Fraction:
    price, unit = Fraction(terms["c/unit_price"]), terms["c/pricing_unit"]
    if unit == "package":
        return price
    if unit == "CNY/GPU/hour":
        return price * gpus_in_total(terms) * _billed_hours(terms)
    return price * (_nodes(terms) if unit == "CNY/node/month" else gpus_in_total(terms)) * _billed_months(terms)


def _billed_hours(terms: Terms) -> int:
    basis, months = terms["c/month_basis"], int(terms["c/term_months"])
    return months * FIXED_HOURS[basis] if basis in FIXED_HOURS else _days(terms) * 24


def _billed_months(terms: Terms) -> Fraction:
    """Whole months; where natural months are billed and the term starts inside one, both ends count by days."""
    months, start = int(terms["c/term_months"]), terms.get("c/term_start")
    if start is None or start.day == 1 or terms["c/month_basis"] in FIXED_HOURS:
        return Fraction(months)
    return natural_months(start, _over_on(terms))


def _hours(terms: Terms) -> Fraction:
    """The hours for which the machines are held, billed or not."""
    if terms.is_given("c/term_start"):
        return Fraction(_days(terms) * 24)
    return int(terms["c/term_months"]) * USUAL_HOURS


def _days(terms: Terms) -> int:
    return int((_over_on(terms) - terms["c/term_start"]).days)


def _over_on(terms: Terms) -> date:
    """The first day after the term. Raises NotGiven for a start so late that the calendar holds no such day."""
    over_on = add_months(terms["c/term_start"], int(terms["c/term_months"]))
    if over_on == date.max:
        raise NotGiven("c/term_start")
    return over_on


def _fees(terms: Terms) -> Fraction:
    """Fees with a price; what is included or left open adds nothing here."""
    return sum((_fee(row, terms) for row in terms.get("c/other_fees", ())), Fraction(0))


def _fee(row: Any, terms: Terms) -> Fraction:
    amount, months = Fraction(row.get("amount") or 0), int(terms["c/term_months"])
    times = {"once": 1, "per_month": months, "per_node_month": months * _nodes(terms)}
    return amount * times.get(row.get("basis"), 0)


def _tax_factor(terms: Terms) -> Fraction:
    """Brings the price to one with tax; a price of which nobody said so is taken as it stands."""
    if terms.get("c/price_tax_included") is not False:
        return Fraction(1)
    return 1 + Fraction(terms["c/vat_rate_pct"]) / 100


def _nodes(terms: Terms) -> int:
    if not terms.groups:
        raise NotGiven("g1/node_count")
    return sum(int(terms[f"{code}/node_count"]) for code in terms.groups)


def gpus_in_total(terms: Terms) -> int:
    """The GPUs of all groups together. Raises NotGiven."""
    if not terms.groups:
        raise NotGiven("g1/gpus_per_node")
    return sum(int(terms[f"{code}/node_count"]) * int(terms[f"{code}/gpus_per_node"]) for code in terms.groups)


def _told(amount: Callable[[Terms], Fraction], terms: Terms, places: int) -> Decimal | None:
    try:
        return half_up(amount(terms), places)
    except NotGiven:
        return None


def _lacking(terms: Terms) -> str:
    try:
        _total(terms)
    except NotGiven as gap:
        return str(gap)
    return ""


def _how(terms: Terms) -> Text | None:
    """The total as a sum a reader can redo; None while there is no total."""
    if _lacking(terms):
        return None
    said = _rent_in_words(terms)
    fees = half_up(_fees(terms), CENT)
    if fees:
        said = _WITH_FEES.fill(rent=said, fees=in_full(fees, terms.get("c/currency", "CNY")))
    if _tax_factor(terms) != 1:
        said = _WITH_TAX.fill(sum=said, rate=terms["c/vat_rate_pct"])
    return said


def _rent_in_words(terms: Terms) -> Text:
    unit = terms["c/pricing_unit"]
    if unit == "package":
        return _PACKAGE
    is_hourly = unit == "CNY/GPU/hour"
    return _UNITS[unit].fill(
        price=f"{Decimal(terms['c/unit_price']):,.2f}",
        currency=CURRENCIES[terms.get("c/currency", "CNY")],
        gpus=_many(str(gpus_in_total(terms)), "张", "GPU") if "GPU" in unit else "",
        nodes=_many(str(_nodes(terms)), "台", "machine"),
        hours=f"{_billed_hours(terms):,}" if is_hourly else "",
        months="" if is_hourly else _many(f"{half_up(_billed_months(terms), FINE).normalize():f}", "个月", "month"),
    )


def _many(count: str, measure: str, noun: str) -> Text:
    return Text(f"{count} {measure}", f"{count} {noun}" if count == "1" else f"{count} {noun}s")
