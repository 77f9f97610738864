"""perftest (ib_write_bw, ib_read_lat and their kin): bandwidth or latency by message size.

'MB/sec' of old versions and 'MiB/sec' of new ones are the same number: bytes / 2^20.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, line_around, printed, run_error
from gpucontract.measurements.parsers.perftest_json import read_json
from gpucontract.measurements.parsers.perftest_rows import Row, as_readings
from gpucontract.measurements.parsers.sizes import decimal, whole
from gpucontract.wording import Text

BANDWIDTH_NAMES = ("bw_average", "bw_average_GBps", "bw_peak", "message_size")
LATENCY_NAMES = ("t_min", "t_max", "t_typical", "t_avg", "t_p99", "t_p999", "message_size")
ERRORS = (
    ("no_rdma_port", re.compile(r"^gpucontract-agent: no active \S+ port on one of .*", re.MULTILINE)),
    ("perftest_connect_failed", re.compile(
        r"Couldn't connect to|Unable to init the socket connection|Failed to connect through RDMA CM"
        r"|Unexpected CM event|Connection refused|rdma_bind_addr failed", re.IGNORECASE)),
    ("no_rdma_device", re.compile(
        r"Did not detect devices|Unable to find the Infiniband/RoCE device"
        r"|IB device .{1,60} not found", re.IGNORECASE)),
    ("perftest_failed", re.compile(
        r"Completion with error at|Failed status|Failed to exchange data|Couldn't (?:read|allocate|create|post|listen)"
        r"|Failed to (?:modify|create|open|allocate|complete|deal|post)|Unable to (?:create|open|init|connect)"
        r"|Conflicting (?:MTU|test)|Port number .{1,40} state is", re.IGNORECASE)),
)  # fmt: skip
TITLE = re.compile(r"^[ \t]*(\S[\w ]{1,60}? (?:BW|Latency|Latency for .{1,20}) Test)[ \t]*$", re.MULTILINE)
COLUMN = re.compile(
    r"#(?:bytes|iterations|sl)|(BW peak|BW average|BW Port[12])\[([A-Za-z/]{1,10})\]"
    r"|MsgRate(?: Port[12])?\[Mpps\]|CPU_Util\[%{1,2}\]"
    r"|t_(?:min|max|typical|avg|stdev)\[usec\]|99(?:\.9)?% percentile\[usec\]|tps average"
)
HEADER = re.compile(r"^[ \t]*#bytes[ \t]+#.*$", re.MULTILINE)
NUMBERS = re.compile(r"^[ \t]*[0-9]+(?:[ \t]+[-+0-9.,e]+(?:nan|inf)?)+[ \t]*$")
SETTING = re.compile(r"(Device|Link type|Number of qps|GID index|Connection type|Mtu)[ \t]*: ?(\S{1,40})")
QUEUE_PAIR = re.compile(r"^ *(local|remote) address: .{0,40}?QPN (0x[0-9a-f]+) PSN (0x[0-9a-f]+)", re.MULTILINE)
CPU_FREQUENCY = re.compile(r"Conflicting CPU frequency values detected.*")
UNITS = {"Gb/sec": "Gb/s", "MB/sec": "MiB/s", "MiB/sec": "MiB/s"}
CPU_CHANGES = Text(
    "CPU 主频在变化，时延结果不可靠；带宽不受影响。测时延前请设 performance 调速器。",
    "The CPU clock changes: latencies are doubtful, bandwidth is not. Set the performance governor before a "
    "latency test.",
)
LOOPBACK = Text(
    "服务端和客户端的输出在同一次采集里：这是本机回环，不能代表两台机器之间的网络。",
    "Server and client are in one capture: this is a loopback and says nothing about the network between two machines.",
)
BOTH_WAYS = Text(
    "这是双向测试，数值是两个方向之和。判定单向条款请去掉 -b 复测。",
    "This is a bidirectional test: the value is the sum of both directions. For a one-way clause run again without -b.",
)


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one test with their unit; titles: position and text of every header; is_latency by the columns."""

    rows: tuple[Row, ...]
    unreadable: int
    titles: tuple[tuple[int, str], ...]
    headers: tuple[int, ...]
    first_row: int
    is_latency: bool
    unit: str
    is_one_run: bool


def parse(capture: Capture) -> Parsed:
    """bw_average and bw_peak (or the t_ latencies) of one size, bw_average_at_<bytes> of each, and the settings."""
    text, both = cleaned(capture.stdout), printed(capture)
    is_latency = "_lat" in f"{capture.tool} {capture.command}"
    if text.lstrip().startswith("{"):
        return read_json(capture, text)
    table = _table(text)
    names = LATENCY_NAMES if table.is_latency or (is_latency and not table.rows) else BANDWIDTH_NAMES
    error = known_error(both, ERRORS) or run_error(capture) or _layout_error(table)
    if error:
        return failed(error, *names)
    readings = (*as_readings(table.rows, table.unit, table.is_latency), *_settings(text, table), *_warning(both))
    return Parsed(readings, _findings(both, table))


