"""fio runs: the contracted path and profile, past the cache, long enough, not faster than the wire."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import NOW, output, run

V, B, Q, P = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING
ONE, TWO = "g1-001", "g1-002"
PROFILE = {
    "rw": "read",
    "block_size": "1MiB",
    "iodepth": 32,
    "numjobs": 8,
    "clients": 1,
    "runtime_s": 60,
    "direct": True,
}
SHARED = {"shared_read_gbs": Decimal(20), "io_test_profile": (PROFILE,)}


def with_path(body):
    """The contract with a folder for the local read test written into its clause."""
    clauses = tuple(
        replace(clause, conditions={**clause.conditions, "path": "/nvme"}) if clause.name == "local_read" else clause
        for clause in body.clauses
    )
    return replace(body, clauses=clauses)


BODY = with_path(making.body_of())
MOUNTED = making.body_of(mount=SHARED)


MOUNTS = {"/": "ext4", "/nvme": "xfs", "/data": "lustre"}


def mounts(listed, disks=0):
    """What findmnt and lsblk list beside a fio run."""
    kinds = {True: "memory_mount", False: "mount_type"}
    told = [Reading(kinds[kind in ("tmpfs", "ramfs")], kind, scope=f"mount:{at}") for at, kind in listed.items()]
    for number in range(disks):
        scope = f"disk:nvme{number}n1"
        kinds = {"disk_is_nvme": True, "disk_is_system": number == 9, "disk_is_local": True}
        told += [Reading(name, value, scope=scope) for name, value in kinds.items()]
    return output(told, "findmnt -J")


def fio(gbs, repeat=1, path="/nvme/gpucontract-read.0.0", listed=MOUNTS, disks=0, **changes):
    """A healthy fio read of 60 s with direct I/O; changes by reading name."""
    values = {
        "read_bw": Decimal(gbs), "read_iops": Decimal(250_000), "direct": True, "runtime": Decimal(60_002), "rw": "read",
        "numjobs": 8, "block_size": "1MiB", "io_depth": 32, "fio_filename": path, **changes,
    }  # fmt: skip
    units = {"read_bw": "GB/s", "runtime": "ms"}
    readings = [Reading(name, value, units.get(name, "")) for name, value in values.items()]
    outputs = (mounts(listed, disks), output(readings, "fio JSON", sha256=f"fio-{gbs}-{repeat}"))
    return run("storage", ONE, (), repeat=repeat, minutes=repeat, outputs=outputs)


def local(*records, body=BODY):
    return making.scope_verdicts(body.clause("g1/local_read"), list(records), body)[ONE]


def repeated(*speeds, **changes):
    return [fio(speed, repeat, **changes) for repeat, speed in enumerate(speeds, 1)]


def test_a_median_of_three_reads_is_judged():
    assert local(*repeated(25, 26, 27)).state is V
    found = local(*repeated(15, 16, 17))
    assert (found.state, found.value) == (B, Decimal(16))


CONDITIONS = {
    "through the page cache": ({"direct": False}, "not_direct"),
    "direct not said": ({"direct": None}, "not_direct"),
    "a tenth of a second": ({"runtime": Decimal(98)}, "too_short"),
    "no running time": ({"runtime": None}, "too_short"),
    "on the system disk": ({"path": "/tmp/x"}, "wrong_path"),
    "beside the folder": ({"path": "/nvme2/x"}, "wrong_path"),
    "through no disk at all": ({"io_engine": "null"}, "other_profile"),
    "through memory maps": ({"io_engine": "mmap"}, "other_profile"),
    "writing": ({"rw": "write"}, "other_profile"),
    "no figure": ({"read_bw": None}, "not_read"),
}


@pytest.mark.parametrize(("changes", "reason"), CONDITIONS.values(), ids=CONDITIONS)
def test_a_run_outside_the_conditions_settles_nothing(changes, reason):
    found = local(*repeated(25, 26, 27, **changes))
    assert (found.state, found.reason) == (Q, reason)


def test_the_usual_engine_counts():
    assert local(*repeated(25, 26, 27, io_engine="libaio")).state is V


def test_a_fio_that_met_errors_measured_nothing():
    broken = replace(fio(25), outputs=(mounts(MOUNTS), output([Reading("read_bw", None, why="failed"), Reading("fio_filename", "/nvme/x")],
                                              "fio JSON", error="fio_job_error 5: Input/output error"),))  # fmt: skip
    assert local(broken).reason == "tool_failed"


# what is mounted where, path of the test, disks that fio saw -> reason; None = it counts
LOCAL_PLACES = {
    "a data disk": (MOUNTS, "/nvme/x", None, None),
    "the disk below a folder that only its path names": ({"/": "ext4", "/nvme/raid": "xfs"}, "/nvme/raid/x", None, None),
    "memory": ({"/": "ext4", "/nvme": "tmpfs"}, "/nvme/x", None, "wrong_place"),
    "memory mounted deeper": ({**MOUNTS, "/nvme/fast": "ramfs"}, "/nvme/fast/x", None, "wrong_place"),
    "a container's layer": ({"/": "overlay"}, "/nvme/x", None, "wrong_place"),
    "a folder of the system disk, mounted nowhere": ({"/": "ext4", "/data": "lustre"}, "/nvme/x", None, "wrong_place"),
    "the shared storage": ({"/": "ext4", "/nvme": "lustre"}, "/nvme/x", None, "wrong_place"),
    "a way out by dots": (MOUNTS, "/nvme/../data/x", None, "wrong_path"),
    "the system's own disk by fio's count": (MOUNTS, "/nvme/x", ("nvme9n1",), "wrong_place"),
    "a data disk by fio's count": (MOUNTS, "/nvme/x", ("nvme1n1",), None),
    "no list of mounts": ({}, "/nvme/x", None, "place_unknown"),
}  # fmt: skip


@pytest.mark.parametrize(("listed", "path", "used", "reason"), LOCAL_PLACES.values(), ids=LOCAL_PLACES)
def test_the_local_test_must_lie_on_a_data_disk(listed, path, used, reason):
    told = {} if used is None else {"fio_disks": used}
    found = local(*repeated(25, 26, 27, path=path, listed=listed, disks=10, **told))
    assert (found.state, found.reason) == ((V, "met") if reason is None else (Q, reason))


SHARED_PLACES = {
    "the contracted mount": (MOUNTS, None, None),
    "memory": ({"/": "ext4", "/data": "tmpfs"}, None, "wrong_place"),
    "nothing mounted": ({"/": "ext4"}, None, "wrong_place"),
    "a container's layer": ({"/": "overlay"}, None, "wrong_place"),
    "another mount below it": ({**MOUNTS, "/data/x": "xfs"}, None, "wrong_place"),
    "a local file system under its name": ({"/": "ext4", "/data": "xfs"}, None, "wrong_place"),
    "no list of mounts": ({}, None, "place_unknown"),
}


@pytest.mark.parametrize(("listed", "used", "reason"), SHARED_PLACES.values(), ids=SHARED_PLACES)
def test_the_shared_test_must_lie_on_the_contracted_mount(listed, used, reason):
    told = {} if used is None else {"fio_disks": used}
    found = shared(*repeated(25, 26, 27, path="/data/x", listed=listed, **told))
    assert (found.state, found.reason) == ((V, "met") if reason is None else (Q, reason))


def test_the_sentence_says_what_is_mounted_there():
    records = repeated(25, 26, 27, listed={"/": "ext4", "/nvme": "tmpfs"})
    sentence = making.judged(records, BODY)["g1/local_read"].sentence
    assert "where tmpfs is mounted (/nvme); it was to run on a local data disk" in sentence.en
    assert "挂的是 tmpfs" in sentence.zh


@pytest.mark.parametrize(("disks", "speed", "reason"), [
    (4, 64, "met"), (4, 65, "over_ceiling"), (1, 16, "missed"), (1, 17, "over_ceiling"), (0, 64, "met"), (0, 65, "over_contracted_disks"),
])  # fmt: skip
def test_drives_read_no_faster_than_their_lanes(disks, speed, reason):
    assert local(*repeated(speed, speed, speed, disks=disks)).reason == reason


def test_drives_that_neither_contract_nor_machine_counts_have_no_ceiling():
    body = with_path(making.body_of({"local_disk_count": None}))
    assert local(*repeated(500, 500, 500), body=body).reason == "met"


def test_a_read_above_the_contracted_drives_says_what_to_run_with_it():
    sentence = making.judged(repeated(65, 65, 65), BODY)["g1/local_read"].sentence
    assert "65 GB/s is above the 64 GB/s that the contracted local drives can read" in sentence.en
    assert "请与 lsblk 一起复测" in sentence.zh


@pytest.mark.parametrize(("iops", "reason"), [(95_300, "met"), (95_400, "over_contracted_ports")])
def test_operations_times_their_block_are_held_to_the_ports_too(iops, reason):
    """8 ports of 400 Gb/s carry 400 GB/s: 95,367 operations of 4 MiB a second."""
    profile = {**PROFILE, "rw": "randread", "block_size": "4MiB"}
    body = making.body_of(mount={"shared_read_iops": 90_000, "io_test_profile": (profile,)})
    told = {"path": "/data/x", "rw": "randread", "block_size": "4MiB", "read_iops": Decimal(iops)}
    records = [fio(20 + repeat, repeat, **told) for repeat in (1, 2, 3)]
    found = making.scope_verdicts(body.clause("m1/read_iops"), records, body)
    assert next(iter(found.values())).reason == reason


def test_memory_where_the_mount_was_promised_is_a_breach_that_says_so():
    listed = [Reading("memory_mount", "tmpfs", scope="mount:/data"), Reading("mounts_listed", 9)]
    record = making.storage(ONE, drop=["mount_type", "mount_writable"], add=listed)
    verdicts = making.judged([record], MOUNTED)
    found = verdicts["m1/present"]
    assert (found.state, found.reason) == (B, "mounted_instead")
    assert "tmpfs (memory) is mounted there, not a network file system" in found.sentence.en
    assert verdicts["m1/type"].state is B


def shared(*records):
    body = replace(MOUNTED, clauses=MOUNTED.clauses)
    found = making.scope_verdicts(body.clause("m1/read"), list(records), body)
    return next(iter(found.values()))


def test_the_agreed_profile_must_be_met():
    assert shared(*repeated(25, 26, 27, path="/data/x")).state is V
    assert shared(*repeated(25, 26, 27, path="/data/x", block_size="4KiB")).reason == "other_profile"
    assert shared(*repeated(25, 26, 27, path="/data/x", block_size=Decimal(1048576))).state is V


def test_more_than_the_ports_can_carry_is_a_cache():
    found = shared(*repeated(401, 402, 403, path="/data/x"))
    assert (found.state, found.reason) == (Q, "over_contracted_ports")


@pytest.mark.parametrize(("rate", "read", "reason"), [
    (800, 700, "met"), (800, 801, "over_ports"), (200, 399, "met"), (200, 401, "over_ports"),
])  # fmt: skip
def test_a_client_reads_no_faster_than_its_ports_measured_or_contracted_whichever_is_more(rate, read, reason):
    """Storage may be reached over ports that no RDMA tool lists, so slow ones prove nothing against it."""
    ports = making.fabric(ONE, rates=dict.fromkeys(range(8), rate))
    assert shared(ports, *repeated(read, read, read, path="/data/x")).reason == reason


def test_a_read_clause_that_no_job_can_settle_yet_is_pending_and_says_so():
    verdict = making.judged([], MOUNTED)["m1/read"]
    assert verdict.state is P and verdict.reason == "no_job_yet"
    assert NOW.year == 2026


def test_a_second_result_of_one_machine_is_not_added_to_the_first():
    doubled = [
        replace(one, outputs=(*one.outputs, replace(one.outputs[-1], sha256=f"again {one.id}")))
        for one in repeated(13, 14, 15)
    ]
    found = local(*doubled)
    assert (found.state, found.reason) == (Q, "many_results")
