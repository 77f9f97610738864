"""What the sample contract's terms compile to, and how a clause's identity follows its sources."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from gpucontract.canonical import decode, encode
from gpucontract.contracts.clauses import VerifiedBy, thaw
from gpucontract.contracts.compile import clauses
from gpucontract.contracts.sections.steps import SECTIONS
from gpucontract.contracts.terms import Terms
from tests.pure.making import GONE, drafted


def compiled(terms=None, **changes):
    return {clause.key: clause for clause in clauses(terms or drafted(**changes))}


# key, Chinese, English
SENTENCES = [
    ("g1/node_count", "交付 2 台机器", "Machines delivered: 2"),
    ("g1/gpu_count", "每台机器有 8 张 GPU", "Each machine has 8 GPUs"),
    ("g1/gpus_in_one_machine", "同一台机器内的 GPU ≥ 8 张，不拆到多台机器",
     "At least 8 GPUs sit in one and the same machine, not spread over several"),
    ("g1/gpu_model", "每张 GPU 的型号为 H100 SXM5 80GB", "Each GPU is of the model H100 SXM5 80GB"),
    ("g1/gpu_memory", "每张 GPU 的显存 ≥ 80 GB", "Each GPU has at least 80 GB of memory"),
    ("g1/kind", "同一台机器内的 GPU 通过 NVLink + NVSwitch 互联",
     "The GPUs of a machine are linked by NVLink with NVSwitch"),
    ("g1/links_per_gpu", "每张 GPU 的 NVLink 活动链路数 ≥ 18", "Each GPU has at least 18 active NVLink links"),
    ("g1/inactive_links", "每张 GPU 都没有未激活的 NVLink 链路", "No GPU has an inactive NVLink link"),
    ("g1/pcie_width", "每张 GPU 的 PCIe 链路宽度 ≥ x16", "The PCIe link of each GPU is at least x16 wide"),
    ("g1/busbw_intra:8GiB", "单机 8 张 GPU 的 all_reduce 总线带宽（busbw，消息 8 GiB）≥ 455 GB/s",
     "The all_reduce bus bandwidth (busbw, 8 GiB messages) of the 8 GPUs of one machine is at least 455 GB/s"),
    ("g1/busbw_inter:8GiB", "2 台机器共 16 张 GPU 的 all_gather 总线带宽（busbw，消息 8 GiB）≥ 294 GB/s",
     "The all_gather bus bandwidth (busbw, 8 GiB messages) of 16 GPUs in 2 machines is at least 294 GB/s"),
    ("g1/gpu_nic_affinity", "每张 GPU 到最近网卡的路径为 PIX 或 PXB",
     "The path from each GPU to its nearest NIC is PIX or PXB"),
    ("g1/local_capacity", "每台机器的本地 NVMe 数据盘总容量 ≥ 30.72 TB",
     "The local NVMe data disks of each machine hold at least 30.72 TB together"),
    ("m1/present", "交付时每台机器已挂载 /data，可读可写",
     "At delivery /data is mounted on each machine, to read and write"),
    ("m1/type", "/data 的存储类型为并行文件系统", "The storage at /data is of this type: parallel file system"),
    ("c/driver", "GPU 驱动版本 ≥ 550.54", "The GPU driver is version 550.54 or newer"),
    ("c/root", "甲方在每台机器上有 root 权限", "The buyer has root access on each machine"),
    ("c/window", "验收期为 14 个自然日，自交付之日起算",
     "The acceptance window is 14 calendar days from the day of delivery"),
    ("c/remedy", "验收不合格时可以：整改后复测、更换、降价",
     "What misses its mark at acceptance leads to: cure and retest, replace, price cut"),
    ("c/documents:hardware_list", "交付时提供硬件清单", "Handed over at delivery: hardware list"),
    ("c/price", "单价 65,000.00 元（每台每月）", "The price is CNY 65,000.00 (per machine and month)"),
    ("c/term", "租期自 2027-01-01 起，共 12 个月", "The term starts on 2027-01-01 and lasts 12 months"),
    ("c/data_deletion", "租期结束后 37 天内删除全部数据，方式：净化",
     "All data are erased within 37 days after the term; method: purge"),
    ("g1/nvlink_bw_gbs", "单卡 NVLink 总带宽：900 GB/s", "NVLink bandwidth per GPU: 900 GB/s"),
    ("c/buyer_name", "甲方全称：武汉星野智能科技有限公司", "Buyer's legal name: 武汉星野智能科技有限公司"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "zh", "en"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_clause_reads_like_a_contract_line(key, zh, en):
    text = compiled()[key].text
    assert (text.zh, text.en) == (zh, en)


CONDITIONS = [
    ("g1/gpu_model", {"printed_names": ["NVIDIA H100 80GB HBM3"], "memory_mib": [81559]}),
    ("g1/gpu_memory", {"allowance": "0.99", "smallest_mib": 81559}),
    ("g1/ram", {"allowance": "0.97"}),
    ("g1/gpus_in_one_machine", {"hosts": 1}),
    ("g1/links_per_gpu", {"catalogue_links": 18}),
    ("g1/busbw_intra:8GiB", {"size_bytes": 2**33, "collective": "all_reduce", "hosts": 1, "ranks": 8,
                             "placement": "out_of_place", "validation": True}),
    ("g1/fabric_type", {"link_layer": "Ethernet", "transport": "IB"}),
    ("g1/nic_count", {"link_layer": "Ethernet", "state": "Active", "port_gbps": 400}),
    ("g1/port_rate", {"ports": 8}),
    ("g1/busbw_inter:8GiB", {"collective": "all_gather", "hosts": 2, "ranks": 16, "transport": "IB",
                             "validation": True}),
    ("m1/type", {"mount": "/data", "fs_types": ["lustre"]}),
    ("m1/capacity", {"mount": "/data", "basis": "usable"}),
    ("c/root", {"agent_started_by": "buyer"}),
    ("g1/health_xid", {"codes": [48, 64, 79, 95, 119, 120]}),
    ("c/price", {"currency": "CNY", "pricing_unit": "CNY/node/month", "month_basis": "calendar"}),
]  # fmt: skip


@pytest.mark.parametrize(("key", "expected"), CONDITIONS, ids=[row[0] for row in CONDITIONS])
def test_a_clause_carries_what_the_judge_needs(key, expected):
    conditions = compiled()[key].conditions
    assert {name: conditions.get(name) for name in expected} == expected


@pytest.mark.parametrize("clause", clauses(drafted()), ids=lambda clause: clause.key)
def test_a_clause_comes_back_from_its_frozen_form_unchanged(clause):
    again = thaw(decode(encode(clause.frozen())))
    assert (again.value, again.sha256) == (clause.value, clause.sha256)


def test_every_number_is_a_decimal():
    assert not [clause.key for clause in clauses(drafted()) if isinstance(clause.value, int | float) and
                not isinstance(clause.value, bool)]  # fmt: skip


def test_keys_stand_once_and_sections_follow_the_wizard():
    found = clauses(drafted())
    assert len({clause.key for clause in found}) == len(found)
    places = [list(SECTIONS).index(clause.section) for clause in found]
    assert places == sorted(places)


def test_rates_and_only_rates_carry_repeats_and_tolerance():
    found = compiled(c__repeat_runs=5, c__repeat_rule="worst", c__tolerance_pct=Decimal(2))
    for clause in found.values():
        expected = (5, "worst", Decimal(2)) if clause.kind == "rate" else (1, "median", Decimal(0))
        assert (clause.repeats, clause.repeat_rule, clause.tolerance) == expected, clause.key


def test_a_term_that_is_not_given_makes_no_line():
    found = compiled(g1__intra_busbw_min=GONE, c__cuda_version=GONE, m1__shared_capacity_tb=GONE)
    assert not {"g1/busbw_intra:8GiB", "c/cuda", "m1/capacity"} & set(found)


WITHOUT = [
    ("single machine", {"g1__node_count": 1},
     {"g1/fabric_type", "g1/busbw_inter:8GiB", "g1/wrong_results_inter", "g1/gdr"}),
    ("single GPU", {"g1__gpus_per_node": 1}, {"g1/busbw_intra:8GiB", "g1/wrong_results_intra"}),
    ("shared cards", {"g1__gpu_exclusive": False}, {"g1/mig_off"}),
    ("PCIe", {"g1__intra_link_type": "pcie_switch"}, {"g1/links_per_gpu", "g1/inactive_links", "c/fabric_manager"}),
    ("bridge", {"g1__intra_link_type": "nvlink_bridge"}, {"g1/inactive_links", "c/fabric_manager"}),
    ("other topology", {"g1__fabric_topology": "fat_tree"}, {"g1/gpu_nic_affinity"}),
    ("no root", {"c__root_access": False}, {"c/root"}),
    ("no containers", {"c__container_runtime": "none"}, {"c/container"}),
    ("version without number", {"c__driver_version": "最新"}, {"c/driver"}),
    ("no burn-in", {"c__acceptance_burnin_hours": 0}, {"g1/burn_in_hours", "g1/burn_in_interrupts"}),
    ("window without day basis", {"c__day_basis": GONE}, {"c/window"}),
]  # fmt: skip


@pytest.mark.parametrize(("_", "changes", "absent"), WITHOUT, ids=[row[0] for row in WITHOUT])
def test_a_clause_stands_only_where_it_applies(_, changes, absent):
    before = compiled(c__acceptance_burnin_hours=72)
    assert absent <= set(before)
    found = compiled(**changes)
    assert not absent & {key for key, clause in found.items() if clause.metric or clause.name == "window"}


def test_what_promises_nothing_measurable_still_prints_as_a_plain_line():
    found = compiled(c__root_access=False, c__driver_version="最新", c__day_basis=GONE)
    for key in ("c/root_access", "c/driver_version", "c/acceptance_window_days"):
        assert found[key].verified_by is VerifiedBy.NONE
    assert found["c/root_access"].text.zh == "root 权限：否"


def test_nothing_given_is_lost():
    terms = drafted()
    found = clauses(terms)
    said = {clause.term for clause in found} | {clause.key.partition(":")[0] for clause in found}
    silent = {f"{code}/{term}" for code, row in terms.rows.items() for term in row} - said
    as_conditions = {
        "g1/name", "g1/intra_busbw_msg_size", "g1/inter_test_nodes", "g1/inter_test_collective", "m1/path", "m1/groups",
        "m1/protocol", "m1/capacity_basis", "c/day_basis", "c/currency", "c/pricing_unit", "c/month_basis",
        "c/term_months", "c/data_deletion_method", "c/delivery_documents",
    }  # fmt: skip
    assert silent == as_conditions


def test_a_version_is_held_as_its_number():
    assert compiled(c__driver_version="≥ 550.54 及以上")["c/driver"].value == "550.54"


def test_the_ring_is_named_and_its_variable_allowed():
    ring = compiled(g1__inter_test_collective="all_reduce_ring")["g1/busbw_inter:8GiB"].conditions
    assert (ring["collective"], ring["algorithm"]) == ("all_reduce", "Ring")
    assert "NCCL_ALGO" in ring["env_allowed"]
    assert "NCCL_ALGO" not in compiled()["g1/busbw_inter:8GiB"].conditions["env_allowed"]


def test_a_model_whose_printed_name_nobody_knows_names_none():
    assert compiled(g1__gpu_model="B300 SXM 288GB")["g1/gpu_model"].conditions["printed_names"] == []
    found = compiled(g1__gpu_model="Banana 9000")
    assert found["g1/gpu_model"].conditions == {"printed_names": []}
    assert found["g1/gpu_memory"].conditions == {}


def test_two_groups_are_told_apart_in_the_sentence():
    rows = drafted().rows
    found = compiled(Terms({**rows, "g2": rows["g1"] | {"name": "推理组"}}))
    assert found["g1/gpu_count"].text.zh == "训练组：每台机器有 8 张 GPU"
    assert found["g2/gpu_count"].text.en == "推理组: Each machine has 8 GPUs"


def test_measured_and_documented_clauses_are_mandatory_unless_unticked():
    found = {clause.key: clause for clause in clauses(drafted(), optional={"g1/ram"})}
    assert found["g1/cpu_cores"].mandatory
    assert found["c/licence"].mandatory
    assert not found["g1/ram"].mandatory
    assert not found["c/availability"].mandatory


@pytest.mark.parametrize(("hours", "nodes", "permitted"), [
    (24, 1, 0), (72, 1, 0), (48, 4, 0), (72, 4, 0), (72, 32, 2), (168, 32, 3),
    (72, 256, 6), (168, 256, 12), (336, 256, 21),
])  # fmt: skip
def test_the_permitted_interrupts_follow_from_hours_and_machines(hours, nodes, permitted):
    found = compiled(c__acceptance_burnin_hours=hours, g1__node_count=nodes)["g1/burn_in_interrupts"]
    assert found.value == permitted


# what changed, which clauses the vendor must look at again
REOPENED = [
    ("8 x 400 to 16 x 200", {"g1__nics_per_node": 16, "g1__inter_port_gbps": 200},
     {"g1/nic_count", "g1/port_rate", "g1/busbw_inter:8GiB"}),
    ("model", {"g1__gpu_model": "H200 SXM 141GB"},
     {"g1/gpu_model", "g1/gpu_memory", "g1/links_per_gpu", "g1/busbw_intra:8GiB", "g1/busbw_inter:8GiB"}),
    ("price", {"c__unit_price": Decimal(1)}, {"c/price"}),
    ("nothing but spelling of a number", {"c__unit_price": Decimal("65000.00")}, set()),
    ("term", {"c__term_start": date(2027, 2, 1)}, {"c/term"}),
]  # fmt: skip


@pytest.mark.parametrize(("_", "changes", "reopened"), REOPENED, ids=[row[0] for row in REOPENED])
def test_a_change_reopens_what_follows_from_it_and_nothing_else(_, changes, reopened):
    before, after = compiled(), compiled(**changes)
    assert {key for key in before if key not in after or before[key].sha256 != after[key].sha256} == reopened


def test_a_proposed_mark_names_its_sources_and_a_typed_one_has_none():
    proposed, typed = (
        compiled()["g1/busbw_intra:8GiB"],
        compiled(g1__intra_busbw_min=Decimal(450))["g1/busbw_intra:8GiB"],
    )
    assert (proposed.threshold_source, set(proposed.computed_from)) == (
        "public_reference", {"g1/gpu_model", "g1/gpu_count", "g1/kind"},
    )  # fmt: skip
    assert (typed.threshold_source, dict(typed.computed_from)) == ("contract", {})


def test_a_mark_without_public_figures_says_that_it_is_estimated():
    found = compiled(g1__gpu_model="H20 96GB", g1__intra_busbw_min=Decimal(315))
    assert found["g1/busbw_intra:8GiB"].threshold_source == "estimated"


def test_the_hash_covers_everything_the_vendor_saw():
    clause = compiled()["g1/ram"]
    for change in ({"unit": "GB"}, {"conditions": {"allowance": "0.9"}}, {"mandatory": False}, {"value": Decimal(1)}):
        assert replace(clause, **change).sha256 != clause.sha256


def test_an_amount_carries_the_currency_of_the_contract():
    found = compiled(c__currency="USD")["c/deposit_amount"]
    assert (found.value, found.unit, found.text.zh) == (Decimal(130000), "USD", "押金或保证金：130,000.00 美元")
    assert compiled()["c/total_value_stated"].unit == "CNY"


def test_the_order_of_papers_is_said_line_by_line():
    said = [clause.text.en for clause in clauses(drafted()) if clause.name.startswith("appendix_precedence")]
    assert said == [
        "Order of precedence, no. 1: this appendix",
        "Order of precedence, no. 2: supplements",
        "Order of precedence, no. 3: the body of the contract",
    ]


def test_each_credit_tier_is_a_line_of_its_own():
    said = [clause.text.zh for clause in clauses(drafted()) if clause.name.startswith("credit_tiers")]
    assert said[0] == "赔付阶梯：可用性不低于 99 %，且低于 99.9 %，按赔付基数赔付 10 %"
    assert len(said) == 3
