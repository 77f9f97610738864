"""How clauses read: rows of several columns, and formal wording where the form asks a question."""

import re

import pytest

from gpucontract.contracts.compile import clauses
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.templates import templates
from gpucontract.contracts.values import words
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
        ("onsite_spares", {"part": "gpu", "quantity": 2}, "GPU，数量 2 件", "GPU; Quantity: 2"),
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
