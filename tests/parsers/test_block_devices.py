"""lsblk and nvme list: which disks there are, how big, whose, and which carry the system."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from tests.parsers.host_outputs import amount, code, codes, read_sample, read_text, sample, value, why

BYTES = "lsblk/2.39-bytes.json"
FLAT = "lsblk/2.37-flat.json"
NESTED = "nvme/2.11-nested.json"
OLD = "nvme/1.16-flat.json"


def test_lsblk_counts_disks_once_and_leaves_out_loop_zram_and_rom():
    parsed = read_sample(BYTES)
    assert (value(parsed, "disks"), value(parsed, "nvme_disks")) == (4, 4)
    assert amount(parsed, "raw_capacity", "B") == 960197124096 + 2 * 7681501126656 + 107374182400
    assert amount(parsed, "disk_size", "B", "disk:nvme1n1") == 7681501126656
    assert codes(parsed) == []


def test_lsblk_says_which_disk_carries_the_system_and_which_is_behind_a_network():
    parsed = read_sample(BYTES)
    system = {name: value(parsed, "disk_is_system", f"disk:{name}") for name in ("nvme0n1", "nvme1n1", "nvme3n1")}
    assert system == {"nvme0n1": True, "nvme1n1": False, "nvme3n1": False}
    local = {name: value(parsed, "disk_is_local", f"disk:{name}") for name in ("nvme0n1", "nvme3n1")}
    assert local == {"nvme0n1": True, "nvme3n1": False}


def test_the_flat_form_joins_volumes_and_partitions_to_their_disk():
    parsed = read_sample(FLAT)
    assert value(parsed, "disk_is_system", "disk:sda") is True
    assert value(parsed, "disk_is_system", "disk:nvme0n1") is False
    assert amount(parsed, "nvme_capacity", "TiB") == Decimal("3.5")
    assert amount(parsed, "disk_size", "GiB", "disk:sda") == Decimal("447.1")
    assert codes(parsed) == ["disk_sizes_rounded"]


def test_the_flat_form_without_parents_joins_partitions_by_name():
    document = json.loads(sample(FLAT))
    for entry in document["blockdevices"]:
        del entry["pkname"]
    assert value(read_text("lsblk -J", json.dumps(document)), "disk_is_system", "disk:sda") is True


def test_without_the_mountpoint_column_the_system_disk_is_not_known():
    text = sample(BYTES).replace("mountpoints", "label")
    assert why(read_text("lsblk -J", text), "disk_is_system", "disk:nvme0n1") == "no_mountpoints"


@pytest.mark.parametrize("mount", ["/", "/boot", "/boot/efi", "[SWAP]"])
def test_a_disk_with_any_of_these_is_a_system_disk(mount):
    parsed = read_sample(BYTES, ('"/export"', json.dumps(mount)))
    assert value(parsed, "disk_is_system", "disk:nvme3n1") is True


def test_a_size_that_cannot_be_read_leaves_the_sums_out():
    parsed = read_sample(BYTES, ('"size": 107374182400', '"size": "100,5G"'))
    assert why(parsed, "disk_size", "disk:nvme3n1") == "unreadable"
    assert why(parsed, "raw_capacity") == "unreadable"
    assert value(parsed, "disks") == 4


def test_no_disk_at_all_is_a_measured_zero():
    parsed = read_text("lsblk -J", '{\n   "blockdevices": [\n   ]\n}\n')
    assert (value(parsed, "disks"), value(parsed, "nvme_disks"), value(parsed, "nvme_capacity")) == (0, 0, 0)


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param("lsblk: unknown column: MOUNTPOINTS,FSTYPE\n", 1, "exit_status", id="column unknown"),
        pytest.param("NAME  SIZE\nsda  447G\n", 0, "lsblk_no_json", id="text form"),
        pytest.param(sample(BYTES) * 2, 0, "two_outputs", id="twice"),
        pytest.param(sample(BYTES)[:700], 0, "json_broken", id="cut"),
        pytest.param('{"blockdevices": [{"size": 5}]}', 0, "lsblk_unknown", id="no names"),
    ],
)
def test_lsblk_refuses_what_it_does_not_know(text, status, expected):
    parsed = read_text("lsblk -J", text, exit_status=status)
    assert code(parsed) == expected
    assert why(parsed, "disks") == expected


def test_nvme_nested_counts_local_drives_apart_from_fabrics():
    parsed = read_sample(NESTED)
    assert (value(parsed, "nvme_devices"), value(parsed, "nvme_local_devices")) == (3, 2)
    assert value(parsed, "nvme_local_capacity") == 7681501126656 + 3840755982336
    assert value(parsed, "nvme_is_local", "disk:nvme1n1") is False
    assert value(parsed, "nvme_model", "disk:nvme2n1") == "SAMSUNG MZQL23T8HCLS"


def test_nvme_flat_knows_the_misspelt_key_and_the_clouds_volumes():
    parsed = read_sample(OLD)
    assert (value(parsed, "nvme_local_devices"), value(parsed, "nvme_local_capacity")) == (1, 8001563222016)
    assert value(parsed, "nvme_is_local", "disk:nvme1n1") is False
    without_size = read_sample(OLD, ('"PhysicalSize"', '"Other"'))
    assert value(without_size, "nvme_size", "disk:nvme0n1") == 15628053168 * 512


CLOUD = [
    pytest.param("Amazon Elastic Block Store", False, id="aws volume"),
    pytest.param("Amazon EC2 NVMe Instance Storage", True, id="aws local"),
    pytest.param("nvme_card-pd", False, id="google volume"),
    pytest.param("nvme_card", True, id="google local"),
    pytest.param("Microsoft NVMe Direct Disk v2", True, id="azure local"),
    pytest.param("MSFT NVMe Accelerator v1.0", False, id="azure volume"),
    pytest.param("Alibaba Cloud Elastic Block Storage", False, id="alibaba volume"),
]


@pytest.mark.parametrize(("model", "is_local"), CLOUD)
def test_a_cloud_volume_is_told_by_its_model(model, is_local):
    parsed = read_sample(OLD, ("INTEL SSDPE2KX080T8", model))
    assert value(parsed, "nvme_is_local", "disk:nvme0n1") is is_local


SIZES = [
    pytest.param({"PhysicalSize": -2147483648, "MaximiumLBA": -1551816016}, id="overflowed"),
    pytest.param({"PhysicalSize": 8001563222017}, id="product disagrees"),
    pytest.param({"PhysicalSize": 0, "MaximiumLBA": 0, "SectorSize": 1}, id="nothing known"),
    pytest.param(
        {"PhysicalSize": 30646178136064, "MaximiumLBA": 7481977084, "SectorSize": 4096, "UsedBytes": 3830772267008},
        id="eightfold",
    ),
    pytest.param({"PhysicalSize": "8 TB", "MaximiumLBA": None}, id="no number"),
]


@pytest.mark.parametrize("changed", SIZES)
def test_a_size_that_contradicts_itself_is_not_measured(changed):
    document = json.loads(sample(OLD))
    document["Devices"][0] |= changed
    parsed = read_text("nvme list -o json", json.dumps(document))
    assert why(parsed, "nvme_size", "disk:nvme0n1") == "size_disagrees"
    assert why(parsed, "nvme_local_capacity") == "size_disagrees"
    assert value(parsed, "nvme_devices") == 2
    assert codes(parsed) == ["nvme_size_doubtful"]


def test_a_drive_without_a_model_leaves_open_whether_it_is_local():
    parsed = read_sample(OLD, ('"INTEL SSDPE2KX080T8"', '""'))
    assert why(parsed, "nvme_local_devices") == "no_model"
    assert value(parsed, "nvme_devices") == 2


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param("", 0, 0, id="nothing and a clean exit"),
        pytest.param('{\n  "Devices" : []\n}\n', 0, 0, id="empty list"),
        pytest.param("", None, "nvme_no_json", id="nothing and no exit status kept"),
        pytest.param("Failed to scan topology: No such file or directory\n", 1, "nvme_scan_failed", id="no driver"),
        pytest.param(
            "Failed to scan topology: No such file or directory\n", 0, "nvme_scan_failed", id="no driver, exit 0"
        ),
        pytest.param("Failed to open /dev/nvme0: Permission denied\n", 13, "nvme_permission", id="not root"),
        pytest.param(sample(OLD) * 2, 0, "two_outputs", id="twice"),
    ],
)
def test_no_drive_is_a_zero_only_when_nothing_went_wrong(text, status, expected):
    parsed = read_text("nvme list -o json", text, exit_status=status)
    if expected == 0:
        assert (parsed.error, value(parsed, "nvme_devices"), value(parsed, "nvme_local_capacity")) == ("", 0, 0)
    else:
        assert (code(parsed), why(parsed, "nvme_devices")) == (expected, expected)


def test_two_paths_to_one_disk_and_what_is_made_of_disks_count_once():
    joint = {"name": "mpatha", "type": "mpath", "size": 4000787030016, "mountpoint": "/data"}
    devices = [{"name": name, "type": "disk", "size": 4000787030016, "children": [joint]} for name in ("sda", "sdb")]
    devices += [{"name": name, "type": "disk", "size": 107374182400} for name in ("zd0", "bcache0", "sdc")]
    parsed = read_text("lsblk -J", json.dumps({"blockdevices": devices}))
    assert (value(parsed, "disks"), value(parsed, "raw_capacity")) == (2, 4000787030016 + 107374182400)
    flat = [{"name": name, "type": "disk", "size": "3.6T", "pkname": None} for name in ("sda", "sdb")]
    flat += [{"name": "mpatha", "type": "mpath", "size": "3.6T", "pkname": name} for name in ("sda", "sdb")]
    assert value(read_text("lsblk -J", json.dumps({"blockdevices": flat})), "disks") == 1
