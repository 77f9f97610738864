"""Values proposed from the catalogue for terms that nobody should have to look up, with reason and sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gpucontract.catalogue import proposals
from gpucontract.catalogue.gpus import Gpu, find
from gpucontract.catalogue.proposals import Proposal
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.terms import Local, NotGiven, Terms
from gpucontract.wording import Text

THRESHOLD_SOURCES: Mapping[str, Text] = {
    "contract": Text("合同约定", "agreed in the contract"),
    "public_reference": Text("公开数据", "public reference"),
    "catalogue": Text("型号目录", "catalogue"),
    "estimated": Text("估算", "estimated"),
}

_LINKS = Text("{gpu} 每张有 {links} 条 NVLink", "{gpu} has {links} NVLink links per GPU")
_TWO_WAY = Text("{gpu} 的 NVLink 双向之和为 {rate} GB/s", "NVLink of {gpu} adds up to {rate} GB/s in both directions")
_ONE_WAY = Text("{gpu} 的 NVLink 单向为 {rate} GB/s", "NVLink of {gpu} carries {rate} GB/s in one direction")
_GENERATION = Text("{gpu} 用 NVLink {generation}", "{gpu} uses NVLink {generation}")
_COLLECTIVE = Text(
    "少于 4 台机器时 all_reduce 会虚高，宜用 all_gather", "Below four machines all_reduce overstates: use all_gather"
)
_ALL_REDUCE = Text("4 台及以上可用 all_reduce", "With four machines or more all_reduce is sound")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A proposed value. source: a key of THRESHOLD_SOURCES; computed_from: names of the clauses it follows from."""

    value: Any
    source: str
    reason: Text
    reference: str = ""
    computed_from: tuple[str, ...] = ()


def suggestion(terms: Terms, path: str) -> Suggestion | None:
    """What the catalogue proposes for a term of a row, or None where it knows nothing or a source is not given yet."""
    code, _, term = path.partition("/")
    if term not in _SUGGESTIONS:
        return None
    try:
        return _SUGGESTIONS[term](terms.at(code))
    except NotGiven:
        return None


def _intra_busbw(local: Local) -> Suggestion | None:
    gpu = find(local["gpu_model"])
    if gpu is None or local["intra_link_type"] != _usual_link(gpu.nvlink):
        return None
    size = local.get("intra_busbw_msg_size", TERMS["intra_busbw_msg_size"].default)
    found = proposals.intra_busbw(gpu, int(local["gpus_per_node"]), size)
    return _from_proposal(found, "gpu_model", "gpu_count", "kind")


def _inter_busbw(local: Local) -> Suggestion | None:
    gpu = find(local["gpu_model"])
    if gpu is None or int(local["node_count"]) < 2:
        return None
    found = proposals.inter_busbw(
        gpu, int(local["gpus_per_node"]), local["inter_fabric_type"], int(local["nics_per_node"]),
        int(local["inter_port_gbps"]),
    )  # fmt: skip
    return _from_proposal(found, "gpu_model", "gpu_count", "fabric_type", "nic_count", "port_rate")


def _rdma(local: Local) -> Suggestion | None:
    """A port is measured against one of another machine, over a network that has RDMA."""
    if int(local["node_count"]) < 2 or local["inter_fabric_type"] not in proposals.FABRIC_SHARE:
        return None
    return _from_proposal(proposals.rdma_write(int(local["inter_port_gbps"])), "port_rate")


def _links(local: Local) -> Suggestion | None:
    gpu = find(local["gpu_model"])
    if gpu is None or not gpu.links or not _has_nvlink(local, gpu):
        return None
    return Suggestion(
        gpu.links, "catalogue", _LINKS.fill(gpu=gpu.name, links=gpu.links), gpu.source, ("gpu_model", "kind")
    )


def _nvlink_rate(local: Local) -> Suggestion | None:
    gpu = find(local["gpu_model"])
    is_one_way = local.get("nvlink_bw_convention", "bidirectional_sum") == "per_direction"
    rate = gpu and (gpu.one_way_gbs if is_one_way else gpu.two_way_gbs)
    if gpu is None or not rate or not _has_nvlink(local, gpu):
        return None
    text = _ONE_WAY if is_one_way else _TWO_WAY
    return Suggestion(int(rate), "catalogue", text.fill(gpu=gpu.name, rate=rate), gpu.source, ("gpu_model",))


def _generation(local: Local) -> Suggestion | None:
    gpu = find(local["gpu_model"])
    if gpu is None or not gpu.nvlink_generation or not _has_nvlink(local, gpu):
        return None
    text = _GENERATION.fill(gpu=gpu.name, generation=gpu.nvlink_generation)
    return Suggestion(gpu.nvlink_generation, "catalogue", text, gpu.source, ("gpu_model",))


def _collective(local: Local) -> Suggestion | None:
    nodes = int(local["node_count"])
    if nodes < 2:
        return None
    chosen = proposals.inter_collective(nodes)
    return Suggestion(chosen, "catalogue", _ALL_REDUCE if chosen == "all_reduce" else _COLLECTIVE)


def _has_nvlink(local: Local, gpu: Gpu) -> bool:
    """Whether the machines are linked by NVLink: as was chosen, or as every machine with this model is."""
    link = local.get("intra_link_type")
    return link.startswith("nvlink") if link else gpu.nvlink in ("switch", "mesh")


def _usual_link(nvlink: str) -> str:
    """The link that public figures of the model were taken over; a maker's own one has no name here."""
    return {"switch": "nvlink_nvswitch", "mesh": "nvlink_mesh"}.get(nvlink, "other")


def _from_proposal(found: Proposal | None, *computed_from: str) -> Suggestion | None:
    if found is None:
        return None
    return Suggestion(Decimal(found.value), found.source, found.reason, found.reference, computed_from)


_SUGGESTIONS: Mapping[str, Callable[[Local], Suggestion | None]] = {
    "intra_busbw_min": _intra_busbw,
    "inter_busbw_min": _inter_busbw,
    "rdma_bw_min_gbps": _rdma,
    "nvlink_active_links_min": _links,
    "nvlink_bw_gbs": _nvlink_rate,
    "nvlink_generation": _generation,
    "inter_test_collective": _collective,
}
