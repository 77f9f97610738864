"""One nccl-tests run as text or JSON told it, before it becomes readings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

COLLECTIVE = re.compile(r"\b(all_reduce|all_gather|reduce_scatter|alltoallv|alltoall|broadcast|reduce|gather|scatter"
                        r"|sendrecv|hypercube)_perf")  # fmt: skip


@dataclass(slots=True)
class Row:
    """One row of the table, cells as printed: first out of place, then in place; "" where there is none.

    Flat and not frozen: a table may hold tens of thousands, and all else is slower to make.
    """

    size: int
    line: str
    datatype: str
    redop: str
    root: str
    time_out: str
    algbw_out: str
    busbw_out: str
    wrong_out: str
    time_in: str
    algbw_in: str
    busbw_in: str
    wrong_in: str


@dataclass(frozen=True, slots=True)
class Device:
    """One rank of the device list."""

    rank: int
    group: int
    pid: str
    host: str
    device: str
    bus_id: str
    line: str
    model: str = ""


@dataclass(slots=True)
class Run:
    """Everything one output says; numbers are kept as printed until they become readings."""

    collective: str = ""
    asked_min: int | None = None
    asked_max: int | None = None
    step: int | None = None
    is_factor: bool = True
    allowed_max: int | None = None
    processes_hold: int | None = None
    iterations: int | None = None
    warm_up: int | None = None
    is_cpu_time: bool = False
    validation: bool | None = None
    devices: list[Device] = field(default_factory=list)
    is_list_cut: bool = False
    lists_first_only: bool = False
    rows: list[Row] = field(default_factory=list)
    rows_cut: list[int] = field(default_factory=list)
    counts_wrong: bool = True
    out_of_bounds: Decimal | None = None
    average: Decimal | None = None
    average_line: str = ""
    tool_check: str = ""
    tests_version: str = ""
    nccl_version: str = ""
    last_error: str = ""

    @property
    def group(self) -> list[Device]:
        """The ranks of rank 0's communicator: the table speaks of these only."""
        own = next((device.group for device in self.devices if device.rank == 0), 0)
        return [device for device in self.devices if device.group == own]

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host names of that communicator, in rank order."""
        return tuple(dict.fromkeys(device.host for device in self.group))

    @property
    def is_finished(self) -> bool:
        """The summary was printed to its end."""
        return self.out_of_bounds is not None and self.average_line != ""


def expected_sizes(run: Run, upto: int | None) -> Iterator[int]:
    """The sizes the tool steps through from -b to upto by -f or -i; nothing when the header did not say."""
    size, most = run.asked_min or 0, 4096
    while run.step and upto is not None and size and size <= upto and most:
        yield size
        size, most = (size * run.step if run.is_factor else size + run.step), most - 1


def version_of(number: int) -> str:
    """NCCL's integer version: 22803 is 2.28.3; until 2.8 it was 2708 for 2.7.8."""
    major, rest = divmod(number, 10000 if number >= 10000 else 1000)
    return f"{major}.{rest // 100}.{rest % 100}"


def collective_in(*texts: str) -> str:
    """The collective that the first of the texts names as <collective>_perf, or ''."""
    for text in texts:
        found = COLLECTIVE.search(text)
        if found:
            return found[1]
    return ""


def ranks_of(run: Run) -> tuple[int | None, int | None]:
    """Ranks of the communicator, and the number the header asks for: processes x threads x GPUs per thread.

    The list is whole when its numbers run from 0 without a gap; a list the tool cut is completed by the formula.
    """
    group = run.group
    processes = len({(device.host, device.pid) for device in group})
    expected = processes * run.processes_hold if run.processes_hold else None
    if run.lists_first_only:
        return len(group) * (run.processes_hold or 0) or None, expected
    if run.is_list_cut:
        return expected, expected
    whole = sorted(device.rank for device in run.devices) == list(range(len(run.devices)))
    if not group or not whole or (expected is not None and expected > len(group)):
        return None, expected
    return len(group), expected


def shares_host_name(devices: list[Device]) -> bool:
    """Two ranks on one GPU of one host cannot be: NCCL refuses it, so two machines have that name."""
    places = [(device.host, device.device, device.bus_id) for device in devices]
    return len(set(places)) < len(places)


def secret_names(environment: list[str] | Mapping[str, object]) -> list[str]:
    """Names of environment variables that look like secrets."""
    names = [str(entry).partition("=")[0] for entry in environment]
    return [name for name in names if SECRET.search(name)]


SECRET = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE", re.IGNORECASE)
