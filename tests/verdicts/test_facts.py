"""Facts, one machine, one thing changed: what the clause then says, where, and why."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import NOW, each_gpu, health, inventory, output, run, software, storage, topology

V, B, Q, P, N = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING, State.NOT_APPLICABLE
BODY = making.body_of()
ONE = "g1-001"


def judge(name, *records, body=BODY):
    """Scope below g1-001 -> (state, reason, value) of the clause of that name."""
    found = making.scope_verdicts(body.clause(making.key_of(body, name)), list(records), body)
    return {
        scope.removeprefix(ONE).lstrip("/"): (verdict.state, verdict.reason, verdict.value)
        for scope, verdict in found.items()
        if scope.startswith(ONE)
    }


def one(name, value, unit="", scope="", why=""):
    return Reading(name, value, unit, scope, why)


# name: clause, record, local scope, state, reason
GPUS = {
    "another model": ("gpu_model", inventory(ONE, ["gpu_name"], each_gpu("gpu_name", "NVIDIA H100 80GB HBM3", gpu3="NVIDIA H100 PCIe")), "gpu3", B, "missed"),
    "a name that only begins alike": ("gpu_model", inventory(ONE, ["gpu_name"], each_gpu("gpu_name", "NVIDIA H100 80GB HBM3e")), "gpu0", B, "missed"),
    "80 GB as the driver counts": ("gpu_memory", inventory(ONE), "gpu0", V, "met"),
    "memory of another card": ("gpu_memory", inventory(ONE, ["gpu_memory_total"], each_gpu("gpu_memory_total", Decimal(81559), "MiB", gpu2=Decimal(40960))), "gpu2", B, "missed"),
    "memory within the allowance": ("gpu_memory", inventory(ONE, ["gpu_memory_total"], each_gpu("gpu_memory_total", Decimal(80744), "MiB")), "gpu0", V, "met"),
    "memory just under the allowance": ("gpu_memory", inventory(ONE, ["gpu_memory_total"], each_gpu("gpu_memory_total", Decimal(80743), "MiB")), "gpu0", B, "missed"),
    "ECC off": ("ecc", inventory(ONE, ["ecc_enabled"], each_gpu("ecc_enabled", True, gpu7=False)), "gpu7", B, "missed"),
    "ECC unread": ("ecc", inventory(ONE, ["ecc_enabled"], [one("ecc_enabled", None, "", "gpu0", "not_available")]), "gpu0", Q, "unread"),
    "a slice sold as a card": ("mig_off", inventory(ONE, ["mig_enabled"], each_gpu("mig_enabled", False, gpu1=True)), "gpu1", B, "missed"),
    "a lowered power limit": ("power_limit", inventory(ONE, ["power_limit"], each_gpu("power_limit", Decimal("650.00"), "W")), "gpu0", B, "missed"),
    "eight lanes of sixteen": ("pcie_width", inventory(ONE, ["pcie_width_current"], each_gpu("pcie_width_current", 16, gpu4=8)), "gpu4", B, "missed"),
    "an unreadable width": ("pcie_width", inventory(ONE, ["pcie_width_current"], [one("pcie_width_current", None, "", "gpu0", "idle")]), "gpu0", Q, "unread"),
    "two links short": ("links_per_gpu", topology(ONE, {5: 16}), "gpu5", B, "missed"),
    "links from the matrix alone": ("links_per_gpu", topology(ONE, drop=["nvlink_active"], add=each_gpu("nvlink_links", 18, gpu6=12)), "gpu6", B, "missed"),
    "an uncorrectable error": ("health_ecc", health(ONE, ["ecc_uncorrected_volatile"], each_gpu("ecc_uncorrected_volatile", 0, gpu2=1)), "gpu2", B, "missed"),
    "a pending remap": ("health_row_remap", health(ONE, ["row_remap_pending"], each_gpu("row_remap_pending", False, gpu2=True)), "gpu2", B, "missed"),
    "a failed remap": ("health_row_remap", health(ONE, ["row_remap_failure"], each_gpu("row_remap_failure", False, gpu3=True)), "gpu3", B, "missed"),
    "a remap half read": ("health_row_remap", health(ONE, ["row_remap_failure"]), "gpu0", Q, "half_read"),
    "a NIC two bridges away": ("gpu_nic_affinity", topology(ONE, drop=["nic_link"], add=[one("nic_link", "SYS", "", "gpu0+mlx5_0"), one("nic_link", "PXB", "", "gpu1+mlx5_0")]), "gpu0", B, "missed"),
}  # fmt: skip
MACHINES = {
    "the generic name of a virtual CPU": ("cpu_model", inventory(ONE, ["cpu_model"], [one("cpu_model", "Intel Xeon Processor (Skylake, IBRS)")]), Q, "generic_cpu"),
    "another CPU": ("cpu_model", inventory(ONE, ["cpu_model"], [one("cpu_model", "AMD EPYC 9654 96-Core Processor")]), B, "missed"),
    "threads sold as cores": ("cpu_cores", inventory(ONE, ["cores"], [one("cores", 56)]), B, "missed"),
    "memory that firmware keeps": ("ram", inventory(ONE), V, "met"),
    "half the memory": ("ram", inventory(ONE, ["mem_total"], [one("mem_total", 1_056_000_000, "KiB")]), B, "missed"),
    "a switch with a degraded GPU": ("kind", topology(ONE, {5: 16}), V, "met"),
    "no peer access": ("p2p", topology(ONE, drop=["p2p_supported"], add=[one("p2p_supported", False)]), B, "missed"),
    "an older driver": ("driver", software(ONE, ["driver_version"], [one("driver_version", "535.161.08")]), B, "missed"),
    "a driver that sorts first as text": ("driver", software(ONE, ["driver_version"], [one("driver_version", "1000.1")]), V, "met"),
    "a version that is none": ("cuda", software(ONE, ["cuda_toolkit_version"], [one("cuda_toolkit_version", "unknown")]), Q, "no_version"),
    "an equal version written shorter": ("nccl", software(ONE, ["nccl_version"], [one("nccl_version", "2.20")]), V, "met"),
    "a point release of the contracted system": ("os", software(ONE, ["os_version_id"], [one("os_version_id", "22.04.4")]), V, "met"),
    "another system": ("os", software(ONE, ["os_version_id"], [one("os_version_id", "24.04")]), B, "missed"),
    "docker without its NVIDIA runtime": ("container", software(ONE, ["nvidia_runtime"], [one("nvidia_runtime", False)]), B, "missed"),
    "docker not running": ("container", software(ONE, ["docker_available", "nvidia_runtime"], [one("docker_available", False)]), B, "missed"),
    "docker not permitted": ("container", software(ONE, ["docker_available", "nvidia_runtime"], [one("docker_available", None, "", "", "no_permission")]), Q, "unread"),
    "Fabric Manager stopped": ("fabric_manager", software(ONE, ["service_active"], [one("service_active", False)]), B, "missed"),
    "root of a service": ("root", software(ONE, ["login_uid"], [one("login_uid", None, "", "", "no_login")]), Q, "no_login"),
    "root of a container": ("root", software(ONE, ["virtualization"], [one("virtualization", "docker")]), Q, "in_container"),
    "root of a Windows subsystem": ("root", software(ONE, ["virtualization"], [one("virtualization", "wsl")]), Q, "in_container"),
    "root of a pretended root": ("root", software(ONE, ["virtualization"], [one("virtualization", "proot")]), Q, "in_container"),
    "root of a virtual machine": ("root", software(ONE, ["virtualization"], [one("virtualization", "kvm")]), V, "met"),
    "root of who knows what": ("root", software(ONE, ["virtualization"], [one("virtualization", None, "", "", "not_found")]), Q, "unread"),
    "no root at all": ("root", software(ONE, ["uid"], [one("uid", 1000)]), Q, "not_root"),
    "a fatal Xid": ("health_xid", health(ONE, ["fatal_xids"], [one("fatal_xids", 1)]), B, "missed"),
    "a kernel log nobody may read": ("health_xid", health(ONE, ["fatal_xids"], [one("fatal_xids", None, "", "", "no_permission")]), Q, "unread"),
    "a disk short": ("local_disks", storage(ONE, disks=3), B, "missed"),
    "one drive listed as four": ("local_disks", storage(ONE, add=[one("nvme_serial", "S1", "", f"disk:nvme{n}n1") for n in range(4)]), Q, "same_serials"),
    "four drives of four serials": ("local_disks", storage(ONE, add=[one("nvme_serial", f"S{n}", "", f"disk:nvme{n}n1") for n in range(4)]), V, "met"),
    "a disk more": ("local_disks", storage(ONE, disks=5), V, "met"),
    "network disks": ("local_disks", storage(ONE, drop=["nvme_is_local"], add=[one("nvme_is_local", False, "", f"disk:nvme{n}n1") for n in range(4)]), B, "missed"),
    "drives of which nobody tells where they are": ("local_disks", storage(ONE, drop=["nvme_is_local"]), Q, "half_read"),
    "drives that lsblk alone tells": ("local_disks", storage(ONE, drop=["nvme_is_local"], add=[one("disk_is_local", True, "", f"disk:nvme{n}n1") for n in range(4)]), V, "met"),
    "a cloud volume without nvme-cli": ("local_disks", storage(ONE, drop=["nvme_is_local"], add=[one("disk_is_local", n > 0, "", f"disk:nvme{n}n1") for n in range(4)]), B, "missed"),
    "no capacity where disks are missing": ("local_capacity", storage(ONE, disks=3), B, "missed"),
    "a size unread": ("local_capacity", storage(ONE, drop=["disk_size"]), Q, "half_read"),
}  # fmt: skip
MOUNTS = {
    "a mount that is missing": ("present", storage(ONE, drop=["mount_type", "mount_writable"], add=[one("mount_type", None, "", "mount:/data", "not_mounted")]), "mount:/data", B, "missed"),
    "a mount table without it": ("present", storage(ONE, drop=["mount_type", "mount_writable"], add=[one("mounts_listed", 12)]), "mount:/data", B, "missed"),
    "a read-only mount": ("present", storage(ONE, drop=["mount_writable"], add=[one("mount_writable", False, "", "mount:/data")]), "mount:/data", B, "missed"),
    "another type by df": ("type", storage(ONE, add=[one("fs_type", "nfs4", "", "mount:/data")]), "mount:/data", Q, "sources_disagree"),
    "the same type by df": ("type", storage(ONE, add=[one("fs_type", "lustre", "", "mount:/data")]), "mount:/data", V, "met"),
    "NFS for Lustre": ("type", storage(ONE, drop=["mount_type"], add=[one("mount_type", "nfs4", "", "mount:/data")]), "mount:/data", B, "missed"),
    "less space than contracted": ("capacity", storage(ONE, drop=["fs_capacity"], add=[one("fs_capacity", 400 * 10**9, "KiB", "mount:/data")]), "mount:/data", B, "missed"),
    "full at delivery": ("free", storage(ONE, drop=["fs_free"], add=[one("fs_free", 10**9, "KiB", "mount:/data")]), "mount:/data", B, "missed"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "record", "local", "state", "reason"), GPUS.values(), ids=GPUS)
def test_a_gpu(name, record, local, state, reason):
    assert judge(name, record)[local][:2] == (state, reason)


@pytest.mark.parametrize(("name", "record", "state", "reason"), MACHINES.values(), ids=MACHINES)
def test_a_machine(name, record, state, reason):
    assert judge(name, record)[""][:2] == (state, reason)


@pytest.mark.parametrize(("name", "record", "local", "state", "reason"), MOUNTS.values(), ids=MOUNTS)
def test_a_mount(name, record, local, state, reason):
    assert judge(name, record)[local][:2] == (state, reason)


def test_a_gpu_that_the_run_does_not_show_is_pending_by_name():
    seven = [reading for reading in each_gpu("power_limit", Decimal(700), "W") if reading.scope != "gpu6"]
    found = judge("power_limit", inventory(ONE, ["power_limit"], seven))
    assert found["gpu6"][:2] == (P, "no_reading") and found["gpu5"][0] is V


def test_a_gpu_the_driver_cannot_open_is_inconclusive():
    seven = [reading for reading in each_gpu("power_limit", Decimal(700), "W") if reading.scope != "gpu6"]
    found = judge("power_limit", inventory(ONE, ["power_limit", "gpu_unreadable"], [*seven, one("gpu_unreadable", 1)]))
    assert found["gpu6"][:2] == (Q, "unreadable")


def test_tools_that_disagree_settle_nothing():
    record = run("inventory", ONE, (), outputs=(output([one("gpu_count", 8)], "a"), output([one("gpu_count", 7)], "b")))
    assert judge("gpu_count", record)[""][:2] == (Q, "sources_disagree")


def test_fabric_manager_means_nothing_without_an_nvswitch():
    bridged = making.body_of(group={"intra_link_type": "nvlink_nvswitch"})
    clauses = tuple(c for c in bridged.clauses if c.name != "kind")
    kind = next(c for c in making.body_of(group={"intra_link_type": "pcie_switch"}).clauses if c.name == "kind")
    mixed = making.replace(bridged, clauses=(*clauses, kind))
    record = software(ONE, ["service_active"], [one("service_active", False)])
    assert judge("fabric_manager", record, body=mixed)[""][0] is N


def test_a_failed_tool_is_quoted():
    record = run("software", ONE, (), outputs=(output([], "nvcc --version", error="not_found: nvcc"),))
    found = making.scope_verdicts(BODY.clause("c/cuda"), [record], BODY)[ONE]
    assert (found.state, found.reason, found.facts["detail"]) == (Q, "tool_failed", "not_found: nvcc")


def test_no_run_is_pending_and_says_which_job():
    (found,) = judge("links_per_gpu").values()
    assert found == (P, "no_run", None)


def test_the_newest_of_two_runs_speaks():
    assert judge("driver", software(ONE), software(ONE, ["driver_version"], [one("driver_version", "1.0")], minutes=5))[
        ""
    ][:2] == (B, "missed")


def test_a_pass_after_a_miss_in_one_round_is_a_contradiction():
    found = judge("links_per_gpu", topology(ONE, {5: 16}), topology(ONE, minutes=5))
    assert found["gpu5"] == (Q, "contradiction", Decimal(16)) and found["gpu4"][0] is V


def test_a_new_round_after_a_cure_replaces_the_miss():
    found = judge("links_per_gpu", topology(ONE, {5: 16}), topology(ONE, minutes=5, round=2))
    assert found["gpu5"][:2] == (V, "met")


def test_a_fatal_xid_stays_whatever_a_later_log_shows():
    bad = health(ONE, ["fatal_xids"], [one("fatal_xids", 1)])
    assert judge("health_xid", bad, health(ONE, minutes=5))[""][:2] == (B, "missed")


def test_order_of_the_list_changes_nothing():
    early, late = topology(ONE, {5: 16}), topology(ONE, minutes=5)
    assert judge("links_per_gpu", early, late) == judge("links_per_gpu", late, early)
    assert NOW.tzinfo is not None


@pytest.mark.parametrize("size", [10**23, 10**40, 0], ids=["very large", "absurd", "zero"])
def test_a_hostile_size_is_answered_and_never_stops_the_judge(size):
    record = inventory(ONE, ["mem_total"], [one("mem_total", size, "KiB")])
    verdict = making.judged([record, inventory("g1-002")], BODY)["g1/ram"]
    assert verdict.state in (V, B, Q) and verdict.sentence.zh
    assert verdict.margin_pct is None or abs(verdict.margin_pct) <= 10**12


@pytest.mark.parametrize(("printed", "unit", "state"), [
    ("1.9", "TiB", Q), ("2.0", "TiB", Q), ("1.8", "TiB", B), ("2.1", "TiB", V), ("1986", "GiB", Q), ("1985", "GiB", B),
    ("2083059138", "KiB", B), ("2083059139", "KiB", V),
])  # fmt: skip
def test_memory_printed_rounded_decides_only_beyond_its_last_digit(printed, unit, state):
    record = making.inventory(ONE, ["mem_total"], [Reading("mem_total", Decimal(printed), unit)])
    found = making.scope_verdicts(BODY.clause("g1/ram"), [record], BODY)[ONE]
    assert (found.state, found.reason == "rounded") == (state, state is Q)
    if state is Q:
        sentence = making.judged([record], BODY)["g1/ram"].sentence
        assert "rounded by the tool and within its last digit of" in sentence.en and "/proc/meminfo" in sentence.zh


@pytest.mark.parametrize(("printed", "unit", "state"), [
    ("6.8", "TiB", B), ("6.9", "TiB", Q), ("7.0", "TiB", Q), ("7.1", "TiB", V), ("7680000000000", "B", V),
    ("7679999999999", "B", B),
])  # fmt: skip
def test_disks_printed_rounded_decide_only_beyond_the_last_digit_of_each(printed, unit, state):
    sizes = [Reading("disk_size", Decimal(printed), unit, f"disk:nvme{number}n1") for number in range(4)]
    record = making.storage(ONE, drop=["disk_size"], add=sizes)
    clause = replace(BODY.clause("g1/local_capacity"), value=Decimal("30.72"), unit="TB")
    found = making.scope_verdicts(clause, [record], BODY)[ONE]
    assert (found.state, found.reason == "rounded") == (state, state is Q)
