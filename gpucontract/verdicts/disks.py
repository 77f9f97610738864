"""fio runs against read clauses: contracted path and pattern, past the cache, long enough, not faster than the wire."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gpucontract.contracts.clauses import Clause, Scope
from gpucontract.measurements.parsers.capture import ReadingValue
from gpucontract.measurements.records import RunRecord
from gpucontract.units import UnitError, exact
from gpucontract.verdicts import plausibility
from gpucontract.verdicts.comparing import condition_number, in_unit
from gpucontract.verdicts.derive import data_disks
from gpucontract.verdicts.file_places import within, wrong_place
from gpucontract.verdicts.trials import Printed, Trial, printed

_NO_DISK = ("null", "cpuio", "mmap", "falloc", "ftruncate", "filecreate", "filestat", "filedelete")

LOAD = "shared_load"
# Of a minute's reading, this much at either end may be without some of the machines.
MOST_APART = timedelta(seconds=3)

Miss = tuple[str, dict[str, Any]]
Check = Callable[[Printed, Clause], Miss | None]


def storage_trial(record: RunRecord, clause: Clause, wires: plausibility.Wires) -> Trial:
    """The run's read rate on the contracted path, or the first condition that it does not meet."""
    name = reading_name(clause)
    shown = [each for each in printed(record) if name in each.values or _is_fio(each)]
    here = [each for each in shown if _is_on_path(each, clause, record)]
    here = _of_pattern(here, clause) if record.job == LOAD else here
    if not here:
        failed = next((each.output.error for each in shown if each.output.error), "")
        why = "tool_failed" if failed else "wrong_path" if shown else "not_read"
        return Trial(record, why=why, facts={"detail": failed} if failed else {})
    misses = [_first_miss(each, clause) or _elsewhere(each, clause, record) for each in here]
    counted = [each for each, miss in zip(here, misses, strict=True) if miss is None]
    if not counted:
        why, facts = next(miss for miss in misses if miss is not None)
        return Trial(record, why=why, facts=facts)
    miss = _not_one_load(counted, misses, record)
    if miss is not None:
        return Trial(record, why=miss[0], facts={**miss[1], "nodes": record.nodes})
    value = _rate(counted, clause)
    most, moved = _most(record, clause, wires, len(counted)), _moved(counted, clause, value)
    if most is not None and moved is not None and moved > most.gbs:
        return Trial(record, why=most.why, facts={"printed": moved, "most": most.gbs, "unit": "GB/s"})
    return Trial(record, value, facts={"clients_seen": len(counted), "nodes": record.nodes})


def _of_pattern(here: list[Printed], clause: Clause) -> list[Printed]:
    """The outputs of the clause's own test, where a run holds several on one path; what failed tells no pattern."""
    wanted = clause.conditions.get("rw")
    return [each for each in here if each.word("rw") in ("", wanted)]


def _not_one_load(counted: list[Printed], misses: list[Miss | None], record: RunRecord) -> Miss | None:
    """Why a load of several machines is none: one of them did not count, or they did not read at the same time.

    A sum over machines that read one after the other, or over two results of one, is more than was ever delivered.
    """
    if len(counted) > len(record.nodes):
        return "many_results", {"seen": len(counted), "wanted": len(record.nodes)}
    if record.job != LOAD or len(record.nodes) < 2:
        return None
    missed = next((miss for miss in misses if miss is not None), None)
    if missed is not None or len(counted) < len(record.nodes):
        return missed or ("few_clients", {"seen": len(counted), "wanted": len(record.nodes)})
    apart = max(
        _spread([each.output.started_at for each in counted]), _spread([each.output.ended_at for each in counted])
    )
    return None if apart <= MOST_APART else ("not_together", {})


def _spread(times: list[datetime | None]) -> timedelta:
    """From the first to the last; the longest there is where one is not known."""
    known = [time for time in times if time is not None]
    return max(known) - min(known) if len(known) == len(times) else timedelta.max


def reading_name(clause: Clause) -> str:
    """Which of fio's figures the clause is about."""
    return "read_iops" if clause.metric == "fio_rand_read_iops" else "read_bw"


def _rate(counted: list[Printed], clause: Clause) -> Decimal:
    """The sum over clients that read together: one output per client."""
    name = reading_name(clause)
    parts = (in_unit(each.number(name) or 0, each.units.get(name, ""), clause.unit) for each in counted)
    return sum(parts, Decimal(0))


def _most(record: RunRecord, clause: Clause, wires: plausibility.Wires, clients: int) -> plausibility.Most | None:
    """What ports or disks can move at most: all ports of each client, or the lanes of the local data disks."""
    group = wires.body.group(record.group)
    if clause.scope is Scope.CONTRACT:
        most = wires.fastest(group)
        return most and replace(most, gbs=most.gbs * clients)
    listed = next((seen.value for seen in data_disks(record, clause) if isinstance(seen.value, int)), 0)
    count = listed or plausibility.contracted_disks(wires.body, group)
    why = "over_ceiling" if listed else "over_contracted_disks"
    return plausibility.Most(plausibility.disks_ceiling(group, count), why) if count else None


