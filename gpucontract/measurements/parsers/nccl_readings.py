"""What a run of nccl-tests says in readings: every size, the largest, the whole, who took part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from operator import attrgetter

from gpucontract.measurements.parsers.capture import Finding, Reading
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.nccl_run import Row, Run, expected_sizes, ranks_of, shares_host_name
from gpucontract.measurements.parsers.outcomes import absent

SPEED = "GB/s"
BANDWIDTHS = (
    "busbw_max", "busbw_at_largest_size", "busbw_at_largest_size_out_of_place", "busbw_at_largest_size_in_place",
    "avg_busbw",
)  # fmt: skip
DEFAULT_TYPE, DEFAULT_REDOP = "float", "sum"
NOT_CHECKED = ("", "N/A")
MOST_SIZES = 1024
BINARY = ((2**30, "G"), (2**20, "M"), (2**10, "K"))
# all_gather and its kin round a size down to 16 bytes a rank.
ALIGNMENT = 16


def table_readings(run: Run, ranks: int | None) -> Iterator[Reading]:
    """Bandwidths and times of a finished run; with one rank the bandwidths say nothing."""
    if ranks == 1:
        yield from (Reading(name, None, why="one_rank") for name in BANDWIDTHS)
        yield from (_printed_average(run), *_wrong(run))
        return
    rows = chosen(run.rows)
    yield from _overview(run, rows)
    yield from _wrong(run)
    yield from _unreached(run, rows)
    yield from _alignment_aliases(run, rows, ranks)
    yield from size_readings(rows)
    have = {row.size for row in rows}
    for size in sorted(set(run.rows_cut) - have):
        yield from (Reading(f"busbw_at_{size}_{half}", None, why="row_cut") for half in ("out_of_place", "in_place"))


def chosen(rows: Sequence[Row]) -> list[Row]:
    """One row per size: of the tool's default type and operation where several were run, then the lowest."""
    rows = [row for row in rows if row.datatype == DEFAULT_TYPE] or rows
    rows = [row for row in rows if row.redop == DEFAULT_REDOP] or rows
    lowest: dict[int, Row] = {}
    for row in rows:
        kept = lowest.get(row.size)
        if kept is None or _worst_speed(row) < _worst_speed(kept):
            lowest[row.size] = row
    return list(lowest.values())


def _worst_speed(row: Row) -> Decimal:
    speeds = [speed for text in (row.busbw_out, row.busbw_in) if (speed := number(text)) is not None]
    return min(speeds, default=Decimal(0))


def number(text: str) -> Decimal | None:
    """A printed number; nan, inf and an empty half are none."""
    return Decimal(text) if text and text[0].isdigit() else None


def size_readings(rows: Sequence[Row]) -> Iterator[Reading]:
    """busbw, algbw and time per size and half, as printed; of very many sizes the powers of two and the largest."""
    if len(rows) > MOST_SIZES:
        largest = sorted(row.size for row in rows)[-MOST_SIZES]
        rows = [row for row in rows if row.size >= largest or row.size.bit_count() == 1]
    for row in rows:
        yield from _row_readings(row, str(row.size))


def _row_readings(row: Row, size: str) -> Iterator[Reading]:
    line = row.line
    for name, text, unit in (
        (f"busbw_at_{size}_out_of_place", row.busbw_out, SPEED),
        (f"busbw_at_{size}_in_place", row.busbw_in, SPEED),
        (f"algbw_at_{size}_out_of_place", row.algbw_out, SPEED),
        (f"algbw_at_{size}_in_place", row.algbw_in, SPEED),
        (f"time_at_{size}_out_of_place", row.time_out, "us"),
        (f"time_at_{size}_in_place", row.time_in, "us"),
    ):
        value = number(text)
        if value is not None:
            yield Reading(name, value, unit, "", "", line)
        elif text:
            yield Reading(name, None, why="not_a_number", line=line)


