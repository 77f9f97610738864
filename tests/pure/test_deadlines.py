"""The days that count from a handover, held against dates counted by hand."""

from datetime import date

import pytest

from gpucontract.contracts import compile
from gpucontract.contracts.body import Body
from gpucontract.contracts.deadlines import deadlines, last_day
from gpucontract.contracts.terms import Terms

MONDAY, SATURDAY = date(2031, 6, 2), date(2031, 6, 7)


def body(**terms):
    """A revision that says no more than these contract-wide terms."""
    clauses = tuple(compile.clauses(Terms({"c": terms})))
    return Body("C-2031-1", 1, "", "", {}, (), (), clauses)


WINDOW = {"acceptance_window_days": 10, "day_basis": "calendar"}


def said(handed_over=MONDAY, signed=date(2031, 5, 1), **terms):
    return [line.en for line in deadlines(body(**WINDOW | terms), handed_over, signed).lines]


@pytest.mark.parametrize(
    ("start", "days", "basis", "expected"),
    [
        (MONDAY, 14, "calendar", date(2031, 6, 16)),
        (MONDAY, 4, "working", date(2031, 6, 6)),
        (MONDAY, 5, "working", date(2031, 6, 9)),
        (MONDAY, 10, "working", date(2031, 6, 16)),
        (SATURDAY, 1, "working", date(2031, 6, 9)),
        (SATURDAY, 1, "calendar", date(2031, 6, 8)),
        (date(2031, 12, 31), 1, "calendar", date(2032, 1, 1)),
    ],
)
def test_the_day_of_the_handover_is_not_counted_and_weekends_only_where_agreed(start, days, basis, expected):
    assert last_day(start, days, basis) == expected


def test_the_window_ends_as_the_contract_counts_days():
    assert deadlines(body(**WINDOW), MONDAY, None).ends_on == date(2031, 6, 12)
    working = deadlines(body(**WINDOW | {"day_basis": "working"}), MONDAY, None)
    assert working.ends_on == date(2031, 6, 16) and "public holidays" in working.lines[1].en
    assert "法定节假日" in working.lines[1].zh


def test_before_a_delivery_nothing_runs_and_the_due_day_is_said():
    found = deadlines(body(**WINDOW, delivery_date=date(2031, 6, 1)), None, None)
    assert found.ends_on is None and found.days_left(MONDAY) is None
    assert [line.en for line in found.lines] == [
        "The machines are due on 2031-06-01.",
        "The acceptance window, 10 calendar days, runs from the day of delivery; no delivery is recorded yet.",
    ]


def test_after_it_the_agreed_day_stands_beside():
    assert said(delivery_date=date(2031, 6, 1))[0] == "The agreed day of delivery was 2031-06-01."


def test_days_left_go_through_the_last_day_and_below():
    found = deadlines(body(**WINDOW), MONDAY, None)
    assert [found.days_left(date(2031, 6, day)) for day in (11, 12, 13)] == [1, 0, -1]


@pytest.mark.parametrize(
    ("terms", "part"),
    [
        ({"deemed_acceptance": "none"}, "silence accepts nothing"),
        ({"deemed_acceptance": "on_silence", "deemed_acceptance_days": 15}, "silent until 2031-06-17"),
        ({"deemed_acceptance": "after_notice", "deemed_acceptance_days": 5}, "stays unanswered for 5 calendar days"),
        ({"deemed_acceptance": "on_use", "deemed_acceptance_days": 3}, "after 3 calendar days of use"),
        ({"billing_start": "acceptance_signed"}, "when acceptance is signed, not yet"),
        ({"billing_start": "delivery"}, "at delivery: 2031-06-02"),
        ({"billing_start": "contract_date"}, "at the date of the contract: 2031-05-01"),
    ],
)
def test_what_else_counts_is_told_as_the_contract_says_it(terms, part):
    assert part in said(**terms)[-1]


def test_silence_has_no_day_before_the_delivery():
    line = said(handed_over=None, deemed_acceptance="on_silence", deemed_acceptance_days=15)[-1]
    assert "silent for 15 calendar days after the delivery" in line


def test_a_contract_that_says_nothing_of_it_promises_no_day():
    found = deadlines(body(), MONDAY, MONDAY)
    assert (found.ends_on, found.lines) == (None, ())
