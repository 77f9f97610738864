"""Frozen revisions made in a few lines, for documents that need no database."""

from decimal import Decimal

from gpucontract.canonical import encode, sha256
from gpucontract.contracts import compile
from gpucontract.contracts.body import FORMAT, Body, load, pack
from gpucontract.contracts.terms import Terms

CONTRACT = {
    "driver_version": "550.54", "cuda_version": "12.4", "root_access": True, "os_version": "Ubuntu 22.04",
    "repeat_runs": 3, "repeat_rule": "median", "tolerance_pct": Decimal(0),
}  # fmt: skip
GROUP = {
    "name": "训练组", "gpu_model": "H100 80GB SXM", "gpu_memory_gb": 80, "gpus_per_node": 8, "node_count": 2,
    "intra_link_type": "nvlink_nvswitch", "nvlink_active_links_min": 18, "intra_busbw_min": Decimal(455),
    "intra_busbw_msg_size": "8GiB", "inter_fabric_type": "rocev2", "nics_per_node": 8, "inter_port_gbps": 400,
}  # fmt: skip
STRUCTURE = {"code": "g1"} | {
    name: GROUP[name] for name in ("name", "gpu_model", "node_count", "gpus_per_node", "nics_per_node")
}


def frozen(title: str = "训练集群", buyer: str = "武汉星野智能科技有限公司") -> tuple[bytes, dict[str, bytes]]:
    """Head and section documents of a small contract."""
    sections: dict[str, list[object]] = {}
    for clause in compile.clauses(Terms({"c": CONTRACT, "g1": GROUP})):
        sections.setdefault(clause.section, []).append(clause.frozen())
    documents = {name: encode({"salt": "00" * 32, "clauses": lines}) for name, lines in sections.items()}
    parties = {"buyer": {"name": buyer, "uscc": "91350100M000100Y43"}, "vendor": {"name": "湖北江北算力服务有限公司"}}
    head = {
        "format": FORMAT, "contract": "C-2026-1", "number": 1, "title": title, "groups": [STRUCTURE], "mounts": [],
        "parties": parties,
        "sections": {name: sha256(document) for name, document in documents.items()},
    }  # fmt: skip
    return encode(head), documents


def body(**words: str) -> Body:
    """The same, read back."""
    return load(*frozen(**words))


def packed(**words: str) -> bytes:
    """The same, as the attachment."""
    return pack(*frozen(**words))
