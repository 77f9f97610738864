"""nvidia-smi --query-gpu (and --query-remapped-rows): CSV whose columns the header or the command line names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cells import DEAD, cell, no_value
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_remarks import gpu_findings, remark
from gpucontract.measurements.parsers.gpu_summaries import summaries
from gpucontract.measurements.parsers.nvidia_smi_errors import (
    HANDLE,
    INFOROM,
    INVALID_FIELD,
    DeadGpu,
    dead_findings,
    dead_gpus,
    dead_readings,
    exit_error,
    failure,
    says_nothing,
    warnings,
)
from gpucontract.measurements.parsers.nvidia_smi_fields import CHOSEN, FIELDS, IDENTITY
from gpucontract.measurements.parsers.outcomes import failed, printed
from gpucontract.measurements.parsers.sizes import whole

NAMES = ("gpu_count", "gpu_name", "gpu_memory_total_min", "driver_version")
QUERY = re.compile(
    r"--query-(?:gpu|remapped-rows|retired-pages)[=\s]\s*[\"']?([a-z][A-Za-z0-9_.]*(?:,\s?[a-z][A-Za-z0-9_.]*)*)"
)
HEADER_CELL = re.compile(r"([a-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)(?: \[[^\]\n]{1,12}\])?")
UNITS = frozenset({"MiB", "W", "MHz", "C", "%"})
VERSION = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,6}){1,3}")
INDEX = re.compile(r"[0-9]{1,3}(?![0-9])")
CHOSEN_NUMBERS = re.compile(r"(?:\s-i|--id)[=\s]\s*([0-9]{1,3}(?:,[0-9]{1,3})*)(?![0-9A-Za-z:])")
BUSY_STATE = "P0"
SEPARATOR = ", "
# A column of --query-retired-pages, which lists pages, several for one GPU.
PAGES = "retired_pages.cause"


@dataclass(frozen=True, slots=True)
class Table:
    """The columns, the rows of exactly that many cells, and the lines that are neither header nor row.

    broken_off: the last line when no line end follows it, so that it may be cut.
    """

    fields: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    others: tuple[str, ...]
    headers: int
    broken_off: str


def parse(capture: Capture) -> Parsed:
    """Every known field per GPU and its worst over the machine; '[...]' cells are not measured, with their reason."""
    text = cleaned(capture.stdout)
    everything = printed(capture)
    fields = _asked(capture.command)
    table = _table(text, fields)
    if INVALID_FIELD.search(everything) or says_nothing(everything) or not table.rows or PAGES in table.fields:
        return failure(capture, NAMES, _expectation(table.fields))
    dead = dead_gpus(everything)
    error = _broken(table) or exit_error(capture, dead)
    if error:
        return failed(error, *NAMES, findings=dead_findings(dead))
    return _parsed(capture, table, dead)


def _asked(command: str) -> tuple[str, ...]:
    found = QUERY.search(command)
    names = tuple(name.strip() for name in found[1].split(",") if name.strip()) if found else ()
    return names if any(name in FIELDS or name in IDENTITY or "." in name for name in names) else ()


def _expectation(fields: Sequence[str]) -> str:
    if PAGES in fields:
        return "one row a GPU (--query-gpu=...), not one a retired page"
    if fields:
        return f"rows of {len(fields)} cells: {SEPARATOR.join(fields)[:80]}"
    return "a header line, or the command line with --query-gpu=... that names the columns"


def _table(text: str, fields: tuple[str, ...]) -> Table:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    headers = [line for line in lines if _is_header(line, fields)]
    if headers:
        fields = tuple(_header_cells(headers[0]))
    rows: list[tuple[str, ...]] = []
    others: list[str] = []
    named = set(headers)
    for line in lines:
        if line in named:
            continue
        cells = tuple(part.strip() for part in line.split(SEPARATOR))
        if fields and len(cells) == len(fields) and _is_row(fields, cells, line):
            rows.append(cells)
        else:
            others.append(line)
    return Table(
        fields, tuple(rows), tuple(others), len(headers), "" if text.endswith("\n") or not lines else lines[-1]
    )


def has_header(text: str) -> bool:
    """Whether the text has a line that names fields of a query."""
    return any(_is_header(line.strip(), ()) for line in text.splitlines() if line.strip())


def _header_cells(line: str) -> list[str]:
    found = [HEADER_CELL.fullmatch(part.strip()) for part in line.split(SEPARATOR)]
    return [match[1] for match in found if match]


def _is_header(line: str, asked: tuple[str, ...]) -> bool:
    names = _header_cells(line)
    if len(names) < line.count(SEPARATOR) + 1:
        return False
    known = [name in FIELDS or name in IDENTITY or name in asked for name in names]
    return all(known) if len(names) < 3 else any(known)


def _is_row(fields: Sequence[str], cells: Sequence[str], line: str) -> bool:
    """At least one cell must look like its field, or the line is foreign text that happens to hold as many commas."""
    if HANDLE.search(line) or INFOROM.search(line):
        return False
    if "index" in fields:
        return INDEX.fullmatch(cells[fields.index("index")]) is not None
    checked = [fits for field, text in zip(fields, cells, strict=True) if (fits := _fits(field, text)) is not None]
    return any(checked) or not checked


def _fits(field: str, text: str) -> bool | None:
    """Whether a cell looks like its field; None for free text, which could be anything."""
    if no_value(text):
        return True
    if "uuid" in field:
        return text.startswith("GPU-")
    if field == "driver_version":
        return VERSION.fullmatch(text) is not None
    name, kind = FIELDS.get(field, ("", "text"))
    return None if kind == "text" else cell(name, text, kind).value is not None


def _broken(table: Table) -> str:
    if table.headers > 1:
        return "two_outputs: the header stands there twice; keep one run per capture"
    for field in ("index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id"):
        if field in table.fields:
            column = [row[table.fields.index(field)] for row in table.rows]
            column = [text for text in column if not no_value(text)]
            if len(set(column)) < len(column):
                return f"two_outputs: the same {field} stands in two rows; keep one run per capture"
    cut = next((line for line in table.others if _is_cut_row(table, line)), None)
    return f"output_truncated: the row {cut[:120]!r} has too few cells" if cut else ""


def _is_cut_row(table: Table, line: str) -> bool:
    if not 1 < line.count(SEPARATOR) + 1 < len(table.fields):
        return False
    starts_as_row = table.fields[0] == "index" and INDEX.match(line)
    return bool(starts_as_row) or line == table.broken_off


def _parsed(capture: Capture, table: Table, dead: tuple[DeadGpu, ...]) -> Parsed:
    readings: list[Reading] = []
    dead_rows: list[DeadGpu] = []
    for index, row in zip(_indexes(table, capture.command), table.rows, strict=True):
        if _is_dead(table.fields, row):
            dead_rows.append(DeadGpu("", index, SEPARATOR.join(row)))
        else:
            readings += _row_readings(table, row, f"gpu{index}")
    # A dead GPU prints a line of text and a row of error cells: the longer list counts each once.
    silent = max(dead, tuple(dead_rows), key=len)
    count = _count(capture.command, table, len(table.rows) - len(dead_rows), len(silent))
    named = [r for r in dead_readings(dead) if r.name != "gpu_unreadable"]
    unreadable = [r for r in dead_readings(silent) if r.name == "gpu_unreadable"]
    remarks = (*dead_findings(silent), *gpu_findings(readings), *_passed_over(table, dead))
    return Parsed(
        (count, *_whole_machine(table, readings), *unreadable, *named, *readings),
        (*remarks, *warnings(printed(capture))),
    )


def _count(command: str, table: Table, readable: int, dead: int) -> Reading:
    """Readable GPUs; with -i, or where the column count tells of others, the machine's are unknown."""
    line = SEPARATOR.join(table.rows[-1])
    told = {whole(row[table.fields.index("count")]) for row in table.rows} if "count" in table.fields else set()
    if CHOSEN.search(command) or told - {None, readable + dead}:
        return Reading("gpu_count", None, why="gpus_not_described", line=line)
    return Reading("gpu_count", readable, line=line)


