"""The terms' table is whole: every term has words in both languages, a column, limits on both sides and a check."""

from decimal import Decimal

import pytest

from gpucontract.contracts.sections.computed import BESIDE, computed
from gpucontract.contracts.sections.gaps import is_required, missing
from gpucontract.contracts.sections.hints import hint
from gpucontract.contracts.sections.steps import SECTION_OF, STEPS, TERMS, terms_of
from gpucontract.contracts.sections.term import YES_NO_TEXT, Kind, Requirement, Row, When
from gpucontract.contracts.sections.values import read
from gpucontract.contracts.tables import CHILD_TABLES, ROW_OF, TABLE_OF, UNPLACED
from gpucontract.contracts.terms import Terms
from gpucontract.units import UNITS
from tests.sample_terms import SAMPLE

ALL = {**TERMS, **{f"{term.id}.{each.id}": each for term in TERMS.values() for each in term.columns}}
NUMBERS = {name: info for name, info in ALL.items() if info.kind in (Kind.WHOLE, Kind.DECIMAL)}


def test_the_ten_steps_come_in_their_order():
    names = "parties nodes interconnect storage software security sla acceptance commercial exit"
    assert [section.id for section in STEPS] == names.split()


def test_no_term_id_stands_twice():
    assert len(TERMS) == sum(len(section.terms) for section in STEPS)


def test_every_term_has_a_column_or_rows():
    assert set() == UNPLACED
    assert {name for name, info in TERMS.items() if info.kind is Kind.ROWS} == set(CHILD_TABLES)


@pytest.mark.parametrize("name", ALL)
def test_a_term_is_said_in_both_languages_and_in_a_known_unit(name):
    info = ALL[name]
    assert info.unit == "" or info.unit in UNITS
    assert info.label.zh != info.why.zh
    assert info.choices or info.kind not in (Kind.CHOICE,)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_bounded_on_both_sides(name):
    info = NUMBERS[name]
    assert info.minimum is not None and info.maximum is not None and 0 <= info.minimum < info.maximum
    assert all(info.minimum <= number <= info.maximum for number in info.choices)


@pytest.mark.parametrize("name", [name for name, info in ALL.items() if info.default is not None])
def test_a_default_fits_its_own_term(name):
    assert read(ALL[name], ALL[name].default) == ALL[name].default


@pytest.mark.parametrize("name", [name for name, info in ALL.items() if info.conditions])
def test_a_condition_names_a_term_in_reach_and_a_value_it_can_have(name):
    info = ALL[name]
    assert info.requirement is not Requirement.REQUIRED
    for condition in info.conditions:
        other = TERMS[condition.term]
        assert other.row in (info.row, Row.CONTRACT) or info.row is Row.CONTRACT
        assert not condition.one_of or set(condition.one_of) <= set(other.choices or YES_NO_TEXT)


def test_a_conditional_term_has_a_condition():
    bare = [name for name, info in ALL.items() if info.requirement is Requirement.CONDITIONAL and not info.conditions]
    assert bare == []


def test_each_table_holds_only_terms_of_its_own_row():
    assert all(TERMS[name].row is ROW_OF[table] for name, table in TABLE_OF.items())
    typed = {name for name, info in TERMS.items() if not info.is_computed}
    assert {info.id for code in ("c", "g1", "m1") for info in terms_of(code)} == typed
    assert set(SECTION_OF) == set(TERMS)


WHEN = [
    (When("x", above=1), 2, True),
    (When("x", above=1), 1, False),
    (When("x", above=0), Decimal("0.5"), True),
    (When("x", above=0), "2", False),
    (When("x", above=0), None, False),
    (When("x", one_of=("a", "b")), "a", True),
    (When("x", one_of=("a", "b")), "c", False),
    (When("x", one_of=("a",)), None, False),
    (When("x", one_of=("a", "b")), ("c", "b"), True),
    (When("x", one_of=("a", "b")), ("c",), False),
    (When("x", one_of=(False,)), False, True),
    (When("x"), "anything", True),
    (When("x"), None, False),
]


@pytest.mark.parametrize(("when", "value", "holds"), WHEN, ids=[f"{w.one_of or w.above}-{v}" for w, v, _ in WHEN])
def test_a_condition_holds_only_for_a_given_value(when, value, holds):
    assert when.holds(value) is holds


def sample(**changes):
    rows = {code: dict(values) for code, values in SAMPLE.items()}
    for path, value in changes.items():
        code, _, term = path.partition("__")
        rows[code][term] = value
    return Terms(rows)


def test_the_sample_lacks_nothing():
    assert missing(sample()) == ()


