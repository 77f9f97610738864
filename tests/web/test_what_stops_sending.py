"""What stands in the way of sending a draft is told to everybody in the same words and the same number."""

import pytest
from django.urls import reverse

from gpucontract.contracts import services
from tests import factories
from tests.web.opened import checked

pytestmark = pytest.mark.django_db


def page_of(client, who, name, *args):
    client.force_login(factories.person(who))
    return client.get(reverse(name, args=args)).content.decode()


@pytest.fixture
def lacking(contract, bing):
    """Two needed terms are empty, and one check stops sending."""
    services.write_terms(
        contract, values={"c": {"unit_price": None, "vendor_uscc": None}, "g1": {"nvlink_bw_gbs": "600"}}, by=bing
    )
    return contract


@pytest.mark.parametrize("who", ["bing", "ada"])
def test_drafter_and_approver_are_told_the_same_of_an_unfinished_draft(client, lacking, who):
    page = page_of(client, who, "dashboard")
    assert "草稿尚未完成：2 项必填未填，不能发送" in page
    assert "核对草稿并发送给乙方" not in page


def test_a_complete_draft_is_the_approvers_to_send_and_the_drafter_knows(client, contract):
    assert "核对草稿并发送给乙方" in page_of(client, "ada", "dashboard")
    assert "草稿已填好：由本组织的审批人发送" in page_of(client, "bing", "dashboard")


def test_before_and_after_pressing_the_same_number_stands_there(client, lacking):
    said = "2 项必填未填，不能发送；1 项风险检查不通过，不能发送"
    assert said in page_of(client, "ada", "contract-draft-check", lacking.uuid)
    response = client.post(reverse("contract-draft-send", args=[lacking.uuid]), checked(lacking))
    assert response.status_code == 422 and len(response.context["problems"]) == 3
    assert f'<h2 id="problems-title">{said}</h2>' in response.content.decode()


@pytest.mark.parametrize("name", ["dashboard", "contract-list"])
def test_many_drafts_ask_the_database_no_more(client, django_assert_max_num_queries, name):
    for _ in range(3):
        factories.drafted_contract()
    client.force_login(factories.person("ada"))
    with django_assert_max_num_queries(18):
        client.get(reverse(name))
