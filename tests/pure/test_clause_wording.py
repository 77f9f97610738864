"""How clauses read: rows of several columns, and formal wording where the form asks a question."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.canonical import decode, encode
from gpucontract.contracts.clauses import thaw
from gpucontract.contracts.compile import clauses
from gpucontract.contracts.printing import condition_lines, printed_value
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.templates import templates
from gpucontract.contracts.values import words
from gpucontract.wording import Text
from tests.pure.making import drafted

COLLOQUIAL = re.compile("归谁|怎么|哪个|哪些|哪份|哪天|哪里|哪种|几轮|多久|什么|由谁|多少|谁的|何时|能看到|是否")
INFOS = [*TERMS.values(), *(column for info in TERMS.values() for column in info.columns)]


@pytest.mark.parametrize(
    ("term", "row", "zh", "en"),
    [
        ("other_fees", {"kind": "power", "basis": "included"}, "电费，收取方式：已含在价内",
         "power; Charged: included in the price"),
        ("credit_tiers", {"lower_pct": 99, "upper_pct": 100, "credit_pct": 10},
         "可用性不低于 99 %，且低于 100 %，按赔付基数赔付 10 %",
         "Availability from: 99 %; up to: 100 %; Credit, as a share of its base: 10 %"),
        ("hw_fault_definition", {"kind": "gpu_missing", "criterion": "少于 8 张"}, "掉卡，判据：少于 8 张",
         "GPU missing; Criterion: 少于 8 张"),
        ("onsite_spares", {"part": "gpu", "quantity": 2}, "GPU，数量 2 件", "GPU; Quantity: 2 pieces"),
        ("appendix_precedence", {"paper": "body"}, "合同正文", "the body of the contract"),
    ],
)  # fmt: skip
def test_a_row_reads_as_a_sentence(term, row, zh, en):
    said = words(TERMS[term], row)
    assert (said.zh, said.en) == (zh, en)


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.id)
def test_no_clause_is_called_by_a_question(info):
    assert not COLLOQUIAL.search(info.formal.zh)


def test_the_form_keeps_its_friendly_label():
    custody = TERMS["failed_disk_custody"]
    assert (custody.label.zh, custody.formal.zh) == ("坏盘归谁", "故障盘的归属")


def test_the_clause_carries_the_formal_wording_and_one_that_does_not_apply_too():
    said = {clause.key: clause.text.zh for clause in clauses(drafted())}
    assert said["c/failed_disk_custody"] == "故障盘的归属：甲方保留"
    assert said["c/hw_fault_definition:3"] == "硬件故障判据：掉卡，判据：nvidia-smi 显示的 GPU 少于 8 张"
    assert said["c/dispute_place"].startswith("管辖法院或仲裁机构：")


@pytest.mark.parametrize("template", templates().values(), ids=lambda each: each.id)
def test_no_line_of_a_template_asks_anything(template):
    labels = [clause.text.zh.partition("：")[0] for clause in clauses(template.terms) if "：" in clause.text.zh]
    assert labels and not [label for label in labels if COLLOQUIAL.search(label)]


def compiled(**given):
    """The clauses of the sample with some terms given otherwise."""
    return {clause.key: clause for clause in clauses(drafted(**given))}


COUNTED = [
    ("c/retest_rounds_max", {"c__retest_rounds_max": 2}, "复测轮数上限：2 轮", "Retests, at most: 2 rounds"),
    ("c/local_ops_staff", {"c__local_ops_staff": 2}, "本地运维人数：2 人", "Local operations staff: 2 people"),
    ("c/rca_days", {"c__rca_days": 1}, "故障报告时限：1 个工作日", "Fault report within: 1 working day"),
    ("c/confidentiality_years", {"c__confidentiality_years": 5}, "保密期限：5 年", "Confidentiality lasts for: 5 years"),
    ("c/total_gpu_count_stated", {"c__total_gpu_count_stated": 1_280_000}, "合同写明的 GPU 总数：1,280,000 张 GPU",
     "Total GPUs as stated: 1,280,000 GPUs"),
    ("c/credit_cap_pct", {"c__credit_cap_pct": 50}, "每月赔付上限（占赔付基数）：50 %",
     "Credits per month, at most, as a share of their base: 50 %"),
    ("m1/shared_write_iops", {"m1__shared_write_iops": 300_000}, "/data：写 IOPS 下限：300,000 IOPS",
     "/data: Write IOPS, at least: 300,000 IOPS"),
    ("m1/storage_expand_price", {"m1__storage_expand_price": Decimal(120), "c__currency": "HKD"},
     "/data：扩容单价（每 TB 每月）：120.00 港元", "/data: Price of more space (per TB and month): HKD 120.00"),
    ("c/price", {"c__currency": "USD"}, "单价 65,000.00 美元（每台每月）", "The price is USD 65,000.00 (per machine and month)"),
    ("c/deemed_acceptance_days", {"c__deemed_acceptance_days": 10, "c__day_basis": "working"},
     "视为合格的期限：10 个工作日", "Deemed accepted after: 10 working days"),
    ("g1/fabric_type", {"g1__inter_fabric_type": "ethernet_tcp"}, "机器之间通过以太网 TCP 通信",
     "The machines talk to each other over Ethernet with TCP"),
    ("c/sla_exclusions", {"c__sla_exclusions": ("force_majeure", "catch_all")}, "不计入的情形：不可抗力、其他情形",
     "What is excluded: force majeure, other cases"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "given", "zh", "en"), COUNTED, ids=[row[0] for row in COUNTED])
def test_a_line_says_its_unit_and_what_a_share_is_of(key, given, zh, en):
    text = compiled(**given)[key].text
    assert (text.zh, text.en) == (zh, en)


VALUES = [
    ("g1/gpu_count", {}, "8 张 GPU", "8 GPUs"),
    ("g1/inactive_links", {}, "无", "none"),
    ("c/window", {"c__day_basis": "working"}, "14 个工作日", "14 working days"),
    ("c/term_months", {"c__term_start": None}, "12 个月", "12 months"),
    ("g1/gpu_nic_affinity", {"g1__fabric_topology": "rail_optimized"}, "PIX 或 PXB", "PIX or PXB"),
    ("c/other_fees:1", {"c__other_fees": ({"kind": "power", "basis": "once", "amount": Decimal(1234)},),
                        "c__currency": "HKD"},
     "电费，收取方式：一次性，金额 1,234.00 港元", "power; Charged: once; Amount: HKD 1,234.00"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "given", "zh", "en"), VALUES, ids=[row[0] for row in VALUES])
def test_the_agreed_value_says_the_same(key, given, zh, en):
    clause = compiled(**given)[key]
    assert printed_value(clause) == Text(zh, en) == printed_value(thaw(decode(encode(clause.frozen()))))


def notes(clause):
    return [line.zh for line in condition_lines(clause)]


def test_a_test_through_the_cache_is_never_printed_as_one_past_it():
    profile = {"rw": "read", "block_size": "1MiB", "iodepth": 32, "numjobs": 8, "clients": 2, "runtime_s": 60}
    agreed = {"m1__shared_read_gbs": Decimal(10), "m1__shared_type": "parallel_fs"}
    past = compiled(**agreed, m1__io_test_profile=({**profile, "direct": True},))["m1/read"]
    through = compiled(**agreed, m1__io_test_profile=({**profile, "direct": False},))["m1/read"]
    assert "直接读写，不经缓存" in notes(past) and "块大小：1 MiB" in notes(past)
    assert "直接读写，不经缓存" not in notes(through) and "不绕过缓存" in notes(through)


def test_the_protocol_agreed_is_printed_even_where_no_tool_shows_it_by_name():
    assert "文件系统：FUSE" in notes(compiled(m1__shared_type="object", m1__protocol="fuse")["m1/type"])


def test_an_empty_list_is_no_condition():
    unknown = compiled(g1__gpu_model="没有这一型号")["g1/gpu_model"]
    assert unknown.conditions["printed_names"] == [] and notes(unknown) == []


def test_the_allowance_says_what_it_is_a_share_of():
    found = compiled()
    assert "工具显示值达到约定值的 97 % 即符合" in notes(found["g1/ram"])
    assert "驱动显示的显存达到 81,559 MiB（该型号显示的最小值）的 99 % 即符合" in notes(found["g1/gpu_memory"])


def test_a_row_frozen_without_its_currency_is_given_none():
    fee = {"kind": "power", "basis": "once", "amount": Decimal(1234)}
    clause = compiled(c__other_fees=(fee,), c__currency="HKD")["c/other_fees:1"]
    assert printed_value(replace(clause, conditions={})).zh == "电费，收取方式：一次性，金额 1,234"
