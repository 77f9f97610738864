"""Nothing on paper reads like a program: rows, patterns and switches are said in words."""

import re

import pytest

from gpucontract.contracts.compile import clauses
from gpucontract.contracts.printing import condition_lines, printed_value
from gpucontract.contracts.terms import Terms
from gpucontract.verdicts.sentences import shown_value
from tests.sample_terms import SAMPLE

BODY = {clause.key: clause for clause in clauses(Terms(SAMPLE))}
RAW = re.compile(r"[a-z]+_[a-z]+|\w=\w|\bout_of_place\b")
# These are names that people type or tools print, and stay as they are.
NAMES = ("pcie_topology_map", "monitoring_access")


@pytest.mark.parametrize("clause", BODY.values(), ids=BODY)
def test_no_line_shows_a_name_of_a_column_or_a_key(clause):
    if clause.name in NAMES:
        return
    for text in (printed_value(clause), *condition_lines(clause)):
        assert not RAW.search(text.zh) and not RAW.search(text.en), text


def test_a_switch_and_a_pattern_are_said_in_words():
    assert printed_value(BODY["g1/mig_off"]).zh == "关闭"
    said = [text.zh for clause in BODY.values() for text in condition_lines(clause)]
    assert "取非原位（out-of-place）列" in said


def test_the_transport_is_explained_and_not_only_named():
    said = [text.zh for clause in BODY.values() for text in condition_lines(clause)]
    assert "NCCL 日志中的传输：IB verbs（RoCE 也显示为 IB）" in said


def test_a_measured_transport_is_said_in_words():
    assert shown_value(BODY["g1/fabric_type"], "Socket").zh == "TCP 套接字（Socket）"
