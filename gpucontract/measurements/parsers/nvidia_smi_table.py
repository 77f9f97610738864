"""nvidia-smi without options: the table of 79, 89 or 91 columns, with or without a MIG block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cells import cell, no_value
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_remarks import gpu_findings, remark
from gpucontract.measurements.parsers.gpu_summaries import summaries
from gpucontract.measurements.parsers.nvidia_smi_errors import (
    BUS_ID,
    DeadGpu,
    dead_findings,
    dead_gpus,
    dead_readings,
    exit_error,
    failure,
    warnings,
)
from gpucontract.measurements.parsers.outcomes import failed, printed

NAMES = ("gpu_count", "gpu_name", "gpu_memory_total_min", "driver_version", "cuda_driver_version", "mig_enabled_gpus")
# In newer drivers (610) the versions are called after what they are of: the kernel-mode and the user-mode driver.
HEADER = re.compile(
    r"^\| NVIDIA-SMI \S+ +(?:Driver|KMD) Version: (\S+)(?: +CUDA (?:UMD )?Version: (\S+))? +\|", re.MULTILINE
)
FIRST = re.compile(rf"^\|\s*([0-9]{{1,3}}) +(\S.*?) +(\S+)\s*\| *({BUS_ID}) +\S+ *\| *(\S+) *\|\s*$")
# Used and total; cards on the processor's memory (GB10) say in words that they have none.
MEMORY = re.compile(r"^\|[^|]*\|\s*(?:\S+\s*/\s*)?(\S[^|]*?)\s*\|[^|]*\|\s*$")
# Fan, temperature, state, power used and its cap; memory; load.
USE = re.compile(
    r"^\|\s*\S+\s+(?P<gpu_temperature>\S+?)C?\s+(?P<performance_state>\S+)\s+"
    r"(?P<power_draw>\S+?)W?\s*/\s*(?P<power_limit>\S+?)W?\s*\|"
    r"\s*(?P<gpu_memory_used>\S+?)(?:MiB)?\s*/[^|]*\|\s*(?P<gpu_utilization>\S+?)%?\s+\S[^|]*\|\s*$"
)
USE_UNITS = {
    "gpu_temperature": "C", "performance_state": "text", "power_draw": "W", "power_limit": "W",
    "gpu_memory_used": "MiB", "gpu_utilization": "%",
}  # fmt: skip
BUSY_PERCENT = 10
# Programs that compute; a desktop's (G) does not.
PROCESS = re.compile(r"^\|\s+[0-9]{1,3}\s+(?:\S+\s+\S+\s+)?[0-9]{1,10}\s+(?:M\+)?C(?:\+G)?\s+\S.*\|\s*$", re.MULTILINE)
MIG_MODE = re.compile(r"^\|\s*\|\s*\|\s*(\S+)\s*\|\s*$")
SLICE = re.compile(r"^\| *([0-9]{1,3})(?: +(?:[0-9]{1,3}|N/A)){3} *\| *[0-9]+MiB */ *([0-9]{1,9})MiB *\|", re.MULTILINE)
BORDER = re.compile(r"^\+-+\+-+\+-+\+\s*$")
# What closes the headings; since 580 a border like those of the rows stands above them.
HEADINGS_END = re.compile(r"^\|=+[+|]=+[+|]=+\|\s*$")
MEBIBYTES = re.compile(r"([0-9]{1,9})MiB")
# ERR! in one field is often transient; from this many on, the card does not answer at all.
DEAD_ROW_ERRORS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One GPU of the table: its first line taken apart, and all its lines."""

    found: re.Match[str]
    lines: tuple[str, ...]

    @property
    def scope(self) -> str:
        """The local scope, gpu0 upwards."""
        return f"gpu{int(self.found[1])}"

    @property
    def is_dead(self) -> bool:
        """ERR! for the name or over the whole row."""
        return self.found[2].startswith("ERR!") or sum(line.count("ERR!") for line in self.lines) >= DEAD_ROW_ERRORS


def parse(capture: Capture) -> Parsed:
    """GPU count, versions, memory, MIG and ECC of each GPU; names only where the column did not cut them."""
    text = cleaned(capture.stdout)
    headers = list(HEADER.finditer(text))
    if not headers:
        return failure(capture, NAMES, "a table with '| NVIDIA-SMI ... Driver Version: ...' or 'KMD Version: ...'")
    dead = dead_gpus(printed(capture))
    lines = text[headers[0].end() :].splitlines()
    end = next((number for number, line in enumerate(lines) if "MIG devices:" in line or "Processes:" in line), None)
    rows = list(_rows(lines[:end]))
    error = _broken(len(headers), rows, lines[:end], end is not None or _is_closed(lines)) or exit_error(capture, dead)
    if error:
        return failed(error, *NAMES, findings=dead_findings(dead))
    return _parsed(text, headers[0], rows, dead)


def _is_closed(lines: Sequence[str]) -> bool:
    """A blank line follows the last row's border, as the tool prints one; a table cut between rows has none."""
    last = max((number for number, line in enumerate(lines) if BORDER.match(line)), default=len(lines))
    return any(not line.strip() for line in lines[last + 1 : last + 2])


