"""What a contract costs: worked examples by hand, each basis, part months, taxes and fees."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucontract.contracts.money import add_months, half_up, natural_months, quote, total
from gpucontract.contracts.terms import NotGiven
from tests.pure.making import GONE, drafted

MARCH = {"c__term_start": date(2027, 3, 17)}
HOURLY = {"c__pricing_unit": "CNY/GPU/hour", "c__unit_price": Decimal(10)}
UNTAXED = {"c__price_tax_included": False, "c__vat_rate_pct": 6}
NO_EXTRAS = {"c__other_fees": GONE, "c__price_tax_included": True, "c__vat_rate_pct": 6}


def priced(**changes):
    return drafted(**(NO_EXTRAS | changes))


# two machines of eight GPUs from 2027-01-01 for twelve months (365 days, 8760 hours)
TOTALS = [
    ("machines by the month", {}, "1560000.00"),
    ("sixteen machines", {"g1__node_count": 16}, "12480000.00"),
    ("GPUs by the month", {"c__pricing_unit": "CNY/GPU/month", "c__unit_price": Decimal(8125)}, "1560000.00"),
    ("GPUs by the hour of natural months", HOURLY, "1401600.00"),
    ("by the hour, a month of 720", HOURLY | {"c__month_basis": "720h"}, "1382400.00"),
    ("by the hour, a month of 30 days", HOURLY | {"c__month_basis": "30d"}, "1382400.00"),
    ("by the hour, a month of 730", HOURLY | {"c__month_basis": "730h"}, "1401600.00"),
    ("a leap year has a day more", HOURLY | {"c__term_start": date(2028, 1, 1)}, "1405440.00"),
    ("a package", {"c__pricing_unit": "package", "c__unit_price": Decimal(1000)}, "1000.00"),
    ("a year from the 17th is a year", MARCH, "1560000.00"),
    # 15/31 of March, April to August, 16/30 of September: 6.01720430... months of 130,000
    ("half a year from the 17th counts by days", MARCH | {"c__term_months": 6}, "782236.56"),
    ("a month of 30 days has no parts", MARCH | {"c__term_months": 6, "c__month_basis": "30d"}, "780000.00"),
    ("tax on top", UNTAXED, "1653600.00"),
    ("a set-up fee", {"c__other_fees": ({"basis": "once", "amount": Decimal("5000.5")},)}, "1565000.50"),
    ("a fee each month", {"c__other_fees": ({"basis": "per_month", "amount": Decimal(100)},)}, "1561200.00"),
    ("and per machine", {"c__other_fees": ({"basis": "per_node_month", "amount": Decimal(100)},)}, "1562400.00"),
    ("included fees add nothing", {"c__other_fees": ({"basis": "included"},)}, "1560000.00"),
    ("fees are taxed like the price", UNTAXED | {"c__other_fees": ({"basis": "once", "amount": Decimal(100)},)}, "1653706.00"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "amount"), [row[1:] for row in TOTALS], ids=[row[0] for row in TOTALS])
def test_the_total_is_the_price_times_quantity_times_time(changes, amount):
    found = total(priced(**changes))
    assert str(found) == amount


def test_a_month_of_744_hours_costs_30720_more_than_one_of_720():
    january = priced(**HOURLY, g1__node_count=16, c__term_months=1)
    by_720 = priced(**HOURLY, g1__node_count=16, c__term_months=1, c__month_basis="720h")
    assert (total(january), total(by_720)) == (Decimal("952320.00"), Decimal("921600.00"))


def test_two_groups_are_added_up():
    one = priced()
    both = type(one)({**one.rows, "g2": one.rows["g1"] | {"node_count": 3}})
    assert total(both) == Decimal("3900000.00")


def test_a_quote_says_the_month_the_hour_and_the_promised_hour():
    found = quote(priced(c__sla_availability_pct=Decimal("99.5")))
    assert found.monthly == Decimal("130000.00")
    assert found.net == Decimal("1471698.11")
    assert found.gpu_hour == Decimal("11.1301")
    assert found.healthy_gpu_hour == Decimal("11.1861")
    assert (found.currency, found.is_firm, found.lacking) == ("CNY", True, "")
    assert found.how.en == "CNY 65,000.00 per machine and month × 2 machines × 12 months"
    assert found.how.zh == "65,000.00 元/台/月 × 2 台 × 12 个月"
    single = quote(priced(g1__node_count=1, c__term_months=1)).how
    assert single.en == "CNY 65,000.00 per machine and month × 1 machine × 1 month"


def test_an_hour_that_is_held_but_not_billed_lowers_the_price_of_an_hour():
    assert quote(priced(**HOURLY, c__month_basis="720h")).gpu_hour == Decimal("9.8630")
    assert quote(priced(**HOURLY)).gpu_hour == Decimal("10.0000")


def test_part_months_tax_and_fees_stand_in_the_sum():
    changes = MARCH | UNTAXED | {"c__term_months": 6, "c__other_fees": ({"basis": "once", "amount": Decimal(1)},)}
    assert quote(priced(**changes)).how.en == (
        "CNY 65,000.00 per machine and month × 2 machines × 6.0172 months, plus fixed fees of CNY 1.00, plus 6 % VAT"
    )
    assert "16 GPUs × 8,760 hours" in quote(priced(**HOURLY)).how.en


LACKING = [
    ({"c__unit_price": GONE}, "c/unit_price"),
    ({"c__pricing_unit": GONE}, "c/pricing_unit"),
    ({"g1__node_count": GONE}, "g1/node_count"),
    ({"c__term_months": GONE}, "c/term_months"),
    (HOURLY | {"c__month_basis": GONE}, "c/month_basis"),
    (HOURLY | {"c__term_start": GONE}, "c/term_start"),
    ({"c__price_tax_included": False, "c__vat_rate_pct": GONE}, "c/vat_rate_pct"),
]


@pytest.mark.parametrize(("changes", "path"), LACKING, ids=[row[1] for row in LACKING])
def test_what_the_total_lacks_is_named_and_no_amount_is_made_up(changes, path):
    terms = priced(**changes)
    found = quote(terms)
    assert (found.total, found.monthly, found.gpu_hour, found.how, found.lacking) == (None, None, None, None, path)
    with pytest.raises(NotGiven):
        total(terms)


def test_an_empty_draft_has_a_quote_of_nothing():
    empty = type(drafted())({"c": {}})
    assert quote(empty).total is None and quote(empty).currency == "CNY"


def test_no_availability_is_no_price_of_a_healthy_hour():
    for value in (GONE, Decimal(0)):
        found = quote(priced(c__sla_availability_pct=value))
        assert found.total == Decimal("1560000.00") and found.healthy_gpu_hour is None


def test_open_fees_and_actual_hours_leave_a_quote_open():
    assert not quote(priced(c__other_fees=({"basis": "open"},))).is_firm
    assert not quote(priced(**HOURLY, c__month_basis="actual")).is_firm


MONTHS = [
    (date(2027, 1, 31), 1, date(2027, 2, 28)),
    (date(2028, 1, 31), 1, date(2028, 2, 29)),
    (date(2027, 12, 15), 1, date(2028, 1, 15)),
    (date(2027, 3, 17), 12, date(2028, 3, 17)),
    (date(2027, 3, 17), 240, date(2047, 3, 17)),
]


@pytest.mark.parametrize(("start", "months", "end"), MONTHS, ids=[f"{s}+{m}" for s, m, _ in MONTHS])
def test_months_are_added_to_a_day(start, months, end):
    assert add_months(start, months) == end


@given(st.dates(date(2020, 1, 1), date(2040, 12, 31)), st.integers(1, 60))
def test_natural_months_differ_from_contract_months_by_part_months_only(start, months):
    counted = natural_months(start, add_months(start, months))
    assert abs(counted - months) < Fraction(1, 5)
    assert start.day != 1 or counted == months


@given(st.fractions(-10, 10))
def test_half_up_is_the_nearest_cent(value):
    assert abs(Fraction(half_up(value, 2)) - value) <= Fraction(1, 200)


def test_halves_go_up():
    assert half_up(Fraction(1, 200), 2) == Decimal("0.01")
    assert half_up(Fraction(-1, 200), 2) == Decimal("-0.01")
    assert half_up(Fraction("31451.6129"), 2) == Decimal("31451.61")
