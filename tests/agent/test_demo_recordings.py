"""The demo's constructed machines agree with themselves, differ from each other, and show what they are said to."""

import csv
import json
import re
from datetime import datetime

import pytest

from gpucontract.agent import protocol
from tests.agent.running import RECORDINGS

NODES = ("gpu-node-01", "gpu-node-02", "gpu-node-03")
ROW = re.compile(r"^ *(\d+) +(\d+) +float +(\w+) +-1((?: +[\d.]+){4})((?: +[\d.]+){4})$", re.MULTILINE)


def manifest(node):
    with open(RECORDINGS / node / protocol.MANIFEST, newline="") as file:
        return list(csv.DictReader(file))


def text(node, file):
    return (RECORDINGS / node / file).read_text(encoding="utf-8")


RUNS = [(node, row) for node in NODES for row in manifest(node) if row["tool"].startswith("nccl-tests")]
NCCL = pytest.mark.parametrize(("node", "row"), RUNS, ids=[f"{node} {row['file'][:26]}" for node, row in RUNS])


@pytest.mark.parametrize("node", NODES)
def test_the_manifest_names_every_file_and_no_other(node):
    files = {path.name for path in (RECORDINGS / node).iterdir()} - {protocol.MANIFEST}
    rows = manifest(node)
    assert files == {row["file"] for row in rows} and len(files) == len(rows)
    assert tuple(rows[0]) == protocol.MANIFEST_COLUMNS
    assert {row["job"] for row in rows} >= set(protocol.JOBS) - {
        "rdma_pairs",
        "nccl_inter",
        "nccl_pairs",
        "shared_load",
        "training",
    }


@pytest.mark.parametrize("node", NODES)
def test_one_output_begins_after_the_one_before_has_ended(node):
    times = [datetime.fromisoformat(row[name]) for row in manifest(node) for name in ("started_at", "ended_at")]
    assert times == sorted(times)


@NCCL
def test_every_row_of_a_collective_follows_its_formula(node, row):
    body = text(node, row["file"])
    ranks = len(re.findall(r"^#  Rank ", body, re.MULTILINE))
    factor = 2 * (ranks - 1) / ranks if "all_reduce" in row["tool"] else (ranks - 1) / ranks
    found = ROW.findall(body)
    assert [int(size) for size, *_ in found] == [2**27 * 2**step for step in range(7)]
    for size, _, _, *halves in found:
        for half in halves:
            time_us, algbw, busbw, wrong = map(float, half.split())
            assert busbw == pytest.approx(int(size) / time_us / 1000 * factor, rel=0.005)
            assert busbw == pytest.approx(algbw * factor, rel=0.005, abs=0.011)
            assert wrong == 0


@NCCL
def test_the_printed_average_is_that_of_the_rows(node, row):
    body = text(node, row["file"])
    rates = [float(half.split()[2]) for _, _, _, *halves in ROW.findall(body) for half in halves]
    printed = float(re.search(r"# Avg bus bandwidth    : ([\d.]+)", body)[1])
    assert printed == pytest.approx(sum(rates) / len(rates), abs=0.01)


@NCCL
def test_a_run_took_at_least_as_long_as_its_rows_say(node, row):
    spent = datetime.fromisoformat(row["ended_at"]) - datetime.fromisoformat(row["started_at"])
    rates = [half.split()[0] for _, _, _, *halves in ROW.findall(text(node, row["file"])) for half in halves]
    assert spent.total_seconds() > sum(map(float, rates)) * 25 / 1e6


def at_8_gib(node, row):
    return [float(half.split()[2]) for size, _, _, *halves in ROW.findall(text(node, row["file"])) for half in halves
            if int(size) == 2**33]  # fmt: skip


@pytest.mark.parametrize(
    ("node", "nodes", "low", "high"),
    [
        ("gpu-node-01", "gpu-node-01", 478, 483),
        ("gpu-node-02", "gpu-node-02", 424, 430),
        ("gpu-node-03", "gpu-node-03", 477, 483),
        ("gpu-node-01", "gpu-node-01 gpu-node-03", 330, 340),
        ("gpu-node-01", "gpu-node-01 gpu-node-02", 1.05, 1.2),
    ],
)
def test_three_repeats_lie_close_together_and_differ(node, nodes, low, high):
    runs = [at_8_gib(node, row) for owner, row in RUNS if (owner, row["nodes"]) == (node, nodes)]
    assert len(runs) == 3 and len({tuple(run) for run in runs}) == 3
    assert all(low < rate < high for run in runs for rate in run)


