"""/proc/driver/nvidia/version: the kernel module that is really loaded."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, line_around, printed, run_error

NAMES = ("driver_version", "kernel_module", "gcc_version")
NOT_LOADED = (("driver_not_loaded", re.compile(r"/proc/driver/nvidia/version.{0,9}: No such file")),)
# x86_64 and aarch64 hold digits too: only a dotted number after 'Module' is a version.
MODULE = re.compile(r"^NVRM version:.*?\bModule\b(?:\s+for\s+\S+)?\s+([0-9]{2,4}(?:\.[0-9]{1,4}){1,3})(?=\s|$)", re.M)
GCC = re.compile(r"^GCC version:[ \t]+gcc.*?\b([0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2})\b", re.M)


def parse(capture: Capture) -> Parsed:
    """Driver version, kernel module kind (open or proprietary) and the compiler that built it."""
    text = cleaned(capture.stdout)
    found = list(MODULE.finditer(text))
    error = known_error(printed(capture), NOT_LOADED) or run_error(capture)
    if not error and not found:
        error = "driver_version_unknown: no line 'NVRM version: ... Module ... X.Y.Z'"
    if not error and len(found) > 1:
        error = "two_outputs: more than one line 'NVRM version'; keep one file per capture"
    if error:
        return failed(error, *NAMES)
    line = line_around(text, found[0].start())
    kind = "open" if "Open Kernel Module" in line else "proprietary"
    gcc = GCC.search(text)
    compiler = Reading("gcc_version", gcc[1], line=line_around(text, gcc.start())) if gcc else None
    return Parsed(
        (
            Reading("driver_version", found[0][1], line=line),
            Reading("kernel_module", kind, line=line),
            compiler or absent("not_printed", "gcc_version")[0],
        )
    )
