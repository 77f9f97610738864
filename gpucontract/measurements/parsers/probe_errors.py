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
_SECONDS, _COUNTS = ("began_s", "ended_s", "busy_s", "clean_s"), ("products", "wrong")
# Beyond any load that could be asked for: a figure above it was never measured.
_MOST, _LARGEST_MATRIX = 10**12, 10**6


def incomplete(head: Mapping[str, Any], lines: Sequence[Mapping[str, Any]], version: int) -> str:
    """The error of an output that is no whole probe of this version, or ''."""
    if (
        head.get("probe") not in ("usable", "load")
        or type(head.get("version")) is not int
        or (head["version"] != version)
    ):
        return f"probe_unknown: expected a probe's head of version {version}"
    if sum("probe" in line for line in lines) > 1:
        return "two_outputs: more than one probe's head"
    if not lines[-1].get("end"):
        return "probe_incomplete: the output ends before the probe did"
    gpus = [line for line in lines if "gpu" in line and (head["probe"] == "usable" or line.get("last"))]
    if sorted(_index(line) for line in gpus) != list(range(_count(head))):
        return f"probe_incomplete: {len(gpus)} of {head.get('gpus')} GPUs reported"
    return _odd_load(head, lines) if head["probe"] == "load" else _odd_usable(gpus)


def _odd_usable(gpus: Sequence[Mapping[str, Any]]) -> str:
    for line in gpus:
        if type(line.get("ok")) is not bool or (line["ok"] and not _is_count(line.get("wrong"))):
            return f"probe_unknown: GPU {line['gpu']} does not say whether it ran and how many values were wrong"
    return ""


def _odd_load(head: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> str:
    is_sized = _is_count(head.get("n")) and 0 < head["n"] <= _LARGEST_MATRIX
    if not is_sized or not _is_number(head.get("seconds")) or not isinstance(head.get("dtype"), str):
        return "probe_unknown: the head names no size, data type or time"
    for line in lines:
        if "gpu" in line and not _is_told(line):
            return f"probe_unknown: GPU {line['gpu']} reports no {', '.join(_SECONDS + _COUNTS)}"
    return ""


def _is_told(line: Mapping[str, Any]) -> bool:
    """Whether a GPU's line holds its times, in order, and its counts."""
    is_whole = all(_is_number(line.get(name)) for name in _SECONDS) and all(map(_is_count, map(line.get, _COUNTS)))
    return is_whole and line["began_s"] <= line["clean_s"] and line["began_s"] <= line["ended_s"]


def _index(line: Mapping[str, Any]) -> int:
    return line["gpu"] if type(line["gpu"]) is int else -1


def _count(head: Mapping[str, Any]) -> int:
    return head["gpus"] if type(head.get("gpus")) is int and 0 < head["gpus"] <= 1024 else 0


def _is_number(value: Any) -> bool:
    return type(value) in (int, Decimal) and 0 <= value < _MOST


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST
