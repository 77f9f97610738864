"""lfs df: capacity of Lustre is the sum of its OSTs; an inactive OST prints no numbers and is in no summary."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error
from gpucontract.measurements.parsers.sizes import binary_size, decimal, total
from gpucontract.units import exact
from gpucontract.wording import Text

NAMES = ("lustre_capacity", "lustre_free", "osts_active", "osts_inactive")
ERRORS = (
    ("not_lustre", re.compile(r"not a (?:mounted )?lustre|No mounted Lustre|Inappropriate ioctl", re.IGNORECASE)),
    ("lfs_no_such_path", re.compile(r"lfs.{0,80}(?:No such file or directory|cannot resolve)")),
)
HEADER = re.compile(r"^UUID\s+(1K-blocks|bytes|Inodes)\s+I?Used\s+(?:Available|IFree)\s+I?Use%\s+Mounted on\s*$", re.M)
TARGET = re.compile(
    r"(\S{1,80})\s+(\S{1,24})\s+(\S{1,24})\s+(\S{1,24})\s+(?:[0-9]{1,3}%|-)\s+(/.*)\[(MDT|OST):[0-9a-f]{1,6}\]"
)
SUMMARY = re.compile(r"filesystem_summary:\s+(\S{1,24})\s+(\S{1,24})\s+(\S{1,24})\s+(?:[0-9]{1,3}%|-)\s+(/.*)")
SILENT = re.compile(r"(\S{0,60}(OST|MDT)[0-9a-f]{1,6}\S{0,10})\s*: (\D.{0,100})")
# Rounded sizes and a summary rounded once more may differ by this part of the summary.
SLACK = Fraction(2, 100)
INACTIVE = Text(
    "有 {count} 个 OST 不可用（{names}），其容量和数据都不在内。请供应方恢复后复测。",
    "{count} OSTs are not available ({names}); their capacity and data are missing. Ask the vendor to restore them, "
    "then run again.",
)

Size = tuple[Decimal, str]


@dataclass(slots=True)
class FileSystem:
    """One mounted Lustre: its active OSTs' capacity and free space, its silent OSTs, its summary line."""

    mount: str = ""
    capacities: list[Size | None] = field(default_factory=list)
    free: list[Size | None] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    summary: tuple[Size | None, Size | None] | None = None
    line: str = ""


def parse(capture: Capture) -> Parsed:
    """Capacity and free space over active OSTs, OSTs active and inactive; fs_type, fs_capacity, fs_free per mount."""
    text = cleaned(capture.stdout)
    headers = HEADER.findall(text)
    error = known_error(printed(capture), ERRORS) or run_error(capture)
    if not error and "Inodes" in headers:
        error = "lfs_df_inodes: this is lfs df -i; run lfs df for the capacity"
    if not error and not headers:
        error = "lfs_df_unknown: expected the table of lfs df"
    systems = [] if error else _systems(text, headers[0])
    mounts = [system.mount for system in systems if system.mount]
    if not error and (len(set(mounts)) < len(mounts) or len(headers) > max(len(systems), 1)):
        error = "two_outputs: a file system stands there more than once; keep one run per capture"
    if error:
        return failed(error, *NAMES)
    readings = [reading for system in systems for reading in _of_mount(system)]
    return Parsed((*_overall(systems), *readings), _inactive(systems))


def _systems(text: str, unit: str) -> list[FileSystem]:
    """One per summary line; targets after the last summary make one that broke off."""
    systems = [FileSystem()]
    for line in text.splitlines():
        target, summary, silent = TARGET.match(line), SUMMARY.match(line), SILENT.match(line)
        current = systems[-1]
        if target and target[6] == "OST":
            current.capacities.append(_size(target[2], unit))
            current.free.append(_size(target[4], unit))
        elif silent and silent[2] == "OST":
            current.silent.append(silent[1])
        elif summary:
            current.mount, current.line = summary[4].strip(), line.strip()[:200]
            current.summary = (_size(summary[1], unit), _size(summary[3], unit))
            systems.append(FileSystem())
    return [system for system in systems if system.capacities or system.silent or system.summary]


def _size(cell: str, unit: str) -> Size | None:
    if unit == "bytes":
        return binary_size(cell)
    number = decimal(cell)
    return (number, "KiB") if number is not None else None


def _sum(name: str, sizes: list[Size | None], stated: Size | None, line: str) -> Reading:
    """The sum of the OSTs, believed only where the summary line agrees with it."""
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes) or not known:
        return absent("unreadable", name, line=line)[0]
    number, unit = total(known)
    if stated is None:
        return absent("no_summary", name, line=line)[0]
    difference = abs(exact(number, unit, "B") - exact(stated[0], stated[1], "B"))
    if difference > exact(stated[0], stated[1], "B") * SLACK:
        return absent("summary_disagrees", name, line=line)[0]
    return Reading(name, number, unit, line=line)


def _capacities(system: FileSystem) -> tuple[Reading, Reading]:
    stated = system.summary or (None, None)
    return (
        _sum("lustre_capacity", system.capacities, stated[0], system.line),
        _sum("lustre_free", system.free, stated[1], system.line),
    )


def _overall(systems: list[FileSystem]) -> tuple[Reading, ...]:
    if not systems:
        return absent("no_targets", *NAMES)
    if len(systems) > 1:
        return absent("several_mounts", *NAMES)
    system = systems[0]
    if system.summary is None:
        return absent("no_summary", *NAMES)
    return (
        *_capacities(system),
        Reading("osts_active", len(system.capacities), line=system.line),
        Reading("osts_inactive", len(system.silent), line=", ".join(system.silent)[:200]),
    )


def _of_mount(system: FileSystem) -> tuple[Reading, ...]:
    if not system.mount:
        return ()
    scope = f"mount:{system.mount}"
    names = ("fs_capacity", "fs_free")
    sizes = tuple(
        Reading(name, reading.value, reading.unit, scope, reading.why, reading.line)
        for name, reading in zip(names, _capacities(system), strict=True)
    )
    return (Reading("fs_type", "lustre", scope=scope, line=system.line), *sizes)


def _inactive(systems: list[FileSystem]) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            "ost_inactive",
            INACTIVE.fill(count=len(system.silent), names=system.silent[:8]),
            f"mount:{system.mount}" if system.mount else "",
        )
        for system in systems
        if system.silent
    )
