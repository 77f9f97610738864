"""Reading an .xlsx that somebody else wrote: only cells come out, and whatever could do harm is refused by name."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from io import BytesIO
from typing import Any

from openpyxl import load_workbook

from gpucontract.canonical import decimal_text
from gpucontract.contracts.sheet_load import overload_in
from gpucontract.office import harm_in
from gpucontract.wording import Text

LARGEST_BYTES = 5 * 1024 * 1024
LARGEST_UNPACKED = 20 * 1024 * 1024
MOST_PARTS = 500
MOST_SHEETS = 20
MOST_ROWS, MOST_COLUMNS = 500, 40
LONGEST_CELL = 500

_PARTS = "[Content_Types].xml"
_WORKBOOK = b"spreadsheetml.sheet.main+xml"
_TOO_LARGE = Text(
    "文件有 {size} MB，最多 {limit} MB。请只留规格表。",
    "The file has {size} MB; at most {limit} are read. Keep the spec sheet only.",
)
_OLD = Text(
    "这是旧版 .xls，或加了密码。请在 Excel 中去掉密码，另存为 .xlsx。",
    "This is an old .xls file or one with a password. Remove the password and save it as .xlsx in Excel.",
)
_NOT_XLSX = Text(
    "这不是 .xlsx 文件，或文件已损坏。请用 Excel 另存为 .xlsx。",
    "This is no .xlsx file, or a damaged one. Save it as .xlsx in Excel.",
)
_BOMB = Text(
    "解压后超过 {limit} MB 或 {parts} 个部件，拒绝读取。请另存为只有规格表的文件。",
    "Unpacked it exceeds {limit} MB or {parts} parts and is not read. Save a file with the spec sheet only.",
)
_HARMFUL = Text(
    "文件含有{what}，拒绝读取。请复制规格表到新的 .xlsx 文件再上传。",
    "The file holds {what} and is not read. Copy the spec sheet into a new .xlsx file and upload that.",
)
_MANY_SHEETS = Text(
    "有 {count} 张工作表，最多 {limit} 张。请只留规格表。",
    "There are {count} sheets; at most {limit} are read. Keep the spec sheet only.",
)
_HUGE = Text(
    "工作表“{sheet}”超过 {rows} 行或 {columns} 列。请只留规格表。",
    "Sheet “{sheet}” has more than {rows} rows or {columns} columns. Keep the spec sheet only.",
)
_EMPTY = Text(
    "所有工作表都是空的。请确认选对了文件，规格写在单元格里而不是图片里。",
    "Every sheet is empty. Make sure it is the right file, with the specification in cells and not in a picture.",
)


class SheetRefused(ValueError):
    """A file is not read; `text` says why and what to do."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows. is_formula: text is the result Excel stored last; is_error: there is none, or it failed."""

    text: str
    is_formula: bool = False
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet's filled cells by (row, column), both from 1."""

    name: str
    cells: dict[tuple[int, int], Cell]


def read_sheets(data: bytes) -> tuple[Sheet, ...]:
    """The sheets that hold anything. Raises SheetRefused."""
    _check(data)
    try:
        shown = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        typed = load_workbook(BytesIO(data), read_only=True, data_only=False, keep_links=False)
        if len(shown.worksheets) > MOST_SHEETS:
            raise SheetRefused(_MANY_SHEETS.fill(count=len(shown.worksheets), limit=MOST_SHEETS))
        found = tuple(_sheet(*pair) for pair in zip(shown.worksheets, typed.worksheets, strict=True))
    except SheetRefused:
        raise
    # A hostile file makes the library fail in whatever way it likes; none of them is worth more than this sentence.
    except Exception as fault:
        raise SheetRefused(_NOT_XLSX) from fault
    filled = tuple(sheet for sheet in found if sheet.cells)
    if not filled:
        raise SheetRefused(_EMPTY)
    return filled


def _check(data: bytes) -> None:
    """Refuse by what the archive says of itself, before anything in it is parsed."""
    if len(data) > LARGEST_BYTES:
        raise SheetRefused(_TOO_LARGE.fill(size=f"{len(data) / 1024 / 1024:.1f}", limit=LARGEST_BYTES // 1024 // 1024))
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise SheetRefused(_OLD)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            _check_parts(archive)
    except (zipfile.BadZipFile, KeyError, RuntimeError, NotImplementedError, OSError, EOFError, zlib.error) as fault:
        raise SheetRefused(_NOT_XLSX) from fault


def _check_parts(archive: zipfile.ZipFile) -> None:
    parts = archive.infolist()
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > LARGEST_UNPACKED:
        raise SheetRefused(_BOMB.fill(limit=LARGEST_UNPACKED // 1024 // 1024, parts=MOST_PARTS))
    if harm := harm_in(archive):
        raise SheetRefused(_HARMFUL.fill(what=harm))
    if overload := overload_in(archive):
        raise SheetRefused(overload)
    if _WORKBOOK not in archive.read(_PARTS):
        raise SheetRefused(_NOT_XLSX)


def _sheet(shown: Any, typed: Any) -> Sheet:
    """One sheet, cut off where it is too large to be a spec sheet; a formatted empty million of rows is no fault."""
    cells = {}
    for (row, column, value, percent), (_, _, raw, _) in zip(_cells(shown), _cells(typed), strict=True):
        cell = _cell(value, raw, percent)
        if cell is None:
            continue
        if row > MOST_ROWS or column > MOST_COLUMNS:
            raise SheetRefused(_HUGE.fill(sheet=shown.title, rows=MOST_ROWS, columns=MOST_COLUMNS))
        cells[row, column] = cell
    return Sheet(shown.title, cells)


def _cells(sheet: Any) -> Iterator[tuple[int, int, Any, bool]]:
    sheet.reset_dimensions()
    rows = sheet.iter_rows(max_row=MOST_ROWS + 1, max_col=MOST_COLUMNS + 1)
    for number, row in enumerate(rows, 1):
        for place, cell in enumerate(row, 1):
            yield number, place, cell.value, "%" in str(getattr(cell, "number_format", ""))


def _cell(value: Any, raw: Any, is_percent: bool) -> Cell | None:
    is_formula = isinstance(raw, str) and raw.startswith("=") and raw != value
    is_formula = is_formula or type(raw).__name__ in ("ArrayFormula", "DataTableFormula")
    text = _text(value, is_percent)
    if is_formula and not text:
        return Cell(str(raw)[:LONGEST_CELL], is_formula=True, is_error=True)
    is_error = isinstance(value, str) and value.startswith("#") and value.endswith(("!", "?", "A"))
    return Cell(text[:LONGEST_CELL], is_formula, is_error) if text else None


def _text(value: Any, is_percent: bool) -> str:
    """The value as it would be typed: numbers exact, dates ISO, 0.995 shown as a percentage 99.5 %."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        number = Decimal(str(value))
        return f"{decimal_text(number * 100)} %" if is_percent else decimal_text(number)
    if isinstance(value, datetime):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else " ".join(str(value).split())
