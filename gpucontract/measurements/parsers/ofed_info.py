"""ofed_info -s (or the first line of ofed_info): the version of NVIDIA's network driver stack."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import failed, run_error

NAMES = ("ofed_version", "ofed_package")
VERSION = re.compile(
    r"^(MLNX_OFED_LINUX|MLNX_EN|OFED-internal|DOCA-OFED|OFED)-([0-9]{1,3}(?:[.-][0-9]{1,5}){1,6})(?= \(|:)",
    re.MULTILINE,
)


def parse(capture: Capture) -> Parsed:
    """The version (5.8-3.0.7.0) and the package it belongs to; a machine with the inbox driver has no ofed_info."""
    found = list(VERSION.finditer(cleaned(capture.stdout)))
    error = run_error(capture)
    if not error and not found:
        error = "ofed_info_unknown: expected a line such as MLNX_OFED_LINUX-5.8-3.0.7.0:"
    if not error and len(found) > 1:
        error = "two_outputs: the version line stands there more than once; keep one run per capture"
    if error:
        return failed(error, *NAMES)
    line = found[0][0].strip()
    return Parsed((Reading("ofed_version", found[0][2], line=line), Reading("ofed_package", found[0][1], line=line)))
