"""The matrix of nvidia-smi topo: a header of columns, one row per device, cells by TABs or (pasted) by blanks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

GPU = re.compile(r"GPU[0-9]{1,3}")
DEVICE = re.compile(r"(?=\S*[0-9])[A-Za-z][\w.-]{1,40}", re.ASCII)
AFFINITIES = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")


@dataclass(frozen=True, slots=True)
class Row:
    """One device's cells after its label, as printed; GPU rows also carry affinities behind the relations."""

    label: str
    cells: tuple[str, ...]
    line: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """The device columns (GPUs and all others, in order), the affinity columns, the rows; one header is right."""

    columns: tuple[str, ...]
    gpus: tuple[str, ...]
    nics: tuple[str, ...]
    affinities: tuple[str, ...]
    rows: tuple[Row, ...]
    headers: int
    ends_whole: bool


def matrix(text: str) -> Matrix | None:
    """The first matrix of the text with the count of all headers, None when no line is a header of device columns."""
    first: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    headers = 0
    rows: list[Row] = []
    for line in text.splitlines():
        header = _header(line)
        if header:
            first = first or header
            headers += 1
        elif first and headers == 1:
            row = _row(line, first[0])
            rows += [row] if row else []
    if first is None:
        return None
    columns, affinities = first
    gpus = tuple(name for name in columns if GPU.fullmatch(name))
    nics = tuple(name for name in columns if not GPU.fullmatch(name))
    return Matrix(columns, gpus, nics, affinities, tuple(rows), headers, text.endswith("\n"))


def _header(line: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Device names only, GPU0 first, then the affinity titles; a row has a relation behind its label instead."""
    if not line.lstrip().startswith("GPU0"):
        return None
    names = line.partition(AFFINITIES[0])[0].split()
    if not names or names[0] != "GPU0":
        return None
    if not all(DEVICE.fullmatch(name) for name in names) or len(set(names)) < len(names):
        return None
    return tuple(names), tuple(label for label in AFFINITIES if label in line)


def _row(line: str, columns: Sequence[str]) -> Row | None:
    """TABs keep cells apart even where they are empty; without any, blanks are all there is."""
    parts = [part.strip() for part in line.split("\t")] if "\t" in line.strip() else line.split()
    if not parts or parts[0] not in columns:
        return None
    return Row(parts[0], tuple(parts[1:]), line.strip())
