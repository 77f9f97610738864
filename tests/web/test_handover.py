"""The acceptance window runs from the day of the handover: recorded by the buyer, or confirmed where the vendor did."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from gpucontract.contracts.handover import clocks
from gpucontract.measurements import services
from tests import factories

pytestmark = pytest.mark.django_db
DAYS = 14  # as the sample says, calendar days


@pytest.fixture
def contract(db):
    return factories.signed_contract()


def days_ago(days):
    return timezone.localdate() - timedelta(days=days)


def deliver(contract, who, day):
    services.deliver(contract, by=factories.person(who), now=timezone.now(), on=day, received_by="周工")
    contract.refresh_from_db()


def page(client, contract, who, name="contract-detail"):
    client.force_login(factories.person(who))
    return client.get(reverse(name, args=[contract.uuid] if name.startswith("contract-d") else [])).content.decode()


def confirm(client, contract, day, who="eng"):
    client.force_login(factories.person(who))
    return client.post(reverse("contract-handover", args=[contract.uuid]), {"on": str(day)})


def test_before_a_delivery_the_page_says_what_starts_the_window(client, contract):
    assert f"验收期 {DAYS} 个自然日，自交付之日起算；还没有登记交付。" in page(client, contract, "wen")


def test_it_runs_from_the_day_the_buyer_recorded_not_from_the_day_it_was_typed(client, contract):
    deliver(contract, "eng", days_ago(5))
    shown = page(client, contract, "wen")
    assert f"验收期到 {days_ago(5 - DAYS)} 为止" in shown and "验收期还剩 9 天" in shown
    assert "没有约定视为验收合格" in shown and "等待：" in shown
    assert "验收期还剩 9 天" in page(client, contract, "vera", "contract-list")
    assert confirm(client, contract, days_ago(5)).status_code == 422


def test_over_is_said_and_accepts_nothing(client, contract):
    deliver(contract, "eng", days_ago(DAYS + 1))
    assert "验收期已过" in page(client, contract, "ada")
    contract.refresh_from_db()
    assert contract.state == "delivered"


def test_what_the_vendor_recorded_waits_for_the_buyer(client, contract):
    deliver(contract, "vera", days_ago(2))
    assert "甲方还没有确认" in page(client, contract, "vera")
    assert "确认交付日" in page(client, contract, "eng", "dashboard")
    assert confirm(client, contract, days_ago(2), "vera").status_code == 403
    assert confirm(client, contract, days_ago(2)).status_code == 302
    shown = page(client, contract, "ada")
    assert "甲方还没有确认" not in shown and f"验收期到 {days_ago(2 - DAYS)} 为止" in shown
    assert confirm(client, contract, days_ago(1)).status_code == 422
    assert contract.events.filter(kind="handover_confirmed").count() == 1


def test_no_window_is_said_to_run_before_the_buyer_confirmed(client, contract):
    deliver(contract, "vera", days_ago(2))
    for who in ("vera", "ada"):
        shown = page(client, contract, who)
        assert f"乙方登记于 {days_ago(2)}，待甲方确认" in shown and "验收期还剩" not in shown
        assert "约定的交付日期是 2026-12-15" in shown
        assert "验收期还剩" not in page(client, contract, who, "contract-list")
    confirm(client, contract, days_ago(2))
    assert "验收期还剩 12 天" in page(client, contract, "ada")


def test_the_buyer_says_that_nothing_was_received_and_both_read_why(client, contract):
    deliver(contract, "vera", days_ago(2))
    client.force_login(factories.person("eng"))
    address = reverse("contract-handover", args=[contract.uuid])
    client.post(address, {"received": "no", "reason": " "})
    assert not contract.events.filter(kind="handover_denied").exists()
    assert client.post(address, {"received": "no", "reason": "二号机连不上"}).status_code == 302
    assert json.loads(contract.events.get(kind="handover_denied").body)["reason"] == "二号机连不上"
    assert "甲方表示没有收到机器：二号机连不上" in page(client, contract, "vera")
    assert confirm(client, contract, days_ago(1)).status_code == 302
    assert "没有收到机器" not in page(client, contract, "vera")
    client.force_login(factories.person("eng"))
    late = client.post(address, {"received": "no", "reason": "又断了"}, follow=True)
    assert "没有等待确认的交付日" in late.content.decode()


def test_the_vendor_may_not_say_so_for_the_buyer(client, contract):
    deliver(contract, "vera", days_ago(2))
    client.force_login(factories.person("vera"))
    address = reverse("contract-handover", args=[contract.uuid])
    assert client.post(address, {"received": "no", "reason": "x"}).status_code == 403


def test_the_buyers_other_day_counts_and_both_are_shown_to_both(client, contract):
    deliver(contract, "sun", days_ago(9))
    assert confirm(client, contract, days_ago(3)).status_code == 302
    said = json.loads(contract.events.get(kind="handover_confirmed").body)
    assert said == {"on": str(days_ago(3)), "recorded": str(days_ago(9))}
    shown = page(client, contract, "sun")
    assert f"登记的交付日是 {days_ago(9)}" in shown and f"验收期到 {days_ago(3 - DAYS)} 为止" in shown


def test_no_day_to_come_is_confirmed(client, contract):
    deliver(contract, "vera", days_ago(2))
    refused = confirm(client, contract, days_ago(-1))
    assert refused.status_code == 422 and "还没有到" in refused.content.decode()


def test_contracts_without_a_running_window_cost_no_query(contract, django_assert_num_queries):
    contract.state = "active"
    with django_assert_num_queries(0):
        assert clocks([contract]) == {}
