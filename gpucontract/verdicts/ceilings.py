"""Which facts have a ceiling, and what it is for one value of one run: nothing above it verifies or breaches."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from gpucontract.catalogue.limits import LIMITS
from gpucontract.measurements.limits import Ceiling, Surroundings, ceiling
from gpucontract.measurements.records import RunRecord
from gpucontract.units import UnitError
from gpucontract.verdicts.comparing import in_unit
from gpucontract.verdicts.sightings import Seen
from gpucontract.wording import Text

# Metric -> the reading whose ceiling holds, and the reading that tells which part it is of.
READINGS: Mapping[str, tuple[str, str]] = {
    "gpu_count": ("gpu_count", ""), "gpu_memory_total_mib": ("gpu_memory_total", "gpu_name"),
    "gpu_power_limit_w": ("power_limit", "gpu_name"), "pcie_link_width": ("pcie_width_current", ""),
    "nvlink_link_count": ("nvlink_active", "gpu_name"), "cpu_core_count": ("cores", "cpu_model"),
    "ram_total_gib": ("mem_total", "cpu_model"), "ib_port_rate_gbps": ("port_rate", ""),
    "local_disk_tb": ("disk_size", ""), "fs_free_tb": ("fs_capacity", "fs_capacity"),
}  # fmt: skip
_DISKS = Text("{count} 块盘，{each}", "{count} drives, and {each}")
_CAPACITY = Text("同一文件系统的总容量", "the whole capacity of the same file system")


def part(metric: str, seen: Seen, record: RunRecord) -> str:
    """What the ceiling of this value depends on, as text: the card's or CPU's name, how many disks, the capacity."""
    if metric == "local_disk_tb":
        return str(len(seen.facts.get("disks", ())))
    _, named = READINGS[metric]
    if not named:
        return ""
    told = (
        reading
        for _, reading in record.readings(named)
        if reading.value is not None and reading.scope in (seen.local, "")
    )
    first = next(told, None)
    return "" if first is None else f"{first.value} {first.unit}".strip()


def most(metric: str, seen: Seen, about: str, model: str) -> Ceiling | None:
    """The most that metric can be. about: what part() said; model: the contracted GPU, for cards that print no name."""
    if metric == "local_disk_tb":
        limit = LIMITS["disk_tb"]
        return Ceiling(limit.most * int(about), limit.unit, _DISKS.fill(count=about, each=limit.text))
    if metric == "fs_free_tb":
        return _capacity(about)
    name, _ = READINGS[metric]
    around = Surroundings({seen.local: about} if about else {}, about, model)
    return ceiling(name, seen.local, around)


def _capacity(about: str) -> Ceiling | None:
    number, _, unit = about.partition(" ")
    try:
        return Ceiling(in_unit(Decimal(number), unit, "TB"), "TB", _CAPACITY) if unit else None
    except (UnitError, ArithmeticError):
        return None
