"""A day that is a slip of the hand is refused with the range; one that was stored before breaks no arithmetic."""

from datetime import date

import pytest

from gpucontract.contracts.checks import CHECKS, run
from gpucontract.contracts.checks.check import Policy
from gpucontract.contracts.converting import converted
from gpucontract.contracts.interchange import FORMAT, InterchangeRefused, load
from gpucontract.contracts.models import ClausePaper
from gpucontract.contracts.money import add_months, natural_months, quote
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.values import TermRefused, read
from gpucontract.contracts.working_days import last_day, uncertainty
from tests.pure.making import drafted

FAR = date(9999, 12, 31)
SAID = "租期起：{day} 超出范围。请填 1900-01-01 到 2199-12-31 之间的日期。"


@pytest.mark.parametrize("day", ["1900-01-01", "1984-11-01", "2027-03-01", "2199-12-31"])
def test_a_day_within_the_range_is_read(day):
    assert read(TERMS["term_start"], day) == read(TERMS["term_start"], date.fromisoformat(day))


@pytest.mark.parametrize("day", ["1899-12-31", "0001-01-01", "2200-01-01", "9999-12-31"])
def test_a_day_beyond_it_is_refused_with_value_and_limits(day):
    for typed in (day, date.fromisoformat(day)):
        with pytest.raises(TermRefused) as refusal:
            read(TERMS["term_start"], typed)
        assert refusal.value.text.zh == SAID.format(day=day)
        assert f"{day} is out of range. Enter a date from 1900-01-01 to 2199-12-31." in refusal.value.text.en


def test_a_file_and_a_spec_sheet_go_through_the_same_range():
    with pytest.raises(InterchangeRefused) as refused:
        load(f'{{"format": "{FORMAT}", "contract": {{"term_start": "9999-12-31"}}}}')
    assert [fault.reason.zh for fault in refused.value.faults] == [SAID.format(day="9999-12-31")]
    assert converted(TERMS["term_start"], "9999-12-31").fault.zh == SAID.format(day="9999-12-31")


def test_counting_on_ends_with_the_calendar():
    assert add_months(FAR, 1) == add_months(FAR, 240) == add_months(date(9999, 6, 1), 7) == FAR
    assert add_months(date(9999, 6, 1), 6) == date(9999, 12, 1)
    for basis in ("calendar", "working"):
        assert last_day(FAR, 10, basis) == last_day(date(9999, 12, 28), 365, basis) == FAR
        assert basis == "calendar" or "9999" in uncertainty(FAR, FAR, basis).zh
    assert last_day(date(9999, 12, 21), 10, "calendar") == FAR
    assert natural_months(date(9999, 12, 1), FAR) < 1


@pytest.mark.parametrize("pricing_unit", ["CNY/GPU/hour", "CNY/GPU/month", "package"])
@pytest.mark.parametrize("month_basis", ["natural", "actual", "720h"])
def test_a_stored_far_start_leaves_the_price_open_and_names_the_start(pricing_unit, month_basis):
    terms = drafted(c__term_start=FAR, c__pricing_unit=pricing_unit, c__month_basis=month_basis)
    found = quote(terms)
    assert found.gpu_hour is None
    assert found.total is not None or found.lacking == "c/term_start"
    assert quote(drafted(c__term_start=date(2199, 12, 31), c__term_months=240)).gpu_hour is not None


@pytest.mark.parametrize("term", [name for name, info in TERMS.items() if info.kind == "date"])
@pytest.mark.parametrize("day", [FAR, date.min])
def test_every_check_still_ends_on_a_draft_that_holds_it(term, day):
    for basis in ("working", "calendar"):
        found = run(drafted(**{f"c__{term}": day, "c__day_basis": basis}), Policy(today=date(2027, 1, 5)))
        assert {each.check for each in found} == {check.id for check in CHECKS}


def test_a_paper_that_holds_until_the_end_of_the_calendar_does_not_expire():
    assert ClausePaper(valid_on=FAR).expires_at is None
    assert ClausePaper(valid_on=date(9999, 12, 30)).expires_at.year == 9999
