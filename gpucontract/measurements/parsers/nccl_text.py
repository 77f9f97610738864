"""The text report of nccl-tests 2.9 to 2.19: banner, device list, table, summary, in the midst of NCCL's own lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.measurements.parsers.cells import SCIENTIFIC
from gpucontract.measurements.parsers.nccl_run import Device, Row, Run, Values, collective_in, version_of

PARAMETERS = re.compile(
    r"^# nThread ([0-9]+) nGpus ([0-9]+) minBytes ([0-9]+) maxBytes ([0-9]+) step: ([0-9]+)\((factor|bytes)\) "
    r"warmup iters: ([0-9]+) iters: ([0-9]+) (?:agg iters: [0-9]+ )?validation: ([0-9]+)"
)
DEVICE = re.compile(
    r"^#\s+Rank\s+([0-9]+)(?:\s+Group\s+([0-9]+))?\s+Pid\s+([0-9]+)\s+on\s+(\S+)\s+device\s+([0-9]+)\s+\[([^\]\s]+)\]"
    r"(?: +(\S.*?))?\s*$"
)
REDUCED = re.compile(r"^# Reducing maxBytes to ([0-9]+) due to memory limitation")
WRONG_CHECKS = re.compile(r"^# Out of bounds values\s*: ([0-9]+) (?:OK|FAILED)\s*$")
AVERAGE = re.compile(r"^# Avg bus bandwidth\s*: (-?nan|[0-9.e+-]+)(?: (OK|FAILED)?)?\s*$")
BANNER = re.compile(r"^# nccl-tests version (\S+)(?: nccl-headers=[0-9]+ nccl-library=([0-9]+))?")
COLLECTIVE = re.compile(r"^# Collective test (?:starting|concluded): (\S+)")
LAST_ERROR = re.compile(r"^# error: (\S.*)$")
# The tool keeps 2048 bytes of device lines per process and ends the rest so.
LIST_CUT = "..."


NUMBER = r"([0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|-?nan|-?inf)"
WRONG = r"([0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|-?nan|-?inf|N/A)"
OTHER = r"\S+"


@dataclass(frozen=True, slots=True)
class Layout:
    """The forms a row may take under one header; counts_wrong is false for the old column 'error', a rounding delta."""

    forms: tuple[re.Pattern[str], ...]
    counts_wrong: bool
    is_cpu_time: bool = False


def layout_of(header: str) -> Layout | None:
    """The layout a header line gives, None when it is not one: it names time, algbw and busbw twice."""
    names = header.lstrip("# ").split()
    starts = [at for at, name in enumerate(names) if name in ("time", "cputime")]
    if names.count("busbw") != 2 or len(starts) != 2 or names[:3] != ["size", "count", "type"]:
        return None
    first, second = starts
    out, back = names[first:second], [name for name in names[second:] if name != "timestamp"]
    clock = [OTHER, OTHER] if names[-1] == "timestamp" else []
    head = [_HEAD.get(name, OTHER) for name in names[:first]]
    halves = [*map(_column, out), *map(_column, back), *clock]
    forms = [_form([*head, *halves])]
    if "redop" in names:
        # alltoall leaves the operation blank until 2.12; the empty group stands for it.
        blank = [part if name != "redop" else "" for name, part in zip(names, head, strict=False)]
        forms.append(_form([*blank, *halves]))
    forms.append(_form([*head, *["()"] * sum(name in _MEASURED for name in out), *map(_column, back), *clock]))
    return Layout(tuple(forms), "#wrong" in names, "cputime" in names)


_HEAD = {
    "size": "(?P<size>[0-9]+)",
    "count": "[0-9]+",
    "type": r"(?P<type>\S+)",
    "redop": r"(?P<redop>[a-z]\S*)",
    "root": "(?P<root>-?[0-9]+)",
}
_MEASURED = ("time", "cputime", "algbw", "busbw", "#wrong", "error")


def _column(name: str) -> str:
    return WRONG if name in ("#wrong", "error") else NUMBER if name in _MEASURED else OTHER


def _form(parts: Sequence[str]) -> re.Pattern[str]:
    """Blanks between the parts; an empty part, or the bare group of a missing half, takes none."""
    spaced = "".join(part if part in ("", "()") else r"\s+" + part for part in parts)
    return re.compile(spaced.replace(r"\s+", r"\s*", 1) + r"\s*", re.ASCII)


@dataclass(slots=True)
class Scan:
    """A run as far as it was read, with what only the whole text can tell."""

    run: Run
    notes: list[str]
    headers: int = 0
    summaries: int = 0
    rank_zeros: int = 0
    layout: Layout | None = None


def scan(text: str) -> Scan:
    """Read every line once; NCCL's own lines are put aside for the transport."""
    found = Scan(Run(), [])
    # What follows the last line end may be cut in the middle of a number: it is not read.
    for line in text.split("\n")[:-1]:
        start = line.lstrip()[:1]
        if start == "#":
            _comment(line.lstrip(), found)
        elif " NCCL " in line:
            found.notes.append(line)
            if start.isdigit():
                _table_row(line, found)
        elif start.isdigit():
            _table_row(line, found)
        elif line.startswith("NCCL version"):
            found.notes.append(line)
    return found


