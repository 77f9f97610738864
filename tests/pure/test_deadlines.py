"""The days that count from a handover, held against dates counted by hand."""

from datetime import date

import pytest

from gpucontract.contracts import compile
from gpucontract.contracts.body import Body
from gpucontract.contracts.deadlines import deadlines
from gpucontract.contracts.terms import Terms
from gpucontract.contracts.working_days import last_day, uncertainty

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
    assert working.ends_on == date(2031, 6, 16)
    assert "make-up days count" in working.lines[1].en and "计入调休上班日" in working.lines[1].zh
    assert working.lines[2].zh.startswith("本系统还没有 2031 年的放假安排")


# Counted by hand on the notices of the State Council for 2025 and 2026.
@pytest.mark.parametrize(
    ("start", "days", "expected"),
    [
        # National Day 2026 is off from 1 to 7 October; Saturday 10 October is made up.
        (date(2026, 9, 30), 1, date(2026, 10, 8)),
        (date(2026, 9, 30), 3, date(2026, 10, 10)),
        (date(2026, 9, 30), 4, date(2026, 10, 12)),
        # Spring Festival 2026 is off from 15 to 23 February; the Saturdays 14 and 28 are made up.
        (date(2026, 2, 13), 1, date(2026, 2, 14)),
        (date(2026, 2, 13), 2, date(2026, 2, 24)),
        (date(2026, 2, 27), 1, date(2026, 2, 28)),
        # National Day and Mid-Autumn 2025 are off from 1 to 8 October; Saturday 11 October is made up.
        (date(2025, 9, 30), 3, date(2025, 10, 11)),
        # Labour Day 2026 is off from 1 to 5 May; Saturday 9 May is made up.
        (date(2026, 4, 30), 4, date(2026, 5, 9)),
    ],
)
def test_public_holidays_are_left_out_and_made_up_days_count(start, days, expected):
    assert last_day(start, days, "working") == expected
    assert uncertainty(start, expected, "working") is None


@pytest.mark.parametrize(
    ("end", "basis", "named"),
    [
        (date(2031, 3, 1), "working", "2031"),
        (date(2032, 3, 1), "working", "2031、2032"),
        (date(2031, 3, 1), "calendar", None),
    ],
)
def test_a_year_whose_holidays_are_not_known_is_named_beside_the_day(end, basis, named):
    found = uncertainty(date(2031, 1, 1), end, basis)
    assert (found and f" {named} 年" in found.zh) == (True if named else None)


def test_the_doubt_stands_beside_a_silence_that_reaches_into_such_a_year():
    terms = WINDOW | {"day_basis": "working", "deemed_acceptance": "on_silence", "deemed_acceptance_days": 2000}
    known = deadlines(body(**terms | {"deemed_acceptance_days": 10}), date(2026, 9, 30), None)
    assert not any("还没有" in line.zh for line in known.lines)
    assert any("年的放假安排" in line.zh for line in deadlines(body(**terms), date(2026, 9, 30), None).lines)


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
