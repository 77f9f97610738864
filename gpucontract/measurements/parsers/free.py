"""free: total memory and swap; -h rounds to two digits and its letters are binary unless --si is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, run_error
from gpucontract.measurements.parsers.sizes import binary_size, decimal, decimal_size
from gpucontract.wording import Text

NAMES = ("mem_total", "swap_total")
LABELS: Mapping[str, str] = {
    "Mem:": "mem_total", "内存：": "mem_total", "内存:": "mem_total",
    "Swap:": "swap_total", "交换：": "swap_total", "交换:": "swap_total",
}  # fmt: skip
UNIT_OPTIONS: Mapping[str, str] = {
    "b": "B", "k": "KiB", "m": "MiB", "g": "GiB", "bytes": "B", "kibi": "KiB", "mebi": "MiB", "gibi": "GiB",
    "tebi": "TiB", "pebi": "PiB", "kilo": "KB", "mega": "MB", "giga": "GB", "tera": "TB", "peta": "PB",
}  # fmt: skip
OPTION = re.compile(r"\s(?:--([a-z]{2,5})|-([a-z]{1,6}))(?=\s|$)")
ROUNDED = Finding(
    "memory_rounded",
    Text(
        "free -h 只保留两位数字。判定内存条款请用 /proc/meminfo。",
        "free -h keeps two digits only. Judge a memory clause by /proc/meminfo.",
    ),
)


def parse(capture: Capture) -> Parsed:
    """Total memory and swap in the unit printed, or in the unit the command's option names (KiB without one)."""
    error = run_error(capture)
    rows: dict[str, list[str]] = {}
    for line in cleaned(capture.stdout).splitlines():
        label = next((label for label in LABELS if line.strip().startswith(label)), None)
        if label:
            rows.setdefault(LABELS[label], []).append(line)
    if not error and len(rows.get("mem_total", ())) != 1:
        error = _layout_error(len(rows.get("mem_total", ())))
    if error:
        return failed(error, *NAMES)
    readings = tuple(_read(name, rows.get(name, []), capture.command) for name in NAMES)
    is_rounded = any(reading.line and not _plain(reading.line) for reading in readings)
    return Parsed(readings, (ROUNDED,) if is_rounded else ())


def _layout_error(count: int) -> str:
    if count:
        return f"two_outputs: {count} lines of total memory in one capture; keep one run per capture"
    return "free_no_memory: no line Mem:; run free with LC_ALL=C"


def _read(name: str, lines: list[str], command: str) -> Reading:
    if len(lines) != 1:
        return absent("not_printed", name)[0]
    cells = re.split(r"[:：]", lines[0], maxsplit=1)[1].split()
    size = _size(cells[0], command) if cells else None
    if size is None:
        return absent("unreadable", name, line=lines[0].strip())[0]
    return Reading(name, size[0], size[1], line=lines[0].strip())


def _size(cell: str, command: str) -> tuple[Decimal, str] | None:
    found = OPTION.findall(command)
    options = {long for long, _ in found} | {letter for _, letters in found for letter in letters}
    number = decimal(cell)
    if number is None:
        return decimal_size(cell) if "si" in options else binary_size(cell)
    units = {UNIT_OPTIONS[option] for option in options & UNIT_OPTIONS.keys()} or {"KiB"}
    return (number, units.pop()) if len(units) == 1 else None


def _plain(line: str) -> bool:
    cells = re.split(r"[:：]", line, maxsplit=1)[1].split()
    return bool(cells) and decimal(cells[0]) is not None
