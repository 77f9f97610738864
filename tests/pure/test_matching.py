"""Which term a label means, and where a sheet keeps labels and values."""

import pytest

from gpucontract.contracts.matching import Layout, entries_of, guess, layout_of, mappable, synonyms
from gpucontract.contracts.sheets import read_sheets
from tests.books import SPEC, book

LABELS = [
    ("GPU型号", "gpu_model", True),
    ("gpu_model", "gpu_model", True),
    ("GPU Model:", "gpu_model", True),
    ("内存（GB）", "ram_gb_per_node", True),
    (" 单机  内存 ", "ram_gb_per_node", True),
    ("CPU 型号", "cpu_model", True),
    ("节点内存容量要求", "ram_gb_per_node", False),
    ("网卡速率(Gb/s)", "inter_port_gbps", True),
    ("Driver version", "driver_version", True),
    ("SLA", "sla_availability_pct", True),
]


@pytest.mark.parametrize(("label", "term", "is_sure"), LABELS, ids=[row[0] for row in LABELS])
def test_a_label_is_known_by_name_or_synonym(label, term, is_sure):
    found = guess(label)
    assert (found.term, found.is_sure) == (term, is_sure)


@pytest.mark.parametrize("label", ["颜色", "备注", "", "（GB）", "序号", "x"])
def test_a_label_nobody_knows_is_left_alone(label):
    assert guess(label) is None


def test_every_synonym_is_of_a_term_that_a_cell_can_hold():
    assert set(synonyms()) <= {info.id for info in mappable()}


@pytest.mark.parametrize("info", mappable(), ids=lambda info: info.id)
def test_every_term_is_found_by_its_id(info):
    assert guess(info.id).term == info.id


def test_a_list_of_labels_is_found_with_its_values_and_units():
    sheet = read_sheets(SPEC)[0]
    assert layout_of(sheet) == Layout(1, 2, 3)
    entries = {entry.label: entry for entry in entries_of(sheet, layout_of(sheet))}
    assert (entries["GPU数量"].value.text, entries["GPU数量"].unit, entries["GPU数量"].value_at) == ("8", "张", "B5")
    assert entries["租期"].value is None


def test_labels_along_a_row_are_found_too():
    sheet = read_sheets(book([["报价单"], ["GPU型号", "单卡显存", "台数", "内存(GB)"], ["H100", "80GB", 4, 2048]]))[0]
    layout = layout_of(sheet)
    assert layout == Layout(2, 3, 0, is_across=True)
    entry = next(each for each in entries_of(sheet, layout) if each.label.startswith("内存"))
    assert (entry.label_at, entry.value_at, entry.unit) == ("D2", "D3", "GB")