def _table(text: str) -> Table:
    headers = list(HEADER.finditer(text))
    titles = tuple((found.start(), found[1]) for found in TITLE.finditer(text))
    columns = (
        [(found[0], found[1] or "", found[2] or "") for found in COLUMN.finditer(headers[0][0])] if headers else []
    )
    units = {unit for _, name, unit in columns if name in ("BW peak", "BW average")}
    unit = UNITS.get(units.pop(), "") if len(units) == 1 else ""
    rows, unreadable, first = _rows(
        text, headers[0].end() if headers else len(text), [name or full for full, name, _ in columns]
    )
    is_latency = any(full.startswith("t_") for full, _, _ in columns)
    starts = tuple(header.start() for header in headers)
    return Table(rows, unreadable, titles, starts, first, is_latency, unit, _is_both_ends(text))


def _is_both_ends(text: str) -> bool:
    """Whether every queue pair that one test calls its own another calls its peer's: server and client of one run."""
    own, peers = (
        sorted(pair for end, *pair in QUEUE_PAIR.findall(text) if end == side) for side in ("local", "remote")
    )
    return own == peers != []


def _rows(text: str, start: int, columns: list[str]) -> tuple[tuple[Row, ...], int, int]:
    """Rows after the header: numbers only, one for each column; lines of numbers that do not fit are counted."""
    rows: list[Row] = []
    unreadable, first, position = 0, len(text), start
    for line in text[start:].splitlines(keepends=True):
        if NUMBERS.match(line):
            first = min(first, position)
            row = _row(line, columns)
            rows += [row] if row else []
            unreadable += row is None
        position += len(line)
    return tuple(rows), unreadable, first


def _row(line: str, columns: list[str]) -> Row | None:
    cells = line.split()
    values = {name: decimal(cell) for name, cell in zip(columns, cells, strict=False)}
    size = whole(cells[0])
    if len(cells) != len(columns) or size is None or None in values.values():
        return None
    return Row(size, {name: value for name, value in values.items() if value is not None}, line.strip())


def _layout_error(table: Table) -> str:
    """No header, no rows, an unknown unit, or a second test after the first one's rows."""
    later = any(start > table.first_row for start in (*table.headers, *(start for start, _ in table.titles)))
    if later and not table.is_one_run:
        return "two_outputs: a second test follows the first one's results; keep one run per capture"
    if not table.headers:
        return "perftest_unknown: no header line '#bytes #iterations'; run without --output"
    if table.unreadable:
        return f"perftest_row_unreadable: {table.unreadable} result lines do not fit the header"
    if not table.rows:
        return "perftest_no_result: the run stopped before its first result"
    if not table.is_latency and not table.unit:
        return "perftest_unknown: the header names no bandwidth unit that is known (Gb/sec, MB/sec, MiB/sec)"
    return _disagreement(table.rows)


def _disagreement(rows: tuple[Row, ...]) -> str:
    """A loopback capture holds each size twice, from server and client; they must say the same."""
    seen: dict[int, Row] = {}
    for row in rows:
        if row.size in seen and seen[row.size].values != row.values:
            return f"rows_disagree: {row.size} bytes stands there twice with different values"
        seen[row.size] = row
    return ""


def _settings(text: str, table: Table) -> tuple[Reading, ...]:
    found: dict[str, set[str]] = {}
    for key, value in SETTING.findall(text):
        found.setdefault(key, set()).add(value)
    device, link = found.get("Device", set()), found.get("Link type", set())
    readings = [
        Reading("device", device.pop())
        if len(device) == 1
        else absent("differs" if device else "not_printed", "device")[0],
        Reading("link_type", link.pop())
        if len(link) == 1
        else absent("differs" if link else "not_printed", "link_type")[0],
    ]
    titles = {title for _, title in table.titles}
    if len(titles) == 1:
        title = titles.pop()
        readings += [Reading("test", title), Reading("bidirectional", "Bidirectional" in title, line=title)]
    return tuple(readings)


def _warning(text: str) -> tuple[Reading, ...]:
    found = CPU_FREQUENCY.search(text)
    return (Reading("warning", "cpu_frequency", line=line_around(text, found.start())),) if found else ()


def _findings(text: str, table: Table) -> tuple[Finding, ...]:
    found = []
    if CPU_FREQUENCY.search(text):
        found.append(Finding("cpu_frequency", CPU_CHANGES))
    if len(table.titles) > 1:
        found.append(Finding("perftest_loopback", LOOPBACK))
    if any("Bidirectional" in title for _, title in table.titles):
        found.append(Finding("perftest_bidirectional", BOTH_WAYS))
    return tuple(found)
