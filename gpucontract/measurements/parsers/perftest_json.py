"""perftest --out_json: one object with test_info and results; the unit stands only in the command."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.json_documents import cut_documents, cut_text, fields, number, only_document
from gpucontract.measurements.parsers.outcomes import failed, run_error, value_or
from gpucontract.measurements.parsers.perftest_rows import Row, as_readings

NAMES = ("bw_average", "bw_average_GBps", "bw_peak", "message_size")
COLUMNS = {
    "BW_peak": "BW peak", "BW_average": "BW average", "t_min": "t_min[usec]", "t_max": "t_max[usec]",
    "t_typical": "t_typical[usec]", "t_avg": "t_avg[usec]", "percentile_99": "99% percentile[usec]",
    "percentile_99.9": "99.9% percentile[usec]",
}  # fmt: skip
GIGABITS = re.compile(r"--report_gbits?\b")


def read_json(capture: Capture, text: str) -> Parsed:
    """The same readings as the text form. Versions until 2023 wrote keys without quotes: not JSON, an error."""
    cut = cut_documents(text)
    document, error = only_document(cut, "results", "perftest")
    results, info = fields(document.get("results")), fields(document.get("test_info"))
    size = number(results.get("MsgSize"))
    is_latency = "t_avg" in results
    error = run_error(capture) or error
    if not error and not isinstance(size, int):
        error = "perftest_no_size: the results name no MsgSize; run without --output"
    if not error and not is_latency and not capture.command:
        error = "perftest_unit_unknown: the JSON names no unit; keep the command line with it"
    if error or not isinstance(size, int):
        return failed(error, *NAMES)
    unit = "Gb/s" if GIGABITS.search(capture.command) else "MiB/s"
    row = Row(size, _values(results), f"results MsgSize {size} BW_average {results.get('BW_average', '-')}")
    return Parsed((*as_readings([row], unit, is_latency), *_settings(info)), cut_text(cut))


def _values(results: dict[str, Any]) -> dict[str, Decimal]:
    numbers = {column: number(results.get(key)) for key, column in COLUMNS.items()}
    return {column: Decimal(value) for column, value in numbers.items() if value is not None}


def _settings(info: dict[str, Any]) -> tuple[Reading, ...]:
    words = {"device": info.get("Device"), "link_type": info.get("Link_type"), "test": info.get("test")}
    readings = [
        value_or(name, word if isinstance(word, str) and word else None, "not_printed") for name, word in words.items()
    ]
    test = words["test"]
    readings += [Reading("bidirectional", "Bidirectional" in test, line=test)] if isinstance(test, str) else []
    return tuple(readings)
