"""Look-ups: exact names, memory that tells cards apart, marks and ceilings, blanks that stay unknown."""

from decimal import Decimal

import pytest

from gpucontract.catalogue import bandwidth, cuda, proposals, xid
from gpucontract.catalogue.bandwidth import MEASUREMENTS
from gpucontract.catalogue.gpus import GPUS, find, printed

H100, A100, H200, B200 = "H100 SXM5 80GB", "A100 80GB SXM4", "H200 SXM 141GB", "B200 SXM 180GB"
LINK_OF = {"switch": "nvlink_nvswitch", "mesh": "nvlink_mesh", "bridge": "nvlink_bridge"}

PRINTED = [
    ("NVIDIA H100 80GB HBM3", 81559, H100),
    ("NVIDIA H100 PCIe", 81559, "H100 PCIe 80GB"),
    ("NVIDIA A100-SXM4-80GB", 81251, A100),
    ("NVIDIA A100-SXM4-80GB", 81920, A100),
    ("NVIDIA PG509-210", 81920, A100),
    ("NVIDIA GeForce RTX 4090", 24564, "RTX 4090 24GB"),
    ("NVIDIA GeForce RTX 4090", 49140, "RTX 4090 / 4090D 48GB (modified)"),
    ("NVIDIA GeForce RTX 4090 D", 24564, "RTX 4090 D 24GB"),
    ("NVIDIA H20", 97871, "H20 96GB"),
    ("NVIDIA L20X", 143771, "L20X (H200-class, China listing)"),
    ("NVIDIA L20", 143771, None),
    ("NVIDIA H100", 81559, None),
    ("nvidia h100 80gb hbm3", 81559, None),
]


@pytest.mark.parametrize(("name", "memory", "model"), PRINTED, ids=[f"{row[0]}-{row[1]}" for row in PRINTED])
def test_a_printed_name_is_matched_exactly_and_with_its_memory(name, memory, model):
    found = printed(name, memory)
    assert (found and found.name) == model


@pytest.mark.parametrize(
    ("text", "model"),
    [(H100, H100), ("NVIDIA H100 80GB HBM3", H100), ("NVIDIA GeForce RTX 4090", None), ("H100", None), ("", None)],
)
def test_a_model_is_found_by_its_own_name_or_one_that_only_it_prints(text, model):
    found = find(text)
    assert (found and found.name) == model


def test_every_gpu_and_measurement_says_where_it_is_from():
    assert all(row.source for row in MEASUREMENTS)
    assert [gpu.name for gpu in GPUS.values() if not gpu.source] == []


def test_a_blank_is_unknown_and_not_zero():
    assert GPUS["A800 40GB SXM4"].links is None
    assert GPUS["H800 SXM5 80GB"].smallest_mib is None


@pytest.mark.parametrize("gpu", [gpu for gpu in GPUS.values() if gpu.two_way_gbs], ids=lambda gpu: gpu.name)
def test_two_way_is_twice_one_way(gpu):
    assert gpu.two_way_gbs == 2 * gpu.one_way_gbs


def test_measurements_name_models_of_the_catalogue():
    assert all(name in GPUS for row in MEASUREMENTS for name in row.gpus)


INTRA = [
    (A100, 8, "8GiB", 220), (A100, 8, "1GiB", 218), (H100, 8, "8GiB", 455), (H100, 8, "1GiB", 443),
    (H200, 8, "8GiB", 456), (H200, 4, "8GiB", 345), (B200, 8, "8GiB", 796), ("H20 96GB", 8, "8GiB", 315),
    ("H800 SXM5 80GB", 8, "8GiB", 204), ("V100 SXM2 32GB", 8, "8GiB", 105),
    (H100, 8, "128MiB", None), ("A100 80GB PCIe", 8, "8GiB", None), ("RTX 4090 24GB", 8, "8GiB", None),
    ("RTX 5090 32GB", 8, "8GiB", None), ("A100 80GB PCIe", 2, "8GiB", None), ("H100 PCIe 80GB", 2, "8GiB", None),
    ("MI300X 192GB", 8, "8GiB", 297), ("MI300X 192GB", 8, "1GiB", None), (H100, 1, "8GiB", None),
]  # fmt: skip


@pytest.mark.parametrize(("model", "gpus", "size", "mark"), INTRA, ids=[f"{row[0]}x{row[1]}-{row[2]}" for row in INTRA])
def test_the_mark_inside_a_machine(model, gpus, size, mark):
    found = proposals.intra_busbw(GPUS[model], gpus, size)
    assert (found and found.value) == mark


INTER = [
    (H100, "rocev2", 8, 400, 294), (H100, "infiniband", 8, 400, 313), (H100, "rocev2", 8, 100, Decimal("75.0")),
    (A100, "infiniband", 4, 200, Decimal("85.0")), (H100, "ethernet_tcp", 8, 400, None),
    ("RTX 4090 24GB", "rocev2", 8, 400, None), ("H20 96GB", "rocev2", 8, 400, 252),
]  # fmt: skip


@pytest.mark.parametrize(("model", "fabric", "nics", "gbps", "mark"), INTER)
def test_the_mark_between_machines(model, fabric, nics, gbps, mark):
    found = proposals.inter_busbw(GPUS[model], 8, fabric, nics, gbps)
    assert (found and found.value) == mark


