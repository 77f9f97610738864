"""What the catalogue proposes for a draft, and when it holds its tongue."""

from decimal import Decimal

import pytest

from gpucontract.contracts.suggestions import THRESHOLD_SOURCES, suggestion
from tests.pure.making import GONE, drafted

# path, changes, value, source
PROPOSED = [
    ("g1/intra_busbw_min", {}, Decimal(455), "public_reference"),
    ("g1/intra_busbw_min", {"g1__gpu_model": "A100 80GB SXM4"}, Decimal(220), "public_reference"),
    ("g1/intra_busbw_min", {"g1__gpu_model": "H200 SXM 141GB"}, Decimal(456), "public_reference"),
    ("g1/intra_busbw_min", {"g1__gpu_model": "H20 96GB"}, Decimal(315), "estimated"),
    ("g1/intra_busbw_min", {"g1__gpus_per_node": 4}, Decimal(315), "estimated"),
    (
        "g1/intra_busbw_min",
        {"g1__gpu_model": "MI300X 192GB", "g1__intra_link_type": "other"},
        Decimal(297),
        "public_reference",
    ),
    ("g1/inter_busbw_min", {}, Decimal(294), "public_reference"),
    ("g1/inter_busbw_min", {"g1__inter_fabric_type": "infiniband"}, Decimal(313), "public_reference"),
    ("g1/rdma_bw_min_gbps", {}, Decimal(360), "public_reference"),
    ("g1/nvlink_active_links_min", {}, 18, "catalogue"),
    ("g1/nvlink_active_links_min", {"g1__gpu_model": "A800 80GB SXM4"}, 8, "catalogue"),
    ("g1/nvlink_bw_gbs", {}, 900, "catalogue"),
    ("g1/nvlink_bw_gbs", {"g1__nvlink_bw_convention": "per_direction"}, 450, "catalogue"),
    ("g1/nvlink_generation", {}, 4, "catalogue"),
    ("g1/nvlink_generation", {"g1__intra_link_type": GONE}, 4, "catalogue"),
    ("g1/inter_test_collective", {}, "all_gather", "catalogue"),
    ("g1/inter_test_collective", {"g1__node_count": 4}, "all_reduce", "catalogue"),
]
SILENT = [
    ("g1/intra_busbw_min", {"g1__gpu_model": GONE}),
    ("g1/intra_busbw_min", {"g1__gpu_model": "Banana 9000"}),
    ("g1/intra_busbw_min", {"g1__intra_busbw_msg_size": "128MiB"}),
    ("g1/intra_busbw_min", {"g1__intra_link_type": "pcie_switch"}),
    ("g1/intra_busbw_min", {"g1__gpu_model": "MI300X 192GB", "g1__intra_link_type": "pcie_switch"}),
    ("g1/intra_busbw_min", {"g1__gpu_model": "RTX 5090 32GB", "g1__intra_link_type": "pcie_switch"}),
    ("g1/intra_busbw_min", {"g1__gpu_model": "RTX 5090 32GB", "g1__intra_link_type": "other"}),
    (
        "g1/intra_busbw_min",
        {"g1__gpu_model": "A100 80GB PCIe", "g1__intra_link_type": "nvlink_bridge", "g1__gpus_per_node": 2},
    ),
    ("g1/rdma_bw_min_gbps", {"g1__inter_fabric_type": "ethernet_tcp"}),
    ("g1/rdma_bw_min_gbps", {"g1__node_count": 1}),
    ("g1/inter_test_collective", {"g1__node_count": 1}),
    ("g1/inter_busbw_min", {"g1__node_count": 1}),
    ("g1/inter_busbw_min", {"g1__inter_fabric_type": "ethernet_tcp"}),
    ("g1/inter_busbw_min", {"g1__inter_port_gbps": GONE}),
    ("g1/nvlink_active_links_min", {"g1__intra_link_type": "pcie_root"}),
    ("g1/nvlink_bw_gbs", {"g1__gpu_model": "RTX 4090 24GB"}),
    ("g1/nvlink_generation", {"g1__gpu_model": "L40S 48GB"}),
    ("g1/nvlink_generation", {"g1__gpu_model": "A100 80GB PCIe", "g1__intra_link_type": GONE}),
    ("g1/nvlink_generation", {"g1__intra_link_type": "pcie_switch"}),
    ("g1/nvlink_bw_gbs", {"g1__intra_link_type": "pcie_switch"}),
    ("g1/inter_busbw_min", {"g1__gpu_model": "RTX 5090 32GB", "g1__intra_link_type": "pcie_switch"}),
    ("g1/cpu_model", {}),
]


def case(row):
    return f"{row[0]}:{','.join(f'{name}={value}' for name, value in row[1].items()) or 'sample'}"


@pytest.mark.parametrize(("path", "changes", "value", "source"), PROPOSED, ids=map(case, PROPOSED))
def test_it_proposes_with_a_reason(path, changes, value, source):
    found = suggestion(drafted(**changes), path)
    assert (found.value, found.source) == (value, source)
    assert "{" not in found.reason.zh + found.reason.en
    assert found.source in THRESHOLD_SOURCES


@pytest.mark.parametrize(("path", "changes"), SILENT, ids=map(case, SILENT))
def test_it_proposes_nothing_it_does_not_know(path, changes):
    assert suggestion(drafted(**changes), path) is None


def test_the_reason_can_be_recomputed_by_the_reader():
    found = suggestion(drafted(), "g1/inter_busbw_min")
    assert found.reason.zh == "网卡合计 400 GB/s 与单机环形 368 GB/s 中较小的一个 × 0.80"
