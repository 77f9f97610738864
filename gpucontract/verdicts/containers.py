"""What an agent sees inside a container or virtual machine: the container's system, mounts, ports; the guest's PCI."""

from __future__ import annotations

from gpucontract.verdicts.file_places import LAYERS, place_of
from gpucontract.verdicts.hearing import Answer, Hearing
from gpucontract.verdicts.sightings import one
from gpucontract.verdicts.states import ScopeVerdict, State
from gpucontract.verdicts.systems import CONTAINERS

# What a container may lack, or have less of, although its machine is as contracted.
_HIDDEN = (
    "gpu_count", "cpu_core_count", "ram_total_gib", "os_release", "container_runtime", "fabric_manager_active",
    "fs_mount_present", "fs_type", "nic_count", "nccl_transport", "gpu_nic_affinity",
)  # fmt: skip
_PCI_KINDS = frozenset(("pcie_switch", "pcie_root"))
# Where no disk shows the system's mounts, one too many counts as a data disk.
_DISKS = ("nvme_count", "local_disk_tb")


def seen_from_inside(hearing: Hearing, verdict: ScopeVerdict) -> ScopeVerdict:
    """The verdict, or none where the machine's own software run tells that the agent cannot see what decides."""
    if not (_may_mislead(hearing, verdict) or _is_of_guest(hearing, verdict)):
        return verdict
    system = _system(hearing)
    if system in CONTAINERS and _may_mislead(hearing, verdict):
        reason = "inside_container"
    elif system not in ("", "none", *CONTAINERS) and _is_of_guest(hearing, verdict):
        reason = "inside_vm"
    else:
        return verdict
    used = tuple(record for record in hearing.admitted.records if record.id in verdict.runs)
    answer = Answer(State.INCONCLUSIVE, reason, verdict.value, {"container": system})
    return hearing.say_of(verdict.scope, answer, used)


def _is_of_guest(hearing: Hearing, verdict: ScopeVerdict) -> bool:
    """Whether a miss is one of where cards sit in the PCI tree, which a virtual machine is shown as it was set up."""
    is_tree = hearing.clause.metric == "gpu_nic_affinity" or (
        hearing.clause.metric == "gpu_interconnect_kind" and {verdict.value, hearing.clause.value} <= _PCI_KINDS
    )
    return verdict.state is State.BREACHED and is_tree


def _may_mislead(hearing: Hearing, verdict: ScopeVerdict) -> bool:
    metric = hearing.clause.metric
    if verdict.state is State.BREACHED:
        return metric in _HIDDEN + _DISKS
    return verdict.state is State.VERIFIED and metric in _DISKS and _is_layered(hearing, verdict)


def _is_layered(hearing: Hearing, verdict: ScopeVerdict) -> bool:
    """Whether the run's own root lies on layers, as a container's does; asked of its record alone, which is cheap."""
    roots = (place_of(record, "/") for record in hearing.admitted.records if record.id in verdict.runs)
    return any(root is not None and root.type in LAYERS for root in roots)


def _system(hearing: Hearing) -> str:
    """The container or hypervisor that the newest software run of this place was in; "" where none told."""
    told = [seen for record in hearing.of_jobs("software").records if (seen := one(record, "virtualization"))]
    return str(told[-1].value) if told and told[-1].value is not None else ""
