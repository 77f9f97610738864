"""What can be wrong with a probe's output before anything is read from it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

ERRORS = (
    ("no_cuda_library", re.compile(r"^gpucontract-probe: libcuda\S* cannot open shared object.*", re.MULTILINE)),
    ("python_no_module", re.compile(r"^gpucontract-probe: No module named .*", re.MULTILINE)),
    ("no_gpu", re.compile(r"^gpucontract-probe: PyTorch sees no GPU$", re.MULTILINE)),
    ("probe_refused", re.compile(r"^gpucontract-probe: .*", re.MULTILINE)),
)
# Two weeks are the longest burn-in; no GPU makes more products in it.
_SECONDS = 15 * 86400
_TIMES = ("began_s", "ended_s", "busy_s", "clean_s")
_COUNTS = {"products": 10**12, "wrong": 10**18}
_HEAD = {"n": 65536, "seconds": _SECONDS}
DTYPES = ("bf16", "fp16", "tf32")
# All start at one barrier, and end with the batch they are at.
APART_S = 60
LATE_S = 120

Line = Mapping[str, Any]


def incomplete(head: Line, lines: Sequence[Line], version: int) -> str:
    """The error of an output that is no whole, consistent probe of this version, or ''."""
    if (
        head.get("probe") not in ("usable", "load")
        or type(head.get("version")) is not int
        or head["version"] != version
    ):
        return f"probe_unknown: expected a probe's head of version {version}"
    if sum("probe" in line for line in lines) > 1:
        return "two_outputs: more than one probe's head"
    if lines[-1].get("end") is not True:
        return "probe_incomplete: the output ends before the probe did"
    last = last_lines(head, lines)
    if sorted(_index(line) for line in last) != list(range(_count(head))):
        return f"probe_incomplete: {len(last)} of {head.get('gpus')} GPUs reported"
    uuids = [line["uuid"] for line in last if "uuid" in line]
    if not all(isinstance(uuid, str) for uuid in uuids) or len(set(uuids)) < len(uuids):
        return "probe_odd: two GPUs report one UUID"
    return _odd_load(head, lines, last) if head["probe"] == "load" else _odd_usable(last)


def last_lines(head: Line, lines: Sequence[Line]) -> list[Line]:
    """The line of each GPU that decides: its only one, or its last one under load."""
    return [line for line in lines if "gpu" in line and (head["probe"] == "usable" or line.get("last") is True)]


def _odd_usable(last: Sequence[Line]) -> str:
    for line in last:
        is_well = line.get("ok") is True and _is_count(line.get("wrong"), 10**9) and "error" not in line
        if not is_well and not (line.get("ok") is False and isinstance(line.get("error"), str)):
            return f"probe_odd: GPU {line['gpu']} says neither that it is usable nor why not"
    return ""


def _odd_load(head: Line, lines: Sequence[Line], last: Sequence[Line]) -> str:
    is_sized = all(_is_count(head.get(name), most) and head[name] for name, most in _HEAD.items())
    if not is_sized or head.get("dtype") not in DTYPES:
        return "probe_unknown: the head names no size, data type or time that a probe has"
    for line in lines:
        if "gpu" in line and not _is_told(line):
            return f"probe_unknown: GPU {line['gpu']} reports no times and counts that a probe can have"
    for line in last:
        if not _holds_together(line, head):
            return f"probe_odd: the times of GPU {line['gpu']} contradict each other"
    starts = [line["began_s"] for line in last]
    return "probe_odd: the GPUs did not start together" if max(starts) - min(starts) > APART_S else ""


def _holds_together(line: Line, head: Line) -> bool:
    """Whether a GPU's clean time lies inside its run, and all of it is clean exactly when nothing went wrong."""
    began, clean, ended = line["began_s"], line["clean_s"], line["ended_s"]
    if not began <= clean <= ended or ended - began > head["seconds"] + LATE_S:
        return False
    if line["wrong"]:
        return bool(clean < ended)
    return "error" in line or (clean == ended and ended - began >= head["seconds"])


def _index(line: Line) -> int:
    return line["gpu"] if type(line["gpu"]) is int else -1


def _count(head: Line) -> int:
    return head["gpus"] if type(head.get("gpus")) is int and 0 < head["gpus"] <= 1024 else 0


def _is_told(line: Line) -> bool:
    times = all(type(line.get(name)) in (int, Decimal) and 0 <= line[name] <= _SECONDS for name in _TIMES)
    return times and all(_is_count(line.get(name), most) for name, most in _COUNTS.items())


def _is_count(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most
