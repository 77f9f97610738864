"""The sign page: name, tick and second factor in one go; whoever has none is led to set one up and back."""

import base64
import json

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts.second_factor import code_of, set_up_app
from gpucontract.documents.models import SignOff
from gpucontract.verdicts.judging import judge_contract
from gpucontract.verdicts.services import waive_clause
from tests import factories
from tests.verdicts import making
from tests.verdicts.storing import delivered_contract, store

pytestmark = pytest.mark.django_db
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture(autouse=True)
def fresh_limits():
    cache.clear()


@pytest.fixture
def contract(db):
    return factories.agreed_contract()


@pytest.fixture
def address(contract):
    return reverse("contract-sign", args=[contract.uuid])


@pytest.fixture
def signer(client, ada):
    set_up_app(ada, SECRET)
    client.force_login(ada)
    return client


def given(contract, **changes):
    sha256 = factories.latest(contract).sha256
    return {
        "sha256": sha256,
        "typed_name": "ＡＤＡ",
        "is_read": "on",
        "code": code_of(SECRET, timezone.now()),
    } | changes


def test_name_tick_and_code_sign(signer, contract, address):
    assert signer.post(address, given(contract))["Location"] == address
    assert SignOff.objects.get().factor == "totp"
    event = contract.events.get(kind="signed_off")
    assert (event.strength, event.address) == ("totp", "127.0.0.1")
    assert "验证器应用的验证码" in signer.get(address).content.decode()


def test_the_answer_to_a_signature_says_who_signs_next_and_when_it_was_the_last(client, signer, sun, contract, address):
    assert f"已签署，等待{contract.vendor}签署" in signer.post(address, given(contract), follow=True).content.decode()
    assert "双方签署不分先后" in signer.get(address).content.decode()
    set_up_app(sun, SECRET)
    client.force_login(sun)
    text = client.post(address, given(contract, typed_name="Sun"), follow=True).content.decode()
    assert "双方均已签署，合同签署完成" in text and "双方签署不分先后" not in text


def test_a_wrong_name_and_a_missing_tick_are_said_together(signer, contract, address):
    text = signer.post(address, given(contract, typed_name="Adam", is_read="")).content.decode()
    assert "请勾选" in text and "“Adam”" in text and "<title>有误：" in text


@pytest.mark.parametrize(
    ("change", "said"),
    (
        pytest.param({"code": "000000"}, "验证码不正确", id="wrong code"),
        pytest.param({"code": ""}, "请验证本人", id="no code"),
        pytest.param({"is_read": ""}, "请勾选", id="not read"),
        pytest.param({"typed_name": ""}, "请输入您的姓名", id="no name"),
        pytest.param({"credential": "{broken", "code": ""}, "请验证本人", id="broken passkey"),
    ),
)
def test_what_is_missing_is_said_and_nothing_typed_is_lost(signer, contract, address, change, said):
    response = signer.post(address, given(contract, **change))
    text = response.content.decode()
    assert response.status_code == 422 and said in text
    assert change.get("typed_name") == "" or "ＡＤＡ" in text
    assert not SignOff.objects.exists()


def test_a_passkey_answer_that_was_not_asked_for_signs_nothing(signer, contract, address):
    answer = {"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": {}}
    response = signer.post(address, given(contract, code="", credential=json.dumps(answer)))
    assert response.status_code == 422 and not SignOff.objects.exists()


NO_CBOR = base64.urlsafe_b64encode(b"\xa3" * 40).decode()
IN_PARTS = {"clientDataJSON": "e30", "authenticatorData": NO_CBOR, "signature": "AA"}


@pytest.mark.parametrize(
    "answer",
    (
        {"id": "x"},
        {"id": None, "rawId": []},
        {"id": 1, "rawId": 1, "type": 1, "response": 1},
        {"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": []},
        {"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": IN_PARTS},
        {"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": IN_PARTS | {"clientDataJSON": "AAAA"}},
        {"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": IN_PARTS | {"authenticatorData": "AAAA"}},
        {"id": "AAAA", "rawId": "AAAA", "type": "other", "response": IN_PARTS},
    ),
    ids=lambda answer: json.dumps(answer)[:60],
)
def test_a_passkey_answer_that_cannot_be_read_is_refused_in_words(signer, contract, address, answer):
    signer.get(address)
    response = signer.post(address, given(contract, code="", credential=json.dumps(answer)))
    assert response.status_code == 422 and "通行密钥验证没有成功" in response.content.decode()
    assert not SignOff.objects.exists()


