"""nvidia-smi -L: one line per GPU with its full name and UUID, MIG slices below."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.gpu_summaries import summaries
from gpucontract.measurements.parsers.nvidia_smi_errors import (
    dead_findings,
    dead_gpus,
    dead_readings,
    exit_error,
    failure,
)
from gpucontract.measurements.parsers.nvidia_smi_fields import CHOSEN
from gpucontract.measurements.parsers.outcomes import failed, printed, value_or

NAMES = ("gpu_count", "gpu_name", "distinct_uuids")
GPU = re.compile(r"^GPU ([0-9]{1,3}): (.{1,120}?) \(UUID: (GPU-[0-9a-fA-F-]{8,60})\)", re.MULTILINE)
SLICE = re.compile(r"^\s*MIG (\S{1,40})\s+Device\s+[0-9]+: \(UUID: (MIG-[^)\n]{1,120})\)", re.MULTILINE)
CUT = re.compile(r"^GPU [0-9]{1,3}:(?!.*\(UUID: [^)\n]+\)).*$", re.MULTILINE)


def parse(capture: Capture) -> Parsed:
    """gpu_count, distinct_uuids, the name all share; gpu_name and gpu_uuid per GPU; what cannot be opened."""
    text = cleaned(capture.stdout)
    gpus = list(GPU.finditer(text))
    if not gpus:
        return failure(capture, NAMES, "lines 'GPU <i>: <name> (UUID: GPU-...)'")
    dead = dead_gpus(printed(capture))
    error = _broken(text, gpus) or exit_error(capture, dead)
    if error:
        return failed(error, *NAMES, findings=dead_findings(dead))
    readings = [reading for found in gpus for reading in _one(found)]
    count = None if CHOSEN.search(capture.command) else len(gpus)
    whole = (
        value_or("gpu_count", count, "gpus_not_described", line=gpus[-1][0]),
        Reading("distinct_uuids", len({found[3] for found in gpus}), line=gpus[-1][0]),
        Reading("mig_devices", sum(1 for _ in SLICE.finditer(text))),
    )
    gap = () if dead else _gap([int(found[1]) for found in gpus])
    return Parsed((*whole, *summaries(readings), *dead_readings(dead), *readings), (*dead_findings(dead), *gap))


def _one(found: re.Match[str]) -> tuple[Reading, Reading]:
    scope = f"gpu{int(found[1])}"
    return (
        Reading("gpu_name", found[2].strip(), scope=scope, line=found[0]),
        Reading("gpu_uuid", found[3], scope=scope, line=found[0]),
    )


def _broken(text: str, gpus: Sequence[re.Match[str]]) -> str:
    indexes = [int(found[1]) for found in gpus]
    if len(set(indexes)) < len(indexes):
        return "two_outputs: a GPU number is listed twice; keep one run per capture"
    cut = CUT.search(text)
    return f"output_truncated: the line {cut[0][:120]!r} breaks off before its UUID" if cut else ""


def _gap(indexes: Sequence[int]) -> tuple[Finding, ...]:
    missing = sorted(set(range(max(indexes) + 1)) - set(indexes))
    return (remark("gpu_index_gap", missing=[f"GPU {index}" for index in missing[:16]]),) if missing else ()
