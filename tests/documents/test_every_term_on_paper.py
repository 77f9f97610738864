"""A draft with every term given stands field by field in the appendix, the Word list, the sheet and the JSON inside."""

import re
from functools import cache
from html import unescape
from io import BytesIO

import pytest
from django.template.loader import render_to_string
from docx import Document
from openpyxl import load_workbook

from gpucontract.contracts.body import Body, load, pack, unpack
from gpucontract.contracts.clause_table import CLAUSE_ROWS
from gpucontract.contracts.compile import clauses
from gpucontract.contracts.freezing import Deal, freeze
from gpucontract.contracts.numbering import numbered
from gpucontract.contracts.printing import TOOL_WORDS
from gpucontract.contracts.sections.steps import SECTIONS, TERMS
from gpucontract.contracts.sections.term import Kind
from gpucontract.contracts.terms import Terms
from gpucontract.contracts.values import held, priced, words
from gpucontract.documents.clause_docx import clause_docx
from gpucontract.documents.clause_list import DRAFT, ClauseList, Said, listed
from gpucontract.documents.clause_xlsx import COLUMNS, clause_xlsx
from gpucontract.documents.context import appendix
from tests.every_term import every_term

# One group and one mount: two alike could stand in for each other. Their names stand in the head of the appendix.
TERMS_GIVEN = Terms({code: values for code, values in every_term().items() if code in ("c", "g1", "m1")})
IN_THE_HEAD = ("name", "groups")
# Where a clause says a number together with others, or its unit in words of its own.
FRAMED = re.compile(
    r" (GB/s|TFLOPS|张 GPU|张|台|块|条|口|核|个|[a-zA-Z]+s|%|TB|GB|GiB|W|Gb/s|Mb/s|IOPS|小时|分钟|天|h|min|days)$"
)
PATHS = [
    f"{code}/{name}" for code, values in TERMS_GIVEN.rows.items() for name in values if name not in IN_THE_HEAD
]  # fmt: skip


@cache
def frozen():
    lines = clauses(TERMS_GIVEN)
    return freeze(Deal("C-2026-7", 1, "全部约定项", {}), TERMS_GIVEN, lines, dict.fromkeys(SECTIONS, b"0" * 32))


@cache
def body() -> Body:
    return load(frozen().head, frozen().sections)


@cache
def numbers():
    """Clause -> its number on paper."""
    return {clause.key: number for part in numbered(body().clauses) for number, clause in part.lines}


@cache
def listing() -> ClauseList:
    return ClauseList("C-2026-7", "全部约定项", DRAFT, body().sha256, (), listed(body().clauses, {}, Said()))


@cache
def in_pdf():
    """What the appendix prints under each number."""
    html = render_to_string("documents/appendix.html", {"appendix": appendix(body(), "2026-11-30T00:00:00+00:00")})
    rows = re.findall(r'<td class="number">([\d.]+)</td>(.*?)</tr>', html, re.DOTALL)
    return {number: unescape(re.sub("<[^>]*>", "\n", cells)) for number, cells in rows}


@cache
def in_docx():
    tables = Document(BytesIO(clause_docx(listing()))).tables
    return {row.cells[0].text: "\n".join(cell.text for cell in row.cells[1:]) for table in tables for row in table.rows}


@cache
def in_xlsx():
    rows = load_workbook(BytesIO(clause_xlsx(listing()))).active.iter_rows(min_row=6, values_only=True)
    told = (dict(zip(COLUMNS, row, strict=True)) for row in rows)
    return {str(row["number"]): "\n".join(str(cell) for cell in row.values() if cell) for row in told}


def lines_of(path):
    """The clauses that say a term: its own line, its rows', or those worded of it."""
    code, _slash, name = path.partition("/")
    for clause in body().clauses:
        row = CLAUSE_ROWS.get(clause.name)
        used = name in row.terms if row else clause.name == name
        if (used and code in (clause.code, "c")) or (name == "path" and "mount" in clause.conditions):
            yield clause


def expected(path):
    """Every piece that must be read somewhere on these lines, in both languages."""
    code, _slash, name = path.partition("/")
    info, value = priced(TERMS[name], TERMS_GIVEN.rows["c"]["currency"]), TERMS_GIVEN.rows[code][name]
    for said in told_as(info, value):
        yield from (FRAMED.sub("", said.zh), FRAMED.sub("", said.en))


def told_as(info, value):
    """What a value is called, each of several and each cell of a table by itself."""
    if info.id == "busbw_placement":
        return [TOOL_WORDS[value]]
    if info.kind is Kind.ROWS:
        return [words(column, row[column.id]) for row in value for column in info.columns]
    return [words(info, one) for one in (value if isinstance(value, tuple) else (value,))]


@pytest.mark.parametrize("medium", [in_pdf, in_docx, in_xlsx], ids=["pdf", "docx", "xlsx"])
@pytest.mark.parametrize("path", PATHS)
def test_every_value_is_read_on_its_own_lines(path, medium):
    printed = medium()
    told = "\n".join(printed[numbers()[clause.key]] for clause in lines_of(path))
    assert told and [piece for piece in expected(path) if piece not in told] == []


def test_no_line_is_left_out_of_any_of_them():
    there = set(numbers().values())
    assert set(in_pdf()) == there == set(in_xlsx()) == set(in_docx()) - {"编号 / No."}


@pytest.mark.parametrize("path", PATHS)
def test_the_attached_data_hold_every_value_exactly(path):
    """What is signed is this: the number itself, not how it is printed."""
    code, _slash, name = path.partition("/")
    value, inside = TERMS_GIVEN.rows[code][name], unpack(pack(frozen().head, frozen().sections))
    lines = [clause for clause in inside.clauses if clause.key in {each.key for each in lines_of(path)}]
    if TERMS[name].kind is Kind.ROWS:
        assert lines
        return
    told = [clause.value for clause in lines] + [item for clause in lines for item in clause.conditions.values()]
    wanted = (held(value), value, (value,), list(value) if isinstance(value, tuple) else value)
    assert any(item == one for item in told for one in wanted)
