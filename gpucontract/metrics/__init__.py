"""Every metric a clause can speak about: words, unit, direction, the readings behind it, how long they hold."""

from __future__ import annotations

from collections.abc import Mapping

from gpucontract.metrics.bitten import METRICS as BITTEN
from gpucontract.metrics.compute import METRICS as COMPUTE
from gpucontract.metrics.health import METRICS as HEALTH
from gpucontract.metrics.interconnect import METRICS as INTERCONNECT
from gpucontract.metrics.inventory import METRICS as INVENTORY
from gpucontract.metrics.links import METRICS as LINKS
from gpucontract.metrics.metric import DAY, PIECES, WEEK, Better, Metric
from gpucontract.metrics.service import METRICS as SERVICE
from gpucontract.metrics.software import METRICS as SOFTWARE
from gpucontract.metrics.storage import METRICS as STORAGE

__all__ = ["DAY", "GROUPS", "METRICS", "PIECES", "WEEK", "Better", "Metric", "metric"]

GROUPS: Mapping[str, tuple[Metric, ...]] = {
    "A": INVENTORY, "B": LINKS, "C": COMPUTE, "D": INTERCONNECT, "E": STORAGE,
    "F": SOFTWARE, "G": HEALTH, "H": SERVICE, "I": BITTEN,
}  # fmt: skip

METRICS: dict[str, Metric] = {each.key: each for group in GROUPS.values() for each in group}


def metric(key: str) -> Metric:
    """The metric of that key. Raises KeyError naming it."""
    return METRICS[key]
