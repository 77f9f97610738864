"""Values that no tool prints: sums, counts and kinds, worked out from one run's readings before judging."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal

from gpucontract.catalogue.gpus import all_printing
from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.parsers.capture import ReadingValue
from gpucontract.measurements.records import Origin, RunRecord
from gpucontract.units import UnitError
from gpucontract.verdicts.comparing import condition_number, in_unit, number_of
from gpucontract.verdicts.results import wrong_results
from gpucontract.verdicts.sightings import Reader, Seen, each, one, plain, rounding_of, whole
from gpucontract.verdicts.systems import container, fabric_manager, os_name, root

_CLOSE = ("PIX", "PXB")
# How near a NIC is, nearest first.
_DISTANCES = ("PIX", "PXB", "PHB", "NODE", "SYS")
# The state in which a GPU uses its whole link.
_FULL_SPEED = "P0"
# What stands where something else should: the reading says nothing, neither yes nor no.
_NO_NUMBER, _NO_WORD, _NO_ANSWER = "not_a_number", "not_a_word", "not_an_answer"


def gpu_set(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """Which GPUs answered, by UUID: what tells one machine from another."""
    found = plain(record, "gpu_uuid", "gpu")
    uuids = sorted(seen.value for seen in found.values() if isinstance(seen.value, str))
    if uuids:
        yield Seen("", " ".join(uuids), "text", facts={"gpus": len(uuids)})
    elif found:
        yield next(iter(found.values())).unread(_NO_WORD)


def gpu_count(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """How many GPUs the driver lists, and how many of them it could not open."""
    seen = one(record, "gpu_count")
    if seen is None:
        return
    unreadable = one(record, "gpu_unreadable")
    dead = number_of(unreadable.value) if unreadable and unreadable.value is not None else Decimal(0)
    if dead is None:
        yield Seen("", None, "count", _NO_NUMBER)
        return
    distinct = one(record, "distinct_uuids")
    if seen.value is not None and distinct and distinct.value is not None and distinct.value != seen.value:
        facts = {"first": str(seen.value), "second": str(distinct.value), "tools": "nvidia-smi -L, UUID"}
        yield Seen("", None, "count", "sources_disagree", facts)
        return
    yield Seen("", seen.value, "count", seen.why, {**seen.facts, "unreadable": int(dead)})


def mig(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """on or off per GPU; a GPU that no driver can split says N/A."""
    names = plain(record, "gpu_name", "gpu")
    for local, seen in plain(record, "mig_enabled", "gpu").items():
        told = {True: "on", False: "off"}[seen.value] if isinstance(seen.value, bool) else None
        if _is_without(seen) and _cannot_be_split(names.get(local)):
            yield Seen(local, None, why="not_applicable")
        else:
            yield Seen(local, told, why=seen.why if told or seen.value is None else _NO_ANSWER, facts=seen.facts)


def ecc(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """ECC of each GPU; a GeForce board that says N/A has none, any other that says so was not read."""
    names = plain(record, "gpu_name", "gpu")
    for local, seen in plain(record, "ecc_enabled", "gpu").items():
        is_consumer = local in names and "GeForce" in str(names[local].value)
        yield Seen(local, None, why="not_applicable") if _is_without(seen) and is_consumer else seen


def _is_without(seen: Seen) -> bool:
    """Whether the driver says that the GPU has no such thing."""
    return seen.value is None and seen.why in ("not_available", "not_supported")


def _cannot_be_split(name: Seen | None) -> bool:
    """Whether the printed name is a catalogue's, and no model that prints it has MIG."""
    printing = all_printing(str(name.value)) if name else ()
    return bool(printing) and not any(gpu.may_have_mig for gpu in printing)


