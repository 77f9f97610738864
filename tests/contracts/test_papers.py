"""Papers for document clauses: handed in by the vendor, decided by the buyer, kept version by version."""

import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.utils import timezone

from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.handing_in import decide_paper, hand_in
from gpucontract.contracts.models import ClausePaper
from gpucontract.contracts.papers import MOST_VERSIONS
from gpucontract.filing import MOST_BYTES, FilingError, file_away, kind_of, path_of, stored
from tests import factories

KEY = "c/licence"
PDF = b"%PDF-1.7\nserial numbers\n%%EOF"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path


@pytest.fixture
def contract(db):
    return factories.signed_contract()


def handed(contract, who="vera", **changes):
    given = {"name": "清单.pdf", "data": PDF, "valid_on": None} | changes
    return hand_in(contract, given.pop("key", KEY), by=factories.person(who), **given)


def test_versions_are_kept_with_hash_and_journal(contract, vera):
    first, second = handed(contract), handed(contract, data=PDF + b"2")
    assert (first.number, second.number, first.kind) == (1, 2, "pdf")
    assert stored(first.sha256) == PDF
    body = json.loads(contract.events.filter(kind="paper_handed_in").last().body)
    assert (body["version"], body["sha256"]) == (2, second.sha256)


def test_the_buyer_confirms_and_may_come_back_on_it(contract, eng):
    paper = decide_paper(handed(contract), confirmed=True, by=eng)
    assert (paper.decision, paper.decided_by, paper.change) == ("confirmed", eng, 2)
    paper = decide_paper(paper, confirmed=False, reason="序列号与机器不符", by=eng)
    assert (paper.decision, paper.reason, paper.change) == ("refused", "序列号与机器不符", 3)


@pytest.mark.parametrize("who", ["bing", "ada", "eng", "wen", "mallory", "zoe"])
def test_only_the_vendors_confirmers_and_signers_hand_in(contract, who):
    with pytest.raises(NotAllowed):
        handed(contract, who)


@pytest.mark.parametrize("who", ["bing", "wen", "vera", "sun", "mallory", "zoe"])
def test_only_the_buyers_engineers_and_approvers_decide(contract, who):
    paper = handed(contract)
    with pytest.raises(NotAllowed):
        decide_paper(paper, confirmed=True, by=factories.person(who))


def test_it_says_what_is_wrong(contract, eng):
    yesterday = timezone.localdate() - timedelta(days=1)
    for changes, said in (
        ({"key": "g1/gpu_model"}, "no clause g1/gpu_model"),
        ({"key": "c/nothing"}, "no clause c/nothing"),
        ({"valid_on": yesterday}, "is over already"),
    ):
        with pytest.raises(ContractError, match=said):
            handed(contract, **changes)
    paper = handed(contract)
    with pytest.raises(ContractError, match="Say why"):
        decide_paper(paper, confirmed=False, reason="  ", by=eng)
    decide_paper(paper, confirmed=True, by=eng)
    with pytest.raises(ContractError, match="already"):
        decide_paper(paper, confirmed=True, by=eng)
    assert ClausePaper.objects.count() == 1


def test_an_expired_paper_cannot_be_confirmed(contract, eng):
    paper = handed(contract, valid_on=timezone.localdate())
    ClausePaper.objects.update(valid_on=timezone.localdate() - timedelta(days=1))
    with pytest.raises(ContractError, match="expired"):
        decide_paper(paper, confirmed=True, by=eng)


def test_before_signing_nothing_is_handed_in(db):
    contract = factories.agreed_contract()
    with pytest.raises(ContractError, match="from signing on"):
        handed(contract)


def test_versions_have_a_limit(contract, vera):
    paper = handed(contract)
    fields = {name: getattr(paper, name) for name in ("clause_sha256", "name", "kind", "sha256", "size_bytes")}
    ClausePaper.objects.bulk_create(
        ClausePaper(contract=contract, key=KEY, number=number, uploaded_by=vera, uploaded_at=timezone.now(), **fields)
        for number in range(2, MOST_VERSIONS + 1)
    )
    with pytest.raises(ContractError, match=f"at most {MOST_VERSIONS}"):
        handed(contract)


