"""A contract that ended before it was signed says on its own page who ended it and why, to both sides."""

import pytest
from django.urls import reverse

from gpucontract.contracts import services
from tests import factories

pytestmark = pytest.mark.django_db


def page_of(client, name, contract):
    client.force_login(factories.person(name))
    return client.get(reverse("contract-detail", args=[contract.uuid])).content.decode()


@pytest.mark.parametrize(
    ("end", "ender", "said"),
    [(services.reject, "sun", "乙方已拒绝整份要约"), (services.withdraw, "ada", "甲方已撤回本合同")],
    ids=["rejected", "withdrawn"],
)
def test_both_sides_read_who_ended_it_and_why(client, end, ender, said):
    contract = factories.sent_contract()
    before = page_of(client, "bing", contract)
    assert said not in before and "另起草一份合同" not in before
    end(contract, by=factories.person(ender), reason="库存不足 <今年>")
    for name in ("bing", "vera"):
        page = page_of(client, name, contract)
        assert said in page and "库存不足 &lt;今年&gt;" in page and f"{factories.person(ender)} · " in page
        assert (f"?copy={contract.uuid}" in page) is (name == "bing")


def test_the_vendor_finds_declining_under_its_own_name(client):
    contract = factories.sent_contract()
    assert "<summary>拒绝整份要约</summary>" in page_of(client, "sun", contract)
    assert "<summary>修改或终止要约</summary>" in page_of(client, "ada", contract)


@pytest.mark.parametrize(
    ("day", "said"), [("2020-01-01", "2020-01-01 没有给乙方更多时间"), ("", "请选择新的最后答复日")]
)
def test_a_day_that_gives_no_more_time_is_refused_with_the_day_it_must_be_after(client, ada, day, said):
    contract = factories.sent_contract()
    client.force_login(ada)
    page = client.post(reverse("contract-extend", args=[contract.uuid]), {"until_day": day}, follow=True)
    assert said in page.content.decode()
    contract.refresh_from_db()
    assert contract.offer_valid_until is None


def test_the_vendor_reads_that_the_buyer_prepares_the_next_revision(client, ada, vera):
    contract = factories.sent_contract()
    services.reopen(contract, by=ada)
    client.force_login(vera)
    page = client.get(reverse("contract-answers", args=[contract.uuid])).content.decode()
    assert "甲方正在准备下一版" in page and 'value="submit"' not in page


def test_four_eyes_say_what_they_do_and_leave_no_button_to_whom_they_bar(client, ada):
    contract = factories.drafted_contract()
    client.force_login(ada)
    check, rule = (reverse(name, args=[contract.uuid]) for name in ("contract-draft-check", "contract-four-eyes"))
    assert "已要求四眼原则" in client.post(rule, {"on": "on"}, follow=True).content.decode()
    assert "取消四眼原则" in client.get(check).content.decode()
    services.write_terms(contract, values={"g1": {"ram_gb_per_node": 1536}}, by=ada)
    page = client.get(check).content.decode()
    assert "取消四眼原则" not in page and 'name="until_day"' not in page and "请由没有改动过的审批人发送" in page


def test_a_draft_that_was_never_sent_is_dropped_and_no_vendor_is_spoken_of(client, ada):
    contract = factories.drafted_contract()
    client.force_login(ada)
    here = reverse("contract-detail", args=[contract.uuid])
    page = client.get(here).content.decode()
    assert "放弃草稿" in page and "只有本方可见" in page and "修改或终止要约" not in page and "乙方可见" not in page
    client.post(reverse("contract-withdraw", args=[contract.uuid]), {"reason": "改租"})
    page = client.get(here).content.decode()
    assert "草稿已放弃" in page and "仍在起草" not in page
