"""Files that only one side can hand in or confirm stand among what that side has to do."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from gpucontract.contracts.clauses import VerifiedBy
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path


@pytest.fixture
def contract(db):
    return factories.signed_contract()


def todo(client, who):
    client.force_login(factories.person(who))
    return [(str(step.text), step.url) for step in client.get(reverse("dashboard")).context["steps"]]


def hand_in(client, contract, key="c/licence"):
    client.force_login(factories.person("vera"))
    form = {"key": key, "file": SimpleUploadedFile("a.pdf", b"%PDF-1.7 x")}
    assert client.post(reverse("contract-paper", args=[contract.uuid]), form).status_code == 302


def asked_for(contract):
    return [each for each in factories.latest(contract).body().judged if each.verified_by is VerifiedBy.DOCUMENT]


def test_the_vendor_is_told_how_many_files_to_hand_in_and_the_buyer_how_many_to_look_at(client, contract):
    page, many = reverse("contract-papers", args=[contract.uuid]), len(asked_for(contract))
    assert many > 2
    assert (f"还有 {many} 份文件要提交", page) in todo(client, "vera")
    assert page not in [url for _, url in todo(client, "eng")]
    hand_in(client, contract)
    assert (f"还有 {many - 1} 份文件要提交", page) in todo(client, "vera")
    assert ("乙方提交的 1 份文件待您确认", page) in todo(client, "eng")


def test_a_refused_file_is_the_vendors_again_and_a_confirmed_one_nobodys(client, contract):
    page, many = reverse("contract-papers", args=[contract.uuid]), len(asked_for(contract))
    hand_in(client, contract)
    paper, decide = contract.papers.get(), {"decision": "refused", "reason": "不清楚"}
    client.force_login(factories.person("eng"))
    client.post(reverse("paper-decide", args=[paper.uuid]), decide)
    assert (f"还有 {many} 份文件要提交", page) in todo(client, "vera")
    client.force_login(factories.person("eng"))
    client.post(reverse("paper-decide", args=[paper.uuid]), {"decision": "confirmed"})
    assert (f"还有 {many - 1} 份文件要提交", page) in todo(client, "vera")
    assert page not in [url for _, url in todo(client, "eng")]


def test_a_viewer_has_no_files_to_hand_in_or_to_look_at(client, contract):
    hand_in(client, contract)
    assert todo(client, "wen") == []


def test_each_clause_says_which_paper_proves_it(client, contract):
    client.force_login(factories.person("vera"))
    page = client.get(reverse("contract-papers", args=[contract.uuid])).content.decode()
    assert page.count("证明材料：") == len(asked_for(contract))
    assert "证明材料：增值电信业务经营许可证（副本）复印件" in page and "隔离说明" in page
