"""The file beside a counter or a question: kept with the answer, replaced, taken away, read by the buyer once sent."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from gpucontract.contracts import answer_files, services
from gpucontract.contracts.models import Attachment
from gpucontract.filing import MOST_BYTES
from tests import factories
from tests.web.opened import opened

pytestmark = pytest.mark.django_db
COUNTER = {"answer-g1/ram": "counter", "value-g1/ram": "1536", "reason-g1/ram": "缺货"}
PRICE = {"amount-g1/ram": "-0.2", "currency-g1/ram": "CNY", "basis-g1/ram": "gpu_hour"}
ASK = {"answer-g1/ecc": "ask", "question-g1/ecc": "哪些卡？"}


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path


@pytest.fixture
def revision(db):
    return factories.latest(factories.sent_contract())


@pytest.fixture
def here(client, revision, vera):
    client.force_login(vera)
    return reverse("contract-answers", args=[revision.contract.uuid])


def post(client, revision, given):
    given = opened(revision) | given
    return client.post(reverse("contract-answers", args=[revision.contract.uuid]), given)


def pdf(name="报价.pdf", data=b"%PDF-1.7 quote"):
    return SimpleUploadedFile(name, data)


def address(file):
    return reverse("contract-answer-file", args=[file.revision.contract.uuid, file.uuid])


def kinds(revision):
    return list(revision.contract.events.filter(kind__startswith="answer_file").values_list("kind", flat=True))


def test_a_file_is_kept_with_a_partial_save_shown_and_handed_out(client, revision, here):
    assert post(client, revision, COUNTER | {"file-g1/ram": pdf()}).status_code == 302
    file = revision.attachments.get()
    assert (file.key, file.name, file.size_bytes) == ("g1/ram", "报价.pdf", 14)
    post(client, revision, ASK | {"file-g1/ecc": pdf("图.png", b"\x89PNG\r\n\x1a\n")})
    assert revision.attachments.count() == 2 and address(file) in client.get(here).content.decode()
    response = client.get(address(file))
    assert response.content == b"%PDF-1.7 quote" and "attachment" in response["Content-Disposition"]
    assert response["Content-Type"] == "application/pdf" and kinds(revision) == ["answer_file_laid"] * 2


def test_another_file_takes_its_place_and_a_tick_or_a_confirmation_takes_it_away(client, revision, here):
    post(client, revision, COUNTER | {"file-g1/ram": pdf()})
    post(client, revision, COUNTER | {"file-g1/ram": pdf("新.txt", "现货".encode()), "no-file-g1/ram": "on"})
    assert revision.attachments.get().name == "新.txt"
    post(client, revision, COUNTER | {"no-file-g1/ram": "on"})
    assert not revision.attachments.exists()
    post(client, revision, COUNTER | {"file-g1/ram": pdf()})
    post(client, revision, {"answer-g1/ram": "confirm"})
    assert not revision.attachments.exists() and kinds(revision)[-1] == "answer_file_taken_away"


def test_the_file_stays_although_another_answer_of_the_page_is_refused(client, revision, here):
    refused = COUNTER | {"answer-g1/ecc": "ask", "question-g1/ecc": " ", "file-g1/ram": pdf()}
    response = post(client, revision, refused)
    assert response.status_code == 422 and not revision.confirmations.exists()
    assert address(revision.attachments.get()) in response.content.decode()


BAD = [
    ("of no accepted type", b"MZ\x90\x00\xff", "不是可接受的类型"),
    ("that is empty", b"", "空文件"),
    ("above the limit", b"%PDF" + bytes(MOST_BYTES), "21 MB，最大 20 MB"),
]


@pytest.mark.parametrize(("data", "said"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_file_is_refused_at_its_line(client, revision, here, data, said):
    response = post(client, revision, COUNTER | {"file-g1/ram": pdf(data=data)})
    page = response.content.decode()
    assert response.status_code == 422 and said in page and 'href="#' in page
    assert not Attachment.objects.exists() and not revision.confirmations.exists()


def test_beside_a_file_above_the_limit_nothing_typed_is_lost(client, revision, here):
    large = pdf(data=b"%PDF" + bytes(MOST_BYTES))
    given = COUNTER | ASK | PRICE | {"file-g1/ram": large, "file-g1/ecc": pdf("好.pdf")}
    response = post(client, revision, given | {"act": "submit"})
    page, typed = response.content.decode(), response.context["parts"]
    kept = {line.row.key: line.typed for part in typed for line in part.lines}
    assert "“报价.pdf”有 21 MB，最大 20 MB" in page
    assert (kept["g1/ram"].answer, kept["g1/ecc"].answer) == ("counter", "ask")
    assert 'value="1536"' in page and 'value="-0.2"' in page and "缺货" in page and "哪些卡？" in page
    assert [(each.key, each.name) for each in revision.attachments.all()] == [("g1/ecc", "好.pdf")]
    assert not revision.confirmations.exists()
    del given["file-g1/ecc"]
    assert post(client, revision, given | {"file-g1/ram": pdf()}).status_code == 302
    assert set(revision.attachments.values_list("key", "name")) == {("g1/ecc", "好.pdf"), ("g1/ram", "报价.pdf")}


def test_only_so_many_files_are_kept(client, revision, here, monkeypatch):
    monkeypatch.setattr(answer_files, "MOST_FILES", 1)
    post(client, revision, COUNTER | {"file-g1/ram": pdf()})
    response = post(client, revision, ASK | {"file-g1/ecc": pdf()})
    assert response.status_code == 422 and "2 个附件，最多 1 个" in response.content.decode()
    assert post(client, revision, COUNTER | {"file-g1/ram": pdf()}).status_code == 302


def test_a_file_beside_a_confirmation_or_no_answer_says_nothing(client, revision, here):
    post(client, revision, {"answer-g1/ram": "confirm", "file-g1/ram": pdf(), "file-g1/ecc": pdf()})
    assert not revision.attachments.exists()


def test_the_buyer_reads_it_once_it_is_submitted_and_strangers_never(client, revision, here):
    post(client, revision, COUNTER | {"file-g1/ram": pdf()})
    file = revision.attachments.get()
    people = ("bing", "ada", "eng", "mallory", "zoe")
    assert [read(client, name, file) for name in people] == [404] * 5
    rest = {clause.key: services.Given("confirm") for clause in revision.body().clauses if clause.key != "g1/ram"}
    services.answer_clauses(revision, answers=rest, by=factories.person("vera"))
    services.submit_answers(revision, by=factories.person("vera"))
    assert [read(client, name, file) for name in people] == [200, 200, 200, 404, 404]
    client.force_login(factories.person("ada"))
    rounds = client.get(reverse("contract-rounds", args=[revision.contract.uuid])).content.decode()
    assert address(file) in rounds and "报价.pdf" in rounds
    said = json.loads(revision.contract.events.get(kind="move_submit").body)
    assert said["files"] == [{"key": "g1/ram", "name": "报价.pdf", "sha256": file.sha256}]


def read(client, name, file):
    client.force_login(factories.person(name))
    return client.get(address(file)).status_code


def test_nothing_is_laid_beside_answers_that_are_submitted(client, revision, here):
    answers = {clause.key: services.Given("confirm") for clause in revision.body().clauses}
    services.answer_clauses(revision, answers=answers, by=factories.person("vera"))
    services.submit_answers(revision, by=factories.person("vera"))
    response = post(client, revision, COUNTER | {"file-g1/ram": pdf()})
    assert response.status_code == 422 and not Attachment.objects.exists()
