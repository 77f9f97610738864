"""df, findmnt, mount, lfs df: what is mounted where, how big it is, and which sizes are no promise."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from tests.parsers.host_outputs import amount, code, codes, read_sample, read_text, sample, value, why

DF = "df/9.4-shared.txt"
FINDMNT = "findmnt/2.37-nested.json"
MOUNT = "mount/plain.txt"
LFS = "lfs_df/kib-inactive.txt"


def test_df_reads_every_mount_to_the_end_of_its_line():
    parsed = read_sample(DF)
    assert value(parsed, "fs_type", "mount:/mnt/weka data") == "wekafs"
    assert amount(parsed, "fs_capacity", "KiB", "mount:/mnt/weka data") == 53687091200
    assert amount(parsed, "fs_free", "KiB", "mount:/scratch") == 358400000000
    assert value(parsed, "shared_filesystems") == 6


def test_df_names_shared_types_once_and_leaves_open_which_of_several():
    parsed = read_sample(DF)
    assert amount(parsed, "lustre_capacity", "KiB") == 409600000000
    assert amount(parsed, "ceph_capacity", "KiB") == 21474836480
    assert value(parsed, "wekafs_mountpoint") == "/mnt/weka data"
    assert why(parsed, "nfs_capacity") == "several_mounts"


def test_object_storage_and_memory_have_no_capacity():
    parsed = read_sample(DF)
    assert why(parsed, "ossfs_capacity") == "virtual_capacity"
    assert why(parsed, "fs_capacity", "mount:/mnt/oss") == "virtual_capacity"
    assert why(parsed, "fs_capacity", "mount:/dev/shm") == "memory"
    assert codes(parsed) == ["virtual_capacity"]


HEADERS = [
    pytest.param("1024-blocks", "df -PT", "409600000000", "KiB", id="-P"),
    pytest.param("1K-blocks", "df -T", "409600000000", "KiB", id="without -P"),
    pytest.param("1B-blocks", "df -B1 -T", "409600000000", "B", id="-B1"),
    pytest.param("512-blocks", "df -PT", "409600000000", "B", id="POSIXLY_CORRECT"),
    pytest.param("1M-blocks", "df -BM -T", "409600000000", "MiB", id="-BM"),
    pytest.param("Size", "df -hT", "382T", "TiB", id="-h is binary"),
    pytest.param("Size", "df -HT", "420T", "TB", id="-H is decimal"),
]


@pytest.mark.parametrize(("header", "command", "cell", "unit"), HEADERS)
def test_df_takes_its_unit_from_the_header(header, command, cell, unit):
    text = sample(DF).replace("1024-blocks", header).replace("409600000000", cell)
    found = amount(read_text("df -PT", text, command=command), "fs_capacity", unit, "mount:/scratch")
    assert found == Decimal(cell.rstrip("T")) * (512 if header == "512-blocks" else 1)


def test_df_without_types_has_capacities_and_no_types():
    text = "Filesystem 1024-blocks Used Available Capacity Mounted on\n10.1.1.1@o2ib:/s 4096 1024 3072 25% /scratch\n"
    parsed = read_text("df -P", text)
    assert amount(parsed, "fs_capacity", "KiB", "mount:/scratch") == 4096
    assert why(parsed, "fs_type", "mount:/scratch") == "not_printed"
    assert why(parsed, "shared_filesystems") == "no_type_column"


def test_df_inodes_are_no_capacity():
    text = "Filesystem Type Inodes IUsed IFree IUse% Mounted on\nnas:/v nfs4 1000 10 990 1% /home\n"
    parsed = read_text("df -iPT", text)
    assert value(parsed, "fs_inodes_free", "mount:/home") == 990
    assert not parsed.named("fs_capacity") and not parsed.named("nfs4_capacity")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param("df: /mnt/old: Stale file handle\n", "stale_mount", id="stale"),
        pytest.param("df: '/mnt/old': Transport endpoint is not connected\n", "stale_mount", id="fuse died"),
        pytest.param("df: /mnt/old: No such file or directory\n", "no_such_path", id="path missing"),
    ],
)
def test_a_mount_that_cannot_be_read_does_not_spoil_the_others(line, reason):
    parsed = read_text("df -PT", sample(DF), stderr=line, exit_status=1)
    assert (parsed.error, why(parsed, "fs_capacity", "mount:/mnt/old")) == ("", reason)
    assert amount(parsed, "lustre_capacity", "KiB") == 409600000000
    assert ("stale_mount" in codes(parsed)) == (reason == "stale_mount")


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param(sample(DF), 1, "exit_status", id="exit status without a reason"),
        pytest.param(sample(DF) * 2, 0, "two_outputs", id="twice"),
        pytest.param("df: /data: No such file or directory\n", 1, "df_no_such_path", id="only path missing"),
        pytest.param(
            "文件系统 类型 1K-块 已用 可用 已用% 挂载点\n/dev/sda ext4 4 2 2 50% /\n", 0, "df_unknown", id="Chinese"
        ),
    ],
)
def test_df_refuses_what_it_does_not_know(text, status, expected):
    assert code(read_text("df -PT", text, exit_status=status)) == expected


def test_findmnt_reads_the_nested_list():
    parsed = read_sample(FINDMNT)
    expected = {
        "shared_filesystems": 3, "readonly_mounts": ("/scratch",), "lustre_mounts": 1, "lustre_network": "tcp1",
        "nfs_proto": "tcp", "nfs_nconnect": 16, "mounts_listed": 6,
    }  # fmt: skip
    assert {name: value(parsed, name) for name in expected} == expected
    assert value(parsed, "mount_writable", "mount:/scratch") is False
    assert value(parsed, "mount_writable", "mount:/home") is True
    assert value(parsed, "mount_source", "mount:/home") == "nas:/vol/home"
    assert not any(reading.scope == "mount:/proc" for reading in parsed.readings)


def test_a_secret_in_the_options_is_found_and_kept_nowhere():
    parsed = read_sample(FINDMNT)
    assert codes(parsed) == ["mount_readonly", "mount_secrets"]
    assert "AQBhK2xleHBvc2Vk" not in repr(parsed)
    hidden = read_sample(FINDMNT, ("secret=AQBhK2xleHBvc2Vk", "secret=<hidden>"))
    assert codes(hidden) == ["mount_readonly"]


def test_of_two_mounts_on_one_path_the_last_is_what_is_seen():
    document = json.loads(sample(FINDMNT))
    document["filesystems"].append({"target": "/scratch", "source": "/dev/md0", "fstype": "xfs", "options": "rw"})
    assert value(read_text("findmnt -J", json.dumps(document)), "mount_type", "mount:/scratch") == "xfs"


def test_memory_mounted_over_a_path_hides_what_lies_below():
    document = json.loads(sample(FINDMNT))
    document["filesystems"].append({"target": "/scratch", "source": "tmpfs", "fstype": "tmpfs", "options": "rw"})
    shown = read_text("findmnt -J", json.dumps(document)).named("mount_type")
    assert shown and "mount:/scratch" not in {reading.scope for reading in shown}


def test_an_automount_point_does_not_hide_what_it_mounted():
    document = json.loads(sample(FINDMNT))
    before = value(read_sample(FINDMNT), "mount_type", "mount:/scratch")
    document["filesystems"].append({"target": "/scratch", "source": "systemd-1", "fstype": "autofs", "options": "rw"})
    assert before and value(read_text("findmnt -J", json.dumps(document)), "mount_type", "mount:/scratch") == before


@pytest.mark.parametrize("text", ['{\n   "filesystems": [\n\n   ]\n}\n', ""])
@pytest.mark.parametrize("status", [0, 1, None])
def test_nothing_of_a_type_is_a_measured_zero(text, status):
    parsed = read_text("findmnt -J", text, command="findmnt -J -t lustre,beegfs", exit_status=status)
    assert parsed.error == ""
    assert (value(parsed, "lustre_mounts"), value(parsed, "beegfs_mounts")) == (0, 0)
    assert not parsed.named("shared_filesystems")


def test_a_path_that_is_not_mounted_is_said_so():
    parsed = read_text("findmnt -J", "", command="findmnt -J /data", exit_status=1)
    assert why(parsed, "mount_type", "mount:/data") == "not_mounted"


def test_an_empty_list_that_nobody_narrowed_measures_nothing():
    assert why(read_text("findmnt -J", ""), "lustre_mounts") == "not_in_command"


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param("findmnt: unknown column: X\n", 1, "exit_status", id="unknown column"),
        pytest.param("TARGET SOURCE FSTYPE OPTIONS\n/ /dev/sda ext4 rw\n", 0, "findmnt_no_json", id="text"),
        pytest.param(sample(FINDMNT) * 2, 0, "two_outputs", id="twice"),
    ],
)
def test_findmnt_refuses_what_it_does_not_know(text, status, expected):
    assert code(read_text("findmnt -J", text, exit_status=status)) == expected


def test_mount_gives_the_same_readings_from_plain_lines():
    parsed = read_sample(MOUNT)
    assert value(parsed, "mount_type", "mount:/mnt/my share") == "nfs4"
    assert (value(parsed, "nfs_proto"), value(parsed, "nfs_nconnect"), value(parsed, "lustre_network")) == (
        "rdma",
        8,
        "o2ib",
    )
    assert value(parsed, "readonly_mounts") == ("/mnt/my share",)


def test_mount_refuses_two_lists_and_counts_none_of_a_type():
    assert code(read_text("mount", sample(MOUNT) * 2)) == "two_outputs"
    assert value(read_text("mount", "", command="mount -t lustre"), "lustre_mounts") == 0
    assert code(read_text("mount", "")) == "mount_unknown"


def test_lustre_is_the_sum_of_its_active_osts():
    parsed = read_sample(LFS)
    assert amount(parsed, "lustre_capacity", "KiB") == 2 * 154618822656
    assert amount(parsed, "lustre_free", "KiB") == 120259084288 + 117037858816
    assert (value(parsed, "osts_active"), value(parsed, "osts_inactive")) == (2, 1)
    assert amount(parsed, "fs_capacity", "KiB", "mount:/scratch") == 309237645312
    assert codes(parsed) == ["ost_inactive"]


CUTS = [
    pytest.param(lambda text: text.replace("filesystem_summary", "x"), "no_summary", id="no summary"),
    pytest.param(
        lambda text: "\n".join(line for line in text.splitlines() if "OST0001" not in line),
        "summary_disagrees",
        id="row lost",
    ),
    pytest.param(lambda text: text.replace("154618822656 34", "154,618822 34"), "unreadable", id="comma"),
]


@pytest.mark.parametrize(("change", "reason"), CUTS)
def test_a_sum_that_the_summary_does_not_confirm_is_not_measured(change, reason):
    assert why(read_text("lfs df", change(sample(LFS))), "lustre_capacity") == reason


def test_two_lustre_file_systems_are_read_by_mount():
    text = sample(LFS) + sample(LFS).replace("/scratch", "/data")
    parsed = read_text("lfs df", text)
    assert why(parsed, "lustre_capacity") == "several_mounts"
    assert amount(parsed, "fs_free", "KiB", "mount:/data") == 237296943104


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(sample(LFS) * 2, "two_outputs", id="twice"),
        pytest.param("UUID Inodes IUsed IFree IUse% Mounted on\n", "lfs_df_inodes", id="inodes"),
        pytest.param("", "lfs_df_unknown", id="nothing"),
        pytest.param("error: lfs df: '/data' not a mounted Lustre\n", "not_lustre", id="no lustre"),
    ],
)
def test_lfs_df_refuses_what_it_does_not_know(text, expected):
    parsed = read_text("lfs df", text)
    assert (code(parsed), why(parsed, "lustre_capacity")) == (expected, expected)


def test_behind_a_filter_mount_counts_nothing_but_reads_what_is_left():
    lines = [line for line in sample(MOUNT).splitlines() if "nfs4" in line]
    parsed = read_text("mount", "\n".join(lines) + "\n", command="mount | grep nfs4")
    assert value(parsed, "mount_type", "mount:/mnt/my share") == "nfs4"
    assert not parsed.named("lustre_mounts") and not parsed.named("mounts_listed")


@pytest.mark.parametrize(
    ("header", "capacity"),
    [("1024-blocks", "9007199254739968"), ("Size", "8.0E")],
    ids=["in blocks", "rounded"],
)
def test_a_capacity_that_nobody_has_built_is_none(header, capacity):
    text = (
        f"Filesystem          Type {header} Used Available Capacity Mounted on\n"
        f"fs-1.efs.internal:/ nfs4 {capacity} 0 {capacity} 0% /efs\n"
    )
    parsed = read_text("df -PT", text)
    assert [why(parsed, name) for name in ("nfs4_capacity", "nfs4_free")] == ["virtual_capacity"] * 2
    assert value(parsed, "shared_filesystems") == 1
    assert codes(parsed) == ["virtual_capacity"]
