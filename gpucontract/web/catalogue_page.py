"""The catalogue as pages show it: every fact with where it was published, and what is not known left open."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlsplit

from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from gpucontract.catalogue import cuda, tables
from gpucontract.catalogue.bandwidth import MEASUREMENTS, Measurement
from gpucontract.catalogue.gpus import GPUS, Gpu
from gpucontract.catalogue.limits import CPUS, LIMITS, Cpu, Limit
from gpucontract.catalogue.xid import XIDS, Xid
from gpucontract.units import grouped, in_words
from gpucontract.wording import Text

_GENERATION = re.compile(r"(?P<family>.+) of the (?P<number>[0-9]+)(?:st|nd|rd|th) generation(?P<more>.*)")
SHARED_HOSTS = ("github.com", "gist.github.com", "huggingface.co")
LINKS: dict[str, str | Promise] = {
    "switch": _("through a switch"),
    "bridge": _("bridge between pairs"),
    "mesh": _("direct mesh"),
    "none": _("none"),
}
KINDS: dict[str, str | Promise] = {
    "measured": _("measured"),
    "expectation": _("expected by the tool's maintainers"),
    "midpoint": _("middle of a published range"),
    "pass_mark": _("a provider's pass mark"),
}
SEVERITIES: dict[str, tuple[str, str | Promise]] = {
    "fatal": ("bad", _("fault of the machine")),
    "look": ("warn", _("look into it")),
    "tenant": ("info", _("mostly the tenant's program")),
    "consequence": ("idle", _("follows from another one")),
}


@dataclass(frozen=True, slots=True)
class Source:
    """Where a fact was published; address is "" for a listing that has no page of its own."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One value of a GPU; shown is "" where it is not known."""

    label: str | Promise
    shown: str | Promise
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """One public bandwidth figure with its kind in words."""

    row: Measurement
    kind: str | Promise
    source: Source


@dataclass(frozen=True, slots=True)
class Code:
    """One Xid with what it means for the question of whose fault it is."""

    xid: Xid
    tone: str
    word: str | Promise
    source: Source


@dataclass(frozen=True, slots=True)
class Ceiling:
    """One limit of today's hardware with its value in words."""

    limit: Limit
    most: Text
    source: Source


@dataclass(frozen=True, slots=True)
class CpuFamily:
    """One CPU model or family with where its figures were published."""

    cpu: Cpu
    source: Source

    @property
    def name(self) -> str:
        """What it is called; makers number generations, which every language says its own way."""
        found = _GENERATION.fullmatch(self.cpu.name)
        return str(_("%(family)s of generation %(number)s%(more)s") % found.groupdict()) if found else self.cpu.name


@dataclass(frozen=True, slots=True)
class Release:
    """One row of the CUDA table: a GPU architecture or a toolkit release, and the version that belongs to it."""

    key: str
    value: str
    source: Source


@dataclass(frozen=True, slots=True)
class Entry:
    """One GPU: its address on this site, every fact about it, and the sources that most of them share."""

    gpu: Gpu
    slug: str
    facts: tuple[Fact, ...]
    sources: tuple[Source, ...]


def entries(wanted: str = "") -> list[Entry]:
    """The GPUs whose name, printed names or memory hold every word that is searched for."""
    words = wanted.lower().split()
    return [_entry(gpu) for gpu in GPUS.values() if all(word in _searched(gpu) for word in words)]


def entry(slug: str) -> Entry | None:
    """The GPU behind an address."""
    return next((each for each in entries() if each.slug == slug), None)


def figures(gpu: Gpu | None = None) -> list[Figure]:
    """The public figures, all or those of one model, as they stand in the table."""
    rows = (row for row in MEASUREMENTS if gpu is None or gpu.name in row.gpus)
    return [Figure(row, KINDS[row.kind], sources(row.source)[0]) for row in rows]


def codes() -> list[Code]:
    """The Xid codes in their order."""
    return [Code(xid, *SEVERITIES[xid.severity], sources(xid.source)[0]) for xid in XIDS.values()]


