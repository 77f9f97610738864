"""nvbandwidth: copy rates between host and GPUs and between GPUs, as text or JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.json_documents import cut_documents, fields, items
from gpucontract.measurements.parsers.nvbandwidth_cases import Case, case_readings, case_remarks
from gpucontract.measurements.parsers.outcomes import failed, known_error, printed, run_error

NAMES = ("h2d_min", "d2h_min", "d2d_read_min", "d2d_write_min")
SIGNS = (
    ("nvbandwidth_pattern_mismatch", re.compile(r"Invalid value when checking the pattern")),
    ("fabric_manager_down", re.compile(r"CUDA_ERROR_SYSTEM_NOT_READY|system not yet initialized")),
    ("nvbandwidth_cuda_error", re.compile(r"\[?CUDA_ERROR_[A-Z_]+\]?|\[cudaError[A-Za-z]+\]")),
    ("nvbandwidth_nvml_error", re.compile(r"NVML_ERROR")),
    ("nvbandwidth_assert", re.compile(r"ASSERT in expression")),
    ("nvbandwidth_unknown_test", re.compile(r"Testcase \S+ not found|^ERROR: ", re.MULTILINE)),
)
CORRUPT = "nvbandwidth_pattern_mismatch"
VERSION = re.compile(r"^nvbandwidth Version: (\S+)", re.MULTILINE)
DRIVER = re.compile(r"^Driver Version: (\S+)", re.MULTILINE)
DEVICE = re.compile(r"^Device ([0-9]{1,3}): (\S.*)$", re.MULTILINE)
LISTED = re.compile(r"([0-9]{1,3}): (.+?)(?: \([0-9a-fA-F:]{8,16}\))?(?:: \(.*\))?")
RUNNING = re.compile(r"Running (\S+)\.\s*")
WAIVING = re.compile(r"Waiv(?:ing (\S+)\.|ed:)\s*")
SUM = re.compile(r"SUM (\S+) ([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*")
TITLE = re.compile(r".*\((GB/s|ns)\)\s*")


def parse(capture: Capture) -> Parsed:
    """Lowest cell and sum of every case that ran to its end; a waived case gives no reading."""
    text = cleaned(capture.stdout)
    everything = printed(capture)
    is_json = text.lstrip().startswith("{") or ("\n{" in text and not VERSION.search(text))
    cases, about, error = _json(text) if is_json else _text(text)
    ended = run_error(capture)
    error = known_error(everything, SIGNS) or (ended if error.startswith("no_report") else "") or error or ended
    if error:
        remarks = (remark("data_corruption", line=error),) if error.startswith(CORRUPT) else ()
        stopped = failed(error, *NAMES, findings=remarks)
        return Parsed((*about, *stopped.readings), stopped.findings, error)
    readings = [reading for case in cases for reading in case_readings(case)]
    # Unnamed waived cases are all alike: one remark says it.
    return Parsed((*about, *readings), tuple(dict.fromkeys(told for case in cases for told in case_remarks(case))))


def _text(text: str) -> tuple[list[Case], list[Reading], str]:
    versions, devices = VERSION.findall(text), DEVICE.findall(text)
    if not versions:
        return [], [], "no_report: no line 'nvbandwidth Version: ...'"
    about = _about(next(iter(DRIVER.findall(text)), ""), [name for _, name in devices], versions[0])
    cases = _text_cases(text)
    names = [case.name for case in cases if case.status != "waived"]
    if len(versions) > 1 or len(set(names)) < len(names):
        return [], [], "two_outputs: a case ran twice in one capture; keep one run per capture"
    return cases, about, "" if cases else "no_report: no test case ran"


def _text_cases(text: str) -> list[Case]:
    cases: list[Case] = []
    for line in text.splitlines():
        started, waived, total = RUNNING.fullmatch(line), WAIVING.fullmatch(line), SUM.fullmatch(line)
        if started:
            cases.append(Case(started[1]))
        elif waived:
            _waive(cases, waived[1])
        elif cases and cases[-1].status == "running":
            if total and total[1] == cases[-1].name:
                cases[-1].total, cases[-1].status = Decimal(total[2]), "passed"
            else:
                _matrix_line(line, cases[-1])
    return cases


def _waive(cases: list[Case], name: str | None) -> None:
    """Version 0.2 names what it waives; later ones print 'Waived:' below 'Running ...' or quite alone."""
    if name is None and cases and cases[-1].status == "running" and not cases[-1].rows:
        cases[-1].status = "waived"
    else:
        cases.append(Case(name or "", "waived"))


def _matrix_line(line: str, case: Case) -> None:
    cells, title = line.split(), TITLE.fullmatch(line)
    if title:
        case.unit = title[1]
    elif cells and not case.columns:
        case.columns = cells if [cell for cell in cells if cell.isascii() and cell.isdigit()] == cells else []
    elif case.columns and len(cells) == len(case.columns) + 1 and cells[0].isascii() and cells[0].isdigit():
        case.rows.append((cells[0], cells[1:]))


def _json(text: str) -> tuple[list[Case], list[Reading], str]:
    cut = cut_documents(text)
    reports = [fields(document["nvbandwidth"]) for document in cut.documents if "nvbandwidth" in document]
    if cut.is_broken or not reports:
        return [], [], "json_broken: no whole JSON object with the key nvbandwidth"
    if len(reports) > 1:
        return [], [], f"two_outputs: {len(reports)} reports in one capture; keep one run per capture"
    report = reports[0]
    listed = [found[2] for entry in items(report.get("GPU Device list")) if (found := LISTED.fullmatch(str(entry)))]
    cases = [_json_case(fields(entry)) for entry in items(report.get("testcases"))]
    # A run across machines lists the GPUs of several, or of the first one only.
    listed = [] if any(case.is_of_many_machines and case.status != "waived" for case in cases) else listed
    about = _about(str(report.get("Driver Version", "")), listed, str(report.get("version", "")))
    problems = [str(report["error"])] if report.get("error") else []
    told = [fields(entry).get("error") for entry in items(report.get("testcases"))]
    problems += [str(problem) for problem in told if problem]
    problems += [f"{case.name} ended with status Error" for case in cases if case.status == "error"]
    problems = problems or [f"no test case {case.name}" for case in cases if case.status == "not found"]
    error = f"nvbandwidth_failed: {problems[0][:200]}" if problems else ""
    return cases, about, error or ("" if cases else "no_report: no test case ran")


def _json_case(entry: dict[str, Any]) -> Case:
    case = Case(str(entry.get("name", "")), str(entry.get("status", "running")).lower())
    title = TITLE.fullmatch(str(entry.get("bandwidth_description", "")))
    case.unit = title[1] if title else "GB/s"
    matrix = [items(row) for row in items(entry.get("bandwidth_matrix"))]
    case.rows = [(str(at), [str(cell) for cell in row]) for at, row in enumerate(matrix)]
    case.columns = [str(at) for at in range(max((len(row) for _, row in case.rows), default=0))]
    total = entry.get("sum")
    case.total = Decimal(total) if isinstance(total, Decimal | int) and not isinstance(total, bool) else None
    return case


def _about(driver: str, devices: Sequence[str], version: str) -> list[Reading]:
    readings = [Reading("gpu_count", len(devices))] if devices else []
    if driver:
        readings.append(Reading("driver_version", driver, line=f"Driver Version: {driver}"))
    if version:
        readings.append(Reading("nvbandwidth_version", version.removeprefix("v")))
    return readings
