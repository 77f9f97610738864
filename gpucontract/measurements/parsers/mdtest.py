"""mdtest: metadata operations a second out of the SUMMARY table; a phase that was not asked for prints 0.000."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, line_around, printed, run_error
from gpucontract.measurements.parsers.sizes import decimal

OPERATIONS = tuple(
    f"{kind} {action}"
    for kind in ("Directory", "File", "Tree")
    for action in ("creation", "stat", "read", "rename", "removal")
)
NAMES = tuple(f"mdtest_{operation.lower().replace(' ', '_')}" for operation in OPERATIONS)
ERRORS = (
    ("mdtest_aborted", re.compile(r"MPI_ABORT|MPI_Abort|ERROR: .{0,160}\((?:errno|mdtest|\S{1,40}\.c)", re.IGNORECASE)),
)
# Version 1.9 had one table; later ones print rates, and with -P a second table of times below.
SUMMARY = re.compile(r"^SUMMARY(?: rate(?: \(in ops/sec\))?)?: \(of ([0-9]{1,6}) iterations\)", re.MULTILINE)
TIMES = re.compile(r"^SUMMARY time\b", re.MULTILINE)
HEADER = re.compile(r"^[ \t]{0,8}Operation\b.*$", re.MULTILINE)
COLUMN = re.compile(r"Max|Min|Mean|Std Dev")
ROW = re.compile(
    r"^[ \t]{0,8}(Directory|File|Tree) (creation|stat|read|rename|removal)[ \t]{0,40}:?"
    r"((?:[ \t]++\S{1,24}+){3,8})[ \t]*$",
    re.MULTILINE,
)
LAUNCHED = re.compile(r"mdtest-\S{1,30} was launched with ([0-9]{1,7}) total task\(s\) on ([0-9]{1,6}) node\(s\)")
FINISHED = "-- finished at"


def parse(capture: Capture) -> Parsed:
    """mdtest_file_creation and the like: the mean in ops/s; mdtest_tasks and mdtest_hosts of the run."""
    text = cleaned(capture.stdout)
    tables = list(SUMMARY.finditer(text))
    error = known_error(printed(capture), ERRORS) or run_error(capture)
    if not error and len(tables) > 1:
        error = "two_outputs: more than one SUMMARY table; keep one run per capture"
    if not error and (not tables or FINISHED not in text):
        error = "mdtest_incomplete: no SUMMARY table with '-- finished at' after it"
    if error:
        return failed(error, *NAMES)
    rates = TIMES.split(text[tables[0].end() :])[0]
    header = HEADER.search(rates)
    columns = COLUMN.findall(header[0]) if header else []
    rows = {f"{row[1]} {row[2]}": row for row in ROW.finditer(rates)}
    means = zip(NAMES, (rows.get(operation) for operation in OPERATIONS), strict=True)
    return Parsed((*(_mean(name, row, columns) for name, row in means), *_launch(text)))


def _mean(name: str, row: re.Match[str] | None, columns: list[str]) -> Reading:
    """The mean over iterations: the last one, for a mean over ranks may stand before it."""
    if row is None:
        return absent("not_run", name)[0]
    line, cells = row[0].strip(), row[3].split()
    last = max((at for at, column in enumerate(columns) if column == "Mean"), default=None)
    number = decimal(cells[last]) if last is not None and len(cells) == len(columns) else None
    if number is None or number == 0:
        return absent("not_run" if number == 0 else "unreadable", name, line=line)[0]
    return Reading(name, number, "ops/s", line=line)


def _launch(text: str) -> tuple[Reading, ...]:
    found = LAUNCHED.search(text)
    if not found:
        return absent("not_printed", "mdtest_tasks", "mdtest_hosts")
    line = line_around(text, found.start())
    return (Reading("mdtest_tasks", int(found[1]), line=line), Reading("mdtest_hosts", int(found[2]), line=line))
