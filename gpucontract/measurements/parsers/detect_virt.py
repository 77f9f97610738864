"""systemd-detect-virt: one word; 'none' is an answer although the exit status is then 1."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import failed, run_error

WORD = re.compile(r"[a-z][a-z0-9-]{1,30}\Z")
NOTHING_FOUND = 1


def parse(capture: Capture) -> Parsed:
    """virtualization: none on bare metal, else the hypervisor or container (kvm, docker, ...)."""
    words = cleaned(capture.stdout).split()
    accepted = (NOTHING_FOUND,) if words == ["none"] else ()
    error = run_error(capture, accepted)
    if not error and len(words) > 1 and len(set(words)) == 1:
        error = "two_outputs: the answer stands there more than once; keep one run per capture"
    if not error and (len(words) != 1 or not WORD.match(words[0])):
        error = "detect_virt_unknown: expected a single word such as none or kvm"
    if error:
        return failed(error, "virtualization")
    return Parsed((Reading("virtualization", words[0], line=words[0]),))
