"""fio --output-format=json and json+: entries of one group are summed; client mode's summary is not added again."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.fio_options import Options, options_of
from gpucontract.measurements.parsers.fio_results import DIRECTIONS, Flow, Run, as_parsed
from gpucontract.measurements.parsers.json_documents import Cut, cut_text, fields, items, number
from gpucontract.measurements.parsers.outcomes import absent, run_error

ALL_CLIENTS = "All clients"
USED_KEYS = frozenset(
    {"jobs", "client_stats", "read", "write", "bw", "bw_bytes", "iops", "runtime", "error", "io_bytes"}
)
NAMED_ERROR = re.compile(r"\berror=(.{1,160})$")
PERCENTILE = "99.000000"
# Name of the reading, key in fio 3 (nanoseconds), key in fio 2 (microseconds).
LATENCIES = (("clat_p99", "clat_ns", "clat"), ("lat_p99", "lat_ns", "lat"))

Entry = dict[str, Any]


def read_json(capture: Capture, cut: Cut) -> tuple[Parsed, str]:
    """The readings of the last document, or the error that leaves the run without any."""
    document, error = _last(cut)
    entries = _entries(document)
    error = error or _job_error(entries, cut, document) or run_error(capture)
    if not error and not entries:
        error = "fio_no_jobs: the JSON lists no job"
    before = _before(cut)
    if error:
        return Parsed((before,), cut_text(cut)), error
    options = _options(document, entries, capture.command)
    flows = {name: flow for name in DIRECTIONS if (flow := _flow(name, entries))}
    disks = tuple(
        str(fields(disk).get("name")) for disk in items(document.get("disk_util")) if fields(disk).get("name")
    )
    run = Run(flows, options, len(entries), disks, str(document.get("fio version", ""))[:40])
    return as_parsed(run, (before,), cut_text(cut)), ""


def _before(cut: Cut) -> Reading:
    if not cut.documents:
        return absent("no_json", "lines_before_json")[0]
    return Reading("lines_before_json", len(cut.before), line=(cut.before or ("",))[0][:200])


def _last(cut: Cut) -> tuple[Entry, str]:
    """The last snapshot of one run (--status-interval prints several); documents of different runs are an error."""
    found = [document for document in cut.documents if "jobs" in document or "client_stats" in document]
    if cut.is_broken or not found:
        return {}, "json_broken: the JSON of fio breaks off or holds foreign text; capture it again, unedited"
    if cut.repeated & USED_KEYS:
        return {}, f"repeated_keys: {', '.join(sorted(cut.repeated & USED_KEYS))} given twice with different values"
    progress = [(_identity(document), _done(document)) for document in found]
    if any(one[0] != two[0] or one[1] > two[1] for one, two in itertools.pairwise(progress)):
        return {}, "two_outputs: JSON documents of different runs in one capture; keep one run per capture"
    return found[-1], ""


def _entries(document: Entry) -> list[Entry]:
    listed = [fields(entry) for entry in items(document.get("client_stats")) or items(document.get("jobs"))]
    return [entry for entry in listed if entry.get("jobname") != ALL_CLIENTS and "jobname" in entry]


def _identity(document: Entry) -> list[Any]:
    return [(entry.get("jobname"), entry.get("groupid"), entry.get("job options")) for entry in _entries(document)]


def _done(document: Entry) -> int | Decimal:
    flows = [fields(entry.get(name)) for entry in _entries(document) for name in DIRECTIONS]
    return sum((number(flow.get("io_bytes")) or 0 for flow in flows), start=0)


def _job_error(entries: list[Entry], cut: Cut, document: Entry) -> str:
    """An error of any job, of a client's summary too, makes every number of the run worthless."""
    listed = entries + [fields(entry) for entry in items(document.get("client_stats"))]
    codes = [code for entry in listed if (code := number(entry.get("error")))]
    if not codes:
        return ""
    named = next((found[1] for line in reversed(cut.before) if (found := NAMED_ERROR.search(line))), "")
    return f"fio_job_error {codes[0]}: {named or os.strerror(min(abs(int(codes[0])), 4095))}"


def _options(document: Entry, entries: list[Entry], command: str) -> Options:
    shared = _texts(document.get("global options"))
    jobs = [{**shared, **_texts(entry.get("job options"))} for entry in entries]
    is_listed = "global options" in document or any("job options" in entry for entry in entries)
    return options_of(jobs, command, is_listed)


def _texts(value: Any) -> Mapping[str, str]:
    return {key: text for key, text in fields(value).items() if isinstance(text, str)}


def _flow(name: str, entries: list[Entry]) -> Flow | None:
    """One direction over the entries that did anything in it; None when none did."""
    active = [(entry, fields(entry.get(name))) for entry in entries if _is_active(fields(entry.get(name)))]
    if not active:
        return None
    flows = [flow for _, flow in active]
    bandwidths, iops = [_bandwidth(flow) for flow in flows], [number(flow.get("iops")) for flow in flows]
    runtimes = [number(flow.get("runtime")) for flow in flows]
    known = [int(runtime) for runtime in runtimes if runtime is not None]
    groups = {entry.get("groupid") for entry, _ in active}
    return Flow(
        bandwidth=_sum(bandwidths),
        unit="B/s",
        iops=_sum(iops),
        runtime_ms=min(known) if len(known) == len(flows) else None,
        lost=sum(int(number(flow.get(key)) or 0) for flow in flows for key in ("short_ios", "drop_ios")),
        p99=_p99(flows),
        line=f"{name}: bw_bytes {' + '.join(str(flow.get('bw_bytes', flow.get('bw'))) for flow in flows)}"[:200],
        why="several_groups" if len(groups) > 1 else "",
    )


def _is_active(flow: Entry) -> bool:
    return any(number(flow.get(key)) for key in ("io_bytes", "bw_bytes", "bw", "iops", "total_ios"))


def _bandwidth(flow: Entry) -> int | Decimal | None:
    """Bytes a second; fio 2 gives only whole KiB a second."""
    kibibytes = number(flow.get("bw"))
    exact = number(flow.get("bw_bytes"))
    return exact if exact is not None or kibibytes is None else kibibytes * 1024


def _sum(values: list[int | Decimal | None]) -> Decimal | None:
    known = [Decimal(value) for value in values if value is not None and value > 0]
    return sum(known, start=Decimal(0)) if len(known) == len(values) else None


def _p99(flows: list[Entry]) -> dict[str, tuple[Decimal, str]]:
    """The 99th percentile of one entry; of several the worst, under its own name: percentiles cannot be added."""
    found: dict[str, tuple[Decimal, str]] = {}
    for name, key, old_key in LATENCIES:
        unit = "ns" if any(key in flow for flow in flows) else "us"
        blocks = [fields(fields(flow.get(key if unit == "ns" else old_key)).get("percentile")) for flow in flows]
        values = [Decimal(value) for block in blocks if (value := number(block.get(PERCENTILE))) is not None]
        if values and len(values) == len(flows):
            found[name if len(flows) == 1 else f"{name}_worst"] = (max(values), unit)
    return found