def _rows(lines: Sequence[str]) -> Iterator[Row]:
    started: tuple[re.Match[str], list[str]] | None = None
    for line in lines:
        found = FIRST.match(line)
        if (found or BORDER.match(line)) and started:
            yield Row(started[0], tuple(started[1]))
            started = None
        if found:
            started = (found, [line])
        elif started:
            started[1].append(line)


def _broken(headers: int, rows: Sequence[Row], lines: Sequence[str], is_complete: bool) -> str:
    if headers > 1:
        return f"two_outputs: {headers} tables in one capture; keep one run per capture"
    if not is_complete:
        return "output_truncated: the table of processes is missing, so rows may be too"
    start = next((number for number, line in enumerate(lines) if HEADINGS_END.match(line)), 0)
    borders = sum(1 for line in lines[start:] if BORDER.match(line))
    if borders != len(rows) or len({row.scope for row in rows}) < len(rows):
        return f"table_broken: {borders} row borders but {len(rows)} readable rows with a number of their own"
    return ""


def _parsed(text: str, header: re.Match[str], rows: Sequence[Row], dead: Sequence[DeadGpu]) -> Parsed:
    alive = [row for row in rows if not row.is_dead]
    readings = [reading for row in alive for reading in _one(row)]
    dead = (*dead, *(DeadGpu(row.found[4], row.scope[3:], row.found[0].strip()) for row in rows if row.is_dead))
    whole = (
        Reading("gpu_count", len(alive), line=header[0]),
        cell("driver_version", header[1], "text", line=header[0]),
        cell("cuda_driver_version", header[2] or "N/A", "text", line=header[0]),
        *_slices(text),
    )
    return Parsed(
        (*whole, *summaries(readings), *dead_readings(dead), *readings),
        (*dead_findings(dead), *gpu_findings(readings), *_in_use(text, readings), *warnings(text)),
    )


def _in_use(text: str, readings: Sequence[Reading]) -> Iterator[Finding]:
    """What already runs on the GPUs: the table of processes names it, their load shows it."""
    processes = PROCESS.findall(text)
    if processes:
        yield remark("foreign_processes", count=len(processes))
    for reading in readings:
        if reading.name == "gpu_utilization" and isinstance(reading.value, Decimal) and reading.value >= BUSY_PERCENT:
            yield remark("gpu_busy", reading.scope, load=reading.value)


def _one(row: Row) -> Iterator[Reading]:
    _, name, _, bus_id, ecc = row.found.groups()
    line, scope = row.found[0].strip(), row.scope
    if name.endswith("..."):
        yield Reading("gpu_name", None, scope=scope, why="name_truncated", line=line)
    else:
        yield cell("gpu_name", name, "text", scope, line)
    yield Reading("gpu_bus_id", bus_id, scope=scope, line=line)
    yield from _ecc(ecc, scope, line)
    yield _memory(row)
    yield from _use(row)
    mode = next((found for line in row.lines if (found := MIG_MODE.match(line))), None)
    if mode:
        yield cell("mig_enabled", mode[1].rstrip("*"), "bool", scope, mode[0])


def _ecc(text: str, scope: str, line: str) -> Iterator[Reading]:
    """A number counts uncorrectable errors; Off: ECC off; On: MIG hides the count."""
    if text in ("On", "Off"):
        yield Reading("ecc_enabled", text == "On", scope=scope, line=line)
        why = "mig_hides_ecc" if text == "On" else "ecc_off"
        yield Reading("ecc_uncorrected_volatile", None, scope=scope, why=why, line=line)
        return
    count = cell("ecc_uncorrected_volatile", text, "count", scope, line)
    yield count
    if count.value is not None:
        yield Reading("ecc_enabled", True, scope=scope, line=line)
    else:
        yield Reading("ecc_enabled", None, scope=scope, why=count.why, line=line)


def _use(row: Row) -> Iterator[Reading]:
    """How warm, how loaded and under which cap the card runs, in the whole watts that the table shows."""
    found = next((found for line in row.lines[1:] if (found := USE.match(line))), None)
    if found:
        for name, unit in USE_UNITS.items():
            yield cell(name, found[name], unit, row.scope, found[0])


def _memory(row: Row) -> Reading:
    found = next((found for line in row.lines[1:] if (found := MEMORY.match(line))), None)
    size = MEBIBYTES.fullmatch(found[1]) if found else None
    line = found[0].strip() if found else row.lines[0].strip()
    if size is None:
        why = no_value(found[1] if found else "") or "unreadable"
        return Reading("gpu_memory_total", None, scope=row.scope, why=why, line=line)
    return Reading("gpu_memory_total", Decimal(size[1]), "MiB", row.scope, "", line)


def _slices(text: str) -> Iterator[Reading]:
    found = list(SLICE.finditer(text))
    yield Reading("mig_devices", len(found), line=found[0][0] if found else "")
    if found:
        smallest = min(found, key=lambda slice_: int(slice_[2]))
        yield Reading("mig_device_memory_min", Decimal(smallest[2]), "MiB", line=smallest[0].strip())
