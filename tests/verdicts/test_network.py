"""Ports, fabric and GPUDirect: what counts, what Down means, and who is blamed when a run falls back to TCP."""

from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.states import Attribution, State
from tests.verdicts import making
from tests.verdicts.making import GPUS, fabric, output, run, three

V, B, Q, P = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING
ONE, TWO, PAIR = "g1-001", "g1-002", ("g1-001", "g1-002")
ROCE = making.body_of()
IB = making.body_of(group={"inter_fabric_type": "infiniband"})
TCP = making.body_of(group={"inter_fabric_type": "ethernet_tcp", "gpudirect_rdma": None})


def judge(name, *records, body=ROCE):
    """Scope -> (state, reason, value)."""
    found = making.scope_verdicts(body.clause(f"g1/{name}"), list(records), body)
    return {scope: (verdict.state, verdict.reason, verdict.value) for scope, verdict in found.items()}


def joint(network="IB", **spoil):
    return three(PAIR, 330, 331, 332, name="all_gather", network=network, **spoil)


COUNTS = {
    "eight of eight": (fabric(ONE), ROCE, V, 8),
    "one down": (fabric(ONE, down=[3]), ROCE, B, 7),
    "all down": (fabric(ONE, down=GPUS), ROCE, B, 0),
    "a storage port more": (fabric(ONE, ports=9, rates={8: 100}), ROCE, V, 8),
    "one at half rate": (fabric(ONE, rates={2: 200}), ROCE, B, 7),
    "the other fabric": (fabric(ONE, layer="InfiniBand"), ROCE, B, 0),
    "InfiniBand as contracted": (fabric(ONE, layer="InfiniBand"), IB, V, 8),
}


@pytest.mark.parametrize(("record", "body", "state", "value"), COUNTS.values(), ids=COUNTS)
def test_ports_are_counted(record, body, state, value):
    assert judge("nic_count", record, body=body)[ONE][::2] == (state, Decimal(value))


def unread(disputed, **fields):
    """A fabric run in which a second tool gives these ports another link layer."""
    record = fabric(ONE, **fields)
    words = [Reading(name, value, scope=f"port:mlx5_{port}") for port in disputed for name, value in (
        ("port_state", "Active"), ("port_link_layer", "InfiniBand"))]  # fmt: skip
    return making.replace(record, outputs=(*record.outputs, output(words, "ibv_devinfo")))


DOUBTS = {
    "one layer in dispute": (unread([3]), Q, "sources_disagree"),
    "all layers in dispute": (unread(GPUS), Q, "sources_disagree"),
    "one in dispute, one truly down": (unread([3], down=[5]), B, "missed"),
    "a spare port in dispute": (unread([8], ports=9), V, "met"),
}


@pytest.mark.parametrize(("record", "state", "reason"), DOUBTS.values(), ids=DOUBTS)
def test_a_port_on_which_tools_disagree_is_neither_counted_nor_missed(record, state, reason):
    assert judge("nic_count", record)[ONE][:2] == (state, reason)


def cut(known, of=8):
    """A fabric run whose ibstat was cut: of the ports from `known` on only ibv_devinfo tells that they are up."""
    record = fabric(ONE)
    lost = {f"port:mlx5_{port}" for port in range(known, of)}
    left = [reading for reading in record.outputs[0].readings if reading.scope not in lost]
    torn = [Reading("port_state", None, scope=f"port:mlx5_{known}", why="not_printed"),
            Reading("port_rate", None, scope=f"port:mlx5_{known}", why="port_down")]  # fmt: skip
    up = [Reading(name, value, scope=f"port:mlx5_{port}") for port in range(of) for name, value in (
        ("port_state", "Active"), ("port_link_layer", "Ethernet"))]  # fmt: skip
    first = making.replace(record.outputs[0], readings=(*left, *torn), tool="ibstat")
    return making.replace(record, outputs=(first, output(up, "ibv_devinfo")))


@pytest.mark.parametrize("known", [0, 5, 7])
def test_ports_that_one_tool_saw_up_are_not_missing_because_anothers_output_was_cut(known):
    assert judge("nic_count", cut(known))[ONE][:2] == (Q, "unread")
    assert judge("port_rate", cut(known))[f"{ONE}" if known < 8 else ""][0] is Q


def test_ports_without_a_rate_are_not_read_rather_than_none():
    record = fabric(ONE)
    told = tuple(reading for reading in record.outputs[0].readings if reading.name != "port_rate")
    only_states = making.replace(record, outputs=(making.replace(record.outputs[0], readings=told),))
    assert judge("nic_count", only_states)[ONE][:2] == (Q, "unread")


def test_a_fabric_whose_layer_is_in_dispute_is_not_the_wrong_one():
    assert judge("fabric_type", unread(GPUS), *joint())[ONE][:2] == (Q, "sources_disagree")
    assert judge("fabric_type", unread(GPUS), *joint("Socket"))[ONE][:2] == (Q, "sources_disagree")


def test_a_machine_without_any_port_has_none():
    none = run("fabric", ONE, [Reading("ib_ports_active", 0), Reading("ethernet_rdma_ports", 0)])
    assert judge("nic_count", none)[ONE] == (B, "missed", Decimal(0))


