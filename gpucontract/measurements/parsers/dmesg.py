"""dmesg: Xid lines of the GPU driver, SXid lines of the NVSwitches, crashes inside NCCL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.outcomes import failed, known_error, line_around, printed, run_error

NAMES = ("hardware_xids", "fatal_xids", "sxids")
SIGNS = (
    (
        "dmesg_permission",
        re.compile(
            r"read kernel buffer failed: (?:Operation not permitted|Permission denied)"
            r"|dmesg: klogctl: Operation not permitted|/dev/kmsg: (?:Operation not permitted|Permission denied)"
        ),
    ),
)
XID = re.compile(r"NVRM: Xid \((?:PCI:)?([0-9A-Fa-f:.]{5,20})\): ([0-9]{1,4})(?![0-9])([^\n]*)")
SXID = re.compile(r"SXid \(PCI:([0-9A-Fa-f:.]{5,20})\): ([0-9]{1,6})(?![0-9]),?([^\n]*)")
# A fault of the switch is told on several lines; these carry its data, not another fault.
SXID_DETAIL = re.compile(r"\s*(?:Data \{|Severity )")
SEGFAULT = re.compile(r"\bsegfault at [^\n]*\bin libnccl")
FATAL_WORD = re.compile(r"\bFatal\b")

HARDWARE = frozenset({48, 63, 64, 74, 79, 92, 94, 95, 119, 120, 140, 145, 149})
FATAL = frozenset({48, 64, 79, 95, 119, 120})
APPLICATION = frozenset({13, 31, 43, 45, 68, 69, 109})
CONSEQUENCE = 154


@dataclass(frozen=True, slots=True)
class Event:
    """One line about a fault: the device, its code, whether it ends the device's use."""

    bus_id: str
    code: int
    is_fatal: bool
    line: str


def parse(capture: Capture) -> Parsed:
    """Count of each Xid and SXid code, of hardware and of fatal ones; an unreadable log is not an empty one."""
    text = cleaned(capture.stdout)
    error = known_error(printed(capture), SIGNS) or run_error(capture)
    if not error and not text.strip():
        error = "dmesg_empty: the kernel log is empty, which does not mean that nothing happened"
    if not error and _is_doubled(text):
        error = "two_outputs: the same log stands there twice; keep one run per capture"
    if error:
        return failed(error, *NAMES)
    xids, sxids = list(_xids(text)), list(_sxids(text))
    segfaults = list(SEGFAULT.finditer(text))
    readings = (*_counts("xid", xids), *_counts("sxid", sxids), *_totals(xids, sxids))
    crashes = Reading("nccl_segfaults", len(segfaults), line=segfaults[0][0][:200] if segfaults else "")
    remarks = (*_xid_remarks(xids), *_sxid_remarks(sxids))
    if segfaults:
        remarks = (*remarks, remark("nccl_segfault", count=len(segfaults)))
    return Parsed((*readings, crashes), remarks)


def _is_doubled(text: str) -> bool:
    lines = text.splitlines()
    half = len(lines) // 2
    return len(lines) > 2 and len(lines) % 2 == 0 and lines[:half] == lines[half:]


def _xids(text: str) -> Iterator[Event]:
    for found in XID.finditer(text):
        code = int(found[2])
        fatal = code in FATAL or bool(FATAL_WORD.search(found[3]))
        yield Event(found[1], code, fatal, line_around(text, found.start()))


def _sxids(text: str) -> Iterator[Event]:
    for found in SXID.finditer(text):
        if not SXID_DETAIL.match(found[3]):
            fatal = bool(FATAL_WORD.search(found[3]))
            yield Event(found[1], int(found[2]), fatal, line_around(text, found.start()))


def _by_code(events: Sequence[Event]) -> dict[int, list[Event]]:
    found: dict[int, list[Event]] = {}
    for event in events:
        found.setdefault(event.code, []).append(event)
    return found


def _counts(name: str, events: Sequence[Event]) -> Iterator[Reading]:
    for code, found in _by_code(events).items():
        yield Reading(f"{name}_{code}", len(found), line=found[0].line)
        yield Reading(
            f"{name}_{code}_bus_id", ",".join(dict.fromkeys(event.bus_id for event in found)), line=found[0].line
        )


def _totals(xids: Sequence[Event], sxids: Sequence[Event]) -> Iterator[Reading]:
    for name, events in (
        ("hardware_xids", [event for event in xids if event.code in HARDWARE]),
        ("fatal_xids", [event for event in xids if event.is_fatal]),
        ("sxids", sxids),
        ("fatal_sxids", [event for event in sxids if event.is_fatal]),
    ):
        yield Reading(name, len(events), line=events[0].line if events else "")


def _xid_remarks(xids: Sequence[Event]) -> Iterator[Finding]:
    for code, found in _by_code(xids).items():
        first = next((event for event in found if event.is_fatal), found[0])
        if first.is_fatal:
            yield remark("xid_fatal", code=code, bus=first.bus_id, line=first.line)
        elif code in HARDWARE:
            yield remark("xid_hardware", code=code, bus=first.bus_id, line=first.line)
        elif code == CONSEQUENCE:
            yield remark("xid_consequence", count=len(found))
        else:
            kind = "xid_application" if code in APPLICATION else "xid_other"
            yield remark(kind, code=code, count=len(found))


def _sxid_remarks(sxids: Sequence[Event]) -> Iterator[Finding]:
    for code, found in _by_code(sxids).items():
        yield remark("sxid", code=code, count=len(found))
