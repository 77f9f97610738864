"""Virtual functions of a NIC: none is a port beside its card's own, and two of one card may share a link."""

from dataclasses import replace

import pytest

from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import read
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import fabric

ONE = "g1-001"
BODY = making.body_of()
V, B, Q = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE
REAL, VIRTUAL = 4129, 4126


def ibstat(ports):
    """ports: (device type, number of the card) of each; the types are those of a ConnectX-7 and of its functions."""
    return "".join(
        f"CA 'mlx5_{number}'\n\tCA type: MT{part}\n\tNumber of ports: 1\n\tNode GUID: 0x{'0' * 16}\n"
        f"\tSystem image GUID: {'0x' + '0' * 16 if card is None else f'0x0c42a10300c6cf{card:02x}'}\n\tPort 1:\n"
        f"\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n\t\tPort GUID: 0x983854fffeb4df{number:02x}\n"
        f"\t\tLink layer: Ethernet\n"
        for number, (part, card) in enumerate(ports)
    )


def devinfo(ports):
    return "".join(
        f"hca_id:\tmlx5_{number}\n\ttransport:\t\tInfiniBand (0)\n\tnode_guid:\t\t0000:0000:0000:0000\n"
        f"\tsys_image_guid:\t\t0c42:a103:00c6:cf{card:02x}\n\tvendor_id:\t\t0x02c9\n\tvendor_part_id:\t\t{part}\n"
        f"\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tlink_layer:\t\tEthernet\n"
        f"\t\t\tactive_width:\t\t4X (2)\n\t\t\tactive_speed:\t\t100.0 Gbps (128)\n\t\t\tphys_state:\t\tLINK_UP (5)\n"
        for number, (part, card) in enumerate(ports)
    )


def counted(text, tool="ibstat", name="nic_count"):
    record = fabric(ONE)
    readings = read(Capture(tool, tool, text)).readings
    output = replace(record.outputs[0], tool=tool, sha256="f" * 64, readings=readings)
    return making.scope_verdicts(BODY.clause(f"g1/{name}"), [replace(record, outputs=(output,))], BODY)[ONE]


CASES = {
    "eight cards": ([(REAL, card) for card in range(8)], V, "met"),
    "four cards of two ports": ([(REAL, card) for card in range(4) for _ in "12"], V, "met"),
    "eight cards with functions": ([*((REAL, card) for card in range(8)), *((VIRTUAL, 0) for _ in range(4))], V, "met"),
    "four cards, each with a function": ([*((REAL, n) for n in range(4)), *((VIRTUAL, n) for n in range(4))], B, "missed"),
    "a virtual machine with a function of each card": ([(VIRTUAL, card) for card in range(8)], V, "met"),
    "a virtual machine with two of each card": ([(VIRTUAL, card) for card in range(4) for _ in "12"], Q, "virtual_port"),
    "a virtual machine with seven functions": ([(VIRTUAL, card) for card in range(7)], B, "missed"),
}  # fmt: skip


@pytest.mark.parametrize(("ports", "state", "reason"), CASES.values(), ids=CASES)
@pytest.mark.parametrize(("tool", "write"), [("ibstat", ibstat), ("ibv_devinfo -v", devinfo)])
def test_functions_are_counted_by_card(ports, state, reason, tool, write):
    found = counted(write(ports), tool)
    assert (found.state, found.reason) == (state, reason)


def test_a_function_that_names_no_card_counts_as_before():
    assert counted(ibstat([(VIRTUAL, None)] * 8)).state is V


def test_the_sentence_names_both_and_says_what_to_do():
    record = fabric(ONE)
    readings = read(Capture("ibstat", "ibstat", ibstat([(VIRTUAL, card) for card in range(4) for _ in "12"]))).readings
    record = replace(record, outputs=(replace(record.outputs[0], readings=readings),))
    sentence = making.judged([record], BODY)["g1/nic_count"].sentence
    assert "port mlx5_1 is a virtual function (VF) of the card that mlx5_0 is on too" in sentence.en
    assert "请在主机上复测" in sentence.zh
