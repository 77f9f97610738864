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