CEILINGS = [
    (A100, "nvlink_nvswitch", 8, "all_reduce", None, 300),
    (H100, "nvlink_nvswitch", 8, "all_reduce", None, 700),
    (H100, "nvlink_nvswitch", 8, "all_gather", None, 450),
    (H100, "nvlink_nvswitch", 2, "all_reduce", None, 450),
    (H100, "pcie_switch", 8, "all_reduce", None, 64),
    (H100, "pcie_switch", 8, "all_reduce", 4, 32),
    (B200, "nvlink_nvswitch", 8, "all_reduce", None, 1400),
    ("V100 SXM2 32GB", "nvlink_mesh", 8, "all_reduce", None, 150),
    ("A100 80GB PCIe", "nvlink_bridge", 4, "all_reduce", None, 32),
    ("A100 80GB PCIe", "nvlink_bridge", 2, "all_reduce", None, None),
    ("RTX 4090 24GB", "pcie_root", 8, "all_reduce", 5, 32),
    ("MI300X 192GB", "other", 8, "all_reduce", None, None),
]


@pytest.mark.parametrize(("model", "link", "gpus", "collective", "generation", "most"), CEILINGS)
def test_the_ceiling_inside_a_machine(model, link, gpus, collective, generation, most):
    assert bandwidth.ceiling(GPUS[model], link, gpus, collective, generation) == most


@pytest.mark.parametrize("row", [row for row in MEASUREMENTS if row.is_healthy and row.nodes == 1], ids=str)
def test_no_healthy_figure_is_above_its_ceiling(row):
    for name in row.gpus:
        gpu = GPUS[name]
        link = {"switch": "nvlink_nvswitch", "mesh": "nvlink_mesh", "bridge": "nvlink_bridge"}.get(
            gpu.nvlink, "pcie_root"
        )
        most = bandwidth.ceiling(gpu, link, row.gpus_per_node, row.collective)
        assert most is None or row.busbw_gbs <= most


def test_degraded_and_estimated_runs_never_set_a_mark():
    assert bandwidth.best_at(GPUS[H200], 8, "all_reduce", "16GiB").busbw_gbs == Decimal("482.26")
    assert bandwidth.healthy_range(GPUS[A100], 8) == (Decimal("228.1"), Decimal("234.89"))


# collective, algorithm -> most over 8 ports of 400 Gb/s, GB/s
BETWEEN = [
    ("all_reduce", "", 800), ("all_reduce", "Tree", 800), ("all_reduce", "NVLS_TREE", 800), ("all_reduce", "Ring", 400),
    ("all_reduce", "RING", 400), ("all_gather", "", 400), ("all_gather", "RING", 400), ("reduce_scatter", "", 400),
    ("broadcast", "", 400), ("sendrecv", "", 400),
]  # fmt: skip


@pytest.mark.parametrize(("collective", "algorithm", "most"), BETWEEN)
def test_between_machines_only_an_all_reduce_that_is_no_ring_shows_twice_the_ports(collective, algorithm, most):
    assert bandwidth.inter_ceiling(8, 400, collective, algorithm) == most


# model, link, GPUs of a machine, collective, algorithm -> most that its links let a run across machines show, GB/s
JOINT = [
    (H100, "nvlink_nvswitch", 8, "all_reduce", "", 800), (H100, "nvlink_nvswitch", 4, "all_reduce", "NVLS_TREE", 720),
    (H100, "nvlink_nvswitch", 5, "all_gather", "", Decimal("562.5")), (H100, "nvlink_nvswitch", 5, "all_reduce", "RING", Decimal("562.5")),
    (A100, "nvlink_nvswitch", 5, "all_reduce", "TREE", 375), (H100, "nvlink_nvswitch", 1, "all_reduce", "", None),
    (H100, "pcie_switch", 8, "all_reduce", "", None), ("A100 80GB PCIe", "nvlink_bridge", 8, "all_reduce", "", None),
]  # fmt: skip


@pytest.mark.parametrize(("model", "link", "gpus", "collective", "algorithm", "most"), JOINT)
def test_links_inside_the_machines_bound_a_run_across_them(model, link, gpus, collective, algorithm, most):
    assert bandwidth.joint_ceiling(GPUS[model], link, gpus, collective, algorithm) == most


@pytest.mark.parametrize("row", [row for row in MEASUREMENTS if row.nodes > 1], ids=str)
def test_no_figure_across_machines_is_above_what_their_links_allow(row):
    for name in row.gpus:
        link = {"switch": "nvlink_nvswitch", "mesh": "nvlink_mesh"}.get(GPUS[name].nvlink, "pcie_root")
        most = bandwidth.joint_ceiling(GPUS[name], link, row.gpus_per_node, row.collective, row.algorithm)
        assert most is None or row.busbw_gbs <= most


def test_the_ports_of_a_machine_add_up():
    assert bandwidth.nic_total_gbs(4, 200) == 100


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("550.54.15", (550, 54, 15)), ("≥ 12.4", (12, 4)), ("CUDA 11.8 及以上", (11, 8)), ("最新", None), ("", None)],
)
def test_a_version_is_its_numbers(text, numbers):
    assert cuda.version(text) == numbers


@pytest.mark.parametrize(("model", "first"), [(A100, "11.0"), (H100, "11.8"), (B200, "12.8"), ("V100 SXM2 32GB", None)])
def test_the_first_toolkit_of_an_architecture(model, first):
    assert cuda.first_toolkit(GPUS[model]) == first


@pytest.mark.parametrize(("toolkit", "driver"), [((11, 8), "450"), ((12, 4), "525"), ((13, 0), "580"), ((14, 0), None)])
def test_the_lowest_driver_of_a_toolkit(toolkit, driver):
    assert cuda.lowest_driver(toolkit) == driver


def test_xid_codes_are_told_apart():
    assert xid.FATAL == (48, 64, 79, 95, 119, 120)
    assert set(xid.HARDWARE) == {48, 63, 64, 74, 79, 92, 94, 95, 119, 120, 140, 145, 149}
    assert set(xid.TENANT) == {13, 31, 43, 45, 68, 69, 109}
    assert xid.XIDS[154].severity == "consequence"
