"""When the rent starts and when the term is over, held against dates counted by hand."""

from datetime import date

import pytest

from gpucontract.contracts import compile
from gpucontract.contracts.body import Body
from gpucontract.contracts.tenure import Days, tenure
from gpucontract.contracts.terms import Terms

SIGNED, HANDED_OVER, ACCEPTED = date(2031, 5, 1), date(2031, 6, 2), date(2031, 6, 20)
DAYS = Days(SIGNED, HANDED_OVER, ACCEPTED)


def body(**terms):
    """A revision that says no more than these contract-wide terms."""
    return Body("C-2031-1", 1, "", "", {}, (), (), tuple(compile.clauses(Terms({"c": terms}))))


# billing_start, term_start, months, the first day after the term
TERMS = {
    "accepted before the stated start": ("acceptance_signed", date(2031, 7, 1), 12, date(2032, 7, 1)),
    "accepted after the stated start": ("acceptance_signed", date(2031, 6, 1), 12, date(2032, 6, 20)),
    "rent from the delivery": ("delivery", date(2031, 6, 1), 12, date(2032, 6, 2)),
    "rent from the date of the contract": ("contract_date", date(2031, 6, 1), 12, date(2032, 6, 1)),
    "nothing said of the rent": (None, date(2031, 6, 1), 12, date(2032, 6, 1)),
    "a month that is too short": (None, date(2031, 8, 31), 6, date(2032, 2, 29)),
}


@pytest.mark.parametrize(("rent", "start", "months", "over_on"), TERMS.values(), ids=TERMS)
def test_whole_months_from_the_later_of_stated_start_and_first_rent(rent, start, months, over_on):
    said = {"term_start": start, "term_months": months} | ({"billing_start": rent} if rent else {})
    found = tenure(body(**said), DAYS)
    assert found.over_on == over_on
    assert found.is_over(over_on) and not found.is_over(date.fromordinal(over_on.toordinal() - 1))


def test_both_days_and_the_reason_for_the_later_one_are_said():
    said = {"term_start": date(2031, 6, 1), "term_months": 12, "billing_start": "acceptance_signed"}
    zh = [line.zh for line in tenure(body(**said), DAYS).lines]
    assert zh[0] == "自验收之日起租：2031-06-20。"
    assert zh[1] == "租期到 2032-06-19 为止：自 2031-06-20 起 12 个月。"
    assert "租期起始日是 2031-06-01" in zh[2] and len(zh) == 3


def test_rent_before_the_stated_start_is_a_question_for_both():
    said = {"term_start": date(2031, 7, 1), "term_months": 12, "billing_start": "acceptance_signed"}
    en = [line.en for line in tenure(body(**said), DAYS).lines]
    assert len(en) == 3 and "after rent does on 2031-06-20" in en[2]
    assert len(tenure(body(**said | {"term_start": ACCEPTED}), DAYS).lines) == 2


def test_without_a_term_nothing_ends_by_itself():
    found = tenure(body(billing_start="delivery"), DAYS)
    assert found.over_on is None and not found.is_over(date(2999, 1, 1))
    assert "does not end by itself" in found.lines[-1].en


def test_while_the_first_day_of_rent_is_unknown_no_end_is_told():
    said = {"term_start": date(2031, 6, 1), "term_months": 1, "billing_start": "acceptance_signed"}
    assert tenure(body(**said), Days(SIGNED, HANDED_OVER, None)).over_on is None
