"""Amounts as people write them: separators, 万, and the formal numerals that a contract must carry."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucontract.contracts.amounts import as_agreed, formal, in_full, in_wan

FORMAL = [
    ("0", "零元整"),
    ("0.01", "壹分"),
    ("0.10", "壹角整"),
    ("0.56", "伍角陆分"),
    ("1", "壹元整"),
    ("10", "壹拾元整"),
    ("10.05", "壹拾元零伍分"),
    ("10.50", "壹拾元伍角整"),
    ("100.53", "壹佰元伍角叁分"),
    ("101", "壹佰零壹元整"),
    ("1001", "壹仟零壹元整"),
    ("1010", "壹仟零壹拾元整"),
    ("1409.50", "壹仟肆佰零玖元伍角整"),
    ("6007.14", "陆仟零柒元壹角肆分"),
    ("10000", "壹万元整"),
    ("10001", "壹万零壹元整"),
    ("10100", "壹万零壹佰元整"),
    ("16409.02", "壹万陆仟肆佰零玖元零贰分"),
    ("65000", "陆万伍仟元整"),
    ("100000", "壹拾万元整"),
    ("107000.53", "壹拾万柒仟元伍角叁分"),
    ("1000000", "壹佰万元整"),
    ("1560000", "壹佰伍拾陆万元整"),
    ("10001000", "壹仟万壹仟元整"),
    ("100000000", "壹亿元整"),
    ("100000001", "壹亿零壹元整"),
    ("100010000", "壹亿零壹万元整"),
    ("110000000", "壹亿壹仟万元整"),
    ("100000000.01", "壹亿元零壹分"),
    ("3690000000", "叁拾陆亿玖仟万元整"),
    ("1000000000000", "壹万亿元整"),
    ("1000000000001", "壹万亿零壹元整"),
    ("1234567890.12", "壹拾贰亿叁仟肆佰伍拾陆万柒仟捌佰玖拾元壹角贰分"),
    ("0.005", "壹分"),
    ("-3.20", "负叁元贰角整"),
    ("-0.001", "零元整"),
]


@pytest.mark.parametrize(("amount", "said"), FORMAL, ids=[row[0] for row in FORMAL])
def test_formal_numerals(amount, said):
    assert formal(Decimal(amount)) == f"人民币{said}"


def test_other_currencies_are_named():
    assert formal(Decimal(5), "USD") == "美元伍元整"


def read_back(said):
    """A reader's own way to the number, written apart from the code under test."""
    digits = {digit: value for value, digit in enumerate("零壹贰叁肆伍陆柒捌玖")}
    small = {"拾": 10, "佰": 100, "仟": 1000}
    total = section = digit = 0
    for sign in said:
        if sign in digits:
            digit = digits[sign]
        elif sign in small:
            section, digit = section + digit * small[sign], 0
        elif sign == "万":
            total, section, digit = total + (section + digit) * 10**4, 0, 0
        elif sign == "亿":
            total, section, digit = (total + section + digit) * 10**8, 0, 0
    return total + section + digit


@given(st.integers(0, 10**15))
def test_formal_numerals_read_back_to_the_same_number(number):
    said = formal(Decimal(number)).removeprefix("人民币").removesuffix("元整")
    assert read_back(said) == number
    assert "零零" not in said and not (number and said.endswith("零"))


@given(st.integers(0, 10**12), st.integers(0, 99))
def test_formal_numerals_read_back_to_the_same_cents(whole, cents):
    said = formal(Decimal(100 * whole + cents) / 100).removeprefix("人民币")
    front, _, small = said.rpartition("元") if "元" in said else ("零", "", said)
    digits = {numeral: value for value, numeral in enumerate("零壹贰叁肆伍陆柒捌玖")}
    tenths = digits[small[small.index("角") - 1]] if "角" in small else 0
    hundredths = digits[small[small.index("分") - 1]] if "分" in small else 0
    assert (read_back(front), 10 * tenths + hundredths) == (whole, cents)
    assert said.endswith("整") == (cents % 10 == 0)
    assert ("元零" in said) == (whole > 0 and 0 < cents < 10)


FULL = [
    ("1560000", "1,560,000.00 元", "CNY 1,560,000.00"),
    ("0", "0.00 元", "CNY 0.00"),
    ("0.005", "0.01 元", "CNY 0.01"),
    ("-1234.5", "-1,234.50 元", "CNY -1,234.50"),
]


@pytest.mark.parametrize(("amount", "zh", "en"), FULL, ids=[row[0] for row in FULL])
def test_in_full(amount, zh, en):
    assert (in_full(Decimal(amount)).zh, in_full(Decimal(amount)).en) == (zh, en)


WAN = [
    ("1560000", "156 万元", "CNY 1.56 million"),
    ("780000.5", "约 78 万元", "CNY about 780 thousand"),
    ("3690000000", "36.9 亿元", "CNY 3,690 million"),
    ("0", "0 万元", "CNY 0 thousand"),
]


@pytest.mark.parametrize(("amount", "zh", "en"), WAN, ids=[row[0] for row in WAN])
def test_in_ten_thousands(amount, zh, en):
    assert (in_wan(Decimal(amount)).zh, in_wan(Decimal(amount)).en) == (zh, en)


@pytest.mark.parametrize(
    ("amount", "zh"),
    [("65000", "65,000.00 元"), ("0.0001", "0.0001 元"), ("12.3", "12.30 元"), ("9.8700", "9.87 元")],
)
def test_what_is_agreed_is_never_rounded(amount, zh):
    assert as_agreed(Decimal(amount), "CNY").zh == zh
