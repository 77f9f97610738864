"""Outputs of two machines beside each other: generic serials accuse nobody, the same NICs accuse both."""

from dataclasses import replace

import pytest

from gpucontract.measurements.parsers.capture import Capture, Reading
from gpucontract.measurements.parsers.registry import read
from gpucontract.verdicts.admission import copies
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import fabric, run

ONE, TWO = "g1-001", "g1-002"
BODY = making.body_of()
CARDS = [f"0xa088c203004e93{number:02x}" for number in range(0x91, 0x99)]
OTHERS = [f"0xb83fd203000100{number:02x}" for number in range(0x91, 0x99)]


def ibstat(guids, firmware="28.39.1002"):
    return "".join(
        f"CA 'mlx5_{number}'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tFirmware version: {firmware}\n"
        f"\tNode GUID: {guid}\n\tSystem image GUID: {guid}\n\tPort 1:\n\t\tState: Active\n"
        f"\t\tPhysical state: LinkUp\n\t\tRate: 400\n\t\tPort GUID: {guid}\n\t\tLink layer: Ethernet\n"
        for number, guid in enumerate(guids)
    )


def ports(slot, text):
    """A fabric run of this machine as read from ibstat's own output."""
    record = fabric(slot)
    readings = read(Capture("ibstat", "ibstat", text)).readings
    output = replace(record.outputs[0], tool="ibstat", sha256=f"{hash(text):x}", readings=readings)
    return replace(record, outputs=(output,))


def shared(*records):
    return set(copies(records).values())


def test_a_copy_edited_by_hand_is_found_by_its_guids():
    assert shared(ports(ONE, ibstat(CARDS)), ports(TWO, ibstat(CARDS, "28.40.1000"))) == {(ONE, TWO)}
    assert shared(ports(ONE, ibstat(CARDS)), ports(TWO, ibstat([*OTHERS[:3], *CARDS[3:]]))) == {(ONE, TWO)}


def test_other_cards_and_one_card_that_moved_are_no_copy():
    assert shared(ports(ONE, ibstat(CARDS)), ports(TWO, ibstat(OTHERS))) == set()
    assert shared(ports(ONE, ibstat(CARDS)), ports(TWO, ibstat([CARDS[0], *OTHERS[1:]]))) == set()


def test_neither_machine_counts_whose_cards_are_the_same():
    found = making.judged([ports(ONE, ibstat(CARDS)), ports(TWO, ibstat(CARDS, "28.40.1000"))], BODY)
    assert (found["g1/nic_count"].state, found["g1/nic_count"].reason) == (State.INCONCLUSIVE, "copied")


def test_two_rounds_of_one_machine_show_the_same_cards():
    first, second = ports(ONE, ibstat(CARDS)), ports(ONE, ibstat(CARDS, "28.40.1000"))
    found = making.judged([first, replace(second, id="again")], BODY)["g1/nic_count"]
    assert found.aside == () and {scope for scope, _ in found.failing} == {TWO}


def test_two_virtual_machines_without_guids_are_not_accused():
    zero = ["0x0000000000000000"] * 8
    assert shared(ports(ONE, ibstat(zero)), ports(TWO, ibstat(zero))) == set()


@pytest.mark.parametrize(("serial", "slots"), [("000001", set()), ("S64GNE0R600123", {(ONE, TWO)})])
def test_the_same_list_of_drives(serial, slots):
    records = [run("storage", slot, [Reading("nvme_serial", serial, scope="disk:nvme0n1")]) for slot in (ONE, TWO)]
    same = [replace(each, outputs=(replace(each.outputs[0], sha256="a" * 64),)) for each in records]
    assert shared(*same) == slots
