"""A small contract and the readings of its machines, healthy unless a test spoils them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from gpucontract.contracts.body import Body, Group, Mount
from gpucontract.contracts.compile import clauses
from gpucontract.contracts.terms import Terms
from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.records import Origin, OutputRecord, RunRecord
from gpucontract.verdicts.admission import context_for
from gpucontract.verdicts.rules import judge_scopes
from gpucontract.verdicts.scopes import places
from gpucontract.verdicts.whole import judge_all

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
SIZE = 8 * 2**30
GPUS = range(8)
HOSTS = {"g1-001": "gpu-node-01", "g1-002": "gpu-node-02", "g1-003": "gpu-node-03", "g1-004": "gpu-node-04"}

GROUP = {
    "node_count": 2, "gpus_per_node": 8, "gpus_promised_in_one_machine": 8, "gpu_model": "H100 SXM5 80GB",
    "gpu_memory_gb": 80, "gpu_ecc_enabled": True, "gpu_exclusive": True, "gpu_power_limit_w": 700,
    "cpu_model": "Intel Xeon Platinum 8480", "cpu_cores_per_node": 112, "ram_gb_per_node": 2048,
    "intra_link_type": "nvlink_nvswitch", "nvlink_active_links_min": 18, "p2p_enabled": True,
    "intra_busbw_min": Decimal(455), "intra_busbw_msg_size": "8GiB", "inter_fabric_type": "rocev2", "nics_per_node": 8,
    "inter_port_gbps": 400, "gpudirect_rdma": True, "fabric_topology": "rail_optimized",
    "inter_busbw_min": Decimal(294),
    "inter_test_nodes": 2, "inter_test_collective": "all_gather", "local_disk_count": 4,
    "local_nvme_tb": Decimal("30.72"), "local_read_gbs": Decimal(20),
}  # fmt: skip
MOUNT = {
    "path": "/data", "groups": ("g1",), "shared_mounts": True, "shared_type": "parallel_fs", "protocol": "lustre",
    "shared_capacity_tb": Decimal(500), "shared_free_tb": Decimal(400),
}  # fmt: skip
CONTRACT = {
    "os_version": "Ubuntu 22.04", "driver_version": "550.54", "cuda_version": "12.4", "nccl_version": "2.20",
    "cudnn_version": "9.0", "fabric_manager": True, "container_runtime": "docker", "root_access": True,
    "repeat_runs": 3, "repeat_rule": "median", "tolerance_pct": Decimal(0), "acceptance_burnin_hours": 72,
    "vendor_licence_no": "B1-20240001",
}  # fmt: skip


def body_of(group=None, contract=None, mount=None, **head):
    """The frozen body of a contract with these terms changed; head: demo, coverage_pct."""
    g1 = {**GROUP, **(group or {})}
    terms = Terms({"g1": g1, "m1": {**MOUNT, **(mount or {})}, "c": {**CONTRACT, **(contract or {})}})
    compiled = clauses(terms)
    return Body(
        contract="C-2026-1", number=1, title="test", sha256="0" * 64, parties={},
        groups=(Group("g1", "g1", g1["gpu_model"], g1["node_count"], g1["gpus_per_node"], g1.get("nics_per_node", 0)),),
        mounts=(Mount("m1", "/data", ("g1",)),), clauses=compiled, **head,
    )  # fmt: skip


def key_of(body, name):
    """The key of the clause of that name."""
    return next(clause.key for clause in body.clauses if clause.name == name)


def output(readings, tool="tool", **fields):
    """One output; equal readings give an equal sha256 unless the test says otherwise."""
    return OutputRecord(
        name=tool, tool=tool, command=fields.pop("command", tool),
        sha256=fields.pop("sha256", str(hash(tuple(readings)))),
        readings=tuple(readings), **fields,
    )  # fmt: skip


def run(job, nodes, readings, minutes=0, **fields):
    """A delivered run of one output; nodes: a slot or several, the first leads."""
    slots = (nodes,) if isinstance(nodes, str) else tuple(nodes)
    repeat, received = fields.pop("repeat", 1), NOW - timedelta(minutes=60 - minutes)
    outputs = fields.pop("outputs", None) or (output(readings, job),)
    ident = fields.pop("id", f"{job}-{'+'.join(slots)}-r{fields.get('round', 1)}-{repeat}-{minutes}")
    return RunRecord(
        id=ident, job=job, group="g1", nodes=slots, repeat=repeat, origin=fields.pop("origin", Origin.AGENT),
        received_at=fields.pop("received_at", received), hostnames={slot: HOSTS[slot] for slot in slots},
        outputs=outputs, **fields,
    )  # fmt: skip


def each_gpu(name, value, unit="", **others):
    """A reading for each GPU; others: gpu5=16 for one that differs."""
    return [Reading(name, others.get(f"gpu{gpu}", value), unit, f"gpu{gpu}") for gpu in GPUS]


def inventory(slot, drop=(), add=(), **fields):
    """A healthy inventory without the readings named in drop, with those in add."""
    uuids = [Reading("gpu_uuid", f"GPU-{slot}-{gpu}", scope=f"gpu{gpu}") for gpu in GPUS]
    readings = [
        Reading("gpu_count", 8), Reading("gpu_unreadable", 0), *uuids, *each_gpu("gpu_name", "NVIDIA H100 80GB HBM3"),
        *each_gpu("gpu_memory_total", Decimal(81559), "MiB"), *each_gpu("ecc_enabled", True),
        *each_gpu("mig_enabled", False), *each_gpu("power_limit", Decimal("700.00"), "W"),
        *each_gpu("pcie_width_current", Decimal(16), "lanes"), Reading("cores", 112),
        Reading("cpu_model", "Intel(R) Xeon(R) Platinum 8480+"), Reading("mem_total", 2113_000_000, "KiB"),
    ]  # fmt: skip
    return run("inventory", slot, [r for r in readings if r.name not in drop] + list(add), **fields)


def topology(slot, links=None, drop=(), add=(), **fields):
    """A healthy link matrix; links: {5: 16} for a GPU with fewer links than 18."""
    links = links or {}
    pairs = [(a, b) for a in GPUS for b in GPUS if a < b]
    matrix = [
        Reading("topo_link", f"NV{min(links.get(a, 18), links.get(b, 18))}", scope=f"gpu{a}+gpu{b}") for a, b in pairs
    ]
    nics = [
        Reading("nic_link", "PIX" if gpu == nic else "SYS", scope=f"gpu{gpu}+mlx5_{nic}")
        for gpu in GPUS
        for nic in GPUS
    ]
    active = [Reading("nvlink_active", links.get(gpu, 18), scope=f"gpu{gpu}") for gpu in GPUS]
    idle = [Reading("nvlink_inactive", 18 - links.get(gpu, 18), scope=f"gpu{gpu}") for gpu in GPUS]
    readings = [
        Reading("gpu_count", 8), *matrix, *nics, *active, *idle, Reading("p2p_supported", True),
        Reading("p2p_pairs", "28 of 28"),
    ]  # fmt: skip
    return run("topology", slot, [r for r in readings if r.name not in drop] + list(add), **fields)


def software(slot, drop=(), add=(), **fields):
    """Versions and access as contracted."""
    readings = [
        Reading("driver_version", "550.90.07"), Reading("cuda_toolkit_version", "12.4.131"),
        Reading("cudnn_version", "9.1.0"), Reading("nccl_version", "2.20.5"), Reading("docker_available", True),
        Reading("nvidia_runtime", True), Reading("uid", 0), Reading("login_uid", 0),
        Reading("virtualization", "none"), Reading("os_name", "Ubuntu"), Reading("os_version_id", "22.04"),
        Reading("service_active", True), Reading("service_name", "nvidia-fabricmanager"), Reading("usable_gpus", 8),
    ]  # fmt: skip
    return run("software", slot, [r for r in readings if r.name not in drop] + list(add), **fields)


def load(slot, seconds=72 * 3600, job="burn_in", clean=None, tflops="700", dtype="bf16", gpus=8, minutes=0, **fields):
    """All GPUs under load for so long; clean: seconds to the first fault; tflops: of each GPU, gpu5=... for another."""
    others = {name: Decimal(fields.pop(name)) for name in list(fields) if name.startswith("gpu")}
    lasted = Decimal(seconds)
    readings = [
        Reading("load_dtype", dtype), Reading("load_gpus", gpus), Reading("load_runtime", seconds, "s"),
        Reading("load_together", lasted, "s"), Reading("load_clean_time", lasted if clean is None else clean, "s"),
        *each_gpu("gemm_tflops", Decimal(tflops), "TFLOPS", **others), *each_gpu("load_wrong", fields.pop("wrong", 0)),
        Reading("load_interrupts", fields.pop("interrupts", 0)), Reading("load_interrupts_open", fields.pop("open", 0)),
        Reading("load_worked", fields.pop("worked", lasted), "s"),
        Reading("unfinished_loads", fields.pop("unfinished", 0)),
    ]  # fmt: skip
    told = output(readings, "gpucontract-probe load", sha256=f"{slot} {job} {minutes} {seconds} {tflops}")
    return run(job, slot, (), minutes, outputs=(told,), **fields)


def health(slot, drop=(), add=(), **fields):
    """No errors."""
    readings = [
        *each_gpu("ecc_uncorrected_volatile", 0), *each_gpu("row_remap_pending", False),
        *each_gpu("row_remap_failure", False), Reading("fatal_xids", 0), Reading("hardware_xids", 0),
    ]  # fmt: skip
    return run("health", slot, [r for r in readings if r.name not in drop] + list(add), **fields)


def fabric(slot, down=(), layer="Ethernet", rates=None, ports=8, add=(), **fields):
    """RoCE ports at 400 Gb/s; down: numbers of ports that are Down; rates: {3: 200}."""
    readings = list(add)
    for port in range(ports):
        scope, is_up = f"port:mlx5_{port}", port not in down
        rate = Decimal((rates or {}).get(port, 400)) if is_up else None
        readings += [
            Reading("port_state", "Active" if is_up else "Down", scope=scope),
            Reading("port_link_layer", layer, scope=scope),
            Reading("port_rate", rate, "Gb/s" if is_up else "", scope, "" if is_up else "port_down"),
        ]
    return run("fabric", slot, readings, **fields)


def storage(slot, disks=4, drop=(), add=(), **fields):
    """Data disks beside one system disk, and the shared mount."""
    names = [f"nvme{number}n1" for number in range(disks)]
    readings = [Reading("disk_is_nvme", True, scope="disk:nvme9n1"),
                Reading("disk_is_system", True, scope="disk:nvme9n1"),
                Reading("disk_size", 960_197_124_096, "B", "disk:nvme9n1")]  # fmt: skip
    for name in names:
        readings += [
            Reading("disk_is_nvme", True, scope=f"disk:{name}"), Reading("disk_is_system", False, scope=f"disk:{name}"),
            Reading("disk_size", 7_681_501_126_656, "B", f"disk:{name}"),
            Reading("nvme_is_local", True, scope=f"disk:{name}"),
        ]  # fmt: skip
    readings += [
        Reading("mount_type", "lustre", scope="mount:/data"), Reading("mount_writable", True, scope="mount:/data"),
        Reading("fs_capacity", 600 * 10**9, "KiB", "mount:/data"),
        Reading("fs_free", 480 * 10**9, "KiB", "mount:/data"),
    ]  # fmt: skip
    return run("storage", slot, [r for r in readings if r.name not in drop] + list(add), **fields)


def collective(nodes, busbw, repeat=1, name="all_reduce", network=None, spoil=None, **fields):
    """An NCCL run whose time fits its bandwidth; spoil: {'wrong_results': 3} to change a reading."""
    slots = (nodes,) if isinstance(nodes, str) else tuple(nodes)
    ranks = 8 * len(slots)
    factor = Decimal(2 * (ranks - 1)) / ranks if name == "all_reduce" else Decimal(ranks - 1) / ranks
    time = round(Decimal(SIZE) * factor / Decimal(busbw) / 1000, 1)
    values = {
        "collective": name, "ranks": ranks, "hosts": len(slots), "wrong_results": 0, "validation": True,
        "iterations": 20, "warm_up_iterations": 5,
        "largest_size": SIZE, f"busbw_at_{SIZE}_out_of_place": Decimal(busbw), f"time_at_{SIZE}_out_of_place": time,
        "network": network or ("IB" if len(slots) > 1 else None), **(spoil or {}),
    }  # fmt: skip
    units = {f"busbw_at_{SIZE}_out_of_place": "GB/s", f"time_at_{SIZE}_out_of_place": "us", "largest_size": "B"}
    readings = [Reading(key, value, units.get(key, "")) for key, value in values.items()]
    for slot in slots if len(slots) > 1 else ():
        readings += [
            Reading("network", values["network"], scope=f"@{HOSTS[slot]}"),
            Reading("gdr", values["network"] == "IB", scope=f"@{HOSTS[slot]}"),
        ]
    command = fields.pop("command", f"{name}_perf -b 128M -e 8G -f 2 -g 8 -c 1")
    sha256 = fields.pop("sha256", f"{name}-{slots}-{busbw}-{repeat}-{fields.get('minutes')}-{fields.get('round')}")
    one = output(readings, f"nccl-tests {name}_perf", command=command, sha256=sha256, env=fields.pop("env", {}))
    job = "nccl_inter" if len(slots) > 1 else "nccl_intra"
    return run(job, slots, (), repeat=repeat, outputs=(one,), **fields)


def three(nodes, *busbws, **fields):
    """Repeats 1, 2, 3 ... of one collective."""
    return [collective(nodes, each, repeat, minutes=repeat, **fields) for repeat, each in enumerate(busbws, 1)]


def healthy_node(slot):
    """Every single-machine job of a healthy machine."""
    shift = 0 if slot == "g1-001" else Decimal("0.11")
    values = [Decimal("480.9") + shift, Decimal("481.3") + shift, Decimal("479.8") + shift]
    return [
        inventory(slot),
        topology(slot),
        software(slot),
        health(slot),
        fabric(slot),
        storage(slot),
        load(slot),
        *three(slot, *values),
    ]


def all_healthy():
    """Both machines and their joint runs, all as contracted."""
    joint = three(("g1-001", "g1-002"), "336.2", "337.9", "338.4", name="all_gather")
    return [*healthy_node("g1-001"), *healthy_node("g1-002"), *joint]


def sick():
    """What customers get: GPU 5 with 16 links, a disk short, RoCE ports down so that the joint runs went over TCP."""
    return [
        *healthy_node("g1-001"), inventory("g1-002"), topology("g1-002", {5: 16}), software("g1-002"), health("g1-002"),
        fabric("g1-002", down=GPUS), storage("g1-002", disks=3), load("g1-002"), *three("g1-002", "431.2", "430.8", "432.0"),
        *three(("g1-001", "g1-002"), "1.13", "1.12", "1.14", name="all_gather", network="Socket"),
    ]  # fmt: skip


def scope_verdicts(clause, records, body, **context):
    """Scope -> verdict of one clause over all its places."""
    known = replace(
        context_for(body, records, context.pop("now", NOW), in_window=context.pop("in_window", True)), **context
    )
    return {
        verdict.scope: verdict
        for place in places(clause, body)
        for verdict in judge_scopes(clause, at(records, place), known.at(place))
    }


def judged(records, body, **context):
    """Key -> explained clause verdict of a whole contract."""
    known = replace(
        context_for(body, records, context.pop("now", NOW), in_window=context.pop("in_window", True)), **context
    )
    return judge_all(body, records, known)


def at(records, place):
    return [record for record in records if place in record.nodes or place not in HOSTS]
