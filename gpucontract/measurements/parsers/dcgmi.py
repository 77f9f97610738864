"""dcgmi diag -j of DCGM 3.x and 4.x: how each test of the diagnostic ended, on each GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.json_documents import cut_documents, cut_text, fields, items
from gpucontract.measurements.parsers.outcomes import failed, known_error, printed, run_error

NAMES = ("dcgm_overall", "tests_pass", "tests_fail", "tests_warn", "tests_skip")
SIGNS = (
    (
        "dcgm_hostengine_down",
        re.compile(r"unable to establish a connection to the specified host|Unable to connect to host engine", re.I),
    ),
    ("dcgm_not_supported", re.compile(r"^Error: .*(?:not supported|No such)", re.MULTILINE)),
    ("dcgm_failed", re.compile(r"^Error: ", re.MULTILINE)),
)
KEYS = ("DCGM Diagnostic", "DCGM GPU Diagnostic")
# The diagnostic ran and a test did not pass: -30, which a shell shows as an unsigned byte.
ERROR_FOUND_EXITS = (226, -30)
STATUSES = ("Fail", "Warn", "Pass", "Skip")
# A test that one GPU skipped is no pass; a whole diagnostic with some skipped tests still is.
WORST_FIRST = ("Fail", "Warn", "Skip", "Pass")


NOT_RUN = ("Not run", "Notrun")


@dataclass(frozen=True, slots=True)
class Result:
    """How one test ended, on one GPU ('' = not bound to one), and what it complained of."""

    test: str
    scope: str
    status: str
    warning: str


def parse(capture: Capture) -> Parsed:
    """Fail if any test failed, Warn if any warned; skipped tests are counted apart and are no pass."""
    cut = cut_documents(cleaned(capture.stdout))
    reports = [document for document in cut.documents if any(key in document for key in KEYS)]
    error = _broken(capture, len(reports), cut.is_broken)
    if error:
        return failed(error, *NAMES)
    report = reports[0]
    diagnostic = fields(next(report[key] for key in KEYS if key in report))
    stopped = diagnostic.get("runtime_error")
    if stopped:
        return failed(f"dcgm_failed: {str(stopped).strip()[:200]}", *NAMES)
    results = list(_results(diagnostic))
    if not results:
        return failed("dcgm_no_results: the report holds no test with a result", *NAMES)
    unknown = next((result for result in results if result.status not in STATUSES), None)
    if unknown:
        return failed(f"dcgm_unknown_status: {unknown.status[:40]!r} of the test {unknown.test[:60]}", *NAMES)
    tests = {test: _worst([r for r in results if r.test == test]) for test in dict.fromkeys(r.test for r in results)}
    overall = min((result.status for result in tests.values()), key=STATUSES.index)
    error = _exit_error(capture, overall)
    if error:
        return failed(error, *NAMES)
    readings = (*_whole(tests, overall), *_versions(report), *_per_gpu(results))
    return Parsed(readings, (*_remarks(tests), *cut_text(cut)))


def _broken(capture: Capture, reports: int, is_broken: bool) -> str:
    if reports == 1 and not is_broken:
        return ""
    known = known_error(printed(capture), SIGNS)
    if known or not reports:
        broken = "json_broken: the JSON breaks off; run the diagnostic again" if is_broken else ""
        return (
            known or run_error(capture) or broken or f"dcgm_no_json: expected an object with {KEYS[0]!r} or {KEYS[1]!r}"
        )
    if reports > 1:
        return f"two_outputs: {reports} reports in one capture; keep one run per capture"
    return "json_broken: the JSON breaks off or holds foreign text; run the diagnostic again"


def _exit_error(capture: Capture, overall: str) -> str:
    if overall in ("Fail", "Warn"):
        return run_error(capture, accepted=(*range(1, 256), *ERROR_FOUND_EXITS))
    if capture.exit_status in ERROR_FOUND_EXITS:
        return f"dcgm_exit: the diagnostic ended with {capture.exit_status}, an error that none of its tests shows"
    return run_error(capture)


def _results(diagnostic: dict[str, Any]) -> Iterator[Result]:
    for category in items(diagnostic.get("test_categories")):
        for entry in items(fields(category).get("tests")):
            test = fields(entry)
            name = str(test.get("name", "?"))
            own = [_result(name, fields(result)) for result in items(test.get("results"))]
            summary = fields(test.get("test_summary"))
            yield from own
            if summary:
                yield _result(name, summary)


def _result(test: str, result: dict[str, Any]) -> Result:
    """A pass that comes with a warning is a warning; an unknown word stays as it is, for it is neither."""
    warning = _warning(result.get("warnings"))
    status = str(result.get("status", "")).strip().capitalize()
    status = "Skip" if status in NOT_RUN else status
    if status == "Pass" and warning:
        status = "Warn"
    is_gpu = result.get("entity_group", "GPU") == "GPU"
    number = result.get("gpu_id", result.get("entity_id") if is_gpu else None)
    scope = f"gpu{number}" if number is not None and str(number).isascii() and str(number).isdigit() else ""
    return Result(test, scope, status, warning)


def _warning(warnings: Any) -> str:
    if isinstance(warnings, str):
        return warnings.strip()
    told = [entry if isinstance(entry, str) else str(fields(entry).get("warning", "")) for entry in items(warnings)]
    return "; ".join(text.strip() for text in told if text.strip())


def _worst(results: Sequence[Result]) -> Result:
    return min(results, key=lambda result: WORST_FIRST.index(result.status))


def _whole(tests: dict[str, Result], overall: str) -> Iterator[Reading]:
    if overall == "Skip":
        yield Reading("dcgm_overall", None, why="all_skipped")
    else:
        decider = next(result for result in tests.values() if result.status == overall)
        yield Reading("dcgm_overall", overall, line=f"{decider.test}: {decider.status} {decider.warning}".strip()[:200])
    for status in STATUSES:
        yield Reading(f"tests_{status.lower()}", sum(result.status == status for result in tests.values()))


def _versions(report: dict[str, Any]) -> Iterator[Reading]:
    diagnostic = fields(next(report[key] for key in KEYS if key in report))
    metadata = fields(report.get("metadata")) or fields(diagnostic.get("metadata"))
    for name, told in (
        ("dcgm_version", diagnostic.get("version") or metadata.get("version") or metadata.get("DCGM Version")),
        ("driver_version", diagnostic.get("Driver Version Detected") or metadata.get("Driver Version Detected")),
    ):
        if isinstance(told, str) and told:
            yield Reading(name, told)


def _per_gpu(results: Sequence[Result]) -> Iterator[Reading]:
    for scope in dict.fromkeys(result.scope for result in results if result.scope):
        own = [result for result in results if result.scope == scope]
        worst = min(own, key=lambda result: STATUSES.index(result.status))
        line = f"{worst.test}: {worst.status} {worst.warning}".strip()[:200]
        yield Reading("dcgm_result", None if worst.status == "Skip" else worst.status, scope=scope,
                      why="all_skipped" if worst.status == "Skip" else "", line=line)  # fmt: skip


def _remarks(tests: dict[str, Result]) -> Iterator[Finding]:
    for result in tests.values():
        if result.status in ("Fail", "Warn"):
            message = result.warning[:300] or "-"
            yield remark("dcgm_test_failed", result.scope, test=result.test, status=result.status, message=message)
        elif result.status == "Skip":
            yield remark("dcgm_test_skipped", test=result.test)