def _moved(counted: list[Printed], clause: Clause, value: Decimal) -> Decimal | None:
    """The bytes behind the figure, GB/s; operations move their block each."""
    if clause.unit == "GB/s":
        return value
    blocks = [_bytes(each.word("block_size"), each.units.get("block_size", "")) for each in counted]
    sizes = [block for block in blocks if isinstance(block, Fraction)]
    if clause.unit != "IOPS" or len(sizes) < len(blocks):
        return None
    return value * Decimal(int(min(sizes))) / 10**9


def _elsewhere(shown: Printed, clause: Clause, record: RunRecord) -> Miss | None:
    """Memory, a container's layer, the system disk, or another mount under the contracted path."""
    disks = shown.values.get("fio_disks")
    return wrong_place(record, clause, shown.word("fio_filename"), disks if isinstance(disks, tuple) else ())


def _is_fio(shown: Printed) -> bool:
    return shown.output.tool.startswith("fio")


def _is_on_path(shown: Printed, clause: Clause, record: RunRecord) -> bool:
    """Whether fio wrote under the contracted mount; for the local disks, under the path that the order named."""
    path = str(clause.conditions.get("mount") or clause.conditions.get("path") or record.params.get("local_path") or "")
    file_name = shown.word("fio_filename")
    return bool(path) and within(file_name, path)


def _first_miss(shown: Printed, clause: Clause) -> Miss | None:
    return next((miss for check in CHECKS if (miss := check(shown, clause)) is not None), None)


def _failed(shown: Printed, _: Clause) -> Miss | None:
    return ("tool_failed", {"detail": shown.output.error}) if shown.output.error else None


def _direct(shown: Printed, clause: Clause) -> Miss | None:
    """Past the page cache; a file of 5 GiB read at 18 GB/s is memory."""
    is_direct = shown.values.get("direct") in (True, 1, Decimal(1))
    return None if is_direct or not clause.conditions.get("direct") else ("not_direct", {})


def _real_engine(shown: Printed, _: Clause) -> Miss | None:
    """An engine that moves no data from the disk, or reads through memory, measures something else."""
    engine = shown.word("io_engine")
    wanted = "libaio, io_uring"
    return ("other_profile", {"name": "ioengine", "seen": engine, "wanted": wanted}) if engine in _NO_DISK else None


def _long_enough(shown: Printed, clause: Clause) -> Miss | None:
    wanted, ran = condition_number(clause.conditions, "runtime_s"), shown.number("runtime")
    if wanted is None:
        return None
    try:
        seconds = Decimal(0) if ran is None else in_unit(ran, shown.units.get("runtime") or "ms", "s")
    except UnitError as fault:
        return "unread", {"detail": str(fault)}
    # fio ends a few milliseconds early or late; a whole second less is another test.
    return ("too_short", {"seconds": seconds, "wanted": wanted}) if seconds <= wanted - 1 else None


def _as_agreed(shown: Printed, clause: Clause) -> Miss | None:
    """Pattern, block size, queue depth and jobs of the agreed profile."""
    for condition, reading in (
        ("rw", "rw"),
        ("block_size", "block_size"),
        ("iodepth", "io_depth"),
        ("numjobs", "numjobs"),
    ):
        wanted, seen = clause.conditions.get(condition), shown.values.get(reading)
        if wanted is not None and not _is_same(str(wanted), seen, shown.units.get(reading, "")):
            return "other_profile", {
                "name": condition,
                "seen": "?" if seen is None else str(seen),
                "wanted": str(wanted),
            }
    return None


def _measured(shown: Printed, clause: Clause) -> Miss | None:
    name = reading_name(clause)
    if shown.number(name) is None:
        return "not_read", {}
    try:
        in_unit(shown.number(name) or 0, shown.units.get(name, ""), clause.unit)
    except UnitError as fault:
        return "unread", {"detail": str(fault)}
    return None


def _is_same(wanted: str, seen: ReadingValue | None, unit: str) -> bool:
    if seen is None:
        return False
    here, there = _bytes(wanted, ""), _bytes(str(seen), unit)
    return here == there if here is not None and there is not None else wanted == str(seen)


def _bytes(text: str, unit: str) -> object:
    """A size or plain number as an exact amount: 1MiB, 4k and 1048576 B; None for words."""
    head = text.rstrip("KMGTiBbkmg ")
    tail = text[len(head) :].strip() or unit
    if not head.replace(".", "", 1).isdecimal():
        return None
    if not tail:
        return exact(Decimal(head) if "." in head else int(head), "B", "B")
    try:
        return exact(Decimal(head), _BINARY.get(tail.lower(), tail), "B")
    except UnitError:
        return None


# fio's own k and m are binary.
_BINARY = {"k": "KiB", "m": "MiB", "g": "GiB", "kib": "KiB", "mib": "MiB", "gib": "GiB", "b": "B"}

CHECKS: tuple[Check, ...] = (_failed, _real_engine, _as_agreed, _direct, _long_enough, _measured)
