"""What a fio run gives, whether it printed JSON or text: the readings, and when a number is no measurement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Finding, Parsed, Reading
from gpucontract.measurements.parsers.fio_options import Options
from gpucontract.measurements.parsers.outcomes import absent, value_or
from gpucontract.units import convert
from gpucontract.wording import Text

SETTING_NAMES = (
    "direct", "numjobs", "runtime", "block_size", "io_depth", "rw", "fio_filename", "io_engine", "fio_size",
)  # fmt: skip
DIRECTIONS = ("read", "write")
# A run that ends before this part of the time asked for ran out of file, not of time.
WHOLE_RUNTIME = Decimal("0.95")
SHORTEST_MS = 1000
SYNC_ENGINES = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"})
PAGE_CACHE = Text(
    "fio 没有用 direct=1，读写经过内存缓存，测到的不是盘。请加 --direct=1 复测。",
    "fio ran without direct=1: data went through memory, so this is not the disk. Run again with --direct=1.",
)
TOO_SHORT = Text(
    "fio 只跑了 {runtime} 毫秒，不足以为证。请加大 size 并加 --time_based 复测。",
    "fio ran for {runtime} ms only, which is no evidence. Run again with a larger size and --time_based.",
)
SHALLOW = Text(
    "引擎 {engine} 是同步的，iodepth={depth} 不起作用。请用 libaio 或 io_uring 复测。",
    "The engine {engine} is synchronous: iodepth={depth} has no effect. Run again with libaio or io_uring.",
)
LOST = Text(
    "fio 有 {count} 次读写不完整或被丢弃，带宽不算数。请查盘和文件系统后复测。",
    "fio had {count} short or dropped operations: the bandwidth does not count. Look at disk and file system, "
    "then run again.",
)


@dataclass(frozen=True, slots=True)
class Flow:
    """One direction over all jobs of its group. bandwidth as printed with its unit; p99: (value, unit) by name."""

    bandwidth: Decimal | None
    unit: str
    iops: Decimal | None
    runtime_ms: int | None
    lost: int
    p99: Mapping[str, tuple[Decimal, str]]
    line: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A whole fio run: the flow of each direction that did anything, the options, the entries and disks it printed."""

    flows: Mapping[str, Flow]
    options: Options
    entries: int
    disks: tuple[str, ...] = ()
    version: str = ""


def as_parsed(run: Run, extra: tuple[Reading, ...] = (), remarks: tuple[Finding, ...] = ()) -> Parsed:
    """All readings and findings of a run that ended without an error."""
    flows = tuple(reading for name in DIRECTIONS for reading in _flow(name, run.flows.get(name), run.options))
    storage = [_storage(name, flows, run.options) for name in DIRECTIONS]
    is_valid = any(reading.value is not None for reading in storage)
    valid = Reading("valid", True) if is_valid else Reading("valid", False, line=storage[0].why or storage[1].why)
    return Parsed((*flows, *storage, *_reported(run), valid, *_settings(run), *extra), (*_findings(run), *remarks))


def _flow(name: str, flow: Flow | None, options: Options) -> tuple[Reading, ...]:
    names = (f"{name}_bw", f"{name}_bw_bytes", f"{name}_iops")
    if flow is None:
        return absent("not_run", *names)
    why = _why_not(flow, options)
    if why:
        return absent(why, *names, *(f"{name}_{key}" for key in flow.p99), line=flow.line)
    return (
        *_bandwidth(name, flow),
        value_or(f"{name}_iops", flow.iops, "unreadable", "IOPS", line=flow.line),
        *(Reading(f"{name}_{key}", value, unit, line=flow.line) for key, (value, unit) in flow.p99.items()),
    )


def _bandwidth(name: str, flow: Flow) -> tuple[Reading, Reading]:
    """The rate as printed, in GB/s where it was bytes; the same in bytes a second."""
    if flow.bandwidth is None:
        first, second = absent("unreadable", f"{name}_bw", f"{name}_bw_bytes", line=flow.line)
        return first, second
    unit = "GB/s" if flow.unit == "B/s" else flow.unit
    return (
        Reading(f"{name}_bw", convert(flow.bandwidth, flow.unit, unit, 9), unit, line=flow.line),
        Reading(f"{name}_bw_bytes", convert(flow.bandwidth, flow.unit, "B/s"), "B/s", line=flow.line),
    )


