"""The side conditions of clauses, as the judge reads them and the appendix prints them: plain values by name.

Sizes are bytes, rates and times carry their unit in the name; what is not known is left out, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gpucontract.catalogue import proposals, xid
from gpucontract.catalogue.bandwidth import MESSAGE_BYTES
from gpucontract.catalogue.gpus import Gpu, find
from gpucontract.contracts.chance import least_permitted
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.terms import Local
from gpucontract.contracts.values import plain

MEMORY_ALLOWANCE = "0.99"
RAM_ALLOWANCE = "0.97"
GEMM_SECONDS = 60
IO_SECONDS = 30
WRITE_BYTES = 65536
# A good cluster is interrupted once in this many node-hours, and may be rejected by chance this often.
GOOD_NODE_HOURS = 6000
SELLERS_RISK = 0.05

# What a port and NCCL's own log say over each fabric; RoCE is Ethernet to the port and IB to NCCL.
LINK_LAYER = {"infiniband": "InfiniBand", "rocev2": "Ethernet", "ethernet_tcp": "Ethernet"}
TRANSPORT = {"infiniband": "IB", "rocev2": "IB", "ethernet_tcp": "Socket"}
FILE_SYSTEMS = {
    "parallel_fs": ("lustre", "gpfs", "beegfs", "ceph", "wekafs"),
    "clustered_nfs": ("nfs", "nfs4"),
    "single_nfs": ("nfs", "nfs4"),
}
PROTOCOL_TYPES = {
    "lustre": ("lustre",),
    "gpfs": ("gpfs",),
    "beegfs": ("beegfs",),
    "cephfs": ("ceph", "fuse.ceph-fuse"),
    "wekafs": ("wekafs",),
    "nfs": ("nfs", "nfs4"),
}

Plain = Mapping[str, Any]


def gpu_of(local: Local) -> Gpu | None:
    """The catalogue's entry for the group's model, if it has one."""
    return find(local.get("gpu_model", ""))


def gpu_model(local: Local) -> Plain:
    """Names the driver prints for the model, exactly, and the memory totals under them; none for a name not known."""
    gpu = gpu_of(local)
    if gpu is None:
        return {"printed_names": []}
    return {"printed_names": list(gpu.printed_names), "memory_mib": list(gpu.memory_mib)}


def gpu_memory(local: Local) -> Plain:
    """The share of the least listed total that suffices; without a listed one the contracted GB count as 10^9 B."""
    gpu = gpu_of(local)
    if gpu is None or gpu.smallest_mib is None or local["gpu_memory_gb"] not in gpu.memory_gb:
        return {}
    return {"allowance": MEMORY_ALLOWANCE, "smallest_mib": gpu.smallest_mib}


def ram(_: Local) -> Plain:
    return {"allowance": RAM_ALLOWANCE}


def one_host(_: Local) -> Plain:
    return {"hosts": 1}


def gemm(local: Local) -> Plain:
    return {
        "dtype": local.get("gemm_dtype", "bf16"),
        "all_gpus_at_once": True,
        "gpus": int(local["gpus_per_node"]),
        "runtime_s": GEMM_SECONDS,
    }


def whole_load(local: Local) -> Plain:
    return {"gpus": int(local["gpus_per_node"]), "all_gpus_at_once": True}


def links(local: Local) -> Plain:
    """The number of links the catalogue knows for the model."""
    gpu = gpu_of(local)
    return {"catalogue_links": gpu.links} if gpu and gpu.links else {}


def intra_run(local: Local) -> Plain:
    """One machine, every GPU of it, the contracted message."""
    gpus = int(local["gpus_per_node"])
    return {**_message(local), "collective": "all_reduce", "hosts": 1, "ranks": gpus, **_result(local)}


def inter_run(local: Local) -> Plain:
    """Several machines over the contracted fabric, every GPU of each."""
    nodes = int(local["node_count"])
    chosen = local.get("inter_test_collective", proposals.inter_collective(nodes))
    hosts = int(local.get("inter_test_nodes", nodes))
    ring = {"algorithm": "Ring"} if chosen == "all_reduce_ring" else {}
    return {
        **_message(local), "collective": chosen.removesuffix("_ring"), **ring, "hosts": hosts,
        "ranks": hosts * int(local["gpus_per_node"]), **_result(local, bool(ring)), **_wire(local),
    }  # fmt: skip


def intra_check(_: Local) -> Plain:
    return {"hosts": 1, "validation": True}


def inter_check(local: Local) -> Plain:
    """Checked results, moved by the contracted fabric: what TCP moved says nothing about it."""
    return {"validation": True, **_wire(local)}


def fabric(local: Local) -> Plain:
    """How the contracted fabric shows: link layer of the ports, transport in NCCL's log."""
    return _wire(local)


