"""The table of clauses agrees with terms, metrics and itself."""

import re

import pytest

from gpucontract.contracts.clause_rows.row import Per
from gpucontract.contracts.clause_table import CLAUSE_ROWS, CLAUSE_TABLE
from gpucontract.contracts.clauses import VerifiedBy
from gpucontract.contracts.sections.steps import SECTION_OF, SECTIONS, TERMS
from gpucontract.contracts.sections.term import Row
from gpucontract.metrics import METRICS

IDS = [row.name for row in CLAUSE_TABLE]
ROWS_OF = {
    Per.CONTRACT: {Row.CONTRACT}, Per.CHILD: {Row.CONTRACT}, Per.GROUP: {Row.GROUP, Row.CONTRACT},
    Per.MOUNT: {Row.MOUNT},
}  # fmt: skip


def test_names_stand_once():
    assert len(CLAUSE_ROWS) == len(CLAUSE_TABLE) == 69


@pytest.mark.parametrize("row", CLAUSE_TABLE, ids=IDS)
def test_its_terms_exist_where_the_row_can_read_them(row):
    assert all(TERMS[term].row in ROWS_OF[row.per] for term in row.terms)
    assert all(when.term in TERMS for when in row.when)


@pytest.mark.parametrize("row", CLAUSE_TABLE, ids=IDS)
def test_it_stands_in_the_section_that_asks_for_it(row):
    assert row.section in SECTIONS
    assert not row.terms or SECTION_OF[row.terms[0]] == row.section


@pytest.mark.parametrize("row", CLAUSE_TABLE, ids=IDS)
def test_it_has_a_value_from_a_term_or_a_fixed_one(row):
    assert (row.fixed is None) == bool(row.terms) or row.per is Per.CHILD


@pytest.mark.parametrize("row", CLAUSE_TABLE, ids=IDS)
def test_both_languages_name_the_same_values(row):
    assert set(re.findall(r"{(\w+)}", row.text.zh)) == set(re.findall(r"{(\w+)}", row.text.en))


@pytest.mark.parametrize("row", CLAUSE_TABLE, ids=IDS)
def test_a_measured_row_names_its_metric_and_jobs_and_the_others_no_job(row):
    is_measured = row.verified_by is VerifiedBy.MEASUREMENT
    assert is_measured == bool(row.jobs)
    assert not is_measured or row.metric in METRICS
    assert not row.metric or METRICS[row.metric].kind == ("rate" if row.is_rate else "fact")


@pytest.mark.parametrize("row", [row for row in CLAUSE_TABLE if row.terms], ids=lambda row: row.name)
def test_its_unit_is_the_terms_unit(row):
    unit = TERMS[row.terms[0]].unit
    assert not unit or row.unit == unit or (row.unit, unit) == ("bool", "")