GAPS = [
    ("g1__gpu_model", "", {"g1/gpu_model"}),
    ("g1__intra_busbw_min", None, {"g1/intra_busbw_min"}),
    ("g1__roce_lossless", (), {"g1/roce_lossless"}),
    ("g1__gpu_ecc_enabled", None, {"g1/gpu_ecc_enabled"}),
    ("g1__gpu_ecc_enabled", False, set()),
    ("g1__cpu_model", "", {"g1/cpu_model"}),
    ("g1__nvlink_generation", None, set()),
    ("g1__nvlink_bw_gbs", None, {"g1/nvlink_bw_gbs"}),
    ("g1__fabric_topology", "", {"g1/fabric_topology"}),
    ("c__nccl_version", "", {"c/nccl_version"}),
    ("c__fabric_manager", None, {"c/fabric_manager"}),
    ("c__storage_data_loss_liability", "", {"c/storage_data_loss_liability"}),
    ("c__datacenter_address", "", set()),
    ("c__seal_type", (), {"c/seal_type"}),
    ("c__tolerance_pct", Decimal(0), set()),
    ("c__vendor_role", "reseller", {"c/asset_title_proof"}),
    ("m1__shared_read_gbs", Decimal(20), {"m1/io_test_profile"}),
    ("g1__gemm_tflops_min", Decimal(700), {"g1/gemm_dtype"}),
]


@pytest.mark.parametrize(("change", "value", "lacking"), GAPS, ids=[f"{c}={v}" for c, v, _ in GAPS])
def test_it_names_exactly_what_is_missing(change, value, lacking):
    assert {gap.path for gap in missing(sample(**{change: value}))} == lacking


def test_a_single_machine_needs_no_network_between_machines():
    terms = sample(g1__node_count=1)
    asked = {info.id for info in terms_of("g1") if is_required(terms, "g1", info)}
    assert asked.isdisjoint({"inter_busbw_min", "inter_fabric_type", "nics_per_node", "inter_test_nodes"})


def test_a_contract_wide_term_is_asked_for_when_one_group_needs_it():
    rows = sample(g1__intra_link_type="pcie_switch", c__fabric_manager=None).rows
    assert "c/fabric_manager" not in {gap.path for gap in missing(Terms(rows))}
    second = Terms({**rows, "g2": {**rows["g1"], "intra_link_type": "nvlink_nvswitch"}})
    assert "c/fabric_manager" in {gap.path for gap in missing(second)}


@pytest.mark.parametrize("info", TERMS.values(), ids=TERMS)
def test_a_seldom_used_term_never_stops_sending(info):
    assert not (info.is_seldom and info.requirement is Requirement.REQUIRED)
    assert not (info.is_computed and info.id in TABLE_OF)


COMPUTED = [
    ("c/total_gpu_count", {}, 16),
    ("c/total_gpu_count", {"g1__node_count": None}, None),
    ("g1/inter_node_gbps", {}, 3200),
    ("g1/inter_node_gbps", {"g1__inter_port_gbps": 200}, 1600),
    ("g1/inter_node_gbps", {"g1__nics_per_node": None}, None),
]


@pytest.mark.parametrize(("path", "changes", "value"), COMPUTED, ids=[f"{p}={v}" for p, _, v in COMPUTED])
def test_what_follows_from_other_terms_is_computed_or_left_open(path, changes, value):
    assert computed(sample(**changes), path) == value


def test_computed_totals_add_up_over_the_groups_and_need_one():
    rows = sample().rows
    assert computed(Terms({**rows, "g2": {**rows["g1"], "node_count": 3}}), "c/total_gpu_count") == 40
    assert computed(Terms({"c": rows["c"]}), "c/total_gpu_count") is None


def test_each_computed_term_stands_beside_a_stated_one_of_its_own_row():
    assert {name for name, info in TERMS.items() if info.is_computed} == set(BESIDE.values())
    for stated, name in BESIDE.items():
        assert (TERMS[stated].row, TERMS[stated].unit) == (TERMS[name].row, TERMS[name].unit)


VAGUE = [
    ("gpu_model", "同等性能", True),
    ("gpu_model", "TBD", True),
    ("vendor_licence_no", "办理中", True),
    ("driver_version", "Latest", True),
    ("vendor_name", "按需。", True),
    ("asset_title_proof", "设备自有,无需证明", True),
    ("gpu_model", "H100 SXM5 80GB", False),
    ("vendor_name", "合约科技有限公司", False),
    ("node_count", 2, False),
    ("driver_version", "最新版", True),
    ("driver_version", "535 及以上", False),
    ("cuda_version", "12.x", True),
    ("cuda_version", "12.X", True),
    ("cuda_version", "１２.*", True),
    ("cuda_version", "≥ 12.4", False),
    ("cuda_version", "", False),
    ("nccl_version", "2.x", True),
    ("buyer_notice_email", "ming.li@qq.com", True),
    ("buyer_notice_email", "legal@company.cn", False),
    ("buyer_notice_email", "微信", True),
    ("vendor_icp_no", "B1-20230001", True),
    ("vendor_icp_no", "鄂ICP备2023000001号-1", False),
]


@pytest.mark.parametrize(("name", "value", "vague"), VAGUE, ids=[f"{n}={v}" for n, v, _ in VAGUE])
def test_it_hints_at_whole_phrases_that_promise_nothing(name, value, vague):
    found = hint(TERMS[name], value)
    assert (found is not None) is vague
    assert found is None or TERMS[name].label.en in found.en
