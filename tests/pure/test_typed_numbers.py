"""Numbers as people type them: thousands in groups of three and full-width digits are read, a guess never is."""

from decimal import Decimal

import pytest

from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.values import TermRefused, read
from gpucontract.contracts.values import priced

READ = [
    ("98,000", Decimal(98000)), ("98，000", Decimal(98000)), ("９８０００", Decimal(98000)),
    ("９８，０００．５", Decimal("98000.5")), ("1,234,567.89", Decimal("1234567.89")), ("98000", Decimal(98000)),
]  # fmt: skip
REFUSED = ["1,00", "98,00", "9800,0", "1,2345", "0,500", ",500", "1,,000", "98、000", "1.5,000", "1800万", "98 000"]


@pytest.mark.parametrize(("typed", "value"), READ, ids=[typed for typed, _value in READ])
def test_it_is_read(typed, value):
    assert read(TERMS["unit_price"], typed) == value


@pytest.mark.parametrize("typed", REFUSED)
def test_it_is_refused_in_a_sentence_with_the_value_the_limit_and_an_example(typed):
    with pytest.raises(TermRefused) as refusal:
        read(TERMS["unit_price"], typed)
    said = refusal.value.text
    assert f"“{typed}”不是数字" in said.zh and "千位逗号" in said.zh and "范围 0 到 10,000,000,000" in said.zh
    assert "from 0 to 10,000,000,000" in said.en


def test_a_whole_number_is_read_the_same_way():
    assert read(TERMS["node_count"], "１,０００") == 1000


def test_a_limit_of_money_is_in_the_contracts_currency():
    with pytest.raises(TermRefused) as refusal:
        read(priced(TERMS["unit_price"], "CNY"), "-1")
    assert refusal.value.text.zh == "单价：-1 元，超出范围。请填 0 到 10,000,000,000 元。"
