"""The facts about one GPU that nvidia-smi -q tells, as text or XML: where each stands and what it becomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.parsers.cells import DEAD, cell, no_value

# Leaf values of one GPU by their path, lower case, '/' between levels, and the line each was printed on.
Leaves = Mapping[str, tuple[str, str]]
BUSY_STATE = "P0"


@dataclass(frozen=True, slots=True)
class Fact:
    """One reading and the paths it may stand under, newest layout first; kind as for cells.cell."""

    name: str
    kind: str
    paths: tuple[str, ...]


FACTS = (
    Fact("gpu_name", "text", ("product_name", "product name")),
    Fact("gpu_uuid", "text", ("uuid", "gpu uuid")),
    Fact("gpu_serial", "text", ("serial", "serial number")),
    Fact("gpu_vbios_version", "text", ("vbios_version", "vbios version")),
    Fact("gpu_bus_id", "text", ("pci/pci_bus_id", "pci/bus id")),
    Fact("performance_state", "text", ("performance_state", "performance state", "gpu_power_readings/power_state")),
    Fact("compute_mode", "text", ("compute_mode", "compute mode")),
    Fact("persistence_enabled", "bool", ("persistence_mode", "persistence mode")),
    Fact("gpu_memory_total", "MiB", ("fb_memory_usage/total", "fb memory usage/total")),
    Fact("gpu_memory_used", "MiB", ("fb_memory_usage/used", "fb memory usage/used")),
    Fact("bar1_memory_total", "MiB", ("bar1_memory_usage/total", "bar1 memory usage/total")),
    Fact("mig_enabled", "bool", ("mig_mode/current_mig", "mig mode/current")),
    Fact("ecc_enabled", "bool", ("ecc_mode/current_ecc", "ecc mode/current")),
    Fact(
        "pcie_gen_max",
        "count",
        ("pci/pci_gpu_link_info/pcie_gen/max_link_gen", "pci/gpu link info/pcie generation/max"),
    ),
    Fact(
        "pcie_gen_current",
        "count",
        ("pci/pci_gpu_link_info/pcie_gen/current_link_gen", "pci/gpu link info/pcie generation/current"),
    ),
    Fact(
        "pcie_gen_host_max",
        "count",
        ("pci/pci_gpu_link_info/pcie_gen/max_host_link_gen", "pci/gpu link info/pcie generation/host max"),
    ),
    Fact(
        "pcie_width_max",
        "lanes",
        ("pci/pci_gpu_link_info/link_widths/max_link_width", "pci/gpu link info/link width/max"),
    ),
    Fact(
        "pcie_width_current",
        "lanes",
        ("pci/pci_gpu_link_info/link_widths/current_link_width", "pci/gpu link info/link width/current"),
    ),
    Fact(
        "power_limit",
        "W",
        (
            "gpu_power_readings/current_power_limit",
            "gpu power readings/current power limit",
            "gpu_power_readings/gpu_ceiling_power_limit/current_power_limit",
            "gpu power readings/gpu ceiling power limit/current power limit",
            "gpu_power_readings/power_limit",
            "gpu power readings/power limit",
            "power_readings/power_limit",
            "power readings/power limit",
        ),
    ),
    Fact(
        "power_draw",
        "W",
        (
            "gpu_power_readings/instant_power_draw",
            "gpu power readings/instantaneous power draw",
            "gpu_power_readings/power_draw",
            "gpu power readings/power draw",
            "power_readings/power_draw",
            "power readings/power draw",
        ),
    ),
    Fact("gpu_temperature", "C", ("temperature/gpu_temp", "temperature/gpu current temp")),
    Fact("clocks_max_sm", "MHz", ("max_clocks/sm_clock", "max clocks/sm")),
    Fact(
        "virtualization_mode",
        "text",
        ("gpu_virtualization_mode/virtualization_mode", "gpu virtualization mode/virtualization mode"),
    ),
    Fact("remapped_rows_correctable", "count", ("remapped_rows/remapped_row_corr", "remapped rows/correctable error")),
    Fact(
        "remapped_rows_uncorrectable", "count", ("remapped_rows/remapped_row_unc", "remapped rows/uncorrectable error")
    ),
    Fact("row_remap_pending", "bool", ("remapped_rows/remapped_row_pending", "remapped rows/pending")),
    Fact(
        "row_remap_failure", "bool", ("remapped_rows/remapped_row_failure", "remapped rows/remapping failure occurred")
    ),
    Fact(
        "retired_pages_pending",
        "bool",
        (
            "retired_pages/pending_retirement",
            "retired_pages/pending_blacklist",
            "retired pages/pending page blacklist",
            "retired pages/pending page retirement",
        ),
    ),
    Fact("channel_repair_pending", "bool", ("ecc_errors/channel_repair_pending", "ecc errors/channel repair pending")),
    Fact("fabric_state", "text", ("fabric/state",)),
    Fact("fabric_status", "text", ("fabric/status",)),
    Fact("gpu_recovery_action", "text", ("gpu_recovery_action", "gpu recovery action")),
)

# A whole group that is the bare word N/A: the readings it would have held are not measured.
GROUPS = {
    ("remapped_rows", "remapped rows"): ("remapped_rows_uncorrectable", "row_remap_pending", "row_remap_failure"),
    ("ecc_errors", "ecc errors"): ("ecc_uncorrected_volatile", "ecc_uncorrected_aggregate"),
}
ECC_GROUPS = {"ecc_uncorrected_volatile": "volatile", "ecc_uncorrected_aggregate": "aggregate"}


def gpu_readings(leaves: Leaves, scope: str) -> Iterator[Reading]:
    """Every fact printed about one GPU; what was not printed gives no reading."""
    for fact in FACTS:
        path = next((path for path in fact.paths if path in leaves), None)
        if path:
            text, line = leaves[path]
            yield _under_load(cell(fact.name, text, fact.kind, scope, line), leaves)
    for name, group in ECC_GROUPS.items():
        yield from _uncorrected(name, group, leaves, scope)
    for paths, names in GROUPS.items():
        path = next((path for path in paths if path in leaves), None)
        if path:
            text, line = leaves[path]
            why = no_value(text) or "unreadable"
            yield from (Reading(name, None, scope=scope, why=why, line=line) for name in names)


def is_dead(leaves: Leaves) -> bool:
    """The driver lists the GPU but its name or its UUID cannot be read."""
    told = (leaves[path][0] for path in ("product_name", "product name", "uuid", "gpu uuid") if path in leaves)
    return any(no_value(text) in DEAD for text in told)


def _under_load(reading: Reading, leaves: Leaves) -> Reading:
    """Below its best generation the link proves nothing while the card idles; only state P0 says that it does not."""
    if reading.name != "pcie_gen_current" or reading.value is None:
        return reading
    best = next((leaves[path][0] for path in _paths("pcie_gen_max") if path in leaves), "")
    state = next((leaves[path][0] for path in _paths("performance_state") if path in leaves), "")
    if best == str(reading.value) or state == BUSY_STATE:
        return reading
    return replace(reading, value=None, unit="", why="idle")


def _paths(name: str) -> tuple[str, ...]:
    return next(fact.paths for fact in FACTS if fact.name == name)


def _uncorrected(name: str, group: str, leaves: Leaves, scope: str) -> Iterator[Reading]:
    """The sum of all uncorrectable counters of the group; one that is N/A makes the sum unknown."""
    counters = [(text, line) for path, (text, line) in leaves.items() if _is_uncorrectable(path, group)]
    if not counters:
        return
    cells = [cell(name, text, "count", scope, line) for text, line in counters]
    missing = next((found for found in cells if found.value is None), None)
    if missing:
        yield missing
        return
    total = sum((Decimal(str(found.value)) for found in cells), Decimal(0))
    worst = max(cells, key=lambda found: Decimal(str(found.value)))
    yield replace(worst, value=total)


def _is_uncorrectable(path: str, group: str) -> bool:
    """Drivers up to 450 (and Pascal after that) count double-bit errors with a total of their own."""
    for head in (f"ecc_errors/{group}/", f"ecc errors/{group}/"):
        if path.startswith(head):
            rest = path[len(head) :]
            return ("uncorrectable" in rest and "/" not in rest) or rest in ("double_bit/total", "double bit/total")
    return False
