"""nvidia-smi --query-compute-apps: the processes that use the GPUs."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.nvidia_smi_errors import failure
from gpucontract.measurements.parsers.outcomes import absent, failed, run_error

NAMES = ("gpu_processes",)
MOST_NAMED = 4
LONGEST_LINE = 120
ASKED = re.compile(r"--query-compute-apps[=\s]\s*[\"']?([a-z_.]+(?:,\s?[a-z_.]+)*)")
HEADER = re.compile(r"^(?=.*\bpid\b)[a-z_]+(?: \[MiB\])?(?:, [a-z_]+(?: \[MiB\])?)*\s*$", re.MULTILINE)
PROCESS_ID = re.compile(r"[0-9]{1,10}")


def parse(capture: Capture) -> Parsed:
    """How many processes are listed, and the first of them.

    Nothing printed says none only when the run is known to have ended well.
    """
    text = cleaned(capture.stdout)
    error = run_error(capture)
    header, asked = HEADER.search(text), ASKED.search(capture.command)
    names = (header[0] if header else asked[1] if asked else "").replace(" [MiB]", "").split(",")
    fields = [name.strip() for name in names]
    if error or "pid" not in fields:
        return failed(error, *NAMES) if error else failure(capture, NAMES, "a list of processes with a column pid")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not HEADER.fullmatch(line)]
    if not lines and header is None and capture.exit_status != 0:
        return Parsed(absent("no_output", *NAMES))
    rows = [line.split(", ") for line in lines]
    if not all(len(row) == len(fields) and PROCESS_ID.fullmatch(row[fields.index("pid")]) for row in rows):
        return failure(capture, NAMES, f"rows of {', '.join(fields)}")
    count = Reading("gpu_processes", len(rows), line=lines[0] if lines else "")
    named = Reading("gpu_process_list", tuple(line[:LONGEST_LINE] for line in lines[:MOST_NAMED]))
    return Parsed((count, named) if rows else (count,), (remark("foreign_processes", count=len(rows)),) if rows else ())