def active_links(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """Active links of each GPU: as nvlink -s counts them, else the highest NV# of the GPU's row in the matrix.

    Nobody has more links to one other GPU than in all: then the longer list was cut, and nothing is known.
    """
    counted, pairs = plain(record, "nvlink_active", "gpu"), plain(record, "nvlink_links", "gpu")
    for local, seen in (counted or pairs).items():
        here, there = number_of(seen.value), number_of(pairs[local].value) if local in pairs else None
        if here is not None and there is not None and here < there:
            facts = {"first": here, "second": there, "tools": "nvidia-smi nvlink -s, nvidia-smi topo -m"}
            yield Seen(local, None, why="sources_disagree", facts=facts)
        else:
            yield seen


def row_remaps(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """Pending and failed row remaps of each GPU, counted together; both must be readable."""
    pending, failed = plain(record, "row_remap_pending", "gpu"), plain(record, "row_remap_failure", "gpu")
    for local in sorted({*pending, *failed}):
        parts = [pending.get(local), failed.get(local)]
        missing = next((part for part in parts if part is not None and not isinstance(part.value, bool)), None)
        if missing or None in parts:
            yield missing.unread(_NO_ANSWER, local) if missing else Seen(local, None, why="half_read")
        else:
            yield Seen(local, sum(bool(part.value) for part in parts if part), "count")


def interconnect(record: RunRecord, clause: Clause) -> Iterator[Seen]:
    """How the GPUs are linked, from the matrix: switch, mesh, bridged pairs, PCIe switch or root ports.

    A switch: every pair NV# and the most frequent NV# is what the catalogue lists as the GPU's links; a degraded GPU
    (NV16 among NV18) does not change the kind.
    """
    shown = [seen for seen in plain(record, "topo_link", "gpu").values() if seen.value is not None]
    pairs = {seen.local: seen.value for seen in shown if isinstance(seen.value, str)}
    if len(pairs) < len(shown):
        yield Seen("", None, why=_NO_WORD)
    if not pairs or len(pairs) < len(shown):
        return
    numbers = [int(link[2:]) for link in pairs.values() if link.startswith("NV") and link[2:].isdecimal()]
    facts = {"linked": len(numbers), "pairs": len(pairs)}
    if len(numbers) == len(pairs):
        yield Seen("", _full_mesh_kind(numbers, clause), "enum", facts=facts)
    elif numbers:
        yield Seen("", "nvlink_bridge" if _joins_pairs_only(pairs) else "nvlink_mesh", "enum", facts=facts)
    else:
        yield Seen("", _pcie_kind(pairs), "enum", facts=facts)


def pcie_width(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """Lanes of each GPU's link; fewer than it can have mean nothing while it saves power (nvidia-smi's own warning)."""
    most, states = plain(record, "pcie_width_max", "gpu"), plain(record, "performance_state", "gpu")
    for local, seen in plain(record, "pcie_width_current", "gpu").items():
        lanes, limit = number_of(seen.value), number_of(most[local].value) if local in most else None
        state = states[local].value if local in states else None
        is_saving = isinstance(state, str) and state != _FULL_SPEED
        if is_saving and lanes is not None and limit is not None and lanes < limit:
            facts = {"lanes": str(lanes), "limit": str(limit), "performance": str(state)}
            yield Seen(local, None, why="idle_link", facts=facts)
        else:
            yield seen


def peer_access(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """Whether every pair of GPUs may reach each other; not applicable on a single GPU."""
    gpus = one(record, "gpu_count")
    if gpus and number_of(gpus.value) == 1:
        yield Seen("", None, why="not_applicable")
        return
    supported, pairs = one(record, "p2p_supported"), one(record, "p2p_pairs")
    if supported is not None:
        facts = {"pairs": str(pairs.value)} if pairs and pairs.value is not None else {}
        yield Seen("", supported.value, "bool", supported.why, {**supported.facts, **facts})


def nearest_nic(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """For each GPU, the path to its nearest NIC."""
    best: dict[str, str] = {}
    for scope, seen in plain(record, "nic_link", "gpu").items():
        gpu, path = scope.partition("+")[0], seen.value if isinstance(seen.value, str) else _NO_WORD
        if seen.value is not None and (gpu not in best or _distance(path) < _distance(best[gpu])):
            best[gpu] = path
    for gpu, path in best.items():
        yield Seen(gpu, None, why=path) if path == _NO_WORD else Seen(gpu, path, "enum")


def data_disks(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """Local NVMe disks that are not the system's: how many, by name."""
    disks, unread = _data_disks(record)
    if unread is not None:
        yield unread
    elif disks is not None and _share_serials(record, disks):
        yield Seen("", None, why="same_serials", facts={"disks": sorted(disks)})
    elif disks is not None:
        yield Seen("", len(disks), "count", facts={"disks": sorted(disks)})


def _share_serials(record: RunRecord, disks: set[str]) -> bool:
    """Whether two of them are one drive: its namespaces or paths are listed like disks."""
    serials = plain(record, "nvme_serial", "disk:")
    known = [seen.value for disk in disks if (seen := serials.get(f"disk:{disk}")) and seen.value is not None]
    return len(set(known)) < len(known)


def data_disk_capacity(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """What those disks hold together."""
    disks, unread = _data_disks(record)
    if disks is None:
        yield from [unread] if unread else []
        return
    sizes = plain(record, "disk_size", "disk:")
    known = [sizes[f"disk:{disk}"] for disk in disks if f"disk:{disk}" in sizes]
    if len(known) < len(disks) or any(size.value is None for size in known):
        yield Seen("", None, why="half_read")
        return
    try:
        parts = (in_unit(size.value, size.unit or "B", "B") for size in known if size.value is not None)
        total = sum(parts, Decimal(0))
        steps = ((rounding_of(size.value, size.unit), size.unit or "B") for size in known)
        rounding = sum((in_unit(step, unit, "B") for step, unit in steps), Decimal(0))
    except UnitError as fault:
        yield Seen("", None, why=str(fault))
        return
    yield Seen("", total, "B", facts={"disks": sorted(disks)}, rounding=rounding)


def mount_usable(record: RunRecord, clause: Clause) -> Iterator[Seen]:
    """Whether the contracted path is mounted and writable; a mount table without it says no, and memory there too."""
    local = mount_scope(clause)
    here, writable, listed = (
        one(record, "mount_type", local),
        one(record, "mount_writable", local),
        one(record, "mounts_listed"),
    )
    memory = one(record, "memory_mount", local)
    if memory is not None and memory.value is not None:
        yield Seen(local, False, "bool", facts={"mounted": str(memory.value)}, missed="mounted_instead")
    elif here is not None and here.value is not None and not isinstance(here.value, str):
        yield Seen(local, None, "bool", _NO_WORD)
    elif here is not None and here.value is not None:
        known = writable or Seen(local, None)
        yield known.unread("half_read", local) if known.value is None else Seen(local, known.value, "bool")
    elif here is not None and here.why != "not_mounted":
        yield here
    elif here is not None or (listed is not None and (listed.value is True or number_of(listed.value))):
        yield Seen(local, False, "bool", facts={"absent": True})


def on_mount(name: str) -> Reader:
    """A reader of one reading at the clause's own mount."""

    def read(record: RunRecord, clause: Clause) -> Iterator[Seen]:
        seen = one(record, name, mount_scope(clause))
        if seen is not None:
            yield seen

    return read


def mount_kind(record: RunRecord, clause: Clause) -> Iterator[Seen]:
    """The type of the clause's mount, as the mount table and df say it alike."""
    local = mount_scope(clause)
    listed, shown = one(record, "mount_type", local), one(record, "fs_type", local)
    listed = one(record, "memory_mount", local) or listed
    if listed is None:
        return
    if listed.value is not None and shown and shown.value is not None and shown.value != listed.value:
        facts = {"first": str(listed.value), "second": str(shown.value), "tools": "findmnt, df"}
        yield Seen(local, None, "text", "sources_disagree", facts)
    else:
        yield listed


def mount_scope(clause: Clause) -> str:
    """mount:/data for the mount that the clause's conditions name."""
    return f"mount:{clause.conditions.get('mount', '')}"


def burnt_in(record: RunRecord, clause: Clause) -> Iterator[Seen]:
    """How long all contracted GPUs together worked without a fault; a load that was ordered shorter proves neither."""
    clean, ordered, gpus = (one(record, name) for name in ("load_clean_time", "load_runtime", "load_gpus"))
    if clean is None or clean.value is None or ordered is None or gpus is None:
        yield from [clean.unread("half_read")] if clean else []
        return
    wanted, took_part = clause.value, condition_number(clause.conditions, "gpus")
    if not isinstance(wanted, Decimal) or (took_part is not None and gpus.value != took_part):
        yield Seen("", None, why="not_all_gpus", facts={"seen": str(gpus.value), "wanted": str(took_part)})
        return
    try:
        lasted, asked = in_unit(clean.value, clean.unit, "s"), in_unit(ordered.value or 0, ordered.unit, "s")
    except UnitError as fault:
        yield Seen("", None, why=str(fault))
        return
    if is_faster_than_time(record, lasted):
        yield Seen("", None, why="too_fast", facts={"seconds": lasted})
        return
    if lasted < in_unit(wanted, "h", "s") and lasted >= asked:
        facts = {"seconds": lasted, "wanted": in_unit(wanted, "h", "s")}
        yield Seen("", None, why="too_short", facts=facts)
    else:
        yield Seen("", clean.value, clean.unit)


def is_faster_than_time(record: RunRecord, seconds: Decimal) -> bool:
    """Whether a run claims to have lasted longer than from its order to its result; a replay tells of another day."""
    if record.ordered_at is None or record.origin is Origin.REPLAY:
        return False
    return seconds > Decimal((record.received_at - record.ordered_at).total_seconds())


READERS: Mapping[str, Reader] = {
    "node_count_reachable": gpu_set, "gpu_count": gpu_count, "gpu_model": each("gpu_name", "gpu"),
    "gpu_memory_total_mib": each("gpu_memory_total", "gpu"), "ecc_enabled": ecc,
    "gpu_mig_mode": mig, "gpu_power_limit_w": each("power_limit", "gpu"),
    "pcie_link_width": pcie_width, "cpu_model": whole("cpu_model"),
    "cpu_core_count": whole("cores"), "ram_total_gib": whole("mem_total"), "gpu_interconnect_kind": interconnect,
    "nvlink_link_count": active_links, "nvlink_inactive_count": each("nvlink_inactive", "gpu"),
    "p2p_enabled": peer_access, "gpu_nic_affinity": nearest_nic, "nvme_count": data_disks,
    "local_disk_tb": data_disk_capacity, "fs_mount_present": mount_usable, "fs_type": mount_kind,
    "fs_capacity_tb": on_mount("fs_capacity"), "fs_free_tb": on_mount("fs_free"),
    "driver_version": whole("driver_version"), "cuda_toolkit_version": whole("cuda_toolkit_version"),
    "cudnn_version": whole("cudnn_version"), "nccl_version": whole("nccl_version"), "container_runtime": container,
    "root_access": root, "fabric_manager_active": fabric_manager, "os_release": os_name,
    "ecc_uncorrected_volatile": each("ecc_uncorrected_volatile", "gpu"), "row_remap_pending": row_remaps,
    "xid_critical_count": whole("fatal_xids"), "nccl_wrong_count": wrong_results,
    "gpu_cuda_usable_count": whole("usable_gpus"), "burn_in_hours": burnt_in,
}  # fmt: skip


def _full_mesh_kind(numbers: list[int], clause: Clause) -> ReadingValue:
    usual = Counter(numbers).most_common(1)[0][0]
    listed = condition_number(clause.conditions, "catalogue_links")
    if len(numbers) == 1:
        return "nvlink_bridge"
    return "nvlink_nvswitch" if listed is None or usual == listed else "nvlink_mesh"


def _joins_pairs_only(pairs: Mapping[str, str]) -> bool:
    partners = Counter(gpu for pair, link in pairs.items() if link.startswith("NV") for gpu in pair.split("+"))
    return max(partners.values()) == 1


def _pcie_kind(pairs: Mapping[str, str]) -> ReadingValue:
    gpus = {gpu for pair in pairs for gpu in pair.split("+")}
    close = {gpu for pair, link in pairs.items() if link in _CLOSE for gpu in pair.split("+")}
    return "pcie_switch" if close == gpus else "pcie_root"


def _distance(path: str) -> int:
    return _DISTANCES.index(path) if path in _DISTANCES else len(_DISTANCES)


def _data_disks(record: RunRecord) -> tuple[set[str] | None, Seen | None]:
    """Names of the local NVMe data disks; None when no disk table was read or, with the reason, when it is open."""
    nvme, system = plain(record, "disk_is_nvme", "disk:"), plain(record, "disk_is_system", "disk:")
    if not nvme:
        return None, None
    local = [plain(record, name, "disk:") for name in ("nvme_is_local", "disk_is_local")]
    disks: set[str] = set()
    for scope in sorted({*nvme, *system}):
        seen, is_system = (told.get(scope) or Seen(scope, None) for told in (nvme, system))
        if seen.value is False or is_system.value is True:
            continue
        is_local = _is_local([told[scope] for told in local if scope in told], scope)
        unread = next((part for part in (seen, is_system, is_local) if not isinstance(part.value, bool)), None)
        if unread is not None:
            return None, unread.unread(_NO_ANSWER if unread.value is not None else "half_read")
        if is_local.value:
            disks.add(scope.removeprefix("disk:"))
    return disks, None


def _is_local(told: list[Seen], scope: str) -> Seen:
    """Whether a drive is in the machine: one tool that saw a network is enough, since models alone tell the others."""
    answers = {seen.value for seen in told if isinstance(seen.value, bool)}
    if answers and not any(seen.why == "sources_disagree" for seen in told):
        return Seen(scope, False not in answers)
    return next((seen for seen in told if not isinstance(seen.value, bool)), Seen(scope, None))
