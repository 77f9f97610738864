"""One test case of nvbandwidth: its matrix and what that says per GPU, per pair and in all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Finding, Reading
from gpucontract.measurements.parsers.cells import NUMBER
from gpucontract.measurements.parsers.gpu_remarks import remark

ENDS = (("host_to_device", "h2d"), ("device_to_host", "d2h"), ("device_to_device", "d2d"))


@dataclass(slots=True)
class Case:
    """One test case: its matrix as printed, its sum, and how it ended."""

    name: str
    status: str = "running"
    unit: str = "GB/s"
    columns: list[str] = field(default_factory=list)
    rows: list[tuple[str, list[str]]] = field(default_factory=list)
    total: Decimal | None = None

    @property
    def short(self) -> str:
        """The name in readings: host_to_device_memcpy_ce is h2d, device_to_device_memcpy_read_ce d2d_read."""
        name = self.name
        for words, letters in ENDS:
            name = name.replace(words, letters)
        name = name.replace("_memcpy", "").removesuffix("_ce")
        return name.removesuffix("_sm") if name.endswith("latency_sm") else name

    @property
    def between_gpus(self) -> bool:
        """Rows and columns both count GPUs, so that the diagonal is a GPU with itself."""
        return "device_to_device" in self.name

    @property
    def is_of_many_machines(self) -> bool:
        """Rows and columns count processes, so they name no GPU of a machine."""
        return self.name.startswith("multinode_")

    @property
    def is_latency(self) -> bool:
        """Nanoseconds, where the highest is the worst."""
        return self.unit == "ns"

    @property
    def is_whole(self) -> bool:
        """It passed and its matrix has every row and cell that its shape asks for."""
        full = all(len(cells) == len(self.columns) for _, cells in self.rows)
        square = not self.between_gpus or len(self.rows) == len(self.columns)
        return self.status == "passed" and bool(self.rows) and full and square


@dataclass(frozen=True, slots=True)
class Cell:
    """One measured cell and the GPUs it is of."""

    value: Decimal
    scope: str
    line: str


def case_readings(case: Case) -> Iterator[Reading]:
    """The worst cell as <name>_min (latency: <name>, the highest), the sum, and each GPU or pair."""
    worst_name = case.short if case.is_latency else f"{case.short}_min"
    if not case.name:
        return
    if not case.is_whole:
        yield Reading(worst_name, None, why="waived" if case.status == "waived" else "incomplete", line=case.name)
        return
    measured, missing = _cells(case)
    if missing or not measured:
        yield Reading(worst_name, None, why="cell_not_measured", line=case.name)
    else:
        worst = _worst(case, measured)
        yield Reading(worst_name, worst.value, case.unit, line=worst.line)
    if case.total is not None and not case.is_latency:
        yield Reading(f"{case.short}_sum", case.total, case.unit, line=f"SUM {case.name} {case.total}")
    for scope in () if case.is_of_many_machines else dict.fromkeys(cell.scope for cell in measured):
        worst = _worst(case, [cell for cell in measured if cell.scope == scope])
        yield Reading(case.short, worst.value, case.unit, scope, "", worst.line)


def case_remarks(case: Case) -> Iterator[Finding]:
    """What to do about a waived case or empty cells; the pair that decides."""
    if case.status == "waived":
        yield remark("test_waived", name=case.name or "?")
    elif case.is_whole:
        measured, missing = _cells(case)
        if missing:
            yield remark("cells_not_measured", name=case.name, count=missing)
        elif case.between_gpus and measured:
            worst = _worst(case, measured)
            scope = "" if case.is_of_many_machines else worst.scope
            yield remark("worst_pair", scope, what=case.name, pair=worst.scope, value=worst.value, unit=case.unit)


def _worst(case: Case, cells: list[Cell]) -> Cell:
    return (max if case.is_latency else min)(cells, key=lambda cell: cell.value)


def _cells(case: Case) -> tuple[list[Cell], int]:
    """Measured cells, and how many off the diagonal hold none; old versions print 0.00 where nothing was copied."""
    measured: list[Cell] = []
    missing = 0
    for row, cells in case.rows:
        for column, text in zip(case.columns, cells, strict=True):
            if case.between_gpus and row == column:
                continue
            value = Decimal(text) if NUMBER.fullmatch(text) else None
            if value:
                measured.append(Cell(value, _scope(case, row, column), f"{case.name} [{row}][{column}] {text}"))
            else:
                missing += 1
    return measured, missing


def _scope(case: Case, row: str, column: str) -> str:
    if not case.between_gpus:
        return f"gpu{int(column)}"
    first, second = sorted((int(row), int(column)))
    return f"gpu{first}+gpu{second}"