def _why_not(flow: Flow, options: Options) -> str:
    """The reason why the numbers of a direction are no measurement, '' when they are."""
    if flow.why:
        return flow.why
    if flow.lost:
        return "short_ios"
    if flow.runtime_ms is None:
        return "no_runtime"
    return "runtime_short" if _is_short(flow.runtime_ms, options) else ""


def _is_short(runtime_ms: int, options: Options) -> bool:
    asked = options.runtime_ms
    return runtime_ms < (SHORTEST_MS if asked is None else asked * WHOLE_RUNTIME)


def _storage(name: str, flows: tuple[Reading, ...], options: Options) -> Reading:
    """The bandwidth as evidence about storage: not through the page cache, not from a queue that was none."""
    found = next(reading for reading in flows if reading.name == f"{name}_bw")
    why = found.why
    if not why and options.direct != 1:
        why = "buffered" if options.direct == 0 else "direct_unknown"
    if not why and _is_shallow(options):
        why = "sync_engine"
    value = None if why else found.value
    return Reading(f"storage_{name}_bw", value, "" if why else found.unit, why=why, line=found.line)


def _is_shallow(options: Options) -> bool:
    return (options.depth or 1) > 1 and options.engine in SYNC_ENGINES


def _reported(run: Run) -> tuple[Reading, ...]:
    """What fio printed of a run too short to count, so that people see which number was set aside."""
    short = [flow for flow in run.flows.values() if _why_not(flow, run.options) == "runtime_short"]
    if len(short) != 1 or short[0].bandwidth is None:
        return ()
    unit = "GB/s" if short[0].unit == "B/s" else short[0].unit
    return (Reading("reported_bw", convert(short[0].bandwidth, short[0].unit, unit, 9), unit, line=short[0].line),)


def _settings(run: Run) -> tuple[Reading, ...]:
    options = run.options
    runtimes = [flow.runtime_ms for flow in run.flows.values() if flow.runtime_ms is not None]
    return (
        value_or("direct", options.direct, "not_printed", line=options.line("direct")),
        value_or("numjobs", options.jobs or run.entries, "not_printed", line=options.line("numjobs")),
        value_or("runtime", min(runtimes, default=None), "not_run", "ms"),
        value_or("block_size", options.block_bytes, "not_printed", "B", line=options.line("bs")),
        value_or("io_depth", options.depth, "not_printed", line=options.line("iodepth")),
        value_or("rw", options.rw or None, "not_printed", line=options.line("rw")),
        value_or(
            "fio_filename",
            options.place or None,
            "not_printed",
            line=options.line("filename") or options.line("directory"),
        ),
        value_or("io_engine", options.engine or None, "not_printed", line=options.line("ioengine")),
        value_or("fio_size", options.size_bytes, "not_printed", "B", line=options.line("size")),
        Reading("jobs", run.entries),
        *((Reading("fio_disks", run.disks),) if run.disks else ()),
        *((Reading("fio_version", run.version, line=run.version),) if re.match(r"fio-[0-9]", run.version) else ()),
    )


def _findings(run: Run) -> tuple[Finding, ...]:
    options, flows = run.options, run.flows.values()
    found = []
    if flows and options.direct == 0:
        found.append(Finding("page_cache", PAGE_CACHE))
    if _is_shallow(options):
        found.append(Finding("sync_engine", SHALLOW.fill(engine=options.engine, depth=options.depth)))
    lost = sum(flow.lost for flow in flows)
    if lost:
        found.append(Finding("short_ios", LOST.fill(count=lost)))
    short = [flow.runtime_ms for flow in flows if _why_not(flow, options) == "runtime_short"]
    if short:
        found.append(Finding("runtime_short", TOO_SHORT.fill(runtime=short[0])))
    return tuple(found)