def test_a_port_tool_that_failed_measures_nothing():
    broken = run("fabric", ONE, (), outputs=(output([], "ibstat", error="not_found: ibstat"),))
    assert judge("nic_count", broken)[ONE][:2] == (Q, "tool_failed")


def test_a_port_below_the_contracted_rate_is_named():
    found = judge("port_rate", fabric(ONE, rates={2: 200}))
    assert found["g1-001/port:mlx5_2"] == (B, "missed", Decimal(200)) and found["g1-001/port:mlx5_0"][0] is V


def test_a_slower_spare_port_is_no_miss_because_the_fastest_ones_count():
    found = judge("port_rate", fabric(ONE, ports=9, rates={8: 100}))
    assert {state for scope, (state, *_) in found.items() if scope.startswith(ONE)} == {V}
    assert "g1-001/port:mlx5_8" not in found


def test_down_ports_have_no_rate_and_are_named():
    verdict = making.scope_verdicts(ROCE.clause("g1/port_rate"), [fabric(ONE, down=[1, 4])], ROCE)[ONE]
    assert (verdict.state, verdict.reason) == (Q, "ports_missing")
    assert list(verdict.facts["idle"]) == ["mlx5_1", "mlx5_4"] and verdict.facts["active"] == 6


TYPES = {
    "RoCE used": (ROCE, [fabric(ONE)], "IB", V, "met"),
    "InfiniBand used": (IB, [fabric(ONE, layer="InfiniBand")], "IB", V, "met"),
    "Ethernet for InfiniBand": (IB, [fabric(ONE)], "IB", B, "wrong_layer"),
    "ports down and TCP": (ROCE, [fabric(ONE, down=GPUS)], "Socket", B, "no_fabric"),
    "ports up but TCP": (ROCE, [fabric(ONE)], "Socket", Q, "fell_back"),
    "a plug-in nobody contracted": (ROCE, [fabric(ONE)], "AWS Libfabric", Q, "no_network"),
    "TCP as contracted": (TCP, [fabric(ONE)], "Socket", V, "met"),
}


@pytest.mark.parametrize(("body", "ports", "network", "state", "reason"), TYPES.values(), ids=TYPES)
def test_the_fabric_of_one_machine(body, ports, network, state, reason):
    assert judge("fabric_type", *ports, *joint(network), body=body)[ONE][:2] == (state, reason)


def test_the_wrong_layer_needs_no_joint_run():
    assert judge("fabric_type", fabric(ONE), body=IB)[ONE][:2] == (B, "wrong_layer")


def test_without_the_joint_run_the_fabric_is_pending():
    assert judge("fabric_type", fabric(ONE))[ONE][:2] == (P, "no_run")


def test_without_the_ports_the_joint_run_alone_does_not_settle_the_fabric():
    assert judge("fabric_type", *joint("Socket"))[ONE][:2] == (P, "no_run")


def test_runs_that_differ_settle_nothing():
    later = three(PAIR, 1, 1, 1, name="all_gather", network="Socket", round=1)
    moved = [making.replace(r, id=f"x{r.repeat}", received_at=r.received_at.replace(second=9)) for r in later]
    assert judge("fabric_type", fabric(ONE), *joint(), *moved)[ONE][:2] == (Q, "mixed_runs")


def test_a_silent_fallback_with_all_ports_up_is_a_breach_of_the_run_not_of_one_machine():
    records = [fabric(ONE), fabric(TWO), *joint("Socket")]
    verdict = making.judged(records, ROCE)["g1/fabric_type"]
    assert (verdict.state, verdict.scope, verdict.reason) == (B, "g1-001+g1-002", "fell_back_everywhere")
    assert verdict.attribution is Attribution.UNKNOWN and verdict.because == ""


def test_a_machine_short_of_ports_explains_the_fallback_and_the_other_is_not_blamed():
    records = [fabric(ONE), fabric(TWO, down=GPUS), *joint("Socket")]
    verdict = making.judged(records, ROCE)["g1/fabric_type"]
    assert (verdict.scope, verdict.failing) == (TWO, ((ONE, Q), (TWO, B)))


GDR = {
    "direct": ({}, V, "met"),
    "over TCP": ({"network": "Socket"}, Q, "over_tcp"),
}


@pytest.mark.parametrize(("changes", "state", "reason"), GDR.values(), ids=GDR)
def test_gpu_direct_is_read_from_the_log_of_the_machine(changes, state, reason):
    assert judge("gdr", *joint(**changes))[ONE][:2] == (state, reason)


def test_a_machine_without_gpu_direct_is_breached_by_name():
    record = joint()[0]
    readings = [
        making.replace(reading, value=False) if reading.name == "gdr" and reading.scope == "@gpu-node-02" else reading
        for reading in record.outputs[0].readings
    ]
    spoiled = making.replace(record, outputs=(making.replace(record.outputs[0], readings=tuple(readings)),))
    found = judge("gdr", spoiled)
    assert found[ONE][0] is V and found[TWO][:2] == (B, "missed")
