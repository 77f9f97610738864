"""Checks of storage and software."""

from __future__ import annotations

from decimal import Decimal

from gpucontract.catalogue import cuda
from gpucontract.catalogue.gpus import find
from gpucontract.contracts.checks.check import (
    Check,
    Miss,
    Per,
    Policy,
    Severity,
    first_empty,
    for_any_group,
    known,
    shown,
    some_groups,
)
from gpucontract.contracts.checks.nodes import gpu_of
from gpucontract.contracts.terms import Local
from gpucontract.contracts.values import joined
from gpucontract.wording import Text

_VERSIONED = {"cuda_version": Text("CUDA", "CUDA"), "driver_version": Text("GPU 驱动", "GPU driver")}


def _no_speed(local: Local, _: Policy) -> Miss | None:
    capacity = local["shared_capacity_tb"]
    lacking = first_empty(local, "shared_read_gbs", "shared_read_iops")
    return Miss({"path": local["path"]}, term=lacking) if capacity > 0 and lacking else None


def _single_server(local: Local, policy: Policy) -> Miss | None:
    if local["shared_type"] != "single_nfs":
        return None
    nodes = sum(int(group["node_count"]) for group in _seeing(local))
    return Miss({"path": local["path"], "nodes": nodes}) if nodes >= policy.nfs_node_limit else None


def _no_basis(local: Local, _: Policy) -> Miss | None:
    is_silent = local["shared_capacity_tb"] > 0 and not local.is_given("capacity_basis")
    return Miss({"path": local["path"]}) if is_silent else None


def _no_profile(local: Local, _: Policy) -> Miss | None:
    is_silent = local["shared_read_iops"] and not local.is_given("io_test_profile")
    return Miss({"path": local["path"]}) if is_silent else None


def _others_at_once(local: Local, _: Policy) -> Miss | None:
    nodes = sum(int(group["node_count"]) for group in _seeing(local))
    agreed = (row.get("clients") for row in local["io_test_profile"])
    clients = next((int(number) for number in agreed if number and int(number) != nodes), None)
    return Miss({"path": local["path"], "clients": clients, "nodes": nodes}) if clients else None


def _slow_checkpoint(local: Local, policy: Policy) -> Miss | None:
    """A checkpoint is estimated at a fifth of all GPU memory that sees the mount, in GB."""
    rate = Decimal(local["shared_write_gbs"])
    memory = sum(int(g["node_count"]) * int(g["gpus_per_node"]) * int(g["gpu_memory_gb"]) for g in _seeing(local))
    size = Decimal(2 * memory) / 10
    if rate * policy.checkpoint_seconds >= size:
        return None
    return Miss({"path": local["path"], "rate": shown(rate), "size": shown(size), "minutes": shown(size / rate / 60)})


def _no_shared(local: Local, _: Policy) -> Miss | None:
    has_several = any(int(local.terms[f"{code}/node_count"]) > 1 for code in some_groups(local))
    return Miss() if has_several and not local.terms.mounts else None


def _old_driver(local: Local, _: Policy) -> Miss | None:
    toolkit = known(cuda.version(local["cuda_version"]), "c/cuda_version")
    driver = known(cuda.version(local["driver_version"]), "c/driver_version")
    lowest = known(cuda.lowest_driver(toolkit), "catalogue/lowest_driver")
    return (
        Miss({"driver": local["driver_version"], "cuda": toolkit[0], "lowest": lowest})
        if driver[0] < int(lowest)
        else None
    )


def _old_toolkit(local: Local, _: Policy) -> Miss | None:
    gpu = gpu_of(local)
    toolkit = known(cuda.version(local["cuda_version"]), "c/cuda_version")
    first = known(cuda.first_toolkit(gpu), "catalogue/first_toolkit")
    is_old = toolkit < known(cuda.version(first), "catalogue/first_toolkit")
    return Miss({"cuda": local["cuda_version"], "gpu": gpu.name, "first": first}) if is_old else None


def _not_pinned(local: Local, _: Policy) -> Miss | None:
    loose = [
        term for term in _VERSIONED
        if not _is_without(local, term)
        and (cuda.version(local.get(term, "")) is None or cuda.is_open(local.get(term, "")))
    ]  # fmt: skip
    return Miss({"names": joined([_VERSIONED[term] for term in loose])}, term=loose[0]) if loose else None


def _is_without(local: Local, term: str) -> bool:
    """Whether it was said why there is no such version, of machines that hold no card of NVIDIA's."""
    cards = [find(local.terms.get(f"{code}/gpu_model", "")) for code in local.terms.groups]
    return bool(local.terms.reason(f"c/{term}")) and not any(gpu is None or gpu.vendor == "NVIDIA" for gpu in cards)


