"""nvcc --version: the CUDA toolkit installed, which is not the CUDA version the driver supports."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import failed, line_around, run_error

NAMES = ("cuda_toolkit_version", "cuda_toolkit_full")
RELEASE = re.compile(r"\brelease ([0-9]{1,3}\.[0-9]{1,3}), V([0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,5})(?![0-9.])")


def parse(capture: Capture) -> Parsed:
    """The toolkit's release (12.4) and its full version (12.4.131), both from the line 'release X.Y, VX.Y.Z'."""
    text = cleaned(capture.stdout)
    found = list(RELEASE.finditer(text))
    error = run_error(capture)
    if not error and not found:
        error = "nvcc_no_release: no line 'release X.Y, VX.Y.Z'"
    if not error and len(found) > 1:
        error = "two_outputs: the release line stands there more than once; keep one run per capture"
    if error:
        return failed(error, *NAMES)
    line = line_around(text, found[0].start())
    return Parsed(tuple(Reading(name, found[0][group], line=line) for group, name in enumerate(NAMES, start=1)))