def _indexes(table: Table, command: str) -> Sequence[str]:
    """GPU numbers from the index column, else from -i of the command, else the order, which is nvidia-smi's own."""
    if "index" in table.fields:
        return [row[table.fields.index("index")] for row in table.rows]
    chosen = CHOSEN_NUMBERS.search(command)
    named = chosen[1].split(",") if chosen else []
    return named if len(named) == len(table.rows) else [str(number) for number in range(len(table.rows))]


def _is_dead(fields: Sequence[str], row: Sequence[str]) -> bool:
    told = [no_value(text) for field, text in zip(fields, row, strict=True) if field not in IDENTITY]
    return bool(told) and all(why in DEAD for why in told)


def _row_readings(table: Table, row: Sequence[str], scope: str) -> list[Reading]:
    line = SEPARATOR.join(row)
    readings: list[Reading] = []
    for position, (field, text) in enumerate(zip(table.fields, row, strict=True)):
        name, kind = FIELDS.get(field, ("", ""))
        # Two fields may have one meaning (pcie.link.gen.current and .gpucurrent): the first is read.
        if name and all(reading.name != name for reading in readings):
            reading = cell(name, text, kind, scope, line)
            why = _doubt(table, position, text, kind)
            readings.append(replace(reading, value=None, unit="", why=why) if why and not reading.why else reading)
    return [_under_load(reading, readings) for reading in readings]


def _doubt(table: Table, position: int, text: str, kind: str) -> str:
    """Why a readable cell may still be a cut one: its unit is missing, or the output ends right behind it."""
    if kind in UNITS and not text.endswith(kind) and _has_unit(table, position, kind):
        return "unreadable"
    is_end = position == len(table.fields) - 1 and table.broken_off.endswith(text)
    is_whole = kind == "bool" or (kind in UNITS and text.endswith(kind))
    return "may_be_cut" if is_end and not is_whole and table.broken_off.endswith(SEPARATOR.join(table.rows[-1])) else ""


def _has_unit(table: Table, position: int, unit: str) -> bool:
    return any(row[position].endswith(unit) for row in table.rows)


def _under_load(reading: Reading, row: Sequence[Reading]) -> Reading:
    """A link below its best generation proves nothing while the card idles; only state P0 says that it does not."""
    if reading.name != "pcie_gen_current" or reading.value is None:
        return reading
    others = {other.name: other.value for other in row}
    if reading.value == others.get("pcie_gen_max") or others.get("performance_state") == BUSY_STATE:
        return reading
    return replace(reading, value=None, unit="", why="idle")


def _whole_machine(table: Table, readings: Sequence[Reading]) -> Iterator[Reading]:
    for reading in summaries(readings):
        yield reading
        if reading.name == "ecc_uncorrected_volatile_max":
            yield replace(reading, name="ecc_errors_uncorrected_total_max")
    if "mig.mode.current" in table.fields:
        words = {row[table.fields.index("mig.mode.current")] for row in table.rows if not _is_dead(table.fields, row)}
        yield cell("mig_mode", words.pop() if len(words) == 1 else "[GPUs differ]", "text")


def _passed_over(table: Table, dead: Sequence[DeadGpu]) -> Iterator[Finding]:
    lines = [line for line in table.others if not any(gpu.line in line for gpu in dead) and not INFOROM.search(line)]
    if lines:
        yield remark("lines_passed_over", count=len(lines), line=lines[0][:200])
