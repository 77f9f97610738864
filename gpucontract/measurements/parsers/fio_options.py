"""The options a fio run was started with: out of its own JSON, its first line of text, or the command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# With fio's own base of 1024, letters without an i are binary; an i means powers of 1000 there: not read.
_SIZE = re.compile(r"([0-9]{1,15})([kmgtp]?)b?\Z", re.IGNORECASE)
_POWERS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "p": 2**50}
_TIME = re.compile(r"([0-9]{1,9})(us|ms|s|m|h|d)?\Z")
_MILLISECONDS = {"ms": 1, "s": 1000, None: 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_ALIASES = {"readwrite": "rw", "blocksize": "bs", "iodepth": "iodepth"}


@dataclass(frozen=True, slots=True)
class Options:
    """The options of all jobs: what they share; '' or None where they differ or do not say."""

    jobs: int | None
    direct: int | None
    runtime_ms: int | None
    block_bytes: int | None
    size_bytes: int | None
    depth: int | None
    rw: str
    engine: str
    place: str
    printed: Mapping[str, str]

    def line(self, name: str) -> str:
        """The option as printed, or ''."""
        return f"{name}={self.printed[name]}" if name in self.printed else ""


def options_of(jobs: Sequence[Mapping[str, str]], command: str, is_direct_known: bool) -> Options:
    """The common options of jobs, each already merged over the global ones; the command fills what they do not say.

    is_direct_known: the options are listed in full, so a missing 'direct' means fio's default 0.
    """
    given = in_command(command)
    merged = [{**given, **{_ALIASES.get(key, key): value for key, value in job.items()}} for job in jobs] or [given]
    common = {key: merged[0][key] for key in merged[0] if all(job.get(key) == merged[0][key] for job in merged)}
    return Options(
        jobs=_number(common.get("numjobs")),
        direct=_direct(merged, is_direct_known or "name" in given),
        runtime_ms=_longest(merged),
        block_bytes=_bytes(common.get("bs")),
        size_bytes=_bytes(common.get("size")),
        depth=_number(common.get("iodepth")),
        rw=common.get("rw", "")[:40],
        engine=common.get("ioengine", "")[:40],
        place=(common.get("filename") or common.get("directory") or "")[:400],
        printed=common,
    )


def in_command(command: str) -> dict[str, str]:
    """The --key=value and bare --key options of a fio command line."""
    try:
        words = shlex.split(command)
    except ValueError:
        return {}
    pairs = [word.removeprefix("--").partition("=") for word in words if word.startswith("--")]
    return {_ALIASES.get(key, key): value for key, _, value in pairs}


def _direct(jobs: Sequence[Mapping[str, str]], is_default_known: bool) -> int | None:
    """1 only when every job says so; buffered=0 says the same."""
    values = []
    for job in jobs:
        said = job.get("direct", {"0": "1", "1": "0"}.get(job.get("buffered", ""), "0" if is_default_known else None))
        values.append({"1": 1, "": 1, "0": 0}.get(said) if said is not None else None)
    if None in values:
        return None
    return min(value for value in values if value is not None)


def _longest(jobs: Sequence[Mapping[str, str]]) -> int | None:
    asked = [milliseconds for job in jobs if (milliseconds := _time(job.get("runtime"))) is not None]
    return max(asked, default=None)


def _time(text: str | None) -> int | None:
    found = _TIME.match(text or "")
    if not found:
        return None
    return int(found[1]) // 1000 if found[2] == "us" else int(found[1]) * _MILLISECONDS[found[2]]


def _bytes(text: str | None) -> int | None:
    found = _SIZE.match(text or "")
    return int(found[1]) * _POWERS[found[2].lower()] if found else None


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch("[0-9]{1,9}", text) else None
