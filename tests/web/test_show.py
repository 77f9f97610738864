"""Filters that show numbers, money and times."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
import time_machine
from django.utils import translation

from gpucontract.web.templatetags import people, show
from gpucontract.wording import Text


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (Decimal("455.00"), "GB/s", "455 GB/s"),
        (1200000, "IOPS", "1,200,000 IOPS"),
        (Decimal("0.50"), "%", "0.5 %"),
        (0, "GB/s", "0 GB/s"),
        (18, "", "18"),
        (None, "GB/s", "—"),
    ],
    ids=["no-trailing-zeros", "thousands", "fraction", "zero-is-a-value", "bare-count", "not-measured-is-never-0"],
)
def test_a_quantity_shows_number_and_unit(value, unit, shown):
    assert show.quantity(value, unit) == shown


@pytest.mark.parametrize(("value", "shown"), [(0, "0 min"), (120, "120 min"), (121, "2.1 h"), (4323, "72.1 h")])
def test_minutes_beyond_two_hours_are_hours(value, shown):
    with translation.override("en"):
        assert show.minutes(value) == shown


@pytest.mark.parametrize(
    ("language", "value", "short"),
    [
        ("zh-hans", "1286000.50", "¥128.6 万"),
        ("zh-hans", "120000000", "¥1.20 亿"),
        ("zh-hans", "9999", "¥9,999.00"),
        ("en", "1286000.50", "¥1.29M"),
    ],
)
def test_money_on_a_tile_is_short_and_keeps_the_exact_amount_in_its_title(language, value, short):
    with translation.override(language):
        shown = show.money_short(Decimal(value))
    assert short in shown
    assert show.money(Decimal(value)) in shown


def test_an_unknown_amount_is_a_dash():
    assert (show.money(None), show.money_short(None)) == ("—", "—")


@time_machine.travel(datetime(2026, 11, 30, 10, 0, tzinfo=UTC), tick=False)
@pytest.mark.parametrize(
    ("language", "at", "shown"),
    [
        ("zh-hans", datetime(2026, 12, 3, 10, 0, tzinfo=UTC), "3 天后"),
        ("en", datetime(2026, 11, 30, 8, 0, tzinfo=UTC), "2 hours ago"),
        ("zh-hans", datetime(2026, 11, 30, 9, 59, 30, tzinfo=UTC), "刚刚"),
        ("en", datetime(2026, 11, 30, 9, 59, tzinfo=UTC), "1 minute ago"),
    ],
)
def test_a_time_says_how_far_away_it_is(language, at, shown):
    with translation.override(language):
        assert show.ago(at) == shown


@time_machine.travel(datetime(2026, 11, 30, 10, 0, tzinfo=UTC), tick=False)
def test_a_moment_names_its_zone():
    with translation.override("zh-hans"):
        assert "2026-12-03 18:00 北京时间" in show.moment(datetime(2026, 12, 3, 10, 0, tzinfo=UTC))


def test_a_text_is_said_in_the_readers_language():
    with translation.override("en"):
        assert show.said(Text("机器", "machine")) == "machine"
    with translation.override("zh-hans"):
        assert show.said(Text("机器", "machine")) == "机器"


def test_a_currency_in_an_organisations_journal_is_said_in_words():
    with translation.override("zh-hans"):
        assert people.event_facts({"currency": "CNY", "limit": "500"}) == ["币种：人民币", "金额上限：500"]
