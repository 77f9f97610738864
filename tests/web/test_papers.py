"""The page of delivery documents: both sides see every version, each does what is theirs."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from gpucontract.contracts.models import ClausePaper
from gpucontract.filing import MOST_BYTES
from tests import factories

pytestmark = pytest.mark.django_db
KEY = "c/licence"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path


@pytest.fixture
def contract(db):
    return factories.signed_contract()


@pytest.fixture
def address(contract):
    return reverse("contract-papers", args=[contract.uuid])


def upload(client, contract, data=b"%PDF-1.7 licence", name="许可证.pdf", **given):
    client.force_login(factories.person("vera"))
    form = {"key": KEY, "file": SimpleUploadedFile(name, data)} | given
    return client.post(reverse("contract-paper", args=[contract.uuid]), form)


def decide(client, paper, decision, reason=""):
    client.force_login(factories.person("eng"))
    return client.post(
        reverse("paper-decide", args=[paper.uuid]), {"decision": decision, "reason": reason}, follow=True
    )


def test_from_nothing_to_confirmed(client, contract, address):
    client.force_login(factories.person("vera"))
    assert "还没有提交" in client.get(address).content.decode()
    until = timezone.localdate() + timedelta(days=90)
    assert upload(client, contract, valid_on=until.isoformat()).status_code == 302
    paper = ClausePaper.objects.get()
    page = decide(client, paper, "confirmed").content.decode()
    assert paper.sha256 in page and f"有效期至 {until.isoformat()}" in page and "已证实" in page
    response = client.get(reverse("paper-file", args=[paper.uuid]))
    assert response.content == b"%PDF-1.7 licence"
    assert response["Content-Disposition"].startswith("attachment") and response["X-Content-Type-Options"] == "nosniff"


def test_a_refusal_needs_its_reason_and_the_vendor_reads_it(client, contract, address):
    upload(client, contract)
    paper = ClausePaper.objects.get()
    assert "须写明理由" in decide(client, paper, "refused").content.decode()
    decide(client, paper, "refused", "编号与营业执照不符")
    client.force_login(factories.person("vera"))
    assert "编号与营业执照不符" in client.get(address).content.decode()
    upload(client, contract, data=b"%PDF-1.7 mended")
    assert list(ClausePaper.objects.values_list("number", "decision")) == [(1, "refused"), (2, "open")]


@pytest.mark.parametrize(
    ("data", "given", "said"),
    (
        pytest.param(b"MZ\x90\x00program", {}, "不是可接受的类型", id="a program"),
        pytest.param(b"", {}, "文件是空的", id="empty"),
        pytest.param(b"%PDF-" + b"0" * MOST_BYTES, {}, "上限为 20 MB", id="too large"),
        pytest.param(b"%PDF-1.7", {"valid_on": "2001-01-01"}, "已经过去", id="expired"),
        pytest.param(b"%PDF-1.7", {"valid_on": "soon"}, "日期", id="no date"),
        pytest.param(b"%PDF-1.7", {"key": "g1/gpu_count"}, "合同里没有由文件证明的条款", id="another clause"),
    ),
)
def test_a_bad_file_is_refused_with_its_reason(client, contract, data, given, said):
    response = upload(client, contract, data, **given)
    assert response.status_code == 422 and not ClausePaper.objects.exists()
    assert said in response.content.decode()


def test_beside_a_paper_above_the_limit_its_date_stays_typed(client, contract):
    response = upload(client, contract, b"%PDF-" + bytes(MOST_BYTES), valid_on="2031-05-06")
    page = response.content.decode()
    assert response.status_code == 422 and "文件有 21 MB，上限为 20 MB" in page and 'value="2031-05-06"' in page


def test_nobody_decides_before_signing(client):
    contract = factories.agreed_contract()
    client.force_login(factories.person("vera"))
    page = client.get(reverse("contract-papers", args=[contract.uuid])).content.decode()
    assert "签署之后" in page and "multipart" not in page
    refused = upload(client, contract)
    assert refused.status_code == 422 and "签署之后、结束之前" in refused.content.decode()


def test_the_page_asks_the_database_little(client, contract, address, django_assert_max_num_queries):
    for _ in range(5):
        upload(client, contract)
    client.force_login(factories.person("eng"))
    with django_assert_max_num_queries(27):
        client.get(address)
