"""df -PT: capacity and free space of every mount; a mount point may hold blanks and reaches to the end of the line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.file_systems import MEMORY, NOT_STORAGE, VIRTUAL, shared_name
from gpucontract.measurements.parsers.outcomes import absent, printed, run_error, value_or
from gpucontract.measurements.parsers.sizes import binary_size, decimal, decimal_size
from gpucontract.units import exact
from gpucontract.wording import Text

HEADER = re.compile(
    r"^Filesystem\s+(Type\s+)?(\S+)\s+(?:Used\s+Avail(?:able)?|IUsed\s+IFree)\s+(?:Capacity|I?Use%)\s+Mounted on\s*$",
    re.MULTILINE,
)
# Block sizes a header can name, as (factor, unit) of one block.
BLOCKS = {
    "1024-blocks": (1, "KiB"), "1K-blocks": (1, "KiB"), "1B-blocks": (1, "B"), "1-blocks": (1, "B"),
    "512-blocks": (512, "B"), "512B-blocks": (512, "B"), "1M-blocks": (1, "MiB"), "1048576-blocks": (1, "MiB"),
    "1G-blocks": (1, "GiB"), "1073741824-blocks": (1, "GiB"), "1kB-blocks": (1, "KB"), "1000-blocks": (1, "KB"),
    "1MB-blocks": (1, "MB"), "1GB-blocks": (1, "GB"),
}  # fmt: skip
PERCENT = re.compile(r"(?:[0-9]{1,3}%|-)\Z")
COMPLAINT = re.compile(
    r"^(?:df: )?['‘\"]?(/[^\n:'’\"]{0,400})['’\"]?: (Stale (?:NFS )?file handle|Permission denied"
    r"|Operation not permitted"
    r"|Input/output error|Transport endpoint is not connected|Host is down|Connection timed out)",
    re.MULTILINE,
)
NOT_THERE = re.compile(r"^(?:df: )?['‘\"]?(/[^\n:'’\"]{0,400})['’\"]?: No such file or directory", re.MULTILINE)
BOUNDLESS_BYTES = 2**60
SHARED_NAMES = ("shared_filesystems",)
STALE = Text(
    "挂载点 {path} 读不到（{said}）。请供应方恢复后复测。",
    "The mount {path} cannot be read ({said}). Ask the vendor to restore it, then run again.",
)
THIN = Text(
    "{path} 是 {kind}，df 显示的容量只是软件常数，不是承诺。容量条款要靠写满测试。",
    "{path} is {kind}: the capacity that df shows is a constant of the software, no promise. Only a write test tells.",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; type is '' when df was run without -T."""

    source: str
    type: str
    capacity: str
    free: str
    mount: str
    line: str


def parse(capture: Capture) -> Parsed:
    """fs_type, fs_capacity and fs_free per mount; <type>_capacity and <type>_free where a shared type is there once."""
    text = cleaned(capture.stdout)
    headers = list(HEADER.finditer(text))
    rows = list(_rows(text, bool(headers and headers[0][1])))
    complaints, missing = COMPLAINT.findall(printed(capture)), NOT_THERE.findall(printed(capture))
    unread = [(path, "stale_mount") for path, _ in complaints] + [(path, "no_such_path") for path in missing]
    error = run_error(capture, (1,) if unread else ()) or _layout_error(headers, rows, unread)
    unreadable = tuple(reading for path, why in unread for reading in _unreadable(path, why))
    if error:
        return Parsed((*absent(error.split(":")[0], *SHARED_NAMES), *unreadable), (), error)
    mounts = [reading for row in rows for reading in _mount(row, headers[0][2], capture.command)]
    return Parsed(
        (*_shared(rows, mounts), *mounts, *unreadable), _stale(complaints) + _thin(rows, headers[0][2], capture.command)
    )


def _rows(text: str, has_type: bool) -> Iterator[Row]:
    for line in text.splitlines():
        row = _row(line, has_type)
        if row:
            yield row


def _row(line: str, has_type: bool) -> Row | None:
    """The row of a line whose percentage is followed by a path; source and mount point may hold blanks."""
    words = [(word[0], word.start()) for word in re.finditer(r"\S+", line)]
    for index in range(4 + has_type, len(words) - 1):
        if PERCENT.match(words[index][0]) and words[index + 1][0].startswith("/"):
            head = [word for word, _ in words[: index - 3]]
            source = " ".join(head[:-1] if has_type else head)
            cells = [word for word, _ in words[index - 3 : index]]
            mount = line[words[index + 1][1] :].rstrip()
            return Row(source, head[-1] if has_type else "", cells[0], cells[2], mount, line.strip())
    return None


