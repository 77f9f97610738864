"""nvidia-smi --version: the loaded driver and the highest CUDA it supports, without a word about GPUs."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.cells import cell
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.keyed_lines import keyed_lines
from gpucontract.measurements.parsers.outcomes import failed, run_error

SIGN = re.compile(r"^NVIDIA-SMI version +: [0-9]", re.MULTILINE)
# The names in newer drivers (610) stand first: there the older ones only say that they are deprecated.
VERSIONS = (
    ("driver_version", ("kmd version", "driver version")),
    ("cuda_driver_version", ("cuda umd version", "cuda version")),
)


def parse(capture: Capture) -> Parsed:
    """driver_version and cuda_driver_version."""
    error = run_error(capture)
    if error:
        return failed(error, *(name for name, _ in VERSIONS))
    lines = {line.key.lower(): line for line in keyed_lines(cleaned(capture.stdout))}
    if len(SIGN.findall(capture.stdout)) > 1:
        return failed("two_outputs: the versions stand there twice; keep one run per capture", *dict(VERSIONS))
    found = ((name, next((lines[key] for key in keys if key in lines), None)) for name, keys in VERSIONS)
    return Parsed(tuple(cell(name, line.value, "text", line=line.line) for name, line in found if line))
