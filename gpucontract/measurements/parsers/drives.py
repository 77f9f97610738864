"""Drives that answer as NVMe and yet are volumes of a network: told by their model name."""

from __future__ import annotations

import re

NETWORK_MODELS = re.compile(
    r"Elastic Block Store|Elastic Block Storage|\bnvme_card-pd\b|PersistentDisk|Hyperdisk|MSFT NVMe Accelerator"
    r"|Cloud Disk|\bCBS\b|ONTAP|PowerStore|FlashArray|SPDK bdev|\bEVS\b|Virtual Volume",
    re.IGNORECASE,
)


def is_network_model(model: str) -> bool:
    """Whether a model name is that of a cloud volume or of an array reached over a network."""
    return bool(NETWORK_MODELS.search(model))
