"""What nvidia-smi prints when it cannot answer: one text for the whole machine, or a line in place of one GPU."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.outcomes import absent, known_error, printed, run_error

BUS_ID = r"(?:[0-9A-Fa-f]{8}|[0-9A-Fa-f]{4}):[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]"

SIGNS = (
    ("driver_library_mismatch", re.compile(r"Failed to initialize NVML: Driver/library version mismatch")),
    (
        "driver_not_loaded",
        re.compile(r"couldn't communicate with the NVIDIA driver|Failed to initialize NVML: Driver Not Loaded"),
    ),
    (
        "nvml_library_missing",
        re.compile(r"couldn't find libnvidia-ml\.so|Failed to initialize NVML: .*not found", re.I),
    ),
    ("nvml_permission", re.compile(r"Failed to initialize NVML: (?:Insufficient Permissions|GPU access blocked)")),
    ("nvml_failed", re.compile(r"Failed to initialize NVML|NVIDIA-SMI has failed")),
    ("invalid_option", re.compile(r"^(?:Invalid combination of input arguments|ERROR: Option )", re.MULTILINE)),
)
NO_DEVICES = re.compile(r"^No devices (?:were )?found\.?\s*$", re.MULTILINE | re.IGNORECASE)
INVALID_FIELD = re.compile(r'^Field "([^"\n]{1,200})" is not a valid field to query', re.MULTILINE)
LIBRARY_VERSION = re.compile(r"NVML library version: ([0-9][0-9.]{1,30})(?=\s|$)")
INFOROM = re.compile(r"^.*infoROM is corrupted.*$", re.MULTILINE)
HANDLE = re.compile(
    r"Unable to (?:determine|detect)\b[^\n]*?\b(?:GPU|gpu)\s?(?:(?P<index>[0-9]{1,3}):(?![0-9A-Fa-f]))?"
    rf"\s*(?P<bus>{BUS_ID})?[^\n]*"
)

# nvidia-smi's own exit statuses for the texts above; the text decides, the status only confirms it.
NO_DEVICES_EXIT = 6
ANY_EXIT = range(1, 124)


@dataclass(frozen=True, slots=True)
class DeadGpu:
    """One GPU the driver cannot open: bus id and index as far as the line names them."""

    bus_id: str
    index: str
    line: str

    @property
    def is_lost(self) -> bool:
        """The card fell off the bus."""
        return "lost" in self.line.lower()


def dead_gpus(text: str) -> tuple[DeadGpu, ...]:
    """Every 'Unable to determine the device handle' line, in all its spellings."""
    return tuple(
        DeadGpu(found["bus"] or "", found["index"] or "", found[0].strip()[:200]) for found in HANDLE.finditer(text)
    )


def says_nothing(text: str) -> bool:
    """Whether the text is one of those that nvidia-smi prints instead of any answer."""
    return bool(known_error(text, SIGNS) or NO_DEVICES.search(text))


def failure(capture: Capture, names: Sequence[str], expected: str) -> Parsed:
    """What an output without the expected body says: a known failure, no device at all (a measured 0), or neither."""
    text = printed(capture)
    dead = dead_gpus(text)
    if NO_DEVICES.search(text) and not dead:
        return _no_devices(capture, names)
    error = _error(capture, text, dead, expected)
    code = error.split(":")[0].split()[0]
    extra = (*_library_version(text), *dead_readings(dead, counted=False))
    return Parsed((*absent(code, *names), *extra), (*dead_findings(dead), *warnings(text)), error)


def _no_devices(capture: Capture, names: Sequence[str]) -> Parsed:
    error = run_error(capture, accepted=ANY_EXIT)
    if error:
        return Parsed(absent(error.split(":")[0], *names), (), error)
    others = absent("no_devices", *(name for name in names if name != "gpu_count"))
    return Parsed((Reading("gpu_count", 0, line="No devices were found"), *others))


def _error(capture: Capture, text: str, dead: Sequence[DeadGpu], expected: str) -> str:
    field = INVALID_FIELD.search(text)
    if field:
        return f"invalid_query_field: {field[1]}"
    known = known_error(text, SIGNS)
    if known:
        return known
    if dead:
        return f"{'gpu_lost' if any(gpu.is_lost for gpu in dead) else 'gpu_unreadable'}: {dead[0].line}"
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    missing = f"unknown_layout: expected {expected}, the first line is {first[:120]!r}"
    return run_error(capture) or (missing if first else f"no_output: expected {expected}, nothing was printed")


def _library_version(text: str) -> tuple[Reading, ...]:
    found = LIBRARY_VERSION.search(text)
    return (Reading("nvml_library_version", found[1].rstrip("."), line=found[0]),) if found else ()


def dead_readings(dead: Sequence[DeadGpu], counted: bool = True) -> tuple[Reading, ...]:
    """How many GPUs cannot be opened (where the others were listed) and the bus id of the first named."""
    readings = [Reading("gpu_unreadable", len(dead), line=dead[0].line)] if counted and dead else []
    named = next((gpu for gpu in dead if gpu.bus_id), None)
    if named:
        readings.append(Reading("error_bus_id", named.bus_id, line=named.line))
    lost = next((gpu for gpu in dead if gpu.bus_id and gpu.is_lost), None)
    if lost:
        readings.append(Reading("gpu_lost_bus_id", lost.bus_id, line=lost.line))
    return tuple(readings)


def dead_findings(dead: Sequence[DeadGpu]) -> tuple[Finding, ...]:
    """One remark per GPU that cannot be opened."""
    return tuple(
        remark("gpu_unreadable", f"gpu{gpu.index}" if gpu.index else "", where=gpu.bus_id or "?", line=gpu.line)
        for gpu in dead
    )


def warnings(text: str) -> tuple[Finding, ...]:
    """Remarks that nvidia-smi adds after its answer."""
    return tuple(remark("inforom_corrupted", line=found[0].strip()[:200]) for found in INFOROM.finditer(text))


def exit_error(capture: Capture, dead: Sequence[DeadGpu]) -> str:
    """The error of a non-zero exit status that no dead GPU in the text explains, else ''."""
    return run_error(capture, accepted=ANY_EXIT if dead else ())
