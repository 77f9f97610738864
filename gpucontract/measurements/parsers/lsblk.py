"""lsblk -J: disks by name once; old versions print numbers as strings, without -b sizes are rounded and binary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.drives import is_network_model
from gpucontract.measurements.parsers.json_documents import cut_documents, cut_text, fields, items, only_document
from gpucontract.measurements.parsers.outcomes import absent, failed, run_error, value_or
from gpucontract.measurements.parsers.sizes import binary_size, total
from gpucontract.wording import Text

NAMES = ("disks", "nvme_disks", "raw_capacity", "nvme_capacity")
# zd and bcache are made out of disks that stand there themselves.
NOT_A_DISK = re.compile(r"(?:loop|zram|ram|sr|fd|zd|bcache)[0-9]")
NVME = re.compile(r"nvme[0-9]+n[0-9]+\Z")
PARTITION = re.compile(r"(?:(nvme[0-9]+n[0-9]+)p|([a-z]+))[0-9]{1,3}\Z")
MOST_RELATIVES = 500
SYSTEM_MOUNTS = frozenset({"/", "/boot", "/boot/efi", "[SWAP]"})
NETWORK_TRANSPORTS = frozenset({"tcp", "rdma", "fc", "iscsi", "fcoe", "loop"})
NETWORK_NAMES = re.compile(r"(?:rbd|nbd|drbd)[0-9]")
ROUNDED = Text(
    "容量是四舍五入的（{size}）。判定容量条款请用 lsblk -J -b 复测。",
    "Sizes are rounded ({size}). To judge a capacity, run lsblk -J -b.",
)


@dataclass(frozen=True, slots=True)
class Disk:
    """One whole disk with all mount points on it; mounts is None where lsblk was not asked for them."""

    name: str
    size: tuple[Decimal, str] | None
    printed_size: str
    mounts: frozenset[str] | None
    is_local: bool | None

    @property
    def is_nvme(self) -> bool:
        return bool(NVME.match(self.name))


def parse(capture: Capture) -> Parsed:
    """Counts and capacities of disks; of each disk_size, disk_is_nvme, disk_is_system and disk_is_local."""
    cut = cut_documents(cleaned(capture.stdout))
    error = run_error(capture)
    document: dict[str, Any] = {}
    if not error:
        document, error = only_document(cut, "blockdevices", "lsblk")
    entries = items(document.get("blockdevices"))
    if not error and entries and not any("type" in fields(entry) and "name" in fields(entry) for entry in entries):
        error = "lsblk_unknown: no columns NAME and TYPE; run lsblk -J -b"
    if error:
        return failed(error, *NAMES)
    disks = _disks(entries)
    readings = [reading for disk in disks for reading in _of_one(disk)]
    return Parsed((*_summary(disks), *readings), cut_text(cut) + _rounded(disks))


def _disks(entries: list[Any]) -> list[Disk]:
    """Whole disks once by name, each with the mount points of everything on it; a disk with two paths once."""
    joined = _by_parent(entries)
    found: dict[str, Disk] = {}
    paths: set[str] = set()
    for entry in map(fields, entries):
        name = _name(entry)
        if entry.get("type") != "disk" or not name or NOT_A_DISK.match(name) or name in found:
            continue
        joint = {_name(part) for part in _family(entry, joined, set()) if part.get("type") == "mpath"}
        if joint & paths:
            continue
        paths |= joint
        printed_size = _text(entry.get("size"))
        size = binary_size(printed_size)
        if not (size and size[0] == 0):
            mounts = _mounts(_family(entry, joined, set()))
            found[name] = Disk(name, size, printed_size, mounts, _is_local(name, entry))
    return list(found.values())


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int | Decimal) and not isinstance(value, bool) else ""


def _name(entry: dict[str, Any]) -> str:
    return _text(entry.get("name")).removeprefix("/dev/")


def _by_parent(entries: list[Any]) -> dict[str, list[dict[str, Any]]]:
    """In the flat form (-l): what stands on each device, by the parent's name or, for a partition, by its own."""
    joined: dict[str, list[dict[str, Any]]] = {}
    for entry in map(fields, entries):
        parent = _text(entry.get("pkname")).removeprefix("/dev/")
        own = PARTITION.match(_name(entry)) if entry.get("type") == "part" else None
        if parent or own:
            joined.setdefault(parent or (own[1] or own[2] if own else ""), []).append(entry)
    return joined


def _family(entry: dict[str, Any], joined: dict[str, list[dict[str, Any]]], seen: set[int]) -> Iterator[dict[str, Any]]:
    """The device and all that stands on it: its children, and in the flat form what names it as parent."""
    if id(entry) in seen or len(seen) > MOST_RELATIVES:
        return
    seen.add(id(entry))
    yield entry
    for child in (*items(entry.get("children")), *joined.get(_name(entry), ())):
        yield from _family(fields(child), joined, seen)


def _mounts(family: Iterator[dict[str, Any]]) -> frozenset[str] | None:
    """The mount points of a family; None when lsblk was not asked for them."""
    own = [entry for entry in family if "mountpoint" in entry or "mountpoints" in entry]
    points = [point for entry in own for point in (entry.get("mountpoint"), *items(entry.get("mountpoints")))]
    return frozenset(point for point in points if isinstance(point, str)) if own else None


def _is_local(name: str, entry: dict[str, Any]) -> bool | None:
    """False for a drive behind a network, True where transport or model says it is in the machine, else None."""
    transport, model = entry.get("tran"), entry.get("model")
    if (
        transport in NETWORK_TRANSPORTS
        or NETWORK_NAMES.match(name)
        or (isinstance(model, str) and is_network_model(model))
    ):
        return False
    return True if isinstance(model, str) and model.strip() and NVME.match(name) else None


def _of_one(disk: Disk) -> tuple[Reading, ...]:
    scope, line = f"disk:{disk.name}", f"{disk.name} {disk.printed_size}"
    size, unit = disk.size or (None, "")
    is_system = None if disk.mounts is None else bool(disk.mounts & SYSTEM_MOUNTS)
    mounts = " ".join(sorted(disk.mounts or ()))
    return (
        value_or("disk_size", size, "unreadable" if disk.printed_size else "not_printed", unit, scope, line),
        Reading("disk_is_nvme", disk.is_nvme, scope=scope, line=line),
        value_or("disk_is_system", is_system, "no_mountpoints", "", scope, f"{line} {mounts}"[:200]),
        value_or("disk_is_local", disk.is_local, "not_printed", "", scope, line),
    )


def _summary(disks: list[Disk]) -> tuple[Reading, ...]:
    nvme = [disk for disk in disks if disk.is_nvme]
    names = " ".join(disk.name for disk in disks)[:200]
    return (
        Reading("disks", len(disks), line=names),
        Reading("nvme_disks", len(nvme), line=names),
        _capacity("raw_capacity", disks),
        _capacity("nvme_capacity", nvme),
    )


def _capacity(name: str, disks: list[Disk]) -> Reading:
    sizes = [disk.size for disk in disks if disk.size is not None]
    line = " + ".join(f"{disk.name} {disk.printed_size}" for disk in disks)[:200]
    if len(sizes) < len(disks):
        return absent("unreadable", name, line=line)[0]
    number, unit = total(sizes)
    return Reading(name, number, unit, line=line)


def _rounded(disks: list[Disk]) -> tuple[Finding, ...]:
    rounded = [disk.printed_size for disk in disks if disk.size and disk.size[1] != "B"]
    return (Finding("disk_sizes_rounded", ROUNDED.fill(size=rounded[0])),) if rounded else ()