def test_an_answer_nested_too_deeply_is_refused_too(signer, contract, address):
    response = signer.post(address, given(contract, code="", credential="[" * 200_000))
    assert response.status_code == 422 and not SignOff.objects.exists()


def test_after_five_wrong_codes_the_right_one_has_to_wait(signer, contract, address):
    for _ in range(5):
        signer.post(address, given(contract, code="000000"))
    response = signer.post(address, given(contract))
    assert "5 分钟" in response.content.decode() and not SignOff.objects.exists()


def test_the_text_changed_meanwhile(signer, contract, address):
    response = signer.post(address, given(contract, sha256="0" * 64))
    assert response.status_code == 409 and "000000000000" in response.content.decode()


def test_without_a_factor_one_is_led_to_set_one_up_and_back(client, ada, address):
    client.force_login(ada)
    text = client.get(address).content.decode()
    assert reverse("mfa_activate_totp") in text and "typed_name" not in text
    assert address in client.get(reverse("mfa_index")).content.decode()
    set_up_app(ada, SECRET)
    assert "typed_name" in client.get(address).content.decode()
    assert address not in client.get(reverse("mfa_index")).content.decode()


def test_a_wrong_name_and_a_wrong_code_are_both_said(signer, contract, address):
    page = signer.post(address, given(contract, typed_name="Bob", code="000000"))
    text = page.content.decode()
    assert page.status_code == 422 and "写的是“Bob”" in text and "验证码不正确" in text


def test_a_right_code_beside_a_wrong_name_is_said_to_be_used_up(signer, contract, address):
    text = signer.post(address, given(contract, typed_name="Bob")).content.decode()
    assert "写的是“Bob”" in text and "下一个" in text and not SignOff.objects.exists()


def test_who_signed_waits_for_the_other_side(signer, contract, address):
    assert "签署" in signer.get(address).content.decode()
    signer.post(address, given(contract))
    page = signer.get(address)
    assert page.context["awaited"] == [contract.vendor]
    assert f"等待{contract.vendor}签署" in page.content.decode()


def test_the_vendors_confirmer_reads_who_may_sign(client, contract, address, sun, vera):
    client.force_login(vera)
    text = client.get(address).content.decode()
    assert "sun@vendor.example" in text and "ada@buyer.example" not in text


def test_the_warning_about_the_confirmer_ends_with_the_vendors_signature(client, ada, sun, contract, address):
    client.force_login(ada)
    assert "没有签署权限" in client.get(address).content.decode()
    set_up_app(sun, SECRET)
    client.force_login(sun)
    client.post(address, given(contract, typed_name="Sun"))
    client.force_login(ada)
    assert "没有签署权限" not in client.get(address).content.decode()


def test_the_vendor_reads_whom_it_named_before_every_line_is_agreed(client, vera):
    offer = factories.sent_contract()
    client.force_login(vera)
    page = reverse("contract-sign", args=[offer.uuid])
    client.post(reverse("contract-name-signer", args=[offer.uuid]), {"email": "boss@vendor.example"})
    client.get(page)
    assert "boss@vendor.example" in client.get(page).content.decode()
    client.force_login(factories.person("ada"))
    assert "boss@vendor.example" not in client.get(page).content.decode()


@pytest.mark.parametrize(("name", "is_told"), [("ada", True), ("sun", False)])
def test_the_buyer_alone_is_told_what_becomes_of_the_waivers(client, ada, name, is_told):
    parent = delivered_contract()
    store(parent, *making.sick())
    judge_contract(parent.pk, making.NOW)
    waive_clause(parent, key="g1/links_per_gpu", reason="知悉", by=ada)
    amendment = factories.agreed_amendment(parent, c={"renewal_notice_days": 45})
    client.force_login(factories.person(name))
    page = client.get(reverse("contract-sign", args=[amendment.uuid])).content.decode()
    assert f"取代合同 {parent.number}" in page
    assert ("已有豁免 1 项继续有效。" in page, "豁免" in page) == (is_told, is_told)
