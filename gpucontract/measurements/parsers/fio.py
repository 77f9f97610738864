"""fio: JSON, JSON+ or text. A bandwidth counts only when the run ended well, ran long enough and reached the disk."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.fio_json import read_json
from gpucontract.measurements.parsers.fio_results import DIRECTIONS
from gpucontract.measurements.parsers.fio_text import read_text
from gpucontract.measurements.parsers.json_documents import cut_documents
from gpucontract.measurements.parsers.outcomes import failed, printed, run_error

NAMES = tuple(f"{name}_{what}" for name in DIRECTIONS for what in ("bw", "bw_bytes", "iops")) + tuple(
    f"storage_{name}_bw" for name in DIRECTIONS
)
JSON_SIGN = re.compile(r'"(?:fio version|jobs|client_stats)"\s{0,4}:')
TEXT_SIGN = re.compile(r"\(groupid=[0-9]{1,6}, jobs=[0-9]{1,6}\): err=")
# What was measured until then is no whole run, however whole the report below looks.
STOPPED = re.compile(r"^fio: (?:terminating on signal [0-9]{1,3}|pid=[0-9]{1,9}, got signal=[0-9]{1,3})", re.MULTILINE)
COMPLAINT = re.compile(r"^fio: (\S.{0,200})$", re.MULTILINE)
FIRST_LINE = re.compile(r"^(\S.{0,200})$", re.MULTILINE)


def parse(capture: Capture) -> Parsed:
    """read_bw, write_bw, IOPS and p99; storage_*_bw where they are evidence about the disk; the options."""
    text = cleaned(capture.stdout)
    stopped = _stopped(text) or _stopped(cleaned(capture.stderr))
    if stopped:
        return failed(f"fio_stopped: {stopped}", *NAMES)
    if TEXT_SIGN.search(text) and not JSON_SIGN.search(text):
        parsed, error = read_text(capture, text)
    elif JSON_SIGN.search(text) or text.lstrip().startswith("{"):
        parsed, error = read_json(capture, cut_documents(text))
    else:
        parsed, error = Parsed(), _nothing(capture)
    if not error:
        return parsed
    return Parsed((*failed(error, *NAMES).readings, *parsed.readings), parsed.findings, error)


def _stopped(text: str) -> str:
    # A look for one word costs next to nothing; most outputs do not hold it.
    found = STOPPED.search(text) if "signal" in text else None
    return found[0] if found else ""


def _nothing(capture: Capture) -> str:
    """The error of a run that printed no result at all: what fio said first."""
    if capture.exit_status == 127 or run_error(capture).startswith("command_not_found"):
        return run_error(capture)
    complaint = COMPLAINT.search(printed(capture)) or FIRST_LINE.search(printed(capture))
    code = "fio_no_json" if "json" in f"{capture.command} {capture.tool}".lower() else "fio_no_result"
    return f"{code}: {complaint[1] if complaint else 'fio printed nothing'}"
