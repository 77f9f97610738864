"""The last page of drafting: every answer with a way to change it, the checks, waivers, sending."""

import pytest
from django.urls import reverse

from gpucontract.contracts.lifecycle import State
from tests import factories
from tests.web.typing_in import post

pytestmark = pytest.mark.django_db


def page_of(client, contract):
    return client.get(reverse("contract-draft-check", args=[contract.uuid])).content.decode()


def send(client, contract):
    return client.post(reverse("contract-draft-send", args=[contract.uuid]))


@pytest.fixture
def approver(client, ada):
    client.force_login(ada)
    return client


def test_every_answer_stands_there_with_unit_and_a_way_to_change_it(drafter, contract):
    page = page_of(drafter, contract)
    step = reverse("contract-draft-step", args=[contract.uuid, "interconnect"])
    assert "455 GB/s" in page
    assert f'href="{step}#div_id_g1-intra_busbw_min"' in page


def test_a_missing_answer_is_marked(drafter):
    page = page_of(drafter, factories.empty_contract())
    assert page.count("未填写") > 20


def test_unsaved_text_is_told(drafter, contract):
    post(drafter, contract, "sla", act="later", c__p1_response_min="bald")
    assert "自动保留的内容还没有通过检查" in page_of(drafter, contract)


def test_the_drafter_is_told_who_sends(drafter, contract):
    assert "由本组织的审批人发送" in page_of(drafter, contract)
    assert send(drafter, contract).status_code == 403


def test_the_approver_sends_to_the_vendor_that_the_terms_name(approver, contract):
    response = send(approver, contract)
    contract.refresh_from_db()
    assert response.status_code == 302
    assert contract.state == State.WITH_VENDOR
    assert contract.vendor == factories.organisation_of("vera")


def test_an_empty_draft_is_not_sent_and_everything_in_the_way_is_listed(approver):
    contract = factories.empty_contract()
    response = send(approver, contract)
    contract.refresh_from_db()
    assert response.status_code == 422
    assert len(response.context["problems"]) > 20
    assert contract.state == State.DRAFT


def test_a_blocking_check_stops_sending_until_it_is_waived_with_a_reason(approver):
    contract = factories.drafted_contract(g1={"nvlink_bw_gbs": "600"})
    path = reverse("contract-draft-waive", args=[contract.uuid])
    assert send(approver, contract).status_code == 422
    assert approver.post(path, {"check": "C-NET-03", "code": "g1", "reason": " "}).status_code == 422
    assert approver.post(path, {"check": "C-NET-03", "code": "g1", "reason": "厂商定制"}).status_code == 302
    assert "厂商定制" in page_of(approver, contract)
    assert send(approver, contract).status_code == 302


def test_a_check_that_cannot_be_waived_offers_no_waiver(approver):
    contract = factories.drafted_contract(g1={"gpu_model": "A100 80GB SXM4", "intra_busbw_min": "600"})
    page = page_of(approver, contract)
    assert "C-NET-06" in page
    assert 'id="waive-C-NET-06-g1"' not in page


def test_a_vendor_that_is_not_here_is_refused_in_words(approver):
    contract = factories.drafted_contract(c={"vendor_uscc": "91110108551385082Q"})
    response = send(approver, contract)
    assert response.status_code == 422
    assert "91110108551385082Q" in response.content.decode()


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("get", "contract-draft"),
        ("get", "contract-draft-check"),
        ("post", "contract-draft-send"),
        ("post", "contract-draft-waive"),
    ],
)
@pytest.mark.parametrize("person", ["mallory", "zoe", "vera"])
def test_strangers_find_nothing(client, contract, method, name, person):
    client.force_login(factories.person(person))
    assert getattr(client, method)(reverse(name, args=[contract.uuid])).status_code == 404


def test_the_check_page_needs_few_queries(drafter, contract, django_assert_max_num_queries):
    with django_assert_max_num_queries(45):
        page_of(drafter, contract)


def test_the_four_eyes_button_says_what_it_does(approver, contract):
    assert "改动过本版条款的人不能自己发送或签署，须由没有改动过的审批人办理" in page_of(approver, contract)
