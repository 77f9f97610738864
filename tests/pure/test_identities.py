"""An identity accuses two machines only where its form makes it the world's only one."""

import pytest

from gpucontract.measurements.identities import any_unique, unique
from gpucontract.measurements.parsers.capture import Reading

UNIQUE = {
    "a GPU's UUID": ("gpu_uuid", "GPU-7a8b0c1d-2e3f-4a5b-8c7d-9e0f1a2b3c4d"),
    "a GPU's serial": ("gpu_serial", "1650522003820"),
    "a Samsung drive": ("nvme_serial", "S64GNE0R600123"),
    "a Micron drive": ("nvme_serial", "2143319F0F2A"),
    "an AWS instance store": ("nvme_serial", "AWS22A8D1F3C40E7B96D"),
    "a Mellanox adapter": ("node_guid", "0xa088c203004e9391"),
    "an older Mellanox adapter": ("node_guid", "0x0002c903000e0b72"),
    "a RoCE port, from its MAC a0:88:c2": ("port_guid", "0xa288c2fffe4e9391"),
}
GENERIC = {
    "no UUID": ("gpu_uuid", "GPU-00000000-0000-0000-0000-000000000000"),
    "a board without serial": ("gpu_serial", "0"),
    "a filler as serial": ("gpu_serial", "1234567890123"),
    "a counted drive": ("nvme_serial", "000001"),
    "a long counted drive": ("nvme_serial", "00000000000000000001"),
    "QEMU's example": ("nvme_serial", "deadbeef0123"),
    "Google's drives": ("nvme_serial", "nvme_card-pd"),
    "Google's local drives": ("nvme_serial", "nvme_card"),
    "a vendor's name": ("nvme_serial", "Amazon EC2 NVMe Instance Storage"),
    "a virtual function without GUID": ("node_guid", "0x0000000000000000"),
    "the manual's example for a virtual function": ("node_guid", "0x1122334477667790"),
    "a counted GUID": ("node_guid", "0x0000000000000002"),
    "a GUID given by an administrator": ("node_guid", "0x1aad42a1b7e8c935"),
    "a virtual function's own MAC fa:16:3e": ("port_guid", "0xf8163efffeb4df3e"),
    "one that a driver made up, 9a:38:54": ("port_guid", "0x983854fffeb4df3e"),
    "the card's GUID, which all its virtual functions show": ("sys_image_guid", "0x0c42a10300c6cf52"),
}


def told(name, value, *more):
    readings = [Reading(name, value, scope="disk:nvme0n1"), *more]
    return {reading.name: [each for each in readings if each.name == reading.name] for reading in readings}


@pytest.mark.parametrize(("name", "value"), UNIQUE.values(), ids=UNIQUE)
def test_the_only_one_in_the_world(name, value):
    assert any_unique(told(name, value)) and unique(name, told(name, value)) == [value]


@pytest.mark.parametrize(("name", "value"), GENERIC.values(), ids=GENERIC)
def test_what_many_machines_may_show(name, value):
    assert not any_unique(told(name, value))


def test_a_volume_that_several_machines_mount_names_none_of_them():
    remote = Reading("nvme_is_local", False, scope="disk:nvme0n1")
    other = Reading("nvme_is_local", False, scope="disk:nvme1n1")
    assert not any_unique(told("nvme_serial", "S64GNE0R600123", remote))
    assert any_unique(told("nvme_serial", "S64GNE0R600123", other))


def test_a_model_number_in_the_place_of_a_serial_names_no_machine():
    model = Reading("nvme_model", "SAMSUNG MZQL23T8HCLS-00A07", scope="disk:nvme0n1")
    assert not any_unique(told("nvme_serial", "MZQL23T8HCLS-00A07", model))
