"""mount without arguments: 'source on target type fstype (options)', one line a mount."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.mounts import SUMMARY_NAMES, Mount, findings, networks, per_mount, summary
from gpucontract.measurements.parsers.outcomes import failed, printed, run_error

TYPES_ASKED = re.compile(r"\s-t\s*([a-z0-9.,_-]{1,200})(?=\s|$)")


def parse(capture: Capture) -> Parsed:
    """The same readings as findmnt, from the plain list."""
    mounts = list(_mounts(cleaned(capture.stdout)))
    error = run_error(capture)
    asked = TYPES_ASKED.search(capture.command)
    if not error and asked and not printed(capture).strip():
        return Parsed(tuple(Reading(f"{kind}_mounts", 0) for kind in asked[1].split(",")))
    if not error and not mounts:
        error = "mount_unknown: no line 'source on target type fstype (options)'"
    if not error and _is_doubled(mounts):
        error = "two_outputs: the list of mounts stands there twice; keep one run per capture"
    if error:
        return failed(error, *SUMMARY_NAMES)
    # Behind a filter (mount | grep nfs) nothing is known of the mounts that it left out.
    counts = networks(mounts) if "|" in capture.command else summary(mounts)
    return Parsed((*counts, *per_mount(mounts)), findings(mounts))


def _is_doubled(mounts: list[Mount]) -> bool:
    """Whether a third of the lines come back: one mount may be stacked on itself, a whole list is a second output."""
    return (len(mounts) - len(set(mounts))) * 3 >= len(mounts) > 0


def _mounts(text: str) -> Iterator[Mount]:
    for line in text.splitlines():
        head, opened, tail = line.rstrip().rpartition(" (")
        place, typed, fstype = head.rpartition(" type ")
        source, on, target = place.partition(" on /")
        if opened and typed and on and ")" in tail and " " not in fstype:
            options = tail.partition(")")[0].split(",")
            yield Mount(f"/{target}", source.strip(), fstype, tuple(options))