def _layout_error(headers: list[re.Match[str]], rows: list[Row], unread: list[tuple[str, str]]) -> str:
    if len(headers) > 1 or len({(row.source, row.mount) for row in rows}) < len(rows):
        return "two_outputs: the header or a mount stands there more than once; keep one run per capture"
    if not rows and unread:
        return f"df_{unread[0][1]}: {unread[0][0]}"
    if not headers or not rows:
        return "df_unknown: expected the table of df -PT; run it with LC_ALL=C"
    return ""


def _mount(row: Row, blocks: str, command: str) -> tuple[Reading, ...]:
    if row.type in NOT_STORAGE - MEMORY:
        return ()
    scope = f"mount:{row.mount}"
    kind = value_or("fs_type", row.type or None, "not_printed", "", scope, row.line)
    names = ("fs_inodes", "fs_inodes_free") if blocks == "Inodes" else ("fs_capacity", "fs_free")
    is_virtual = row.type in VIRTUAL or _is_boundless(row, blocks, command)
    why = "virtual_capacity" if is_virtual else "memory" if row.type in MEMORY else ""
    if why:
        return (kind, *absent(why, *names, scope=scope, line=row.line))
    cells = zip(names, (row.capacity, row.free), strict=True)
    return (kind, *(_amount(name, cell, blocks, command, row) for name, cell in cells))


def _is_boundless(row: Row, blocks: str, command: str) -> bool:
    """Whether the capacity is one that nobody has built: elastic file systems (EFS) tell 8 EiB."""
    number, unit = _in_unit(row.capacity, blocks, command)
    return number is not None and bool(unit) and exact(number, unit, "B") >= BOUNDLESS_BYTES


def _amount(name: str, cell: str, blocks: str, command: str, row: Row) -> Reading:
    number, unit = _in_unit(cell, blocks, command)
    return value_or(name, number, "unreadable", unit, f"mount:{row.mount}", row.line)


def _in_unit(cell: str, blocks: str, command: str) -> tuple[Decimal | None, str]:
    if blocks == "Size":
        is_decimal = re.search(r"\s(?:-[a-zA-Z]{0,8}H[a-zA-Z]{0,8}|--si)(?=\s|$)", command)
        return (decimal_size(cell) if is_decimal else binary_size(cell)) or (None, "")
    if blocks == "Inodes":
        return decimal(cell), ""
    factor, unit = BLOCKS.get(blocks, (0, ""))
    number = decimal(cell)
    return (number * factor, unit) if number is not None and unit else (None, "")


def _shared(rows: list[Row], mounts: list[Reading]) -> tuple[Reading, ...]:
    """The count of shared file systems, and capacity and free space by type."""
    if not any(row.type for row in rows):
        return absent("no_type_column", *SHARED_NAMES)
    shared = {(row.source, row.type): row for row in rows if shared_name(row.type)}
    lines = "; ".join(f"{row.type} {row.mount}" for row in shared.values())
    readings = [Reading("shared_filesystems", len(shared), line=lines[:200])]
    for kind in dict.fromkeys(shared_name(row.type) for row in shared.values()):
        of_kind = [row for row in shared.values() if shared_name(row.type) == kind]
        readings += _by_kind(kind, of_kind, mounts)
    return tuple(readings)


def _by_kind(kind: str, rows: list[Row], mounts: list[Reading]) -> tuple[Reading, ...]:
    names = {"fs_capacity": f"{kind}_capacity", "fs_free": f"{kind}_free"}
    if len(rows) > 1:
        return absent("several_mounts", *names.values(), f"{kind}_mountpoint")
    scope = f"mount:{rows[0].mount}"
    found = [reading for reading in mounts if reading.scope == scope and reading.name in names]
    renamed = tuple(
        Reading(names[reading.name], reading.value, reading.unit, why=reading.why, line=reading.line)
        for reading in found
    )
    return (*renamed, Reading(f"{kind}_mountpoint", rows[0].mount, line=rows[0].line))


def _unreadable(path: str, why: str) -> tuple[Reading, ...]:
    return absent(why, "fs_type", "fs_capacity", "fs_free", scope=f"mount:{path}")


def _stale(complaints: list[tuple[str, str]]) -> tuple[Finding, ...]:
    return tuple(Finding("stale_mount", STALE.fill(path=path, said=said), f"mount:{path}") for path, said in complaints)


def _thin(rows: list[Row], blocks: str, command: str) -> tuple[Finding, ...]:
    return tuple(
        Finding("virtual_capacity", THIN.fill(path=row.mount, kind=row.type), f"mount:{row.mount}")
        for row in rows
        if row.type in VIRTUAL or (shared_name(row.type) and _is_boundless(row, blocks, command))
    )