def ports(local: Local) -> Plain:
    """Which ports count: Active, of the contracted link layer, at least at the contracted rate."""
    rate = local.get("inter_port_gbps")
    return {**_link_layer(local), "state": "Active", **({"port_gbps": int(rate)} if rate else {})}


def port_rate(local: Local) -> Plain:
    """How many ports count; the fastest ones do."""
    nics = local.get("nics_per_node")
    return {**_link_layer(local), **({"ports": int(nics)} if nics else {})}


def rdma_write(local: Local) -> Plain:
    return {**_link_layer(local), "size_bytes": WRITE_BYTES}


def data_disks(_: Local) -> Plain:
    return {"is_local": True, "without_system_disks": True}


def local_read(_: Local) -> Plain:
    return {"rw": "read", "direct": True, "runtime_s": IO_SECONDS}


def mounted(local: Local) -> Plain:
    return {"mount": local["path"], "writable": True}


def mount_type(local: Local) -> Plain:
    """The protocol agreed and the types a mount may show; only the named file system where one is named."""
    types = PROTOCOL_TYPES.get(local.get("protocol", "")) or FILE_SYSTEMS.get(local["shared_type"], ())
    return {"mount": local["path"], **_given(local, "protocol"), "fs_types": list(types)}


def capacity(local: Local) -> Plain:
    basis = local.get("capacity_basis")
    return {"mount": local["path"], **({"basis": basis} if basis else {})}


def free(local: Local) -> Plain:
    return {"mount": local["path"], "at": "delivery"}


def shared_read(local: Local) -> Plain:
    return _profile(local, "read")


def shared_read_iops(local: Local) -> Plain:
    return _profile(local, "randread")


def own_login(_: Local) -> Plain:
    return {"agent_started_by": "buyer"}


def fatal_codes(_: Local) -> Plain:
    return {"codes": list(xid.FATAL)}


def burn_in(local: Local) -> Plain:
    """Hours and machines of the soak, from which the permitted interrupts follow."""
    return {"hours": int(local["acceptance_burnin_hours"]), "nodes": int(local["node_count"])}


def permitted_interrupts(local: Local) -> Decimal:
    """The least number of interrupts that rejects a good cluster with at most 5 % chance (Poisson)."""
    expected = int(local["node_count"]) * int(local["acceptance_burnin_hours"]) / GOOD_NODE_HOURS
    return Decimal(least_permitted(expected, SELLERS_RISK))


def price(local: Local) -> Plain:
    currency = local.get("currency", TERMS["currency"].default)
    return {"currency": currency, **_given(local, "pricing_unit", "month_basis")}


def term(local: Local) -> Plain:
    months = local.get("term_months")
    return {"months": int(months)} if months else {}


def deletion(local: Local) -> Plain:
    return _given(local, "data_deletion_method")


def window(local: Local) -> Plain:
    return _given(local, "day_basis")


def _given(local: Local, *terms: str) -> dict[str, Any]:
    return {name: local[name] for name in terms if local.is_given(name)}


def _message(local: Local) -> dict[str, Any]:
    size = local.get("intra_busbw_msg_size", TERMS["intra_busbw_msg_size"].default)
    return {"size": size, "size_bytes": MESSAGE_BYTES[size]}


def _result(local: Local, forces_algorithm: bool = False) -> dict[str, Any]:
    allowed = tuple(local.get("nccl_env_allowed", TERMS["nccl_env_allowed"].default))
    if forces_algorithm and "NCCL_ALGO" not in allowed:
        allowed += ("NCCL_ALGO",)
    placement = local.get("busbw_placement", TERMS["busbw_placement"].default)
    return {"placement": placement, "validation": True, "env_allowed": list(allowed)}


def _wire(local: Local) -> dict[str, Any]:
    chosen = local.get("inter_fabric_type", "")
    return {**_link_layer(local), **({"transport": TRANSPORT[chosen]} if chosen in TRANSPORT else {})}


def _link_layer(local: Local) -> dict[str, Any]:
    chosen = local.get("inter_fabric_type", "")
    return {"link_layer": LINK_LAYER[chosen]} if chosen in LINK_LAYER else {}


def _profile(local: Local, pattern: str) -> dict[str, Any]:
    rows = [row for row in local.get("io_test_profile", ()) if row.get("rw") == pattern]
    agreed = {name: plain(value) for name, value in rows[0].items() if name != "code"} if rows else {}
    return {"mount": local["path"], "rw": pattern, "direct": True, "runtime_s": IO_SECONDS, **agreed}
