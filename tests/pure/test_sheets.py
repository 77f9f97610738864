"""What comes out of somebody else's .xlsx, and what is refused before it can do harm."""

import zipfile
from datetime import date
from io import BytesIO

import pytest
from openpyxl import Workbook

from gpucontract.contracts import sheet_load, sheets
from gpucontract.contracts.sheets import SheetRefused, read_sheets
from tests.books import SPEC, book, with_changed, with_part


def texts(data):
    return {place: cell.text for place, cell in read_sheets(data)[0].cells.items()}


def refusal(data):
    with pytest.raises(SheetRefused) as refused:
        read_sheets(data)
    return refused.value.text.en


def test_cells_come_out_as_they_would_be_typed():
    made = Workbook()
    made.active.append([" a\n b ", 8, 0.1, 2048.0, True, date(2027, 1, 2), None, ""])
    made.active["I1"] = 0.995
    made.active["I1"].number_format = "0.0%"
    kept = BytesIO()
    made.save(kept)
    assert texts(kept.getvalue()) == {
        (1, 1): "a b", (1, 2): "8", (1, 3): "0.1", (1, 4): "2048", (1, 5): "true", (1, 6): "2027-01-02", (1, 9): "99.5 %"
    }  # fmt: skip


def test_empty_sheets_are_left_out():
    found = read_sheets(book([], more=[("二", [["x"]]), ("三", [])]))
    assert [sheet.name for sheet in found] == ["二"]


def test_a_formula_without_a_stored_result_is_an_error_and_never_computed():
    cell = read_sheets(book([["=1+1"]]))[0].cells[1, 1]
    assert (cell.text, cell.is_formula, cell.is_error) == ("=1+1", True, True)


def test_of_a_formula_the_stored_result_counts():
    data = with_changed(
        book([["=1+1"]]),
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace(b"<v></v>", b"<v>2</v>").replace(b"<v />", b"<v>2</v>"),
    )
    cell = read_sheets(data)[0].cells[1, 1]
    assert (cell.text, cell.is_formula, cell.is_error) == ("2", True, False)


@pytest.mark.parametrize("part", ["xl/vbaProject.bin", "xl/externalLinks/externalLink1.xml", "xl/connections.xml",
                                  "xl/embeddings/oleObject1.bin", "xl/activeX/activeX1.xml", "xl/macrosheets/sheet1.xml",
                                  "xl/queryTables/queryTable1.xml"])  # fmt: skip
def test_what_could_run_or_reach_out_is_refused_by_name(part):
    assert "is not read. Copy the spec sheet into a new .xlsx" in refusal(with_part(SPEC, part))


def test_a_macro_workbook_under_another_name_is_refused():
    data = with_changed(
        SPEC, "[Content_Types].xml", lambda xml: xml.replace(b"sheet.main+xml", b"sheet.macroEnabled.main+xml")
    )
    assert "macros" in refusal(data)


def test_a_zip_bomb_is_refused_by_what_it_says_of_itself():
    assert "Unpacked it exceeds 20 MB" in refusal(
        with_part(SPEC, "xl/media/a.bin", b"\0" * (sheets.LARGEST_UNPACKED + 1))
    )


def test_an_archive_of_countless_parts_is_refused():
    kept = BytesIO(SPEC)
    with zipfile.ZipFile(kept, "a") as archive:
        for number in range(sheets.MOST_PARTS):
            archive.writestr(f"xl/a{number}.xml", b"")
    assert "500 parts" in refusal(kept.getvalue())


def test_entities_are_never_expanded():
    bomb = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]>'
    data = with_changed(SPEC, "xl/worksheets/sheet1.xml", lambda xml: bomb + xml.split(b"?>", 1)[-1])
    assert "no .xlsx file, or a damaged one" in refusal(data)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no .xlsx file"),
        (b"PK\x03\x04 broken", "no .xlsx file"),
        (b"<html>", "no .xlsx file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old .xls file or one with a password"),
        (b"PK" + b"\0" * sheets.LARGEST_BYTES, "5 are read"),
        (SPEC[: len(SPEC) // 2], "no .xlsx file"),
    ],
    ids=["empty", "broken", "html", "xls", "large", "cut"],
)
def test_what_is_no_workbook_is_refused(data, said):
    assert said in refusal(data)


def test_a_word_document_is_refused():
    data = with_changed(
        SPEC, "[Content_Types].xml", lambda xml: xml.replace(b"spreadsheetml.sheet", b"wordprocessingml.document")
    )
    assert "no .xlsx file" in refusal(data)


def test_a_sheet_too_long_or_too_wide_is_refused_with_the_limit():
    assert "500 rows or 40 columns" in refusal(book([["x"]] * 501))
    assert "500 rows or 40 columns" in refusal(book([["x"] * 41]))
    assert len(read_sheets(book([["x"]] * 500))[0].cells) == 500


def test_too_many_sheets_are_refused():
    assert "21 sheets; at most 20" in refusal(book([["x"]], more=[(f"s{n}", [["x"]]) for n in range(20)]))


def test_a_workbook_with_nothing_in_it_is_refused():
    assert (
        refusal(book([]))
        == "Every sheet is empty. Make sure it is the right file, with the specification in cells and not in a picture."
    )


def sheet(rows):
    main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    xml = b'<?xml version="1.0"?><worksheet xmlns="' + main + b'"><sheetData>' + rows + b"</sheetData></worksheet>"
    return with_changed(SPEC, "xl/worksheets/sheet1.xml", lambda _: xml)


def styles(rows):
    xml = b'<?xml version="1.0"?><x:styleSheet xmlns:x="a">' + rows + b"</x:styleSheet>"
    return with_changed(SPEC, "xl/styles.xml", lambda _: xml)


@pytest.mark.parametrize(
    "data",
    [
        styles(b'<x:xf numFmtId="0"/>' * 15_000),
        sheet(b'<row r="1">' + b'<c r="A1"/>' * 40_000 + b"</row>"),
        sheet(b"<row/>" * 40_001),
        sheet(b"<row>" + b"<c>" * 60 + b"</c>" * 60 + b"</row>"),
        sheet(b"<row>" + b"<!-- -->" * 160_000 + b"</row>"),
    ],
    ids=["styles", "cells", "rows", "nested", "comments"],
)
def test_what_would_take_long_to_read_is_refused_before_it_is_read(data):
    assert "too many cells, styles or nested parts" in refusal(data)


def test_parts_too_large_or_in_another_encoding_are_refused_and_pictures_are_not_read():
    assert "more than 3 MB" in refusal(sheet(b" " * sheet_load.LARGEST_PART))
    assert "more than 3 MB" in refusal(with_part(SPEC, "xl/a.xml", "<a>".encode("utf-16") * 20_000))
    odd = b'<?xml version="1.0" encoding="utf-7"?>' + b" " * sheet_load.LARGEST_OTHER
    assert "more than 3 MB" in refusal(with_part(SPEC, "xl/a.xml", odd))
    picture = b"\x89PNG\r\n" + b"\0" * (sheet_load.LARGEST_PART + 1)
    assert texts(with_part(SPEC, "xl/media/image1.png", picture))


def test_unclosed_tags_do_not_make_counting_slow():
    assert "no .xlsx" in refusal(sheet(b"<" + b"a" * 2_000_000))
