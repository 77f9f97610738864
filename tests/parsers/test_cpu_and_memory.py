"""lscpu, /proc/meminfo, free and dmidecode: threads are not cores, kB are KiB, GB of a DIMM are GiB."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from tests.parsers.host_outputs import amount, code, codes, read_sample, read_text, sample, value, why

VM = "lscpu/2.34-epyc-vm.txt"
FLAT = "lscpu/2.38-flat.json"
DIMMS = "dmidecode/3.5-memory.txt"


def test_cores_are_cores_per_socket_times_sockets():
    parsed = read_sample(VM)
    expected = {"cpus": 96, "cores": 48, "sockets": 2, "threads_per_core": 2, "numa_nodes": 4, "cpus_online": 92}
    assert {name: value(parsed, name) for name in expected} == expected
    assert (value(parsed, "hypervisor"), value(parsed, "cpu_model")) == ("KVM", "AMD EPYC 9454 48-Core Processor")
    assert codes(parsed) == ["cpus_offline"]


def test_the_flat_json_says_the_same_things():
    parsed = read_sample(FLAT)
    assert (value(parsed, "cores"), value(parsed, "cpu_model")) == (144, "Neoverse-V2")
    assert why(parsed, "hypervisor") == "not_printed"


def test_the_nested_json_is_walked_and_null_is_nothing():
    fields = json.loads(sample(FLAT))["lscpu"]
    nested = {
        "lscpu": [
            {"field": "NUMA:", "data": None, "children": [{"field": "Vendor ID:", "data": "ARM", "children": fields}]}
        ]
    }
    parsed = read_text("lscpu -J", json.dumps(nested))
    assert (value(parsed, "cpus"), value(parsed, "cores")) == (144, 144)


def test_arm_without_sockets_counts_cores_by_cluster():
    parsed = read_sample(VM, ("Core(s) per socket:", "Core(s) per cluster:"), ("Socket(s):", "Cluster(s):"))
    assert value(parsed, "cores") == 48
    assert why(parsed, "sockets") == "not_printed"


def test_a_terminals_indentation_changes_nothing():
    text = "\n".join("  " + line for line in sample(VM).splitlines())
    assert value(read_text("lscpu", text), "cores") == 48


@pytest.mark.parametrize(
    ("old", "new", "name", "reason"),
    [
        pytest.param(
            "Socket(s):", "Socket(s):                        -\nx:", "cores", "unreadable", id="sockets unknown"
        ),
        pytest.param("Core(s) per socket:", "x:", "cores", "not_printed", id="no cores"),
        pytest.param(
            "Model name:", "Model name: Cortex-A55\nModel name:", "cpu_model", "several_cpu_types", id="two kinds"
        ),
        pytest.param("0-91", "0-91,zwei", "cpus_online", "unreadable", id="list unreadable"),
        pytest.param("0-91", "91-0", "cpus_online", "unreadable", id="list backwards"),
        pytest.param(
            "CPU(s):                          96",
            "CPU(s):                          9,6",
            "cpus",
            "unreadable",
            id="comma",
        ),
    ],
)
def test_a_line_that_cannot_be_read_leaves_only_itself_out(old, new, name, reason):
    text = sample(VM)
    text = text.replace(old, new, 1)
    parsed = read_text("lscpu", text)
    assert why(parsed, name) == reason
    assert value(parsed, "threads_per_core") == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(sample(VM) * 2, "two_outputs", id="twice"),
        pytest.param(sample(FLAT) * 2, "two_outputs", id="json twice"),
        pytest.param("架构：           x86_64\nCPU:             96\n", "lscpu_unknown", id="another language"),
        pytest.param("# CPU,Core,Socket,Node\n0,0,0,0\n", "lscpu_unknown", id="lscpu -p"),
        pytest.param(sample(FLAT)[:200], "json_broken", id="cut json"),
    ],
)
def test_lscpu_refuses_what_it_does_not_know(text, expected):
    parsed = read_text("lscpu", text)
    assert code(parsed) == expected
    assert why(parsed, "cpus") == expected


def test_meminfo_is_in_kib_and_says_gib_and_gb():
    parsed = read_sample("meminfo/1tib.txt")
    assert amount(parsed, "mem_total", "KiB") == 1056437892
    assert round(value(parsed, "mem_total_gib"), 2) == Decimal("1007.50")
    assert round(value(parsed, "mem_total_gb_decimal"), 2) == Decimal("1081.79")
    assert (value(parsed, "swap_total"), value(parsed, "hugepages_total")) == (8388604, 1024)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        pytest.param("1056437892 MB", "unreadable", id="another unit"),
        pytest.param("1056437892", "unreadable", id="no unit"),
        pytest.param("1,056,437,892 kB", "unreadable", id="thousands"),
        pytest.param("-5 kB", "unreadable", id="negative"),
    ],
)
def test_meminfo_without_a_clear_total_has_no_total(changed, reason):
    parsed = read_sample("meminfo/1tib.txt", ("1056437892 kB", changed))
    assert why(parsed, "mem_total") == reason
    assert why(parsed, "mem_total_gib") == reason


def test_meminfo_twice_or_empty_is_an_error():
    total = sample("meminfo/1tib.txt").splitlines(keepends=True)[0]
    assert code(read_text("/proc/meminfo", sample("meminfo/1tib.txt") + total)) == "two_outputs"
    assert value(read_text("/proc/meminfo", sample("meminfo/1tib.txt") * 2), "mem_total") is None
    assert code(read_text("/proc/meminfo", "")) == "meminfo_no_total"


FREE = [
    pytest.param("free", "1056437892", "1056437892", "KiB", id="bare is KiB"),
    pytest.param("free -m", "1031677", "1031677", "MiB", id="-m"),
    pytest.param("free -g", "1007", "1007", "GiB", id="-g"),
    pytest.param("free -b", "1081792401408", "1081792401408", "B", id="-b"),
    pytest.param("free --mega", "1081792", "1081792", "MB", id="--mega"),
    pytest.param("free -h", "1.0Ti", "1.0", "TiB", id="-h"),
    pytest.param("free -h", "1007G", "1007", "GiB", id="-h of old versions"),
    pytest.param("free -h --si", "1.1T", "1.1", "TB", id="-h --si"),
    pytest.param("free -ht", "503Gi", "503", "GiB", id="-ht"),
]


@pytest.mark.parametrize(("command", "cell", "number", "unit"), FREE)
def test_free_takes_its_unit_from_the_cell_or_the_command(command, cell, number, unit):
    text = sample("free/4.0-kib.txt").replace("1056437892", cell, 1)
    parsed = read_text("free", text, command=command)
    assert amount(parsed, "mem_total", unit) == Decimal(number)
    assert ("memory_rounded" in codes(parsed)) == ("-h" in command)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(sample("free/4.0-kib.txt") * 2, "two_outputs", id="twice"),
        pytest.param("Speicher: 1056437892\n", "free_no_memory", id="another language"),
    ],
)
def test_free_refuses_what_it_does_not_know(text, expected):
    assert code(read_text("free", text)) == expected


def test_free_in_chinese_is_read():
    parsed = read_text(
        "free",
        "              总计         已用        空闲\n内存：  1056437892    12000304   901230004\n交换：           0           0           0\n",
    )
    assert (value(parsed, "mem_total"), value(parsed, "swap_total")) == (1056437892, 0)


def test_free_with_a_decimal_comma_has_no_total():
    assert why(read_sample("free/4.0-kib.txt", ("1056437892", "1,0Ti")), "mem_total") == "unreadable"


def test_dimms_are_added_whatever_their_unit():
    parsed = read_sample(DIMMS)
    assert (value(parsed, "dimms_populated"), value(parsed, "dimm_slots"), value(parsed, "memory_type")) == (
        3,
        4,
        "DDR5",
    )
    assert amount(parsed, "memory_installed", "GiB") == 288
    assert value(parsed, "memory_speed_configured_min") == 5200
    assert value(parsed, "memory_speed_rated_min") == 5600
    assert value(parsed, "server_model") == "SYS-821GE-TNHR"


@pytest.mark.parametrize(
    ("old", "new", "name", "reason"),
    [
        pytest.param("Size: 98304 MB", "Size: Unknown", "memory_installed", "unreadable", id="one size unknown"),
        pytest.param("Number Of Devices: 4", "Number Of Devices: 32", "memory_installed", "slots_missing", id="cut"),
        pytest.param("Configured Memory Speed: 5200 MT/s", "Configured Memory Speed: Unknown", "memory_speed_configured_min",
                     "unreadable", id="one speed unknown"),
    ],
)  # fmt: skip
def test_what_is_missing_is_not_left_out_of_the_sum(old, new, name, reason):
    assert why(read_sample(DIMMS, (old, new)), name) == reason


def test_old_versions_say_clock_speed_in_mhz():
    parsed = read_sample(DIMMS, ("Configured Memory Speed", "Configured Clock Speed"), ("MT/s", "MHz"))
    assert value(parsed, "memory_speed_configured_min") == 5200


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param("# dmidecode 3.4\n/dev/mem: Permission denied\n", 1, "dmidecode_permission", id="not root"),
        pytest.param(
            "# dmidecode 3.4\n# No SMBIOS nor DMI entry point found, sorry.\n", 1, "dmidecode_no_smbios", id="vm"
        ),
        pytest.param(sample(DIMMS) * 2, 0, "two_outputs", id="twice"),
        pytest.param("# dmidecode 3.5\n", 0, "dmidecode_unknown", id="nothing"),
    ],
)
def test_dmidecode_that_saw_nothing_measures_nothing(text, status, expected):
    parsed = read_text("dmidecode", text, exit_status=status)
    assert code(parsed) == expected
    assert why(parsed, "memory_installed") == expected