def _table_row(line: str, found: Scan) -> None:
    layout = found.layout
    if layout is None:
        return
    for form in layout.forms:
        read = form.fullmatch(line)
        if read is not None:
            found.run.rows.append(_row(read, line))
            return
    tokens = line.split(None, 2)
    if tokens[0].isdigit() and len(tokens) > 1 and (tokens[1].isdigit() or " NCCL " in line):
        found.run.rows_cut.append(int(tokens[0][:19]))


def _row(read: re.Match[str], line: str) -> Row:
    """Out of place is the first set of columns, in place the second; an unchecked or missing cell is None."""
    groups = read.groups()
    values: Values = groups[-8:]
    if "N/A" in values or "" in values:
        values = tuple([None if text in ("", "N/A") else text for text in values])
    kind = groups[1:-8]
    if len(kind) != 3:
        named = read.groupdict()
        kind = (named["type"], named.get("redop", ""), named.get("root", ""))
    return Row(int(groups[0]), kind, values, line)


def _comment(line: str, found: Scan) -> None:
    run = found.run
    if "algbw" in line:
        layout = layout_of(line)
        if layout:
            found.layout = layout
            run.counts_wrong, run.is_cpu_time = layout.counts_wrong, layout.is_cpu_time
    elif line.startswith("# nThread"):
        _parameters(line, found)
    elif "Rank" in line:
        _device(line, found)
    elif line.startswith("# Out of bounds"):
        checks = WRONG_CHECKS.match(line)
        found.summaries += 1
        run.out_of_bounds = Decimal(checks[1]) if checks else None
    elif line.startswith("# Avg bus"):
        _average(line, run)
    else:
        _other_comment(line, run)


def _parameters(line: str, found: Scan) -> None:
    found.headers += 1
    read = PARAMETERS.match(line)
    if read is None:
        return
    run = found.run
    threads, gpus, smallest, largest, step, kind, warm_up, iterations, validation = read.groups()
    run.processes_hold = int(threads) * int(gpus)
    run.asked_min, run.asked_max, run.allowed_max = int(smallest), int(largest), int(largest)
    run.step, run.is_factor = int(step), kind == "factor"
    run.warm_up, run.iterations, run.validation = int(warm_up), int(iterations), int(validation) > 0


def _device(line: str, found: Scan) -> None:
    found.run.is_list_cut |= line.rstrip().endswith(LIST_CUT)
    read = DEVICE.match(line)
    if read is None:
        return
    rank, group, pid, host, device, bus_id, model = read.groups()
    name = "" if model is None or model.endswith(LIST_CUT) else model
    found.run.devices.append(Device(int(rank), int(group or 0), pid, host, device, bus_id, line.strip(), name))
    found.rank_zeros += rank == "0"


def _average(line: str, run: Run) -> None:
    read = AVERAGE.match(line)
    if read is None:
        return
    run.average_line, run.tool_check = line.strip(), read[2] or ""
    run.average = Decimal(read[1]) if SCIENTIFIC.fullmatch(read[1]) else None


def _other_comment(line: str, run: Run) -> None:
    reduced, banner = REDUCED.match(line), BANNER.match(line)
    if reduced:
        run.allowed_max = int(reduced[1])
    elif banner:
        run.tests_version = banner[1]
        run.nccl_version = version_of(int(banner[2])) if banner[2] else ""
    elif line.startswith("# Collective test"):
        named = COLLECTIVE.match(line)
        run.collective = collective_in(named[1]) if named else run.collective
    elif line.startswith("# error:"):
        last = LAST_ERROR.match(line)
        run.last_error = last[1].strip() if last else ""
