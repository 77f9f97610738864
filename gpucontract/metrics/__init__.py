"""Every metric a clause can speak about: words, unit, direction, the readings behind it, how long they hold."""

from __future__ import annotations

from collections.abc import Mapping

from gpucontract.metrics import bitten, compute, health, interconnect, inventory, links, service, software, storage
from gpucontract.metrics.metric import DAY, PIECES, WEEK, Better, Metric

__all__ = ["DAY", "GROUPS", "METRICS", "PIECES", "WEEK", "Better", "Metric", "metric"]

GROUPS: Mapping[str, tuple[Metric, ...]] = {
    "A": inventory.METRICS, "B": links.METRICS, "C": compute.METRICS, "D": interconnect.METRICS, "E": storage.METRICS,
    "F": software.METRICS, "G": health.METRICS, "H": service.METRICS, "I": bitten.METRICS,
}  # fmt: skip

METRICS: dict[str, Metric] = {each.key: each for group in GROUPS.values() for each in group}


def metric(key: str) -> Metric:
    """The metric of that key. Raises KeyError naming it."""
    return METRICS[key]