def _no_fabric_manager(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["intra_link_type"] == "nvlink_nvswitch" and not local.get("fabric_manager", False) else None


def _seeing(local: Local) -> list[Local]:
    """The groups that see the mount; all of them where it does not say."""
    return [local.terms.at(code) for code in local.get("groups", local.terms.groups)]


CHECKS = (
    Check(
        "C-STO-01", Severity.WARNING, Per.MOUNT, ("shared_read_gbs", "shared_read_iops", "shared_capacity_tb"),
        Text("{path} 约定了容量，读带宽和读 IOPS 却没有都写，存储慢会让 GPU 空等。请两项都填。",
             "{path} has a capacity but not both read bandwidth and read IOPS: slow storage leaves GPUs idle. "
             "State both."),
        _no_speed,
    ),
    Check(
        "C-STO-02", Severity.WARNING, Per.MOUNT, ("shared_type", "node_count"),
        Text("{path} 由一台 NFS 服务 {nodes} 台机器，既是单点也是瓶颈。请考虑并行文件系统。",
             "{path} is one NFS server for {nodes} machines: a bottleneck and a single point of failure. Consider a "
             "parallel file system."),
        _single_server,
    ),
    Check(
        "C-STO-03", Severity.WARNING, Per.MOUNT, ("capacity_basis", "shared_capacity_tb"),
        Text("{path} 没有写明容量是可用还是裸容量，两者差两到五成。请选择。",
             "{path} does not say whether its capacity is usable or raw: a fifth to a half between them. Choose."),
        _no_basis,
    ),
    Check(
        "C-STO-04", Severity.WARNING, Per.MOUNT, ("io_test_profile", "shared_read_iops"),
        Text("{path} 的 IOPS 没有测试口径，数字无法复现。请写块大小、队列深度和时长。",
             "The IOPS of {path} have no test profile and cannot be repeated. State block size, depth and duration."),
        _no_profile,
    ),
    Check(
        "C-STO-05", Severity.WARNING, Per.MOUNT, ("shared_write_gbs", "node_count", "gpus_per_node", "gpu_memory_gb"),
        Text("{path} 写 {rate} GB/s，估计 {size} GB 的检查点要 {minutes} 分钟。请提高写带宽，或按实际大小核对。",
             "At {rate} GB/s a checkpoint of about {size} GB to {path} takes {minutes} minutes. Raise the write rate, "
             "or check with your real size."),
        _slow_checkpoint,
    ),
    Check(
        "C-STO-09", Severity.WARNING, Per.MOUNT, ("io_test_profile", "node_count"),
        Text("{path} 的测试口径写明 {clients} 台机器同时测试，能看到它的有 {nodes} 台：只有全部机器同时测才能核验。"
             "请改为 {nodes} 台。",
             "The test profile of {path} has {clients} machines at once, but {nodes} see it: a rate is measured only "
             "by all of them at once. Make it {nodes}."),
        _others_at_once,
    ),
    Check(
        "C-STO-08", Severity.HINT, Per.CONTRACT, ("shared_type", "node_count"),
        Text("有多台机器却没有共享存储，数据要逐台拷贝。如确实不需要，可忽略。",
             "Several machines without shared storage: data must be copied to each. Ignore this if that is intended."),
        _no_shared,
    ),
    Check(
        "C-SW-01", Severity.BLOCKER, Per.CONTRACT, ("driver_version", "cuda_version"),
        Text("CUDA {cuda}.x 至少要驱动 {lowest}，所填为 {driver}，程序起不来。请提高驱动版本。",
             "CUDA {cuda}.x needs driver {lowest} at least, not {driver}: programs will not start. Raise the driver."),
        _old_driver,
    ),
    Check(
        "C-SW-02", Severity.BLOCKER, Per.CONTRACT, ("cuda_version", "gpu_model"),
        Text("{gpu} 从 CUDA {first} 起才支持，所填为 {cuda}。请提高 CUDA 版本。",
             "{gpu} is supported from CUDA {first} on, not by {cuda}. Raise the CUDA version."),
        for_any_group(_old_toolkit),
    ),
    Check(
        "C-SW-03", Severity.WARNING, Per.CONTRACT, ("cuda_version", "driver_version"),
        Text("{names}没有写明版本号，无法核对，也可能被随意更换。请写最低版本。",
             "No version number for {names}: nothing to check, and free to change. State the lowest version."),
        _not_pinned,
    ),
    Check(
        "C-SW-04", Severity.WARNING, Per.CONTRACT, ("fabric_manager", "intra_link_type"),
        Text("NVSwitch 机器没有要求运行 Fabric Manager，缺了它 NVLink 不通。请选“是”。",
             "NVSwitch machines without Fabric Manager: NVLink stays down. Answer yes."),
        for_any_group(_no_fabric_manager),
    ),
)  # fmt: skip
