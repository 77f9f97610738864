"""What the readings of single GPUs say of the whole machine: the worst, the counts, the name all share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Reading

BYTES_PER_MIB = 2**20

Rule = Callable[[str, Sequence[Reading]], Reading]


def _lowest(name: str, found: Sequence[Reading]) -> Reading:
    measured = [reading for reading in found if isinstance(reading.value, Decimal | int)]
    return _decided(name, min(measured, key=_value, default=None), found)


def _highest(name: str, found: Sequence[Reading]) -> Reading:
    measured = [reading for reading in found if isinstance(reading.value, Decimal | int)]
    return _decided(name, max(measured, key=_value, default=None), found)


def _lowest_of_all(name: str, found: Sequence[Reading]) -> Reading:
    """One GPU without a value hides the worst: then the whole is not measured."""
    missing = next((reading for reading in found if reading.value is None), None)
    return replace(missing, name=name, scope="") if missing else _lowest(name, found)


def _how_many(name: str, found: Sequence[Reading]) -> Reading:
    measured = [reading for reading in found if isinstance(reading.value, bool)]
    if not measured:
        return _decided(name, None, found)
    yes = [reading for reading in measured if reading.value]
    return Reading(name, len(yes), line=(yes or measured)[0].line)


def _shared(name: str, found: Sequence[Reading]) -> Reading:
    values = {reading.value for reading in found}
    if len(values) == 1:
        return replace(found[0], name=name, scope="")
    missing = next((reading for reading in found if reading.value is None), None)
    return replace(missing, name=name, scope="") if missing else Reading(name, None, why="gpus_differ")


def _decided(name: str, decider: Reading | None, found: Sequence[Reading]) -> Reading:
    return replace(decider or found[0], name=name, scope="")


def _value(reading: Reading) -> Decimal:
    assert isinstance(reading.value, Decimal | int)
    return Decimal(reading.value)


SUMMARIES: tuple[tuple[str, str, Rule], ...] = (
    ("gpu_name", "gpu_name", _shared),
    ("driver_version", "driver_version", _shared),
    ("cuda_driver_version", "cuda_driver_version", _shared),
    ("gpu_memory_total_min", "gpu_memory_total", _lowest),
    ("gpu_memory_used_max", "gpu_memory_used", _highest),
    ("power_draw_max", "power_draw", _highest),
    ("power_limit_min", "power_limit", _lowest),
    ("gpu_temperature_max", "gpu_temperature", _highest),
    ("clocks_max_sm_min", "clocks_max_sm", _lowest),
    ("pcie_gen_max_min", "pcie_gen_max", _lowest),
    ("pcie_gen_current_min", "pcie_gen_current", _lowest_of_all),
    ("pcie_gen_host_max_min", "pcie_gen_host_max", _lowest),
    ("pcie_width_max_min", "pcie_width_max", _lowest),
    ("pcie_width_current_min", "pcie_width_current", _lowest),
    ("ecc_enabled_gpus", "ecc_enabled", _how_many),
    ("ecc_uncorrected_volatile_max", "ecc_uncorrected_volatile", _highest),
    ("ecc_uncorrected_aggregate_max", "ecc_uncorrected_aggregate", _highest),
    ("ecc_corrected_volatile_max", "ecc_corrected_volatile", _highest),
    ("mig_enabled_gpus", "mig_enabled", _how_many),
    ("row_remap_pending_gpus", "row_remap_pending", _how_many),
    ("row_remap_failure_gpus", "row_remap_failure", _how_many),
    ("remapped_rows_uncorrectable_max", "remapped_rows_uncorrectable", _highest),
    ("retired_pages_pending_gpus", "retired_pages_pending", _how_many),
    ("virtualization_mode", "virtualization_mode", _shared),
    ("gpu_vbios_version", "gpu_vbios_version", _shared),
    ("fabric_state", "fabric_state", _shared),
)


def summaries(readings: Iterable[Reading]) -> tuple[Reading, ...]:
    """The whole-machine readings that follow from per-GPU ones; those without any source are left out."""
    by_name: dict[str, list[Reading]] = {}
    for reading in readings:
        if reading.scope:
            by_name.setdefault(reading.name, []).append(reading)
    found = [rule(name, by_name[source]) for name, source, rule in SUMMARIES if source in by_name]
    return (*found, *_decimal_memory(found))


def _decimal_memory(found: Iterable[Reading]) -> Iterable[Reading]:
    """MiB as decimal GB (x 2^20 / 10^9), the unit that cards are sold by."""
    for reading in found:
        if reading.name == "gpu_memory_total_min" and isinstance(reading.value, Decimal):
            gigabytes = (reading.value * BYTES_PER_MIB / 10**9).normalize()
            yield replace(reading, name="gpu_memory_total_min_decimal", value=gigabytes, unit="GB")