def office(*parts, **contents):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for part in parts:
            archive.writestr(part, contents.get(part.rpartition(".")[2], "x"))
    return held.getvalue()


TEMPLATE = '<a><b Type="http://x/attachedTemplate" Target="http://evil/a.dotm" TargetMode="&#69;xternal"/></a>'
LINK = '<a><b Type="http://x/hyperlink" Target="http://x/" TargetMode="External"/></a>'
MACROS = '<a><b ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></a>'
BYTES = {
    "pdf": (PDF, "pdf"),
    "png": (b"\x89PNG\r\n\x1a\n....", "png"),
    "jpeg": (b"\xff\xd8\xff\xe0....", "jpeg"),
    "word": (office("[Content_Types].xml", "word/document.xml"), "docx"),
    "excel": (office("xl/workbook.xml"), "xlsx"),
    "text": ("序列号,位置\n".encode(), "text"),
    "a page": (b"  <!doctype html><script>", ""),
    "a drawing that runs scripts": (b'<svg onload="x">', ""),
    "a program": (b"MZ\x90\x00\x03", ""),
    "any archive": (office("a.txt"), ""),
    "a broken archive": (b"PK\x03\x04rubbish\x00\xff", ""),
    "not UTF-8": ("清单".encode("gb18030"), ""),
}


@pytest.mark.parametrize(("data", "kind"), BYTES.values(), ids=BYTES)
def test_a_file_is_known_by_its_content(data, kind):
    assert kind_of(data) == kind


@pytest.mark.parametrize(
    ("data", "said"),
    (
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"%PDF-" + b"0" * MOST_BYTES, "limit is 20 MB", id="too large"),
        pytest.param(b"MZ\x90\x00", "no accepted type", id="program"),
        pytest.param(office("word/document.xml", "word/VBAPROJECT.BIN"), "macros", id="macros"),
        pytest.param(office("word/document.xml", "word/embeddings/a.ole"), "embedded objects", id="objects"),
        pytest.param(office("word/document.xml", "word/a.EXE"), "embedded programs", id="programs"),
        pytest.param(
            office("word/document.xml", "word/_rels/settings.xml.rels", rels=TEMPLATE),
            "outside template",
            id="outside template",
        ),
        pytest.param(office("word/document.xml", "word/_rels/settings.xml.rels", rels="<"), "index", id="bad index"),
        pytest.param(office("word/document.xml", "[Content_Types].xml", xml=MACROS), "macros", id="macro type"),
    ),
)
def test_a_bad_file_is_refused_and_nothing_kept(data, said, tmp_path):
    with pytest.raises(FilingError, match=said):
        file_away("list.pdf", data)
    assert not list(tmp_path.rglob("*.*"))


def test_a_word_document_with_a_plain_link_and_printer_settings_is_taken():
    data = office("word/document.xml", "word/_rels/a.rels", "word/printerSettings/printerSettings1.bin", rels=LINK)
    assert file_away("a.docx", data).kind == "docx"


@pytest.mark.parametrize(
    ("given", "kept"),
    (
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\清单.pdf", "清单.pdf"),
        ('a"\r\nX: y<b>.pdf', "aX yb.pdf"),
        ("", "file"),
        ("长" * 300 + ".pdf", "长" * 116 + ".pdf"),
    ),
)
def test_a_name_is_made_harmless(given, kept):
    assert file_away(given, PDF).name == kept


def test_an_altered_file_is_not_handed_out():
    filed = file_away("list.pdf", PDF)
    path_of(filed.sha256).write_bytes(b"other")
    with pytest.raises(FilingError, match="was changed"):
        stored(filed.sha256)
