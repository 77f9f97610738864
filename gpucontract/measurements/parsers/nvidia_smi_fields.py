"""The fields of nvidia-smi --query-gpu and its siblings that become readings."""

from __future__ import annotations

import re

# field -> (reading, kind); kind: text, bool, or the unit that nvidia-smi prints (and nounits leaves out).
FIELDS: dict[str, tuple[str, str]] = {
    "name": ("gpu_name", "text"),
    "gpu_name": ("gpu_name", "text"),
    "uuid": ("gpu_uuid", "text"),
    "gpu_uuid": ("gpu_uuid", "text"),
    "serial": ("gpu_serial", "text"),
    "gpu_serial": ("gpu_serial", "text"),
    "pci.bus_id": ("gpu_bus_id", "text"),
    "gpu_bus_id": ("gpu_bus_id", "text"),
    "pci.device_id": ("gpu_pci_device_id", "text"),
    "pci.sub_device_id": ("gpu_pci_sub_device_id", "text"),
    "vbios_version": ("gpu_vbios_version", "text"),
    "driver_version": ("driver_version", "text"),
    "cuda_version": ("cuda_driver_version", "text"),
    "memory.total": ("gpu_memory_total", "MiB"),
    "memory.used": ("gpu_memory_used", "MiB"),
    "memory.free": ("gpu_memory_free", "MiB"),
    "memory.reserved": ("gpu_memory_reserved", "MiB"),
    "pstate": ("performance_state", "text"),
    "compute_mode": ("compute_mode", "text"),
    "compute_cap": ("compute_capability", "text"),
    "persistence_mode": ("persistence_enabled", "bool"),
    "pcie.link.gen.max": ("pcie_gen_max", "count"),
    "pcie.link.gen.gpumax": ("pcie_gen_gpu_max", "count"),
    "pcie.link.gen.hostmax": ("pcie_gen_host_max", "count"),
    "pcie.link.gen.current": ("pcie_gen_current", "count"),
    "pcie.link.gen.gpucurrent": ("pcie_gen_current", "count"),
    "pcie.link.width.max": ("pcie_width_max", "lanes"),
    "pcie.link.width.current": ("pcie_width_current", "lanes"),
    "ecc.mode.current": ("ecc_enabled", "bool"),
    "ecc.errors.uncorrected.volatile.total": ("ecc_uncorrected_volatile", "count"),
    "ecc.errors.uncorrected.aggregate.total": ("ecc_uncorrected_aggregate", "count"),
    "ecc.errors.corrected.volatile.total": ("ecc_corrected_volatile", "count"),
    "ecc.errors.corrected.aggregate.total": ("ecc_corrected_aggregate", "count"),
    "mig.mode.current": ("mig_enabled", "bool"),
    "power.limit": ("power_limit", "W"),
    "enforced.power.limit": ("power_limit_enforced", "W"),
    "power.default_limit": ("power_limit_default", "W"),
    "power.max_limit": ("power_limit_max", "W"),
    "power.draw": ("power_draw", "W"),
    "power.draw.average": ("power_draw_average", "W"),
    "power.draw.instant": ("power_draw_instant", "W"),
    "clocks.max.sm": ("clocks_max_sm", "MHz"),
    "clocks.max.memory": ("clocks_max_memory", "MHz"),
    "clocks.current.sm": ("clocks_sm", "MHz"),
    "clocks.sm": ("clocks_sm", "MHz"),
    "temperature.gpu": ("gpu_temperature", "C"),
    "temperature.memory": ("gpu_memory_temperature", "C"),
    "fan.speed": ("fan_speed", "%"),
    "utilization.gpu": ("gpu_utilization", "%"),
    "retired_pages.single_bit_ecc.count": ("retired_pages_single_bit", "count"),
    "retired_pages.double_bit.count": ("retired_pages_double_bit", "count"),
    "retired_pages.pending": ("retired_pages_pending", "bool"),
    "remapped_rows.correctable": ("remapped_rows_correctable", "count"),
    "remapped_rows.uncorrectable": ("remapped_rows_uncorrectable", "count"),
    "remapped_rows.pending": ("row_remap_pending", "bool"),
    "remapped_rows.failure": ("row_remap_failure", "bool"),
    "fabric.state": ("fabric_state", "text"),
    "fabric.status": ("fabric_status", "text"),
    "gpu_recovery_action": ("gpu_recovery_action", "text"),
}

# The option by which nvidia-smi speaks of some GPUs only.
CHOSEN = re.compile(r"\s(?:-i|--id)[=\s]")

# Fields that say which GPU a row is about; a dead GPU still has them.
IDENTITY = frozenset(
    {"index", "pci.bus_id", "gpu_bus_id", "uuid", "gpu_uuid", "name", "gpu_name", "timestamp", "count"}
)
