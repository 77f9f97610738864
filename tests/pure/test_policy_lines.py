"""Every number of the policy is named, bounded, on its default, and read by exactly the checks that it names."""

import dataclasses
from collections import defaultdict
from datetime import date

import pytest

from gpucontract.contracts.checks import CHECKS
from gpucontract.contracts.checks.check import DEFAULT, Per, Policy
from gpucontract.contracts.checks.lines import LINES
from gpucontract.contracts.sections.values import read
from gpucontract.contracts.terms import NotGiven
from gpucontract.units import UNITS
from tests.pure.check_cases import FAILING, MENDED, PASSING
from tests.pure.making import drafted

FIELDS = {field.name for field in dataclasses.fields(Policy)} - {"today", "without_mandate"}


class Watched:
    """The default policy, noting what is asked of it."""

    def __init__(self):
        self.read = set()

    def __getattr__(self, name):
        self.read.add(name)
        return getattr(Policy(today=date(2026, 11, 30)), name)


def reads():
    """Line -> the checks that ask for it in any of the written cases."""
    found = defaultdict(set)
    by_id = {check.id: check for check in CHECKS}
    for name, changes, *_ in FAILING + MENDED + PASSING:
        check, watched = by_id[name], Watched()
        code = {Per.CONTRACT: "c", Per.GROUP: "g1", Per.MOUNT: "m1"}[check.per]
        try:
            check.rule(drafted(**changes).at(code), watched)
        except NotGiven:
            continue
        for line in watched.read - {"today", "without_mandate"}:
            found[line].add(name)
    return found


def test_each_number_is_a_line_of_the_page():
    assert set(LINES) == FIELDS


@pytest.mark.parametrize("name", LINES)
def test_a_line_is_bounded_and_its_default_fits(name):
    info = LINES[name].info
    assert info.unit in UNITS and info.minimum < info.maximum
    assert read(info, getattr(DEFAULT, name)) == getattr(DEFAULT, name)
    assert info.label.zh != info.why.zh


def test_a_line_names_the_checks_that_read_it():
    known = {check.id for check in CHECKS}
    named = {name: set(line.checks) & known for name, line in LINES.items()}
    assert reads() == {name: checks for name, checks in named.items() if checks}
