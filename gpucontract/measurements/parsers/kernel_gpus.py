"""ls /proc/driver/nvidia/gpus: one folder a GPU, kept by the kernel's driver and not by the library that tools ask."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import failed, known_error, printed, run_error

NAME = "kernel_gpu_count"
ADDRESS = re.compile(r"(?:[0-9a-f]{4}|[0-9a-f]{8}):[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\Z", re.IGNORECASE)
ERRORS = (("driver_not_loaded", re.compile(r"/proc/driver/nvidia/gpus.{0,9}: No such file")),)


def parse(capture: Capture) -> Parsed:
    """kernel_gpu_count; an empty folder is a measured 0 when the command is known to have ended well."""
    words = cleaned(capture.stdout).split()
    error = known_error(printed(capture), ERRORS) or run_error(capture) or _layout_error(words, capture.exit_status)
    if error:
        return failed(error, NAME)
    return Parsed((Reading(NAME, len(words), line=" ".join(words)[:200]),))


def _layout_error(words: list[str], status: int | None) -> str:
    strange = [word for word in words if not ADDRESS.match(word)]
    if strange or (not words and status is None):
        said = repr(strange[0][:80]) if strange else "nothing"
        return f"kernel_gpus_unknown: expected PCI addresses such as 0000:1b:00.0, got {said}"
    if len({word.lower() for word in words}) < len(words):
        return "two_outputs: an address stands there twice; keep one run per capture"
    return ""
