"""Faults that people reported in public, as readings of a small contract: what the judge must and must not say.

Reports about things no clause speaks of yet (host-to-device copies, N/A cells of a matrix) belong to the parsers.
"""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import (
    SIZE,
    collective,
    each_gpu,
    fabric,
    health,
    inventory,
    output,
    run,
    software,
    three,
    topology,
)  # fmt: skip

V, B, Q, P = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING
ONE, TWO, PAIR = "g1-001", "g1-002", ("g1-001", "g1-002")
BODY = making.body_of()
DEFAULT = making.body_of(group={"inter_test_collective": "all_reduce", "inter_busbw_min": Decimal(80)})
IB200 = {"inter_fabric_type": "infiniband", "inter_port_gbps": 200}
BRIDGED = [Reading("topo_link", "NV12" if (a, b) in ((0, 1), (2, 3), (4, 5), (6, 7)) else "SYS", scope=f"gpu{a}+gpu{b}")
           for a in range(8) for b in range(a + 1, 8)]  # fmt: skip
PLAIN = [Reading("topo_link", "SYS", scope=f"gpu{a}+gpu{b}") for a in range(8) for b in range(a + 1, 8)]


def ib(*rates, extra=()):
    """A fabric run of InfiniBand ports: a rate, or None for a Down port that still prints one."""
    readings = list(extra)
    for place, rate in enumerate(rates):
        scope, up = f"port:mlx5_{place}", rate is not None
        readings += [
            Reading("port_state", "Active" if up else "Down", scope=scope),
            Reading("port_link_layer", "InfiniBand", scope=scope),
            Reading("port_rate", Decimal(rate) if up else None, "Gb/s", scope, "" if up else "port_down"),
        ]
    return run("fabric", ONE, readings)


def ethernet(name, rate):
    scope = f"port:{name}"
    return (
        Reading("port_state", "Active", scope=scope),
        Reading("port_link_layer", "Ethernet", scope=scope),
        Reading("port_rate", Decimal(rate), "Gb/s", scope),
    )


def near(close):
    """NIC paths: the first `close` GPUs share a switch with a NIC, the others do not."""
    return [Reading("nic_link", "PIX" if gpu < close else "SYS", scope=f"gpu{gpu}+mlx5_0") for gpu in range(8)]


def nodes(**terms):
    return making.body_of(group={**IB200, **terms})


FEW_NICS = topology(ONE, drop=["nic_link"], add=near(4))
CORRUPT = three(ONE, 461, 462, 463, spoil={"wrong_results": 3096})
NO_ROWS = [
    replace(r, outputs=(output([], "nccl-tests all_reduce_perf", error="test_nccl_failure: unhandled"),))
    for r in three(ONE, 1, 2, 3)
]
SMALL_ONLY = three(
    ONE, 480, 481, 482, spoil={f"busbw_at_{SIZE}_out_of_place": None, f"busbw_at_{2**28}_out_of_place": Decimal(438)}
)
NO_DRIVER = output([Reading("gpu_count", None, why="driver_mismatch")], "nvidia-smi -L", error="nvml_mismatch: 550.144")
PROC = output([Reading("driver_version", "550.163.01")], "/proc/driver/nvidia/version")
PENDING_REMAP = health(ONE, ["row_remap_pending"], each_gpu("row_remap_pending", False, gpu0=True))

