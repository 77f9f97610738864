"""nccl-tests (all_reduce_perf and its kin): text of 2.9 to 2.19 or the JSON report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.json_documents import cut_documents, cut_text, items
from gpucontract.measurements.parsers.nccl_json import is_report, run_of
from gpucontract.measurements.parsers.nccl_readings import BANDWIDTHS, party_readings, run_remarks, table_readings
from gpucontract.measurements.parsers.nccl_run import Run, collective_in, ranks_of, secret_names
from gpucontract.measurements.parsers.nccl_text import Scan, scan
from gpucontract.measurements.parsers.nccl_transport import (
    Transport,
    transport,
    transport_readings,
    transport_remarks,
)
from gpucontract.measurements.parsers.outcomes import run_error

FAILURES = (
    ("test_nccl_failure", re.compile(r"Test NCCL failure [^'\n]*'([^'\n]*)'?")),
    ("test_cuda_failure", re.compile(r"Test CUDA failure [^'\n]*'([^'\n]*)'?")),
    ("test_timeout", re.compile(r"(Test timeout \([0-9]+s\))")),
    ("invalid_number_of_gpus", re.compile(r"(Invalid number of GPUs[^\n]*)")),
    ("test_failure", re.compile(r"(Test failure [^\n]*)")),
    ("incompatible_nccl", re.compile(r"(Incompatible NCCL versions[^\n]*)")),
    ("process_died", re.compile(r"(exited on signal [0-9]+[^\n]*|Segmentation fault[^\n]*|Bus error[^\n]*)")),
)
# A look for plain words costs next to nothing; most outputs hold none of them.
FAILURE_WORDS = ("Test ", "Invalid number", "Incompatible NCCL", "exited on signal", "Segmentation fault", "Bus error")
NAMES = (*BANDWIDTHS, "largest_size", "wrong_results")
RENAMED = re.compile(r"# Writing JSON output to (\S+\.[0-9]+)\s*$", re.MULTILINE)
# How a run ends whose results were wrong or whose bandwidth missed NCCL_TESTS_MIN_BW, after its whole report.
LAST_WORD = "test_failure"
FAILED_CHECK_EXITS = range(1, 124)


def parse(capture: Capture) -> Parsed:
    """Bandwidth per size and half, who took part, over which network; a run that failed gives no bandwidth."""
    text = cleaned(capture.stdout)
    if text.lstrip()[:1] == "{" or ("\n{" in text and "# nThread" not in text):
        return _json(capture, text)
    found = scan(text)
    notes = scan(cleaned(capture.stderr)).notes if capture.stderr else []
    spoken = transport([*found.notes, *notes])
    found.run.nccl_version = found.run.nccl_version or spoken.version
    said = _failure(found.outside, found.run) or _failure(capture.stderr, found.run)
    error = said or _copies(found) or _unfinished(capture, found)
    if error.startswith(TWO_OUTPUTS):
        found.run.devices.clear()
    return _parsed(capture, found.run, spoken, error, tuple(_renamed(found.outside)))


TWO_OUTPUTS = "two_outputs"
UNCHECKED = re.compile(r"_perf\b.*\s(?:-c|--check)[ =]?0(?:\s|$)")


def _failure(text: str, run: Run) -> str:
    """What the tool died of; a finished report that says itself what failed is no death, only its last word."""
    if not any(word in text for word in FAILURE_WORDS):
        return ""
    for code, pattern in FAILURES:
        told = pattern.search(text)
        if told and not (code == LAST_WORD and run.is_finished and _told_why(run)):
            return f"{code}: {told[1].strip()[:200]}"
    return ""


def _copies(found: Scan) -> str:
    """Without MPI each process tests for itself and all print into one capture."""
    groups = {device.group for device in found.run.devices if device.rank == 0}
    if found.headers > 1 or found.summaries > 1 or found.rank_zeros > max(1, len(groups)):
        count = max(found.headers, found.summaries, found.rank_zeros)
        return f"{TWO_OUTPUTS}: {count} runs in one capture: built without MPI, or several runs; none stands for all"
    return ""


def _unfinished(capture: Capture, found: Scan) -> str:
    run = found.run
    if found.headers == 0 and found.layout is None:
        return run_error(capture) or "no_report: no line '# nThread ...' and no table header"
    if not run.rows and run.rows_cut:
        return f"rows_unreadable: none of {len(run.rows_cut)} rows has the columns its header names"
    if not run.is_finished or not run.rows:
        missing = "a result row" if run.is_finished else "the summary at its end"
        return run_error(_without_text(capture)) or f"run_incomplete: the report lacks {missing}"
    return _exit_error(capture, run)


def _exit_error(capture: Capture, run: Run) -> str:
    """Wrong results and a missed NCCL_TESTS_MIN_BW make the tool fail; the figures it printed stand."""
    return run_error(_without_text(capture), accepted=FAILED_CHECK_EXITS if _told_why(run) else ())


def _told_why(run: Run) -> bool:
    return bool(run.out_of_bounds) or run.tool_check == "FAILED"


def _without_text(capture: Capture) -> Capture:
    return replace(capture, stdout="")


def _json(capture: Capture, text: str) -> Parsed:
    cut = cut_documents(text)
    reports = [document for document in cut.documents if is_report(document)]
    error = ""
    if len(reports) > 1:
        error = f"{TWO_OUTPUTS}: {len(reports)} reports in one capture; keep one run per capture"
    elif cut.is_broken:
        error = "run_incomplete: the JSON breaks off or holds foreign text"
    elif not reports:
        error = "nccl_json_unknown: expected one JSON object with config and results"
    if error:
        return _parsed(capture, Run(), transport(()), _failure(text, Run()) or error, ())
    run = run_of(reports[0])
    if not run.is_finished or not run.rows:
        error = "run_incomplete: the report lacks its rows or the keys out_of_bounds and average_bus_bandwidth"
    error = error or _exit_error(capture, run)
    environment = items(reports[0].get("env"))
    remarks = (*_environment(environment), *cut_text(cut))
    parsed = _parsed(capture, run, transport(()), error, remarks)
    start = str(reports[0].get("start_time", ""))
    extra = [Reading("secrets_in_env", bool(secret_names(environment)))] if environment else []
    extra += [Reading("start_time", start)] if start else []
    return replace(parsed, readings=(*parsed.readings, *extra))


def _environment(environment: list[Any]) -> Iterator[Finding]:
    names = secret_names(environment)
    if names:
        yield remark("secrets_in_output", names=tuple(names)[:8])
    elif environment:
        yield remark("environment_in_output")


def _renamed(text: str) -> Iterator[Finding]:
    told = RENAMED.search(text)
    if told:
        yield remark("json_renamed", name=told[1])


def _parsed(capture: Capture, run: Run, spoken: Transport, error: str, findings: tuple[Finding, ...]) -> Parsed:
    asked = collective_in(capture.tool, capture.command)
    if UNCHECKED.search(capture.command):
        run.validation = False
    differs = bool(asked and run.collective and asked != run.collective)
    run.collective = run.collective or asked
    ranks = ranks_of(run)[0]
    readings = [*_about(run), *party_readings(run), *transport_readings(spoken, run.hosts, run.collective)]
    if error:
        code = error.split(":")[0]
        readings += [Reading(name, None, why=code) for name in NAMES]
    else:
        readings += table_readings(run, ranks)
    remarks = [*findings, *([] if error else run_remarks(run)), *transport_remarks(spoken, run.hosts)]
    if differs:
        remarks.append(remark("collective_differs", asked=asked, found=run.collective))
    return Parsed(tuple(readings), tuple(remarks), error)


def _about(run: Run) -> Iterator[Reading]:
    for name, value in (
        ("collective", run.collective),
        ("iterations", run.iterations),
        ("warm_up_iterations", run.warm_up),
        ("is_cpu_time", run.is_cpu_time or None),
        ("validation", run.validation),
        ("nccl_tests_version", run.tests_version),
        ("nccl_version", run.nccl_version),
        ("tool_check", run.tool_check),
    ):
        if value not in (None, ""):
            yield Reading(name, value)
