"""Readings that no machine can have: more memory than the card, more cores than the CPU, a port faster than any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from gpucontract.catalogue.gpus import GPUS, Gpu
from gpucontract.catalogue.limits import LIMITS, cpu
from gpucontract.measurements.parsers.capture import Finding, Reading, ReadingValue
from gpucontract.units import UnitError, convert, grouped
from gpucontract.wording import Text

# Boards may be set above their rated power; none takes half as much again.
POWER_MARGIN = Decimal("1.5")
_PLAIN = ("", "count", "lanes")

_OF_MODEL = Text("{model} 最多 {most}", "{model} has {most} at most")
_OF_POWER = Text(
    "{model} 额定 {rated} W，上限按其 1.5 倍计", "{model} is rated at {rated} W, and half as much again is the limit"
)
_OF_CPU = Text("{name} 每路最多 {each}，{sockets} 路", "{name} has {each} a socket at most, {sockets} sockets")
_CORES, _LINKS = Text("{n} 核", "{n} cores"), Text("{n} 条 NVLink", "{n} NVLink links")
_BEYOND = Text(
    "读数 {name} 为 {value}，超过已知的上限 {most}（{why}）。这样的读数不能采信：请查明输出从哪里来，再复测。",
    "The reading {name} is {value}, above the known limit of {most} ({why}). It cannot be believed: find out where the "
    "output came from and run again.",
)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The most a reading can be, in its unit, and why."""

    most: Decimal
    unit: str
    why: Text

    @property
    def shown(self) -> str:
        """The number with its unit."""
        return f"{grouped(self.most)} {'' if self.unit in _PLAIN else self.unit}".strip()

    def is_below(self, value: ReadingValue, unit: str) -> bool:
        """Whether a reading is above it; words and units that do not fit are not, NaN and infinity are."""
        if isinstance(value, bool | str | tuple):
            return False
        number = Decimal(value)
        if not number.is_finite():
            return True
        if unit in _PLAIN or self.unit in _PLAIN or unit == self.unit:
            return number > self.most
        try:
            return convert(number, unit, self.unit, 12) > self.most
        except UnitError:
            return False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What ceilings rest on. gpus: scope -> printed name; model: the contracted one, for cards that print no name."""

    gpus: Mapping[str, str] = field(default_factory=dict)
    cpu: str = ""
    model: str = ""


def surroundings(readings: Iterable[Reading], model: str = "") -> Surroundings:
    """The names and counts of one run."""
    told = [reading for reading in readings if reading.value is not None]
    gpus = {reading.scope: str(reading.value) for reading in reversed(told) if reading.name == "gpu_name"}
    cpus = [str(reading.value) for reading in told if reading.name == "cpu_model"]
    return Surroundings(gpus, cpus[0] if cpus else "", model)


def ceiling(name: str, scope: str, around: Surroundings) -> Ceiling | None:
    """The most a reading of that name can be at that scope; None where nobody knows."""
    of = _CEILINGS.get(name)
    return of(scope, around) if of else None


def beyond(readings: Iterable[Reading]) -> Iterator[Finding]:
    """A finding for each reading of a run that no machine can have."""
    known = list(readings)
    around = surroundings(known)
    for reading in known:
        most = ceiling(reading.name, reading.scope, around) if reading.name in _CEILINGS else None
        if most is not None and reading.value is not None and most.is_below(reading.value, reading.unit):
            value = grouped(reading.value) if isinstance(reading.value, int | Decimal) else reading.value
            shown = f"{value} {reading.unit}".strip()
            text = _BEYOND.fill(name=reading.name, value=shown, most=most.shown, why=most.why)
            yield Finding("beyond_limits", text, reading.scope)


def _models(scope: str, around: Surroundings) -> list[Gpu]:
    """The catalogue's entries behind a card: by its printed name, else the contracted one."""
    name = around.gpus.get(scope, "").removeprefix("NVIDIA ")
    found = [gpu for gpu in GPUS.values() if name in {each.removeprefix("NVIDIA ") for each in gpu.printed_names}]
    if found or name:
        return found
    return [GPUS[around.model]] if around.model in GPUS else []


def _memory(scope: str, around: Surroundings) -> Ceiling | None:
    """Totals seen, or the size sold counted in binary, whichever is more."""
    models = _models(scope, around)
    sizes = [size for gpu in models for size in (*gpu.memory_mib, *(1024 * each for each in gpu.memory_gb))]
    if not sizes or not all(gpu.memory_mib or gpu.memory_gb for gpu in models):
        return None
    why = _OF_MODEL.fill(model=models[0].name, most=f"{grouped(max(sizes))} MiB")
    return Ceiling(Decimal(max(sizes)), "MiB", why)


def _links(scope: str, around: Surroundings) -> Ceiling | None:
    models = _models(scope, around)
    links = [gpu.links for gpu in models if gpu.links is not None]
    if not links or len(links) < len(models):
        return None
    return Ceiling(Decimal(max(links)), "count", _OF_MODEL.fill(model=models[0].name, most=_LINKS.fill(n=max(links))))


def _power(scope: str, around: Surroundings) -> Ceiling | None:
    models = _models(scope, around)
    rated = [gpu.tdp_w for gpu in models if gpu.tdp_w is not None]
    if not rated or len(rated) < len(models):
        return None
    return Ceiling(max(rated) * POWER_MARGIN, "W", _OF_POWER.fill(model=models[0].name, rated=max(rated)))


def _cores(_: str, around: Surroundings) -> Ceiling | None:
    known = cpu(around.cpu)
    if known is None:
        return None
    why = _OF_CPU.fill(name=known.name, each=_CORES.fill(n=known.cores), sockets=known.sockets)
    return Ceiling(Decimal(known.cores * known.sockets), "count", why)


def _ram(_: str, around: Surroundings) -> Ceiling | None:
    known = cpu(around.cpu)
    if known is None or known.memory_tib is None:
        return _fixed("ram_tib")("", around)
    why = _OF_CPU.fill(name=known.name, each=f"{known.memory_tib} TiB", sockets=known.sockets)
    return Ceiling(Decimal(known.memory_tib * known.sockets), "TiB", why)


def _fixed(key: str) -> Callable[[str, Surroundings], Ceiling]:
    limit = LIMITS[key]
    return lambda _scope, _around: Ceiling(limit.most, limit.unit, limit.text)


_CEILINGS: Mapping[str, Callable[[str, Surroundings], Ceiling | None]] = {
    "gpu_count": _fixed("gpus_per_machine"), "gpu_memory_total": _memory, "power_limit": _power,
    "pcie_width_current": _fixed("pcie_lanes"), "nvlink_active": _links, "nvlink_links": _links,
    "cores": _cores, "mem_total": _ram, "memory_installed": _ram, "disk_size": _fixed("disk_tb"),
    "port_rate": _fixed("port_gbps"),
}  # fmt: skip
