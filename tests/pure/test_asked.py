"""A conditional term is asked for exactly where its published condition holds: at its edge, and one step beside it."""

from decimal import Decimal

import pytest

from gpucontract.contracts.sections.gaps import is_asked
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.term import Requirement, Row
from tests.pure.making import GONE, drafted

LINK, FABRIC, NODES = "g1__intra_link_type", "g1__inter_fabric_type", "g1__node_count"
SEVERAL = ({NODES: 2}, {NODES: 1})
NVLINK = ({LINK: "nvlink_bridge"}, {LINK: "pcie_switch"})
CRITICAL = ({"c__workload_profile": "training_critical"}, {"c__workload_profile": "training"})
DEPOSIT = ({"c__deposit_amount": Decimal("0.01")}, {"c__deposit_amount": Decimal(0)})
RENEWAL = ({"c__renewal_type": "by_notice"}, {"c__renewal_type": "none"})
EXIT = ({"c__buyer_exit_right": "fee_months"}, {"c__buyer_exit_right": "none"})
ROCE = ({FABRIC: "rocev2", NODES: 1}, {FABRIC: "infiniband"})

# path -> changes with which it is asked for, and with which it is not
STATED = {
    "c/asset_title_proof": ({"c__vendor_role": "finance_lessee"}, {"c__vendor_role": "owner"}),
    "c/mlps_cert_ref": ({"c__mlps_level": "2"}, {"c__mlps_level": "none"}),
    "g1/gpu_modified_warranty": ({"g1__gpu_modified": True}, {"g1__gpu_modified": False}),
    "g1/gpu_clock_note": ({"g1__gpu_clock_policy": "capped"}, {"g1__gpu_clock_policy": "stock"}),
    "g1/pcie_topology_map": ({"g1__gpus_per_node": 4}, {"g1__gpus_per_node": 3}),
    "g1/gemm_dtype": ({"g1__gemm_tflops_min": Decimal("0.1")}, {"g1__gemm_tflops_min": GONE}),
    "g1/node_variance_max_pct": SEVERAL,
    "g1/spare_node_count": CRITICAL,
    **dict.fromkeys(
        ("g1/nvlink_generation", "g1/nvlink_bw_gbs", "g1/nvlink_bw_convention", "g1/nvlink_all_pairs"), NVLINK
    ),
    "g1/intra_busbw_min": ({"g1__gpus_per_node": 2}, {"g1__gpus_per_node": 1}),
    "g1/intra_busbw_msg_size": ({"g1__intra_busbw_min": Decimal(1)}, {"g1__intra_busbw_min": GONE}),
    **dict.fromkeys(
        ("g1/inter_fabric_type", "g1/inter_port_gbps", "g1/nics_per_node", "g1/nic_model", "g1/oversubscription",
         "g1/fabric_topology", "g1/fabric_dedicated", "g1/inter_busbw_min", "g1/inter_test_nodes",
         "g1/inter_node_gbps_stated", "g1/inter_test_collective"), SEVERAL,
    ),
    "g1/gpudirect_rdma": ({FABRIC: "infiniband", NODES: 1}, {FABRIC: "ethernet_tcp"}),
    "g1/roce_lossless": ROCE,
    "g1/roce_loss_max_ppm": ROCE,
    "m1/capacity_basis": ({"m1__shared_capacity_tb": Decimal("0.001")}, {"m1__shared_capacity_tb": GONE}),
    "m1/io_test_profile": ({"m1__shared_read_gbs": Decimal("0.001")}, {"m1__shared_read_gbs": GONE}),
    "c/storage_backup_rpo_h": ({"c__storage_backup": "vendor"}, {"c__storage_backup": "buyer"}),
    "c/storage_backup_rto_h": ({"c__storage_backup": "vendor"}, {"c__storage_backup": "none"}),
    "c/storage_data_loss_cap_pct": (
        {"c__storage_data_loss_liability": "capped"}, {"c__storage_data_loss_liability": "actual_loss"}
    ),
    "c/nccl_version": ({"g1__gpus_per_node": 2}, {"g1__gpus_per_node": 1}),
    "c/fabric_manager": ({LINK: "nvlink_nvswitch"}, {LINK: "nvlink_mesh"}),
    "c/change_notice_days": ({"c__change_control": "notice_days"}, {"c__change_control": "consent"}),
    "c/traffic_price": ({"c__traffic_fee": "95th"}, {"c__traffic_fee": "included"}),
    "c/credit_claim_days": ({"c__credit_auto": False}, {"c__credit_auto": True}),
    "c/onsite_spares": CRITICAL,
    "c/local_ops_city": ({"c__local_ops_staff": 1}, {"c__local_ops_staff": 0}),
    "c/delivery_batches": ({NODES: 9}, {NODES: 8}),
    "c/deemed_acceptance_days": ({"c__deemed_acceptance": "after_notice"}, {"c__deemed_acceptance": "none"}),
    "c/price_cut_pct": (
        {"c__acceptance_fail_remedy": ("replace", "price_cut")}, {"c__acceptance_fail_remedy": ("replace",)}
    ),
    "c/min_commit": ({"c__contract_kind": "framework+order"}, {"c__contract_kind": "order"}),
    "c/deposit_nature": DEPOSIT,
    "c/deposit_refund_days": DEPOSIT,
    "c/liability_carve_outs": ({"c__liability_cap": "以合同总价为限"}, {"c__liability_cap": GONE}),
    "c/dispute_place": ({"c__dispute_forum": "court"}, {"c__dispute_forum": "court_or_arbitration"}),
    "c/renewal_notice_days": RENEWAL,
    "c/renewal_price_rule": RENEWAL,
    "c/early_exit_fee_basis": EXIT,
    "c/early_exit_fee": EXIT,
    "c/end_purchase_price": ({"c__end_ownership": "buyer_option"}, {"c__end_ownership": "vendor"}),
}  # fmt: skip


def asked(path, changes):
    code, _, term = path.partition("/")
    return is_asked(drafted(**changes), code, TERMS[term])


@pytest.mark.parametrize(("path", "edges"), STATED.items(), ids=STATED)
def test_it_is_asked_for_where_its_condition_holds_and_nowhere_else(path, edges):
    holds, fails = edges
    assert asked(path, holds)
    assert not asked(path, fails)


def test_every_conditional_term_stands_here():
    letters = {Row.CONTRACT: "c", Row.GROUP: "g1", Row.MOUNT: "m1"}
    conditional = {
        f"{letters[info.row]}/{name}" for name, info in TERMS.items() if info.requirement is Requirement.CONDITIONAL
    }
    assert conditional == set(STATED)
