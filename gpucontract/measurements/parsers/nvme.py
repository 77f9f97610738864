"""nvme list -o json: flat (one entry a namespace) or nested by subsystem; a cloud volume answers as NVMe too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.drives import is_network_model
from gpucontract.measurements.parsers.json_documents import (
    cut_documents,
    cut_text,
    fields,
    items,
    number,
    only_document,
)  # fmt: skip
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error, value_or
from gpucontract.wording import Text

NAMES = ("nvme_devices", "nvme_local_devices", "nvme_local_capacity", "nvme_total_capacity")
ERRORS = (
    ("nvme_scan_failed", re.compile(r"Failed to scan (?:topology|nvme|subsystems)", re.IGNORECASE)),
    ("nvme_permission", re.compile(r"Permission denied|Operation not permitted", re.IGNORECASE)),
)
PATH_NAME = re.compile(r"nvme([0-9]{1,4})c[0-9]{1,4}n([0-9]{1,4})\Z")
LOCAL_TRANSPORT = "pcie"
# nvme-cli 2.8 multiplied a count of 512-byte sectors by 4096: eight times the true size.
EIGHTFOLD = 8
DOUBTFUL = Text(
    "{name} 的容量自相矛盾（{line}），nvme-cli 某些版本会算错。请用 lsblk -J -b 核对。",
    "The size of {name} contradicts itself ({line}); some versions of nvme-cli get it wrong. Check with lsblk -J -b.",
)


@dataclass(frozen=True, slots=True)
class Drive:
    """One namespace as a block device; size in bytes, None when the numbers given contradict each other."""

    name: str
    model: str
    serial: str
    transport: str
    size: int | None
    line: str

    @property
    def is_local(self) -> bool | None:
        """False over a network; None without a model to tell it by."""
        if self.transport not in ("", LOCAL_TRANSPORT) or is_network_model(self.model):
            return False
        return True if self.model else None


def parse(capture: Capture) -> Parsed:
    """Devices, local devices and their capacities in bytes; nvme_model, nvme_is_local, nvme_size, nvme_serial each."""
    cut = cut_documents(cleaned(capture.stdout))
    error = known_error(printed(capture), ERRORS) or run_error(capture)
    document: dict[str, Any] = {}
    if not error and capture.exit_status == 0 and not printed(capture).strip():
        document = {"Devices": []}
    elif not error:
        document, error = only_document(cut, "Devices", "nvme")
    if error:
        return failed(error, *NAMES)
    drives = list({drive.name: drive for drive in _drives(document)}.values())
    readings = [reading for drive in drives for reading in _of_one(drive)]
    return Parsed((*_summary(drives), *readings), cut_text(cut) + _doubtful(drives))


def _drives(document: dict[str, Any]) -> Iterator[Drive]:
    for device in items(document.get("Devices")):
        subsystems = items(fields(device).get("Subsystems"))
        if "DevicePath" in fields(device):
            yield _drive(fields(device), fields(device))
        for subsystem in subsystems or [device]:
            yield from _of_subsystem(fields(subsystem))


def _of_subsystem(subsystem: dict[str, Any]) -> Iterator[Drive]:
    """The namespaces of a subsystem, or those of its controllers where it lists none itself."""
    controllers = [fields(controller) for controller in items(subsystem.get("Controllers"))]
    for namespace in items(subsystem.get("Namespaces")):
        yield _drive(fields(namespace), controllers[0] if controllers else {})
    if not items(subsystem.get("Namespaces")):
        for controller in controllers:
            for namespace in items(controller.get("Namespaces")):
                yield _drive(fields(namespace), controller)


def _drive(namespace: dict[str, Any], controller: dict[str, Any]) -> Drive:
    name = str(namespace.get("DevicePath") or namespace.get("NameSpace") or "").removeprefix("/dev/")
    hidden = PATH_NAME.match(name)
    transport = str(controller.get("Transport") or "").lower()
    model, serial = (str(controller.get(key) or "").strip() for key in ("ModelNumber", "SerialNumber"))
    lba, sector = namespace.get("MaximumLBA", namespace.get("MaximiumLBA")), namespace.get("SectorSize")
    size = namespace.get("PhysicalSize")
    line = f"{model} PhysicalSize {size} MaximumLBA {lba} SectorSize {sector}"[:200]
    name = f"nvme{hidden[1]}n{hidden[2]}" if hidden else name
    return Drive(name, model, serial, transport, _size(namespace, number(lba), number(sector)), line)


def _size(namespace: dict[str, Any], lba: Any, sector: Any) -> int | None:
    """PhysicalSize, or sectors x sector size without it; None when they disagree, overflowed or are eightfold."""
    physical, used = number(namespace.get("PhysicalSize")), number(namespace.get("UsedBytes"))
    product = lba * sector if lba is not None and sector is not None else None
    size = physical if physical is not None else product
    if size is None or size <= 0 or (product is not None and product != size):
        return None
    if sector == 4096 and used and used * EIGHTFOLD == size:
        return None
    return int(size)


def _of_one(drive: Drive) -> tuple[Reading, ...]:
    scope = f"disk:{drive.name}"
    return (
        value_or("nvme_model", drive.model or None, "not_printed", "", scope, drive.line),
        value_or("nvme_serial", drive.serial or None, "not_printed", "", scope, drive.line),
        value_or("nvme_is_local", drive.is_local, "no_model", "", scope, drive.line),
        value_or("nvme_size", drive.size, "size_disagrees", "B", scope, drive.line),
    )


def _summary(drives: list[Drive]) -> tuple[Reading, ...]:
    names = " ".join(drive.name for drive in drives)[:200]
    local = [drive for drive in drives if drive.is_local]
    if any(drive.is_local is None for drive in drives):
        of_local = absent("no_model", "nvme_local_devices", "nvme_local_capacity", line=names)
    else:
        of_local = (Reading("nvme_local_devices", len(local), line=names), _capacity("nvme_local_capacity", local))
    return (Reading("nvme_devices", len(drives), line=names), *of_local, _capacity("nvme_total_capacity", drives))


def _capacity(name: str, drives: list[Drive]) -> Reading:
    sizes = [drive.size for drive in drives if drive.size is not None]
    line = " + ".join(f"{drive.name} {drive.size}" for drive in drives)[:200]
    if len(sizes) < len(drives):
        return absent("size_disagrees", name, line=line)[0]
    return Reading(name, sum(sizes), "B", line=line)


def _doubtful(drives: list[Drive]) -> tuple[Finding, ...]:
    return tuple(
        Finding("nvme_size_doubtful", DOUBTFUL.fill(name=drive.name, line=drive.line), f"disk:{drive.name}")
        for drive in drives
        if drive.size is None
    )
