"""The text report of nccl-tests 2.9 to 2.19: banner, device list, table, summary, in the midst of NCCL's own lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.measurements.parsers.cells import SCIENTIFIC
from gpucontract.measurements.parsers.nccl_run import Device, Row, Run, collective_in, version_of

PARAMETERS = re.compile(
    r"^# nThread ([0-9]+) nGpus ([0-9]+) minBytes ([0-9]+) maxBytes ([0-9]+) step: ([0-9]+)\((factor|bytes)\) "
    r"warmup iters: [0-9]+ iters: ([0-9]+) (?:agg iters: [0-9]+ )?validation: ([0-9]+)"
)
DEVICE = re.compile(
    r"^#\s+Rank\s+([0-9]+)(?:\s+Group\s+([0-9]+))?\s+Pid\s+([0-9]+)\s+on\s+(\S+)\s+device\s+([0-9]+)\s+\[([^\]\s]+)\]"
)
REDUCED = re.compile(r"^# Reducing maxBytes to ([0-9]+) due to memory limitation")
WRONG_CHECKS = re.compile(r"^# Out of bounds values\s*: ([0-9]+) (?:OK|FAILED)\s*$")
AVERAGE = re.compile(r"^# Avg bus bandwidth\s*: (-?nan|[0-9.e+-]+)(?: (OK|FAILED)?)?\s*$")
BANNER = re.compile(r"^# nccl-tests version (\S+)(?: nccl-headers=[0-9]+ nccl-library=([0-9]+))?")
COLLECTIVE = re.compile(r"^# Collective test (?:starting|concluded): (\S+)")
LAST_ERROR = re.compile(r"^# error: (\S.*)$")
NOT_CHECKED = "N/A"
# The tool keeps 2048 bytes of device lines per process and ends the rest so.
LIST_CUT = "..."


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the columns of a row stand, as the header line names them."""

    width: int
    redop: int | None
    root: int | None
    halves: tuple[int, int]
    group: int
    counts_wrong: bool


def layout_of(header: str) -> Layout | None:
    """The layout a header line gives, None when it is not one: it names algbw and busbw twice."""
    names = header.lstrip("# ").split()
    starts = [at for at, name in enumerate(names) if name in ("time", "cputime")]
    if names.count("busbw") != 2 or len(starts) != 2 or names[:3] != ["size", "count", "type"]:
        return None
    has_clock = names[-1] == "timestamp"
    return Layout(
        len(names) + has_clock,
        names.index("redop") if "redop" in names else None,
        names.index("root") if "root" in names else None,
        (starts[0], starts[1]),
        starts[1] - starts[0],
        "#wrong" in names,
    )


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
    tokens = line.split()
    row = _row(tokens, layout, line)
    if row is not None:
        found.run.rows.append(row)
    elif tokens[0].isdigit() and len(tokens) > 1 and (tokens[1].isdigit() or " NCCL " in line):
        found.run.rows_cut.append(int(tokens[0][:19]))


def _row(tokens: Sequence[str], layout: Layout, line: str) -> Row | None:
    """Out of place is the first set of columns, in place the second; a blank redop makes the row one cell shorter."""
    first, second = layout.halves
    width, redop = len(tokens), layout.redop
    if width == layout.width - 1 and redop is not None:
        first, second, redop = first - 1, second - 1, None
    elif width == layout.width - layout.group:
        first, second = -1, first
    elif width != layout.width:
        return None
    out = _half(tokens, first) if first >= 0 else NO_HALF
    back = _half(tokens, second)
    if out is None or back is None or not (tokens[0].isdigit() and tokens[1].isdigit()):
        return None
    blank = layout.redop is not None and redop is None
    root = "" if layout.root is None else tokens[layout.root - blank]
    return Row(int(tokens[0]), (tokens[2], tokens[redop] if redop is not None else "", root), out + back, line)


NO_HALF: tuple[str | None, ...] = (None, None, None, None)
NO_NUMBER = frozenset({"nan", "-nan", "inf", "-inf"})


def _half(tokens: Sequence[str], at: int) -> tuple[str | None, ...] | None:
    """time, algbw, busbw and wrong as printed; None when a cell is no number, as in a row cut by another line."""
    half = tokens[at : at + 4]
    for text in half[:3]:
        if not text.replace(".", "", 1).isdigit() and text not in NO_NUMBER and not SCIENTIFIC.fullmatch(text):
            return None
    wrong = half[3]
    if wrong == NOT_CHECKED:
        return half[0], half[1], half[2], None
    if not wrong.isdigit() and not WRONG.fullmatch(wrong):
        return None
    return half[0], half[1], half[2], wrong


WRONG = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,12})?(?:e[+-]?[0-9]{1,3})?|-?nan|-?inf")


def _comment(line: str, found: Scan) -> None:
    run = found.run
    if "algbw" in line:
        layout = layout_of(line)
        if layout:
            found.layout = layout
            run.counts_wrong = layout.counts_wrong
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
    threads, gpus, smallest, largest, step, kind, iterations, validation = read.groups()
    run.processes_hold = int(threads) * int(gpus)
    run.asked_min, run.asked_max, run.allowed_max = int(smallest), int(largest), int(largest)
    run.step, run.is_factor = int(step), kind == "factor"
    run.iterations, run.validation = int(iterations), int(validation) > 0


def _device(line: str, found: Scan) -> None:
    found.run.is_list_cut |= line.rstrip().endswith(LIST_CUT)
    read = DEVICE.match(line)
    if read is None:
        return
    rank, group, pid, host, device, bus_id = read.groups()
    found.run.devices.append(Device(int(rank), int(group or 0), pid, host, device, bus_id, line.strip()))
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