def ceilings() -> list[Ceiling]:
    """What no machine of today exceeds; a result above it is not believed."""
    return [Ceiling(limit, in_words(limit.most, limit.unit), sources(limit.source)[0]) for limit in LIMITS.values()]


def cpus() -> list[CpuFamily]:
    """The CPU families, the narrowest pattern first, as the look-up tries them."""
    return [CpuFamily(each, sources(each.source)[0]) for each in CPUS]


def releases(subject: str) -> list[Release]:
    """The CUDA table's rows of one subject: first_toolkit by compute capability, lowest_driver by release."""
    rows = (row for row in tables.rows("cuda") if row["subject"] == subject)
    return [Release(row["key"], row["value"], sources(row["source"])[0]) for row in rows]


def sources(cell: str) -> tuple[Source, ...]:
    """The addresses of a table's cell; only web addresses become links."""
    return tuple(
        Source(_publisher(word), word) if word.startswith("https://") else Source(word, "") for word in cell.split()
    )


def _publisher(address: str) -> str:
    """Whose page it is: the host, and on a host of many the project."""
    parts = urlsplit(address)
    host = parts.hostname or address
    return "/".join([host, *parts.path.split("/")[1:3]]) if host in SHARED_HOSTS else host


def _entry(gpu: Gpu) -> Entry:
    own = sources(gpu.source)
    facts = [Fact(label, shown, own if shown else ()) for label, shown in _own_facts(gpu)]
    return Entry(gpu, slugify(gpu.name), (*facts, *_cuda_facts(gpu)), own)


def _own_facts(gpu: Gpu) -> Iterable[tuple[str | Promise, str | Promise]]:
    yield _("Names the driver prints"), ", ".join(gpu.printed_names)
    yield _("Memory as sold"), _amounts(gpu.memory_gb, "GB")
    yield _("Memory as reported"), _amounts(gpu.memory_mib, "MiB")
    yield _("Memory bandwidth"), _amount(gpu.memory_gbs, "GB/s")
    yield _("Form factor"), gpu.form_factor
    yield _("PCIe generation"), _amount(gpu.pcie_gen)
    yield _("NVLink"), LINKS.get(gpu.nvlink, "")
    yield _("NVLink generation"), _amount(gpu.nvlink_generation)
    yield _("NVLink links of a GPU"), _amount(gpu.links)
    yield _("NVLink, one direction"), _amount(gpu.one_way_gbs, "GB/s")
    yield _("NVLink, both directions together"), _amount(gpu.two_way_gbs, "GB/s")
    yield _("BF16 peak, dense"), _amount(gpu.bf16_tflops, "TFLOPS")
    yield _("Power"), _amount(gpu.tdp_w, "W")
    yield _("Compute capability"), gpu.compute_capability


def _cuda_facts(gpu: Gpu) -> tuple[Fact, Fact]:
    """The first toolkit that knows the architecture, and the driver that toolkit's release needs at least."""
    toolkit = cuda.first_toolkit(gpu)
    numbers = cuda.version(toolkit) if toolkit else None
    driver = cuda.lowest_driver(numbers) if numbers else None
    return (
        Fact(_("First CUDA toolkit"), toolkit or "", _cuda_sources("first_toolkit", gpu.compute_capability)),
        Fact(
            _("Lowest driver for that CUDA release"),
            driver or "",
            _cuda_sources("lowest_driver", str(numbers[0]) if numbers else ""),
        ),
    )


def _cuda_sources(subject: str, key: str) -> tuple[Source, ...]:
    rows = (row for row in tables.rows("cuda") if (row["subject"], row["key"]) == (subject, key))
    return tuple(source for row in rows for source in sources(row["source"]))


def _amounts(values: Iterable[int], unit: str) -> str:
    return ", ".join(_amount(value, unit) for value in values)


def _amount(value: Decimal | int | None, unit: str = "") -> str:
    return "" if value is None else f"{grouped(value)} {unit}".strip()


def _searched(gpu: Gpu) -> str:
    return " ".join((gpu.name, *gpu.printed_names, *(f"{size}GB" for size in gpu.memory_gb))).lower()
