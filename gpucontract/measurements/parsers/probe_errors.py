"""What can be wrong with a probe's output before anything is read from it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from gpucontract.measurements.parsers.training import odd_training

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
VERSIONS = {"usable": (1,), "load": (1, 2), "train": (1,)}
# From this version on a card is started again after it failed, and says so.
RESTARTS = 2
MOST_INTERRUPTS = 1000
DTYPES = ("bf16", "fp16", "tf32")
# All start at one barrier, and end with the batch they are at.
APART_S = 60
LATE_S = 120

Line = Mapping[str, Any]


def incomplete(head: Line, lines: Sequence[Line]) -> str:
    """The error of an output that is no whole, consistent probe of a version known here, or ''."""
    known = VERSIONS.get(head["probe"], ()) if isinstance(head.get("probe"), str) else ()
    if type(head.get("version")) is not int or head["version"] not in known:
        return "probe_unknown: expected the head of a probe of a known version"
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
    if head["probe"] == "train":
        return odd_training(head, last)
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
    for line in last if head["version"] >= RESTARTS else ():
        if not _tells_interrupts(line):
            return f"probe_odd: GPU {line['gpu']} tells its interrupts as no probe does"
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


def _tells_interrupts(line: Line) -> bool:
    """Whether they follow each other, the first one is the error of the GPU, and it worked no longer than it ran."""
    interrupts, worked, at = line.get("interrupts"), line.get("worked_s"), line["began_s"]
    if not isinstance(interrupts, list) or len(interrupts) > MOST_INTERRUPTS or not _is_time(worked):
        return False
    for place, each in enumerate(interrupts):
        at = _end_of(each, at, is_last=place == len(interrupts) - 1)
        if at is None:
            return False
    said = interrupts[0]["error"] if interrupts else None
    return line.get("error") == said and worked <= line["ended_s"] - line["began_s"] + LATE_S


def _end_of(interrupt: Any, since: Any, *, is_last: bool) -> Any:
    """When the work went on after an interrupt that came since then, or when it came; None for what is none."""
    if not isinstance(interrupt, dict) or not isinstance(interrupt.get("error"), str) or not interrupt["error"]:
        return None
    at, back = interrupt.get("at_s"), interrupt.get("back_s")
    if not _is_time(at) or at < since:
        return None
    if back is None:
        return at if is_last and "back_s" not in interrupt else None
    return back if _is_time(back) and back >= at else None


def _is_time(value: Any) -> bool:
    return type(value) in (int, Decimal) and 0 <= value <= _SECONDS


def _index(line: Line) -> int:
    return line["gpu"] if type(line["gpu"]) is int else -1


def _count(head: Line) -> int:
    return head["gpus"] if type(head.get("gpus")) is int and 0 < head["gpus"] <= 1024 else 0


def _is_told(line: Line) -> bool:
    return all(_is_time(line.get(name)) for name in _TIMES) and all(
        _is_count(line.get(name), most) for name, most in _COUNTS.items()
    )


def _is_count(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most
