"""The clause list for counsel: everything of the revision in it, nothing that its reader may not know."""

from dataclasses import replace
from io import BytesIO

import pytest
from django.urls import reverse
from docx import Document
from openpyxl import load_workbook

from gpucontract.accounts.roles import Side
from gpucontract.contracts import services
from gpucontract.documents.clause_docx import clause_docx
from gpucontract.documents.clause_list import HEADINGS, ClauseList, Said, listed
from gpucontract.documents.clause_xlsx import clause_xlsx
from gpucontract.documents.listing import draft_list, revision_list
from gpucontract.wording import Text
from tests import factories

pytestmark = pytest.mark.django_db
COLUMNS = list(HEADINGS)


def rows_of(data):
    sheet = load_workbook(BytesIO(data)).active
    found = [dict(zip(COLUMNS, row, strict=True)) for row in sheet.iter_rows(min_row=6, values_only=True)]
    return {row["number"]: row for row in found}


def text_of(data):
    document = Document(BytesIO(data))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(each.text for each in document.paragraphs), *cells])


def by_clause(found, name):
    return next(row for row in found.values() if name in row["en"])


def test_every_clause_is_in_both_files_with_its_printed_number():
    revision = factories.latest(factories.sent_contract())
    clauses = revision_list(revision, Side.BUYER)
    rows, text = rows_of(clause_xlsx(clauses)), text_of(clause_docx(clauses))
    assert len(rows) == clauses.count == len(revision.body().clauses)
    for clause in revision.body().clauses:
        assert any(row["zh"] == clause.text.zh and row["en"] == clause.text.en for row in rows.values())
        assert clause.text.zh in text
        assert clause.text.en in text
    assert revision.sha256 in text


def test_numbers_are_numbers_and_their_unit_stands_beside():
    row = by_clause(
        rows_of(clause_xlsx(draft_list(factories.drafted_contract()))), "bus bandwidth (busbw, 8 GiB messages) of the 8"
    )
    assert (row["sign"], row["value"], row["unit"], row["proof"]) == ("≥", 455, "GB/s", "实测 / measured")
    assert row["status"] == "草稿 / draft"


def test_the_vendors_answer_stands_beside_its_line_once_it_is_submitted():
    contract = factories.sent_contract()
    revision = factories.latest(contract)
    key = next(clause.key for clause in revision.body().clauses if clause.name == "ram")
    vera = factories.person("vera")
    services.answer_clauses(revision, answers={key: services.Given("ask", "含板载内存吗？")}, by=vera)
    assert "含板载内存吗" not in text_of(clause_docx(revision_list(revision, Side.BUYER)))
    assert "含板载内存吗" in text_of(clause_docx(revision_list(revision, Side.VENDOR)))
    rest = {clause.key: services.Given("confirm") for clause in revision.body().clauses if clause.key != key}
    services.answer_clauses(revision, answers=rest, by=vera)
    services.submit_answers(revision, by=vera)
    row = next(row for row in rows_of(clause_xlsx(revision_list(revision, Side.BUYER))).values() if row["remarks"])
    assert (row["answer"], row["remarks"]) == ("提问 / asked", "含板载内存吗？")


def test_no_cell_is_ever_a_formula():
    contract = factories.drafted_contract(
        title='=HYPERLINK("http://x")',
        c={"vendor_licence_no": "=1+1", "os_version": "+cmd|'/c calc'!A1"},
        g1={"name": "@SUM(A1)"},
    )
    sheet = load_workbook(BytesIO(clause_xlsx(draft_list(contract)))).active
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert [cell.coordinate for cell in cells if cell.data_type == "f"] == []
    risky = [cell for cell in cells if isinstance(cell.value, str) and cell.value.startswith(("=", "+", "@"))]
    assert all(cell.quotePrefix for cell in risky)


def test_what_no_file_may_hold_is_left_out_and_breaks_nothing():
    nasty = Text("条\x00款\x0b\ud800", "clause\x01 <b>&amp;")
    clause = services_clause(nasty)
    clauses = ClauseList("C-1", "标题\x02", nasty, "", ((Text("甲方", "Buyer"), "a\x03"),), clause)
    assert "条款" in text_of(clause_docx(clauses))
    assert rows_of(clause_xlsx(clauses))["1.1"]["zh"] == "条款"


def services_clause(text):
    body = factories.latest(factories.sent_contract()).body()
    return listed([replace(body.clauses[0], text=text)], {}, Said())


@pytest.mark.parametrize("kind", ["docx", "xlsx"])
def test_the_vendor_gets_sent_revisions_and_never_the_draft(client, kind):
    contract = factories.sent_contract()
    client.force_login(factories.person("vera"))
    assert client.get(reverse("contract-clauses", args=[contract.uuid, 1, kind])).status_code == 200
    assert client.get(reverse("contract-draft-clauses", args=[contract.uuid, kind])).status_code == 403
    services.reopen(contract, by=factories.person("ada"))
    services.freeze_revision(contract, by=factories.person("ada"))
    assert client.get(reverse("contract-clauses", args=[contract.uuid, 2, kind])).status_code == 404


def test_nothing_of_the_checks_is_in_a_file():
    contract = factories.drafted_contract()
    said = [result.text for result in services.review(contract).results if result.outcome == "failed"]
    text = text_of(clause_docx(draft_list(contract)))
    assert said
    assert not any(each.zh in text or each.en in text for each in said)


def test_another_kind_of_file_is_not_found(drafter, contract):
    assert drafter.get(reverse("contract-draft-clauses", args=[contract.uuid, "pdf"])).status_code == 404


def test_the_file_is_named_after_the_contract(drafter, contract):
    answer = drafter.get(reverse("contract-draft-clauses", args=[contract.uuid, "docx"]))
    assert f'filename="{contract.number}-draft-clauses.docx"' in answer.headers["Content-Disposition"]


def test_numbers_are_printed_with_thousands_and_rows_are_as_high_as_their_text():
    contract = factories.drafted_contract(g1={"link_error_policy": "端口闪断按故障处理。" * 20})
    sheet = load_workbook(BytesIO(clause_xlsx(draft_list(contract)))).active
    formats = {row[5].value: row[5].number_format for row in sheet.iter_rows(min_row=6)}
    assert (formats[2048], formats[30.72]) == ("#,##0", "#,##0.00")
    row = next(row for row in sheet.iter_rows(min_row=6) if row[2].value and "端口闪断" in row[2].value)
    # 200 Chinese characters, two columns wide each, in a column of 22.
    assert sheet.row_dimensions[row[0].row].height >= 14 * 18
    assert sheet.row_dimensions[6].height < 14 * 5
    assert "&P / &N" in sheet.oddFooter.right.text


def test_a_count_names_what_is_counted_beside_its_number():
    found = rows_of(clause_xlsx(draft_list(factories.drafted_contract())))
    row = by_clause(found, "Each machine has 8 GPUs")
    assert (row["value"], row["unit"]) == (8, "张 GPU / GPUs")


def test_each_page_of_the_word_list_says_which_list_it_is():
    clauses = draft_list(factories.drafted_contract())
    foot = Document(BytesIO(clause_docx(clauses))).sections[0].footer._element.xml
    assert clauses.contract in foot and 'w:instr="PAGE"' in foot and 'w:instr="NUMPAGES"' in foot
