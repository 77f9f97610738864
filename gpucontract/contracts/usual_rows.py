"""Lines that are usual where a draft has none: how storage is tested, for the rates that the draft promises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucontract.contracts.terms import Local, NotGiven, Terms

IO_SECONDS = 60
# The promised rate, how it is driven: pattern, block size, queue depth, jobs per machine.
_DRIVEN = (
    ("shared_read_gbs", "read", "1MiB", 32, 8),
    ("shared_write_gbs", "write", "1MiB", 32, 8),
    ("shared_read_iops", "randread", "4KiB", 64, 16),
    ("shared_write_iops", "randwrite", "4KiB", 64, 16),
)


def usual_rows(terms: Terms, path: str) -> tuple[Mapping[str, Any], ...]:
    """The usual lines of a term that is rows; none where nothing is usual."""
    code, _, term = path.partition("/")
    return _test_profile(terms.at(code)) if term == "io_test_profile" else ()


def _test_profile(mount: Local) -> tuple[Mapping[str, Any], ...]:
    """One line for each promised rate, driven from every machine that sees the mount, past all caches."""
    machines = _machines(mount)
    return tuple(
        {"rw": rw, "block_size": size, "iodepth": depth, "numjobs": jobs, "clients": machines,
         "runtime_s": IO_SECONDS, "direct": True}
        for rate, rw, size, depth, jobs in _DRIVEN
        if mount.is_given(rate)
    )  # fmt: skip


def _machines(mount: Local) -> int | None:
    groups = mount.get("groups", mount.terms.groups)
    try:
        return sum(int(mount.terms[f"{code}/node_count"]) for code in groups) or None
    except NotGiven:
        return None