def _overview(run: Run, rows: Sequence[Row]) -> Iterator[Reading]:
    largest = max(rows, key=lambda row: row.size)
    fastest = _fastest(run.rows)
    yield Reading("largest_size", largest.size, "B", line=largest.line)
    for half, speed in (("out_of_place", largest.busbw_out), ("in_place", largest.busbw_in)):
        if speed:
            yield _speed(f"busbw_at_largest_size_{half}", number(speed), largest.line)
    yield _speed("busbw_at_largest_size", _best_speed(largest), largest.line)
    yield _speed("busbw_max", _best_speed(fastest), fastest.line)
    yield _speed("avg_busbw", run.average, run.average_line)
    yield _printed_average(run)


def _best_speed(row: Row) -> Decimal:
    speeds = [speed for text in (row.busbw_out, row.busbw_in) if (speed := number(text)) is not None]
    return max(speeds, default=Decimal(-1))


def _fastest(rows: Sequence[Row]) -> Row:
    """The first row with the best speed; compared as floats, since there may be many, but read as printed."""
    halves = [
        [float(text) if text[:1].isdigit() else -1.0 for text in map(attrgetter(half), rows)]
        for half in ("busbw_out", "busbw_in")
    ]
    best = max(map(max, halves))
    return rows[min(half.index(best) for half in halves if best in half)]


def _speed(name: str, value: Decimal | None, line: str) -> Reading:
    if value is None or value < 0:
        return Reading(name, None, why="not_a_number", line=line)
    return Reading(name, value, SPEED, line=line)


def _printed_average(run: Run) -> Reading:
    return _speed("printed_avg", run.average, run.average_line)


def _wrong(run: Run) -> Iterator[Reading]:
    """Elements that came out wrong. The old column 'error' is a rounding delta: there only a clean summary says 0."""
    checks = run.out_of_bounds
    if run.validation is False:
        yield Reading("wrong_results", None, why="validation_off")
        return
    if checks is not None:
        yield Reading("out_of_bounds", int(checks))
    bad = [
        (Decimal(text), row)
        for row in run.rows
        for text in (row.wrong_out, row.wrong_in)
        if text and text != "0" and text[0].isdigit()
    ]
    total = sum((count for count, _ in bad), Decimal(0))
    if not run.counts_wrong:
        clean = checks == 0
        yield Reading("wrong_results", 0 if clean else None, why="" if clean else "count_not_printed")
    elif all(row.wrong_out in NOT_CHECKED and row.wrong_in in NOT_CHECKED for row in run.rows):
        yield Reading("wrong_results", None, why="not_checked")
    elif checks and not total:
        yield Reading("wrong_results", None, why="rows_cut")
    else:
        worst = max(bad, key=lambda pair: pair[0])[1] if bad else run.rows[-1]
        yield Reading("wrong_results", int(total), line=worst.line)


def _reached(run: Run, rows: Sequence[Row]) -> tuple[int | None, int]:
    """The largest size the run was asked for, and the largest it has a row of."""
    wanted = max(expected_sizes(run, run.asked_max), default=None)
    return wanted, max(row.size for row in rows)


def _slack(run: Run, ranks: int | None) -> int:
    """How far below the size asked for a collective may round; all_reduce, broadcast and reduce never do."""
    keeps = run.collective in ("all_reduce", "broadcast", "reduce")
    return 0 if keeps else ALIGNMENT * (ranks or 1024)


def _unreached(run: Run, rows: Sequence[Row]) -> Iterator[Reading]:
    wanted, largest = _reached(run, rows)
    if wanted is None or largest >= wanted - _slack(run, None):
        return
    why = "max_bytes_reduced" if (run.allowed_max or 0) < (run.asked_max or 0) else "size_not_reached"
    for name in (f"requested_size_{label(wanted)}", f"busbw_at_{wanted}_out_of_place", f"busbw_at_{wanted}_in_place"):
        yield Reading(name, None, why=why)


def label(size: int) -> str:
    """A size as nccl-tests takes it: 8G, 512M, or the bytes."""
    return next((f"{size // unit}{letter}" for unit, letter in BINARY if size % unit == 0), str(size))


