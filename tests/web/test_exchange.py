"""A draft goes out as JSON and comes in again, seen before anything is written."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from gpucontract.contracts.interchange_schema import schema
from gpucontract.contracts.models import Contract
from gpucontract.contracts.snapshot import terms_of
from tests import factories

pytestmark = pytest.mark.django_db
IMPORT = reverse("contract-import")


def exported(client, contract):
    return client.get(reverse("contract-draft-json", args=[contract.uuid]))


def upload(client, content, name="草稿.json"):
    return client.post(IMPORT, {"file": SimpleUploadedFile(name, content)})


def confirm(client, text, **fields):
    buyer = factories.organisation_of("bing").pk
    return client.post(
        IMPORT, {"text": text, "name": "a.json", "confirm": "yes", "title": "回来", "buyer": buyer, **fields}
    )


def test_a_draft_goes_out_with_its_number_as_name(drafter, contract):
    answer = exported(drafter, contract)
    assert f"{contract.number}-draft.json" in answer.headers["Content-Disposition"]
    assert json.loads(answer.content)["groups"][0]["gpu_model"] == "H100 SXM5 80GB"


def test_it_comes_in_again_after_it_was_shown(drafter, contract):
    text = exported(drafter, contract).content
    shown = upload(drafter, text)
    assert shown.status_code == 200
    assert "H100" in shown.content.decode()
    assert Contract.objects.count() == 1
    answer = confirm(drafter, text.decode())
    assert answer.status_code == 302
    back = Contract.objects.order_by("-pk").first()
    assert back.title == "回来"
    assert terms_of(back)["g1/inter_busbw_min"] == terms_of(contract)["g1/inter_busbw_min"]


def test_a_wrong_file_is_refused_with_path_and_reason_of_each_fault(drafter):
    answer = upload(drafter, b'{"format": "gpucontract-draft/1", "groups": [{"node_count": 0, "nodes": 1}]}')
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "$.groups[0].node_count" in page
    assert "$.groups[0].nodes" in page
    assert not Contract.objects.exists()


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"PK\x03\x04", b"[]", b"null", b'"x"'])
def test_what_is_no_draft_is_refused(drafter, content):
    assert upload(drafter, content).status_code == 422
    assert not Contract.objects.exists()


@pytest.mark.parametrize("part", ['"title": "\\ud800"', '"\\ud800": 1', '"contract": {"currency": "\\ud800"}'])
def test_half_a_character_is_refused_at_its_place(drafter, part):
    text = '{"format": "gpucontract-draft/1", ' + part + "}"
    for answer in (upload(drafter, text.encode()), confirm(drafter, text)):
        assert answer.status_code == 422
        assert "不成对的代理字符" in answer.content.decode()
    assert not Contract.objects.exists()


def test_a_file_too_large_is_refused_with_the_limit(drafter):
    answer = upload(drafter, b" " * (1024 * 1024 + 1))
    assert answer.status_code == 422
    assert "1,048,576" in answer.content.decode()


def test_a_text_that_was_changed_on_the_way_is_read_anew(drafter):
    assert confirm(drafter, '{"format": "gpucontract-draft/1", "groups": [{"node_count": 0}]}').status_code == 422
    assert not Contract.objects.exists()


def test_what_is_typed_in_the_preview_is_not_lost(drafter, contract):
    answer = confirm(drafter, exported(drafter, contract).content.decode(), title="")
    assert answer.status_code == 422
    assert "H100 SXM5 80GB" in answer.content.decode()


def test_markup_in_a_file_is_shown_as_text(drafter):
    text = json.dumps({"format": "gpucontract-draft/1", "contract": {"vendor_name": "<script>alert(1)</script>"}})
    page = upload(drafter, text.encode(), "<b>.json").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_the_schema_is_handed_out(drafter):
    assert json.loads(drafter.get(reverse("draft-schema")).content) == schema()


def test_the_buyers_organisation_stays_its_own(client, contract):
    client.force_login(factories.person("zoe"))
    text = '{"format": "gpucontract-draft/1"}'
    answer = client.post(
        IMPORT, {"text": text, "confirm": "yes", "title": "x", "buyer": factories.organisation_of("bing").pk}
    )
    assert answer.status_code == 422
    assert Contract.objects.count() == 1
