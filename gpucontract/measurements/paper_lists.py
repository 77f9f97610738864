"""DOCUMENTS.csv in an evidence pack: the papers handed in against document clauses, and what the buyer said of each.

Whoever holds the folder can write such a list, so what is read from it is unsigned like every other file.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TypeVar

from gpucontract.contracts.papers import Decision, Paper
from gpucontract.measurements.folders import FolderError
from gpucontract.office import safe, unmarked
from gpucontract.wording import Text

Kind = TypeVar("Kind")

DOCUMENTS = "DOCUMENTS.csv"
COLUMNS = (
    "key", "clause_sha256", "number", "name", "sha256", "uploaded_at", "decision", "decided_by", "decided_at", "reason",
    "valid_on", "expires_at",
)  # fmt: skip

_NO_COLUMNS = Text("{path} 缺少列：{columns}。", "{path} lacks the columns {columns}.")
_NO_TABLE = Text("{path} 不是可读的 CSV 表：{fault}。", "{path} is no readable CSV table: {fault}.")
_BAD_CELL = Text(
    "{path} 第 {line} 行的 {column} 是“{value}”，应为{wanted}。",
    "{path} line {line}: {column} is “{value}”, expected {wanted}.",
)
_KEY = Text("条款编号，如 c/licence", "a clause's key, like c/licence")
_DIGEST = Text("64 位十六进制的 sha256", "a sha256 of 64 hexadecimal digits")
_WHOLE = Text("1 到 9999 的整数", "a whole number from 1 to 9999")
_TIME = Text("带时区的时间", "a time with its zone")
_DAY = Text("日期，如 2026-03-31", "a day like 2026-03-31")
_DECISIONS = Text("open、confirmed 或 refused", "open, confirmed or refused")


def rows_of(papers: Iterable[Paper]) -> list[dict[str, str]]:
    """The rows of the list, one for each version of each paper."""
    return [{name: _written(getattr(paper, name)) for name in COLUMNS} for paper in papers]


def read_papers(folders: Sequence[Path]) -> dict[str, tuple[Paper, ...]]:
    """Clause key -> every listed version, unsigned; none where no folder holds a list. Raises FolderError."""
    papers: dict[str, tuple[Paper, ...]] = {}
    for folder in folders:
        for paper in _listed(folder / DOCUMENTS):
            papers[paper.key] = (*papers.get(paper.key, ()), paper)
    return papers


def _written(value: object) -> str:
    if isinstance(value, Decision):
        return value.value
    return "" if value is None else value.isoformat() if isinstance(value, date) else safe(str(value))


def _listed(path: Path) -> Iterator[Paper]:
    if not path.is_file():
        return
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            table = csv.DictReader(stream)
            missing = set(COLUMNS) - set(table.fieldnames or ())
            if missing:
                raise FolderError(_NO_COLUMNS.fill(path=path, columns=sorted(missing)))
            for cells in table:
                yield _paper(_Row(path, table.line_num, {name: cells[name] or "" for name in COLUMNS}))
    except (csv.Error, UnicodeDecodeError) as fault:
        raise FolderError(_NO_TABLE.fill(path=path, fault=fault)) from fault


class _Row:
    """One line of the list, asked cell by cell."""

    def __init__(self, path: Path, line: int, cells: Mapping[str, str]) -> None:
        self._path, self._line, self._cells = path, line, cells

    def text(self, column: str) -> str:
        return unmarked(self._cells[column])

    def matched(self, column: str, pattern: str, wanted: Text) -> str:
        """The cell, which must be of this form."""
        if not re.fullmatch(pattern, self._cells[column]):
            raise self._fault(column, wanted)
        return self._cells[column]

    def read(self, column: str, reader: Callable[[str], Kind], wanted: Text) -> Kind:
        """The cell as a reader makes it."""
        try:
            return reader(self._cells[column])
        except ValueError:
            raise self._fault(column, wanted) from None

    def _fault(self, column: str, wanted: Text) -> FolderError:
        value = self._cells[column][:80]
        return FolderError(_BAD_CELL.fill(path=self._path, line=self._line, column=column, value=value, wanted=wanted))


def _paper(row: _Row) -> Paper:
    given = row.text("decided_at"), row.text("valid_on"), row.text("expires_at")
    return Paper(
        key=row.matched("key", r"[a-z][a-z0-9]*/\S{1,70}", _KEY),
        clause_sha256=row.matched("clause_sha256", "[0-9a-f]{64}", _DIGEST),
        number=int(row.matched("number", "[1-9][0-9]{0,3}", _WHOLE)), name=row.text("name"),
        sha256=row.matched("sha256", "[0-9a-f]{64}", _DIGEST), uploaded_at=row.read("uploaded_at", _moment, _TIME),
        decision=row.read("decision", Decision, _DECISIONS), decided_by=row.text("decided_by"),
        decided_at=row.read("decided_at", _moment, _TIME) if given[0] else None, reason=row.text("reason"),
        valid_on=row.read("valid_on", date.fromisoformat, _DAY) if given[1] else None,
        expires_at=row.read("expires_at", _moment, _TIME) if given[2] else None, is_signed=False,
    )  # fmt: skip


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(text)
    return moment
