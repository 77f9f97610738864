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
REFUSED = ["1,00", "98,00", "9800,0", "1,2345", "0,500", ",500", "1,,000", "98、000", "1.5,000", "1800万", "98 000",
           "10³", "²", "₂", "①", "½", "٣", "𝟏𝟎"]  # fmt: skip


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


@pytest.mark.parametrize(
    ("term", "typed", "value"),
    [
        ("cpu_cores_per_node", "112核", 112), ("cpu_cores_per_node", "112 cores", 112), ("node_count", "1,000 台", 1000),
        ("node_variance_max_pct", "5%", Decimal(5)), ("node_variance_max_pct", "５％", Decimal(5)),
        ("ram_gb_per_node", "2048GiB", 2048), ("rdma_latency_max_us", "3 µs", Decimal(3)), ("change_notice_days", "14天", 14),
        ("change_notice_days", "14 d", 14), ("vendor_registered_capital", "5000万元", Decimal(5000)),
    ],
)  # fmt: skip
def test_the_terms_own_unit_may_be_typed_behind_it(term, typed, value):
    assert read(TERMS[term], typed) == value


@pytest.mark.parametrize(
    ("term", "typed"),
    [
        ("ram_gb_per_node", "2048GB"), ("ram_gb_per_node", "2T"), ("vendor_registered_capital", "5000万"),
        ("change_notice_days", "2 h"), ("node_count", "台"), ("gpus_per_node", "8 台"), ("nvlink_bw_gbs", "900 Gb/s"),
        ("gpu_memory_gb", "80 GB/s"), ("unit_price", "65000元"),
    ],
)  # fmt: skip
def test_any_other_unit_is_refused(term, typed):
    with pytest.raises(TermRefused) as refusal:
        read(TERMS[term], typed)
    assert f"“{typed}”不是数字" in refusal.value.text.zh


def test_the_contracts_currency_may_be_typed_behind_a_price():
    assert read(priced(TERMS["unit_price"], "CNY"), "65,000 元") == 65000
    with pytest.raises(TermRefused):
        read(priced(TERMS["unit_price"], "CNY"), "65,000 美元")


def test_nothing_at_all_goes_with_nothing_else():
    assert read(TERMS["monitoring_access"], ["none"]) == ("none",)
    with pytest.raises(TermRefused) as refusal:
        read(TERMS["monitoring_access"], ["dcgm", "none"])
    assert refusal.value.text.zh == "监控数据开放：“不开放”与其他选项不能同时勾选。请去掉“不开放”或其他各项。"
