"""sinfo: Slurm's version (-V), or its nodes by state from the partition table."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error
from gpucontract.measurements.parsers.sizes import whole
from gpucontract.wording import Text

NAMES = ("slurm_version", "slurm_nodes", "slurm_nodes_unavailable")
ERRORS = (
    (
        "slurm_no_controller",
        re.compile(r"Unable to contact slurm controller|Unable to establish config", re.IGNORECASE),
    ),
)
VERSION = re.compile(r"^slurm(?:-wlm)? ([0-9]{2}\.[0-9]{2}\.[0-9]{1,3}[\w.-]{0,20})\s*$", re.MULTILINE)
HEADER = re.compile(r"^PARTITION\s+AVAIL\s+TIMELIMIT\s+NODES\s+STATE\s+NODELIST\s*$", re.MULTILINE)
TOKEN = re.compile(r"([^,\[\]]+)(?:\[([0-9,-]+)\])?([^,\[\]]*)")
UNAVAILABLE = ("down", "drain", "drng", "fail", "inval", "power", "unk", "maint")
NODES_DOWN = Text(
    "Slurm 中有 {count} 台机器不可用（{nodes}）。用 sinfo -R 查原因，恢复后再验收。",
    "{count} machines are not available in Slurm ({nodes}). Look for the cause with sinfo -R and restore them before "
    "acceptance.",
)

Row = tuple[int, str, str]


def parse(capture: Capture) -> Parsed:
    """slurm_version, or slurm_nodes and slurm_nodes_unavailable; nodes listed under several partitions count once."""
    text = cleaned(capture.stdout)
    error = known_error(printed(capture), ERRORS) or run_error(capture)
    versions, headers = VERSION.findall(text), HEADER.findall(text)
    if not error and len(versions) + len(headers) > 1:
        error = "two_outputs: a version or a table stands there more than once; keep one run per capture"
    if not error and not versions and not headers:
        error = "sinfo_unknown: expected 'slurm 23.02.7' or the table of sinfo"
    if error:
        return failed(error, *NAMES)
    if versions:
        return Parsed((Reading("slurm_version", versions[0], line=f"slurm {versions[0]}"),))
    rows = list(_rows(text))
    return Parsed(_nodes(rows), _down(rows))


def _rows(text: str) -> Iterator[Row]:
    """Number of nodes, state and node list of each line; the same list in the same state only once."""
    seen = set()
    for line in text.splitlines():
        words = line.split()
        number = whole(words[3]) if len(words) == 6 else None
        if number is not None and (words[4], words[5]) not in seen:
            seen.add((words[4], words[5]))
            yield number, words[4], words[5]


def _names(nodes: str, most: int) -> set[str]:
    """The machines of a node list such as 'a[01-08,11],b2'; empty when it holds more than it may, or is no list."""
    names: set[str] = set()
    for token in TOKEN.findall(nodes):
        head, ranges, tail = token
        for part in ranges.split(",") if ranges else [""]:
            first, dash, last = part.partition("-")
            numbers = range(int(first), int(last) + 1) if dash and first and last else None
            if numbers is not None and len(numbers) > most:
                return set()
            middles = (f"{number:0{len(first)}d}" for number in numbers) if numbers is not None else (part,)
            names.update(f"{head}{middle}{tail}" for middle in middles)
    return names


def _is_unavailable(state: str) -> bool:
    return state.endswith("*") or state.lower().startswith(UNAVAILABLE)


def _nodes(rows: list[Row]) -> tuple[Reading, ...]:
    named = [(_names(nodes, number), number, state) for number, state, nodes in rows if number]
    line = "; ".join(f"{number} {state} {nodes}" for number, state, nodes in rows)[:200]
    # A machine in two partitions stands there twice: only names tell it from two machines.
    if not rows or any(len(names) != number for names, number, _ in named):
        return absent("unreadable", "slurm_nodes", "slurm_nodes_unavailable", line=line)
    total = {name for names, _, _ in named for name in names}
    unavailable = {name for names, _, state in named if _is_unavailable(state) for name in names}
    return (
        Reading("slurm_nodes", len(total), line=line),
        Reading("slurm_nodes_unavailable", len(unavailable), line=line),
    )


def _down(rows: list[Row]) -> tuple[Finding, ...]:
    down = [(number, nodes) for number, state, nodes in rows if _is_unavailable(state) and number]
    if not down:
        return ()
    names, count = [nodes[:200] for _, nodes in down[:8]], sum(number for number, _ in down)
    return (Finding("slurm_nodes_unavailable", NODES_DOWN.fill(count=count, nodes=names)),)