def _alignment_aliases(run: Run, rows: Sequence[Row], ranks: int | None) -> Iterator[Reading]:
    """A size rounded down to the ranks is also read under the size asked for, as contracts name it."""
    slack = _slack(run, ranks)
    if not slack or ranks is None:
        return
    have = {row.size: row for row in rows}
    for wanted in expected_sizes(run, run.allowed_max):
        if wanted not in have and wanted >= 2**20:
            near = next((have[size] for size in range(wanted - 1, wanted - slack, -1) if size in have), None)
            if near:
                yield from _row_readings(near, str(wanted))


def party_readings(run: Run) -> Iterator[Reading]:
    """Ranks, hosts, host names and cards of the communicator the table is of."""
    ranks, _ = ranks_of(run)
    group = run.group
    line = group[-1].line if group else ""
    if ranks is None:
        yield Reading("ranks", None, why="device_list_incomplete" if group else "no_device_list")
    else:
        yield Reading("ranks", ranks, line=line)
    if not group:
        yield Reading("hosts", None, why="no_device_list")
        return
    if ranks is None:
        yield from absent("device_list_incomplete", "hosts", "host_names", line=line)
    else:
        yield Reading("hosts", len(run.hosts), line=line)
        yield Reading("host_names", run.hosts, line=line)
    yield from _models(run)
    if ranks == len(group):
        yield Reading("distinct_gpus", len({(one.host, one.device, one.bus_id) for one in group}), line=line)
    else:
        yield Reading("distinct_gpus", None, why="device_list_incomplete")


def _models(run: Run) -> Iterator[Reading]:
    """The GPU models the ranks name: all of the run, and those of each host."""
    named = dict.fromkeys((device.host, device.model) for device in run.group if device.model)
    if not named:
        return
    models = tuple(dict.fromkeys(model for _, model in named))
    yield Reading("rank_gpu_models", models)
    for host in dict.fromkeys(host for host, _ in named):
        yield Reading("rank_gpu_models", tuple(model for at, model in named if at == host), scope=f"@{host}")


def run_remarks(run: Run) -> Iterator[Finding]:
    """What to know about a finished run before its figures are used."""
    ranks, expected = ranks_of(run)
    if run.is_list_cut:
        yield remark("device_list_cut")
    elif ranks is None and run.group:
        yield remark("device_list_incomplete", listed=len(run.group), expected=expected or "?")
    if shares_host_name(run.group):
        yield remark("host_name_shared")
    groups = {device.group for device in run.devices}
    if len(groups) > 1:
        yield remark("split_groups", count=len(groups))
    if ranks == 1:
        yield remark("one_rank")
    if run.validation is False:
        yield remark("validation_off")
    if run.tool_check == "FAILED":
        yield remark("tool_check_failed")
    if run.last_error:
        yield remark("nccl_last_error", line=run.last_error[:200])
    if run.rows:
        yield from _row_remarks(run, ranks)


def _row_remarks(run: Run, ranks: int | None) -> Iterator[Finding]:
    wanted, largest = _reached(run, run.rows)
    slack = _slack(run, ranks)
    if wanted is not None and largest < wanted - slack:
        yield remark("size_not_reached", wanted=wanted, largest=largest)
    if run.rows_cut:
        yield remark("rows_cut", count=len(run.rows_cut), sizes=_some(run.rows_cut))
    have = {row.size for row in run.rows}
    missing = [size for size in expected_sizes(run, run.allowed_max) if size not in have] if not slack else []
    if missing:
        yield remark("sizes_missing", count=len(missing), sizes=_some(missing))
    if len(run.rows) > len(have) and len({row.size for row in run.rows if row.size}) < sum(
        row.size > 0 for row in run.rows
    ):
        last = chosen(run.rows)[-1]
        yield remark("sizes_repeated", kind="/".join(filter(None, (last.datatype, last.redop, last.root))))
    if run.out_of_bounds:
        yield remark("wrong_results", count=int(run.out_of_bounds))


def _some(sizes: Sequence[int]) -> list[str]:
    return [str(size) for size in sizes[:8]] + (["…"] if len(sizes) > 8 else [])
