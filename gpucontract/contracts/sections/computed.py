"""Terms that follow from others, shown beside what the paper states; a difference is reported, never mended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from gpucontract.contracts import money
from gpucontract.contracts.terms import Local, NotGiven, Terms

# What the paper states, and the computed term it is compared with.
BESIDE: Mapping[str, str] = {
    "total_gpu_count_stated": "total_gpu_count",
    "inter_node_gbps_stated": "inter_node_gbps",
    "total_value_stated": "total_value",
}


def computed(terms: Terms, path: str) -> Any:
    """The value of a computed term in a row, or None while something it follows from is not given."""
    code, _, term = path.partition("/")
    try:
        return _RULES[term](terms.at(code))
    except NotGiven:
        return None


def total_gpu_count(local: Local) -> int:
    """The GPUs of all groups together."""
    return money.gpus_in_total(local.terms)


def inter_node_gbps(local: Local) -> int:
    """All compute ports of one machine together."""
    return int(local["nics_per_node"]) * int(local["inter_port_gbps"])


def total_value(local: Local) -> Decimal:
    """The whole fee of the term, with tax."""
    return money.total(local.terms)


_RULES: Mapping[str, Callable[[Local], Any]] = {
    "total_gpu_count": total_gpu_count,
    "inter_node_gbps": inter_node_gbps,
    "total_value": total_value,
}
