"""The demonstration's days never go stale: they lie from the day on which it is told."""

from datetime import date

import pytest

from gpucontract.contracts.checks import run
from gpucontract.contracts.checks.check import Outcome, Policy
from gpucontract.contracts.terms import Terms
from gpucontract.web.demo.sample import CONTRACT_TERMS, SAMPLE
from gpucontract.web.demo.story import days_from


@pytest.mark.parametrize("today", [date(2026, 11, 30), date(2028, 2, 29), date(2031, 12, 31), date(2035, 1, 17)])
def test_no_check_finds_a_day_wrong_whenever_the_story_is_told(today):
    days = days_from(today)
    assert today < days["delivery_date"] < days["term_start"] < days["vendor_licence_expiry"]
    assert days["term_start"].day == 1
    found = run(Terms(SAMPLE | {"c": CONTRACT_TERMS | days}), Policy(today=today))
    usual = run(Terms(SAMPLE), Policy(today=date(2026, 11, 30)))
    assert [each.check for each in found if each.outcome is Outcome.FAILED] == [
        each.check for each in usual if each.outcome is Outcome.FAILED
    ]
