"""/proc/meminfo: kB there means KiB, and what firmware reserves is not in MemTotal."""

from __future__ import annotations

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.keyed_lines import KeyedLine, by_key, is_repeated
from gpucontract.measurements.parsers.outcomes import absent, failed, run_error, value_or
from gpucontract.measurements.parsers.sizes import whole
from gpucontract.units import convert

NAMES = ("mem_total", "mem_total_gib", "mem_total_gb_decimal", "mem_available", "swap_total", "hugepages_total")
KIB_KEYS = {"mem_total": "MemTotal", "mem_available": "MemAvailable", "swap_total": "SwapTotal"}


def parse(capture: Capture) -> Parsed:
    """Total, available and swap memory in KiB; the total also as bare GiB and GB (KiB / 2^20, KiB x 1024 / 10^9)."""
    lines = by_key(cleaned(capture.stdout))
    error = run_error(capture)
    if not error and is_repeated(lines, "MemTotal"):
        error = "two_outputs: MemTotal stands there more than once; keep one run per capture"
    if not error and "MemTotal" not in lines:
        error = "meminfo_no_total: no line MemTotal; capture the whole of /proc/meminfo"
    if error:
        return failed(error, *NAMES)
    readings = [_in_kib(name, lines.get(key, [])) for name, key in KIB_KEYS.items()]
    return Parsed((*readings, *_converted(readings[0]), _huge_pages(lines.get("HugePages_Total", []))))


def _in_kib(name: str, lines: list[KeyedLine]) -> Reading:
    if len(lines) != 1:
        return Reading(name, None, why="not_printed")
    words = lines[0].value.split()
    number = whole(words[0]) if len(words) == 2 and words[1] == "kB" else None
    return value_or(name, number, "unreadable", "KiB", line=lines[0].line)


def _converted(total: Reading) -> tuple[Reading, ...]:
    if not isinstance(total.value, int):
        return absent(total.why, "mem_total_gib", "mem_total_gb_decimal", line=total.line)
    return (
        Reading("mem_total_gib", convert(total.value, "KiB", "GiB"), line=total.line),
        Reading("mem_total_gb_decimal", convert(total.value, "KiB", "GB"), line=total.line),
    )


def _huge_pages(lines: list[KeyedLine]) -> Reading:
    if len(lines) != 1:
        return Reading("hugepages_total", None, why="not_printed")
    return value_or("hugepages_total", whole(lines[0].value), "unreadable", line=lines[0].line)
