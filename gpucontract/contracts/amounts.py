"""An amount of money as people write it: in full, in 万, and in the formal numerals of Chinese contracts."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from gpucontract.canonical import decimal_text
from gpucontract.units import grouped
from gpucontract.wording import Text

_NUMERALS = "零壹贰叁肆伍陆柒捌玖"
_PLACES = ("仟", "佰", "拾", "")
_WAN, _YI, _MILLION = 10**4, 10**8, 10**6
# Below this an amount is short enough as it is.
SHORTENED_FROM = _WAN
_CENT = Decimal("0.01")
CURRENCIES = {"CNY": Text("元", "CNY"), "USD": Text("美元", "USD"), "HKD": Text("港元", "HKD")}
# The formal form names the currency first where it is not obvious from the unit.
_FORMAL = {"CNY": "人民币", "USD": "美元", "HKD": "港元"}


def in_full(amount: Decimal, currency: str = "CNY") -> Text:
    """With thousands separators and both cents: 1,560,000.00 元 / CNY 1,560,000.00. Rounded half up."""
    return as_agreed(_to_cents(amount), currency)


def as_agreed(amount: Decimal, currency: str) -> Text:
    """Exactly as two sides agree on it, both cents at least: 65,000.00 元, 0.0001 港元 for what is metered."""
    places = max(2, -int(Decimal(decimal_text(amount)).as_tuple().exponent))
    number, name = f"{amount:,.{places}f}", CURRENCIES[currency]
    return Text(f"{number} {name.zh}", f"{name.en} {number}")


def in_wan(amount: Decimal, currency: str = "CNY") -> Text:
    """In 万 or 亿, two decimals at most: 156 万元; English in thousands or millions; 约 where it is rounded."""
    name = CURRENCIES[currency]
    power, word = (8, "亿") if abs(amount) >= _YI else (4, "万")
    many, english = (6, "million") if abs(amount) >= _MILLION else (3, "thousand")
    return Text(
        f"{_short(amount, power, '约 ')} {word}{name.zh}", f"{name.en} {_short(amount, many, 'about ')} {english}"
    )


def formal(amount: Decimal, currency: str = "CNY") -> str:
    """In formal numerals: 人民币壹佰伍拾陆万元整. Rounded half up to the cent; 整 ends what has no cents.

    A zero is spelled once for any run of zeros between digits (Regulations on payment instruments, appendix 1).
    """
    cents = int(_to_cents(abs(amount)) * 100)
    whole, (tenths, hundredths) = cents // 100, divmod(cents % 100, 10)
    said = f"{_whole(whole)}元" if whole or not cents else ""
    if tenths:
        said += f"{_NUMERALS[tenths]}角"
    elif hundredths and whole:
        said += "零"
    said += f"{_NUMERALS[hundredths]}分" if hundredths else "整"
    return f"{_FORMAL[currency]}{'负' if amount < 0 and cents else ''}{said}"


def _whole(number: int) -> str:
    """A whole number: by 亿, then by 万, then four digits; 零 where the lower part does not reach its first place."""
    for size, name in ((_YI, "亿"), (_WAN, "万")):
        if number >= size:
            upper, lower = divmod(number, size)
            gap = "零" if lower and lower < size // 10 else ""
            return f"{_whole(upper)}{name}{gap}{_whole(lower) if lower else ''}"
    return _four(number) or "零"


def _four(number: int) -> str:
    """Up to four digits; zeros between digits are one 零, zeros at either end none."""
    said = "".join(
        _NUMERALS[int(digit)] + place if digit != "0" else "零"
        for digit, place in zip(f"{number:04}", _PLACES, strict=True)
    )
    while "零零" in said:
        said = said.replace("零零", "零")
    return said.strip("零")


def _short(amount: Decimal, power: int, about: str) -> str:
    """The amount over ten to a power, two decimals at most."""
    kept = (amount / 10**power).quantize(_CENT, ROUND_HALF_UP)
    return f"{'' if kept * 10**power == amount else about}{grouped(kept)}"


def _to_cents(amount: Decimal) -> Decimal:
    return amount.quantize(_CENT, ROUND_HALF_UP)