@pytest.mark.parametrize(("partner", "via"), [("gpu-node-02", "NET/Socket/0"), ("gpu-node-03", "NET/IB/")])
def test_every_rank_of_a_run_over_two_machines_says_its_transport(partner, via):
    for row in manifest("gpu-node-01"):
        if row["nodes"] == f"gpu-node-01 {partner}":
            body = text("gpu-node-01", row["file"])
            pids = re.findall(r"^#  Rank +\d+ Group +0 Pid +(\d+)", body, re.MULTILINE)
            saying = set(re.findall(r"^[\w-]+:(\d+):\d+ \[\d\] NCCL INFO Using network ", body, re.MULTILINE))
            assert len(pids) == 16 and set(pids) == saying
            assert set(re.findall(r"\] via (NET/\w+)", body)) == {via.rstrip("0/")}


def test_only_the_second_machine_found_no_rdma_device():
    body = text("gpu-node-01", "nccl_inter__gpu-node-02__1__nccl-tests-all-gather-perf.txt")
    assert set(re.findall(r"^([\w-]+):.*NET/IB : No device found", body, re.MULTILINE)) == {"gpu-node-02"}


def facts(node):
    """What must be one machine's own: UUIDs, serials, GUIDs, host name, disks."""
    listing = text(node, "inventory__1__nvidia-smi-L.txt")
    table = text(node, "inventory__1__nvidia-smi-query-gpu-csv.txt").splitlines()[1:]
    disks = json.loads(text(node, "storage__1__lsblk-J.json"))["blockdevices"]
    return {
        *re.findall(r"GPU-[0-9a-f-]{36}", listing), *(line.split(", ")[3] for line in table),
        *re.findall(r"GUID: (0x\w+)", text(node, "fabric__1__ibstat.txt")), *(disk["serial"] for disk in disks),
    }  # fmt: skip


def test_no_two_machines_share_an_identity():
    first, second, third = map(facts, NODES)
    assert min(len(first), len(second), len(third)) > 8 + 8 + 16 + 3
    assert not (first & second or first & third or second & third)


@pytest.mark.parametrize("node", NODES)
def test_one_gpu_has_one_uuid_and_one_serial_in_every_output(node):
    table = [line.split(", ") for line in text(node, "inventory__1__nvidia-smi-query-gpu-csv.txt").splitlines()[1:]]
    log = text(node, "health__1__nvidia-smi-q-x.xml")
    uuids = [row[2] for row in table]
    assert re.findall(r"GPU-[0-9a-f-]{36}", text(node, "inventory__1__nvidia-smi-L.txt")) == uuids
    assert re.findall(r"GPU-[0-9a-f-]{36}", text(node, "topology__1__nvidia-smi-nvlink-s.txt")) == uuids
    assert re.findall(r"<uuid>(.*)</uuid>", log) == uuids
    assert re.findall(r"<serial>(.*)</serial>", log) == [row[3] for row in table]


@pytest.mark.parametrize(("node", "links", "disks", "state"), [
    ("gpu-node-01", [18] * 8, 4, "Active"), ("gpu-node-02", [18] * 5 + [16] + [18] * 2, 3, "Down"),
    ("gpu-node-03", [18] * 8, 4, "Active"),
])  # fmt: skip
def test_a_machine_has_the_links_disks_and_ports_it_is_said_to_have(node, links, disks, state):
    cards = text(node, "topology__1__nvidia-smi-nvlink-s.txt").split("GPU ")[1:]
    devices = json.loads(text(node, "storage__1__lsblk-J.json"))["blockdevices"]
    assert [card.count("26.562 GB/s") for card in cards] == links
    assert sum(device["size"] == 7681501126656 for device in devices) == disks
    assert re.findall(r"\tState: (\w+)", text(node, "fabric__1__ibstat.txt")) == [state] * 8


@pytest.mark.parametrize("repeat", (1, 2, 3))
@pytest.mark.parametrize("node", NODES)
def test_fio_agrees_with_its_own_bytes_and_time(node, repeat):
    job = json.loads(text(node, f"storage__{repeat}__fio-JSON.json"))["jobs"][0]
    read = job["read"]
    assert read["bw_bytes"] == pytest.approx(read["io_bytes"] / read["runtime"] * 1000, rel=1e-6)
    assert read["iops"] == pytest.approx(read["total_ios"] / read["runtime"] * 1000, rel=1e-6)
    assert (job["error"], job["job options"]["direct"]) == (0, "1")


def test_they_are_said_to_be_constructed():
    assert "Constructed, not measured" in (RECORDINGS / "README.md").read_text(encoding="utf-8")
