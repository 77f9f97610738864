"""The clause list as an Excel sheet: one row each, numbers as numbers, text never as a formula."""

from __future__ import annotations

from decimal import Decimal
from io import BytesIO
from math import ceil
from unicodedata import east_asian_width

from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet.page import PageMargins
from openpyxl.worksheet.worksheet import Worksheet

from gpucontract.canonical import decimal_text
from gpucontract.documents.clause_list import HEADINGS, ClauseList, ListedClause, both, clean
from gpucontract.wording import Text

COLUMNS = tuple(HEADINGS)
WIDTHS = {
    "number": 7, "section": 16, "zh": 38, "en": 40, "sign": 9, "value": 22, "unit": 9, "notes": 36, "proof": 12,
    "status": 13, "answer": 12, "remarks": 24,
}  # fmt: skip
# Excel and its kin read a text that begins with one of these as a formula once it is typed or imported anew.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_HEAD_ROWS = 4
_NAME = "Microsoft YaHei"
_PLAIN = Font(name=_NAME, size=10)
_TITLE = Font(name=_NAME, bold=True, size=14)
_BOLD = Font(name=_NAME, bold=True, size=10)
_GRID = Border(bottom=Side("thin", color="D5DAE1"))
# Points: of one line, and the most that a row may have.
_LINE_PT, _MOST_PT = 14, 409
_HEAD_FILL = PatternFill("solid", fgColor="E8EDF5")
_WRAP = Alignment(wrap_text=True, vertical="top")


def clause_xlsx(clauses: ClauseList) -> bytes:
    """The file's bytes."""
    book = Workbook()
    sheet = book.active
    sheet.title = "条款 Clauses"
    _head(sheet, clauses)
    for chapter in clauses.chapters:
        for clause in chapter.clauses:
            _row(sheet, clause)
    sheet.freeze_panes = sheet.cell(row=_HEAD_ROWS + 2, column=3)
    sheet.auto_filter.ref = f"A{_HEAD_ROWS + 1}:{sheet.cell(row=sheet.max_row, column=len(COLUMNS)).coordinate}"
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", sheet.PAPERSIZE_A4
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.page_margins = PageMargins(left=0.4, right=0.4, top=0.5, bottom=0.75, footer=0.3)
    sheet.oddFooter.left.text, sheet.oddFooter.right.text = clean(clauses.contract).replace("&", "&&"), "&P / &N"
    sheet.print_title_rows = f"{_HEAD_ROWS + 1}:{_HEAD_ROWS + 1}"
    kept = BytesIO()
    book.save(kept)
    return kept.getvalue()


def _head(sheet: Worksheet, clauses: ClauseList) -> None:
    for place, name in enumerate(COLUMNS, 1):
        sheet.column_dimensions[sheet.cell(row=1, column=place).column_letter].width = WIDTHS[name]
    _put(sheet.cell(row=1, column=1), f"{clauses.contract} {clauses.title}").font = _TITLE
    _put(sheet.cell(row=2, column=1), f"{both(clauses.stage)}  {clauses.sha256}".strip())
    for place, (side, name) in enumerate(clauses.parties):
        _put(sheet.cell(row=3, column=1 + 3 * place), f"{both(side)}: {name}")
    for place, heading in enumerate(HEADINGS.values(), 1):
        cell = _put(sheet.cell(row=_HEAD_ROWS + 1, column=place), both(heading))
        cell.font, cell.fill, cell.alignment = _BOLD, _HEAD_FILL, _WRAP
    _fit(sheet, _HEAD_ROWS + 1)


def _row(sheet: Worksheet, clause: ListedClause) -> None:
    said = clause.said
    values: dict[str, str | Decimal] = {
        "number": clause.number, "section": both(clause.section), "zh": clause.text.zh, "en": clause.text.en,
        "sign": clause.sign, "value": both(clause.value) if isinstance(clause.value, Text) else clause.value,
        "unit": both(clause.unit) if clause.unit else "", "notes": "\n".join(map(both, clause.notes)),
        "proof": both(clause.proof), "status": both(said.status), "answer": both(said.answer),
        "remarks": "\n".join(map(both, said.remarks)),
    }  # fmt: skip
    row = sheet.max_row + 1
    for place, name in enumerate(COLUMNS, 1):
        cell = _put(sheet.cell(row=row, column=place), values[name])
        cell.alignment, cell.border = _WRAP, _GRID
    _fit(sheet, row)


def _fit(sheet: Worksheet, row: int) -> None:
    """Height for the longest cell: not every program fits a row to wrapped text by itself."""
    lines = [_lines_of(str(sheet.cell(row, place).value or ""), WIDTHS[name]) for place, name in enumerate(COLUMNS, 1)]
    sheet.row_dimensions[row].height = min(_MOST_PT, _LINE_PT * max(lines) + 3)


def _lines_of(text: str, width: int) -> int:
    """How many lines a text takes; a Chinese character is as wide as two Latin ones, and words do not fill a line."""
    wide = [sum(2 if east_asian_width(each) in "WFA" else 1 for each in line) for line in text.split("\n")]
    return sum(max(1, ceil(each / (width - 2))) for each in wide)


def _put(cell: Cell, value: str | Decimal) -> Cell:
    """A text stays a text, whatever it begins with; a number stays a number."""
    cell.font = _PLAIN
    if isinstance(value, Decimal):
        cell.value = value
        places = max(0, -int(Decimal(decimal_text(value)).as_tuple().exponent))
        cell.number_format = f"#,##0.{'0' * places}" if places else "#,##0"
        return cell
    text = clean(value)
    cell.value = text
    cell.data_type = "s" if text else cell.data_type
    if text.startswith(_FORMULA):
        cell.quotePrefix = True
    return cell
