"""The clause list as a Word document: a table for each part, ready for counsel's comments."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import Any

from docx import Document
from docx.enum.section import WD_ORIENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor

from gpucontract.documents.clause_list import HEADINGS, ClauseList, ListedChapter, ListedClause, both, clean
from gpucontract.wording import Text

LATIN_FONT, CHINESE_FONT = "Arial", "Microsoft YaHei"
# Column -> its width in cm; together as wide as an A4 page on its side between the margins.
COLUMNS = {"number": 1.3, "text": 11.2, "value": 4.4, "proof": 2.4, "status": 3.0, "answer": 3.9}
_HEADS = {**HEADINGS, "text": Text("条款", "Clause")}
_GREY = RGBColor(0x56, 0x60, 0x72)


def clause_docx(clauses: ClauseList) -> bytes:
    """The file's bytes."""
    document = Document()
    _page(document)
    _foot(document, clauses)
    document.core_properties.title = clean(f"{clauses.contract} {clauses.title}")
    document.core_properties.author = ""
    document.add_heading(clean(f"{clauses.contract} {clauses.title}"), level=1)
    document.add_paragraph(clean(both(clauses.stage)))
    for side, name in clauses.parties:
        document.add_paragraph(clean(f"{both(side)}: {name}"))
    if clauses.sha256:
        _small(document.add_paragraph(), f"sha256 {clauses.sha256}")
    for chapter in clauses.chapters:
        _chapter(document, chapter)
    kept = BytesIO()
    document.save(kept)
    return kept.getvalue()


def _page(document: Any) -> None:
    section = document.sections[0]
    section.orientation = WD_ORIENT.LANDSCAPE
    section.page_width, section.page_height = Cm(29.7), Cm(21)
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Cm(1.7)
    for name, size in (("Normal", 9.5), ("Heading 1", 16), ("Heading 2", 12)):
        style = document.styles[name]
        style.font.name, style.font.size = LATIN_FONT, Pt(size)
        style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), CHINESE_FONT)
        language = OxmlElement("w:lang")
        language.set(qn("w:val"), "en-GB")
        language.set(qn("w:eastAsia"), "zh-CN")
        style.element.rPr.append(language)
        style.paragraph_format.space_after = Pt(3)
        if name != "Normal":
            style.font.color.rgb = RGBColor(0x18, 0x20, 0x2C)


def _foot(document: Any, clauses: ClauseList) -> None:
    """Which list it is, and the page: Word counts these fields itself."""
    paragraph = document.sections[0].footer.paragraphs[0]
    _small(paragraph, f"{clauses.contract}   {both(clauses.stage)}   ")
    for code, after in (("PAGE", " / "), ("NUMPAGES", "")):
        field = OxmlElement("w:fldSimple")
        field.set(qn("w:instr"), code)
        paragraph._p.append(field)
        _small(paragraph, after)


def _chapter(document: Any, chapter: ListedChapter) -> None:
    document.add_heading(f"{chapter.number}. {both(chapter.title)}", level=2)
    table = document.add_table(rows=1, cols=len(COLUMNS), style="Table Grid")
    table.autofit = False
    for cell, name in zip(table.rows[0].cells, COLUMNS, strict=True):
        cell.paragraphs[0].add_run(both(_HEADS[name])).bold = True
    _repeat_on_each_page(table.rows[0])
    for clause in chapter.clauses:
        _row(table.add_row(), clause)
    for column, width in zip(table.columns, COLUMNS.values(), strict=True):
        column.width = Cm(width)
    for row in table.rows:
        for cell, width in zip(row.cells, COLUMNS.values(), strict=True):
            cell.width = Cm(width)


def _row(row: Any, clause: ListedClause) -> None:
    said = clause.said
    _lines(row.cells[0], [clause.number])
    _lines(row.cells[1], [clause.text.zh], [clause.text.en, *map(both, clause.notes)])
    _lines(row.cells[2], [clause.printed.zh] + ([] if clause.printed.zh == clause.printed.en else [clause.printed.en]))
    _lines(row.cells[3], [both(clause.proof)])
    _lines(row.cells[4], [both(said.status)])
    _lines(row.cells[5], [both(said.answer)], map(both, said.remarks))
    _keep_together(row)


def _lines(cell: Any, lines: Iterable[str], small: Iterable[str] = ()) -> None:
    """Paragraphs of a cell; the first one is there already."""
    paragraph = cell.paragraphs[0]
    for number, line in enumerate(lines):
        paragraph = cell.add_paragraph() if number else paragraph
        paragraph.add_run(clean(line))
    for line in small:
        _small(cell.add_paragraph(), line)
    for each in cell.paragraphs:
        each.paragraph_format.space_after = Pt(1)


def _small(paragraph: Any, text: str) -> None:
    run = paragraph.add_run(clean(text))
    run.font.size, run.font.color.rgb = Pt(8), _GREY


def _repeat_on_each_page(row: Any) -> None:
    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def _keep_together(row: Any) -> None:
    row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