# report: contract, runs, {clause: state at its deciding scope, that scope}
REPORTS = {
    "ACS left on: a quarter of the rate is a measured value below the mark":
        (DEFAULT, three(PAIR, "9.84", "9.84", "9.84"), {"busbw_inter": (B, "g1-001+g1-002")}),
    "few NICs near, the rest across sockets: four of eight GPUs":
        (BODY, [FEW_NICS], {"gpu_nic_affinity": (B, "g1-001/gpu4")}),
    "ports at line rate, collective slow: two separate answers":
        (BODY, [fabric(ONE), fabric(TWO), *three(PAIR, 104, 105, 106, name="all_gather")], {"port_rate": (V, "g1-001/port:mlx5_0"), "busbw_inter": (B, "g1-001+g1-002")}),
    "200G labels on 100G cables":
        (nodes(nics_per_node=2), [ib(100, 100)], {"port_rate": (B, "g1-001/port:mlx5_0"), "nic_count": (B, ONE)}),
    "a second port that is Down and prints rate 10":
        (nodes(nics_per_node=2), [ib(200, None)], {"nic_count": (B, ONE), "port_rate": (Q, ONE)}),
    "a 40G Ethernet port beside three InfiniBand ones":
        (nodes(nics_per_node=3, node_count=2), [ib(200, 200, 200, extra=ethernet("eth0", 40)), replace(ib(200, 200, 200), nodes=(TWO,), hostnames={TWO: "gpu-node-02"}, id="b")], {"port_rate": (V, "g1-001/port:mlx5_0"), "nic_count": (V, ONE)}),
    "one rank prints 0, which is no measurement":
        (BODY, three(ONE, 1, 2, 3, spoil={"ranks": 1, f"busbw_at_{SIZE}_out_of_place": None}), {"busbw_intra": (Q, ONE)}),
    "a run that printed no rows":
        (BODY, NO_ROWS, {"busbw_intra": (Q, ONE)}),
    "fast and wrong":
        (BODY, CORRUPT, {"wrong_results_intra": (B, ONE), "busbw_intra": (Q, ONE)}),
    "a figure at another message size":
        (BODY, SMALL_ONLY, {"busbw_intra": (Q, ONE)}),
    "only bridged pairs sold as a full mesh":
        (BODY, [topology(ONE, drop=["topo_link"], add=BRIDGED), inventory(ONE)], {"kind": (B, ONE)}),
    "a pair's bridge where a bridge was promised":
        (making.body_of(group={"intra_link_type": "nvlink_bridge"}), [topology(slot, drop=["topo_link"], add=BRIDGED) for slot in PAIR], {"kind": (V, ONE)}),
    "no peer access although all cards are there":
        (BODY, [topology(ONE, drop=["p2p_supported", "topo_link"], add=[Reading("p2p_supported", False), *PLAIN]), inventory(ONE), inventory(TWO)], {"p2p": (B, ONE), "gpu_count": (V, ONE)}),
    "one of two identical boxes has no NVLink":
        (BODY, [topology(ONE), topology(TWO, drop=["topo_link"], add=PLAIN)], {"kind": (B, TWO)}),
    "two links inactive and nobody noticed":
        (making.body_of(group={"nvlink_active_links_min": 6}), [topology(ONE, drop=["nvlink_active"], add=each_gpu("nvlink_active", 6, gpu1=4))], {"links_per_gpu": (B, "g1-001/gpu1")}),
    "a card the driver cannot open":
        (BODY, [inventory(ONE, ["gpu_count", "gpu_unreadable"], [Reading("gpu_count", 7), Reading("gpu_unreadable", 1)])], {"gpu_count": (Q, ONE)}),
    "the tool fails after an update, the kernel still names the driver":
        (BODY, [replace(software(slot), outputs=(NO_DRIVER, PROC)) for slot in PAIR], {"driver": (V, ONE)}),
    "listed is verified, usable is another question":
        (BODY, [*map(inventory, PAIR), *(software(slot, drop=["usable_gpus"]) for slot in PAIR)], {"gpu_count": (V, ONE), "gpu_usable": (Q, ONE)}),
    "a pending row remap":
        (BODY, [PENDING_REMAP], {"health_row_remap": (B, "g1-001/gpu0")}),
    "the same after a reset, in a new round":
        (BODY, [PENDING_REMAP, health(ONE, minutes=9, round=2), health(TWO)], {"health_row_remap": (V, "g1-001/gpu0")}),
    "a failed row remap":
        (BODY, [health(ONE, ["row_remap_failure"], each_gpu("row_remap_failure", False, gpu0=True))], {"health_row_remap": (B, "g1-001/gpu0")}),
    "slow with ACS on, fast after it was switched off":
        (DEFAULT, [*three(PAIR, 27, 27, 27), *(replace(r, round=2, id=f"{r.id}b") for r in three(PAIR, 48, 48, 48))], {"busbw_inter": (B, "g1-001+g1-002")}),
}  # fmt: skip


@pytest.mark.parametrize(("body", "records", "expected"), REPORTS.values(), ids=REPORTS)
def test_a_reported_fault(body, records, expected):
    verdicts = making.judged(records, body)
    for name, (state, scope) in expected.items():
        verdict = verdicts[making.key_of(body, name)]
        found = verdict.scope if verdict.state is not P or state is P else ONE
        assert (verdict.state, found) == (state, scope), f"{name}: {verdict.sentence.en}"


def test_four_of_eight_gpus_are_counted_as_such():
    found = making.scope_verdicts(BODY.clause("g1/gpu_nic_affinity"), [FEW_NICS], BODY)
    states = [verdict.state for scope, verdict in found.items() if scope.startswith(ONE)]
    assert states.count(B) == 4 and states.count(V) == 4


def test_in_network_reduction_may_show_more_than_the_ports_carry():
    """161 GB/s of all_reduce over 100 GB/s of ports is a number; as all_gather it is impossible."""
    ports = {"inter_port_gbps": 100, "inter_busbw_min": Decimal(80), "node_count": 4, "inter_test_nodes": 4}
    four = tuple(f"g1-00{n}" for n in (1, 2, 3, 4))
    reduced = making.body_of(group={**ports, "inter_test_collective": "all_reduce"})
    gathered = making.body_of(group={**ports, "inter_test_collective": "all_gather"})
    assert making.judged(three(four, 161, 161, 161), reduced)["g1/busbw_inter:8GiB"].state is V
    found = making.judged(three(four, 161, 161, 161, name="all_gather"), gathered)["g1/busbw_inter:8GiB"]
    assert (found.state, found.reason) == (Q, "over_contracted_ports")


def test_a_cured_machine_keeps_both_runs_with_their_time():
    old, new = three(PAIR, 27, 27, 27, name="all_gather"), three(PAIR, 330, 331, 332, name="all_gather")
    verdict = making.judged([*old, *(replace(r, round=2, id=f"{r.id}b") for r in new)], BODY)["g1/busbw_inter:8GiB"]
    assert verdict.state is V and len(verdict.runs) == 3
    assert [why for _, why in verdict.aside] == ["older_round"] * 3


def test_write_bandwidth_of_a_port_waits_for_its_job():
    body = making.body_of(group={"rdma_bw_min_gbps": Decimal(360)})
    verdict = making.judged([fabric(ONE), collective(ONE, 480)], body)["g1/rdma_bw"]
    assert (verdict.state, verdict.reason) == (P, "no_run") and "rdma_pairs" in verdict.sentence.en
