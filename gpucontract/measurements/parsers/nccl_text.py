"""The text report of nccl-tests 2.9 to 2.19: banner, device list, table, summary, in the midst of NCCL's own lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import itemgetter

from gpucontract.measurements.parsers.cells import SCIENTIFIC
from gpucontract.measurements.parsers.nccl_run import Device, Row, Run, collective_in, version_of

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
BANNER = re.compile(r"^# nccl-tests version (\S+)(?: \(\S{1,60}\))?(?: nccl-headers=[0-9]+ nccl-library=([0-9]+))?")
COLLECTIVE = re.compile(r"^# Collective test (?:starting|concluded): (\S+)")
LAST_ERROR = re.compile(r"^# error: (\S.*)$")
COMMENT = re.compile(r"\n(?=#)")
# The tool keeps 2048 bytes of device lines per process and ends the rest so.
LIST_CUT = "..."


# Possessive: a cell ends at a blank, so that nothing is ever to be tried again.
NUMBER = r"(?:[0-9]++(?:\.[0-9]++)?+(?:e[+-]?[0-9]++)?+|-?nan|-?inf)"
OTHER = "[!-~]++"
# What a column is to a row, and the form of its cells; a column of another name is passed over.
HEAD = {
    "size": ("size", "[0-9]++"), "count": ("", "[0-9]++"), "type": ("datatype", OTHER),
    "redop": ("redop", "[a-z][!-~]*+"), "root": ("root", "-?[0-9]++"),
}  # fmt: skip
HALF = {
    "time": ("time", NUMBER), "cputime": ("time", NUMBER), "algbw": ("algbw", NUMBER), "busbw": ("busbw", NUMBER),
    "#wrong": ("wrong", f"(?:{NUMBER}|N/A)"), "error": ("wrong", f"(?:{NUMBER}|N/A)"),
}  # fmt: skip
TIMES = ("time", "cputime")
CELLS = tuple(f"{cell}_{half}" for half in ("out", "in") for cell in ("time", "algbw", "busbw", "wrong"))
PARTS = ("datatype", "redop", "root", *CELLS)
Column = tuple[str, str]


class Form:
    """A form that rows may take: these columns between blanks."""

    def __init__(self, columns: Sequence[Column]) -> None:
        blank = r"[^\S\n]"
        line = f"{blank}*+" + f"{blank}++".join(cells for _, cells in columns) + f"{blank}*+"
        self.line = re.compile(line, re.ASCII)
        self.lines = re.compile(f"(?:{line}\n)++", re.ASCII)
        names = [name for name, _ in columns]
        # The last cell is the empty one that rows() adds.
        self.parts = itemgetter(*(names.index(part) if part in names else -1 for part in PARTS))

    def rows(self, lines: Iterable[str]) -> list[Row]:
        """The rows of lines that have this form."""
        parts = self.parts
        split = ((line, [*line.split(), ""]) for line in lines)
        return [Row(int(cells[0]), line, *parts(cells)) for line, cells in split]


@dataclass(frozen=True, slots=True)
class Layout:
    """The forms a row may take under one header; counts_wrong is false for the old column 'error', a rounding delta."""

    forms: tuple[Form, ...]
    counts_wrong: bool
    is_cpu_time: bool = False


def layout_of(header: str) -> Layout | None:
    """The layout a header line gives, None when it is not one: it names the four columns of both halves."""
    names = header.lstrip("# ").split()
    if sum(name in TIMES for name in names) != 2 or names[:3] != ["size", "count", "type"]:
        return None
    columns = list(_columns(names))
    if tuple(part for part, _ in columns if part in CELLS) != CELLS:
        return None
    # alltoall leaves the operation blank until 2.12, and a half that was not run is blank.
    without_operation = [column for column in columns if column[0] != "redop"]
    without_half = [column for column in columns if not column[0].endswith("_out")]
    forms = tuple(Form(each) for each in (columns, without_operation, without_half))
    return Layout(forms, "#wrong" in names, "cputime" in names)


def _columns(names: Sequence[str]) -> Iterator[Column]:
    """The columns a header names; a time stamp is two words, the date and the time of day."""
    half = ""
    for name in names:
        if name in TIMES:
            half = "in" if half else "out"
        if not half:
            yield HEAD.get(name, ("", OTHER))
        elif name == "timestamp":
            yield from (("", OTHER), ("", OTHER))
        else:
            part, cells = HALF.get(name, ("", OTHER))
            yield part and f"{part}_{half}", cells


@dataclass(slots=True)
class Scan:
    """A run as far as it was read, with what only the whole text can tell; outside is all but tables of whole rows."""

    run: Run
    notes: list[str]
    outside: str = ""
    headers: int = 0
    summaries: int = 0
    rank_zeros: int = 0
    layout: Layout | None = None


def scan(text: str) -> Scan:
    """Read every line once; NCCL's own lines are put aside for the transport."""
    found = Scan(Run(), [])
    # What follows the last line end may be cut in the middle of a number: it is not read.
    whole, _, rest = text.rpartition("\n")
    outside = []
    for part in COMMENT.split(whole):
        first, _, lines = part.partition("\n")
        _line(first, found)
        if lines and _is_table(lines, found):
            outside.append(first)
            continue
        outside.append(part)
        for line in lines.split("\n"):
            _line(line, found)
    found.outside = "\n".join([*outside, rest])
    return found


def _is_table(lines: str, found: Scan) -> bool:
    """Whether all lines are whole rows, which are then taken at once."""
    form = found.layout.forms[0] if found.layout else None
    if form is None or not form.lines.fullmatch(lines + "\n"):
        return False
    found.run.rows += form.rows(lines.split("\n"))
    return True


def _line(line: str, found: Scan) -> None:
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


def _table_row(line: str, found: Scan) -> None:
    layout = found.layout
    if layout is None:
        return
    for form in layout.forms:
        if form.line.fullmatch(line):
            found.run.rows += form.rows([line])
            return
    tokens = line.split(None, 2)
    if tokens[0].isdigit() and len(tokens) > 1 and (tokens[1].isdigit() or " NCCL " in line):
        found.run.rows_cut.append(int(tokens[0][:19]))


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
