"""A draft with every term filled keeps, freezes and prints every value, field by field."""

from datetime import date
from decimal import Decimal

import pytest

from gpucontract.contracts.clause_table import CLAUSE_ROWS
from gpucontract.contracts.compile import STRUCTURE
from gpucontract.contracts.printing import CONDITIONS, UNPRINTED, condition_lines, printed_value
from gpucontract.contracts.sections.steps import TERMS, terms_of
from gpucontract.contracts.sections.term import Kind
from gpucontract.contracts.services import add_mount, freeze_revision, write_terms
from gpucontract.contracts.snapshot import terms_of as stored_terms
from gpucontract.contracts.values import in_days, priced, words
from tests import factories

pytestmark = pytest.mark.django_db
SHAPED = {"uscc": "91420100MADEMB02XH", "path": "/data/shared", "version": "12.4", "email": "legal@buyer.example"}
CODES = ("c", "g1", "m1")
PATHS = [f"{code}/{info.id}" for code in CODES for info in terms_of(code)]


def value_of(info):
    """A value that fits the term and is not its default, at its finest grain where it is a number."""
    if info.id == "groups":
        return ("g1",)
    if info.kind is Kind.ROWS:
        return ({column.id: value_of(column) for column in info.columns},) * 2
    if info.kind is Kind.MULTI:
        return tuple(choice for choice in info.choices if choice != "none")
    if info.choices:
        return list(info.choices)[-1]
    if info.kind is Kind.TEXT:
        return SHAPED.get(info.shape, f"值·{info.id}")[: info.length]
    step = Decimal(1).scaleb(-info.decimals)
    whole = int((info.minimum or 0) + 1)
    others = {Kind.YES_NO: True, Kind.DATE: date(2031, 5, 6), Kind.WHOLE: whole}
    return others.get(info.kind, (info.minimum or 0) + step)


FULL = {code: {info.id: value_of(info) for info in terms_of(code)} for code in CODES}


@pytest.fixture
def contract():
    bing = factories.person("bing")
    made = factories.empty_contract()
    add_mount(made, by=bing)
    write_terms(made, values=FULL, by=bing)
    return made


def bare(value):
    """Child rows without their codes."""
    is_rows = isinstance(value, tuple) and value and isinstance(value[0], dict)
    return tuple({name: cell for name, cell in row.items() if name != "code"} for row in value) if is_rows else value


def test_every_value_is_read_back_exactly_as_it_was_written(contract):
    terms = stored_terms(contract)
    read = {path: bare(terms.get(path)) for path in PATHS}
    written = {f"{code}/{name}": value for code, values in FULL.items() for name, value in values.items()}
    assert read == written
    assert all(type(read[path]) is type(written[path]) for path in PATHS)


def test_writing_it_again_changes_nothing(contract):
    again = {code: dict(values) for code, values in stored_terms(contract).rows.items()}
    assert write_terms(contract, values=again, by=factories.person("bing")) == ()


def test_every_value_stands_in_the_frozen_revision(contract):
    """Each term is a line of its own, the value of a clause, or a condition of one."""
    body = freeze_revision(contract, by=factories.person("bing")).body()
    lines = {clause.key.partition(":")[0] for clause in body.clauses} | {clause.term for clause in body.clauses}
    used = {f"{clause.code}/{term}" for clause in body.clauses for term in row_terms(clause)}
    assert [path for path in PATHS if path not in lines | used and path.partition("/")[2] not in STRUCTURE] == []


def row_terms(clause):
    row = CLAUSE_ROWS.get(clause.name)
    return row.terms if row else ()


def test_every_plain_line_prints_label_and_value_in_both_languages(contract):
    body = freeze_revision(contract, by=factories.person("bing")).body()
    plain = [clause for clause in body.clauses if clause.name in TERMS and clause.name not in CLAUSE_ROWS]
    assert len(plain) > 150
    for clause in plain:
        info, printed = TERMS[clause.name], printed_value(clause)
        place = f"{FULL['m1']['path']}{{}}" if clause.code == "m1" else ""
        assert clause.text.zh.startswith(place.format("：") + info.formal.zh)
        assert clause.text.en.startswith(place.format(": ") + info.formal.en)
        assert printed.zh and printed.en
        if info.kind is not Kind.ROWS:
            said = words(priced(info, FULL["c"]["currency"]), FULL[clause.code][info.id])
            if info.id == "deemed_acceptance_days":
                said = in_days(FULL["c"][info.id], FULL["c"]["day_basis"])
            assert said.zh in clause.text.zh and said.en in clause.text.en
            assert said.zh in printed.zh


def test_everything_frozen_beside_a_value_can_be_printed(contract):
    for clause in freeze_revision(contract, by=factories.person("bing")).body().clauses:
        for line in condition_lines(clause):
            assert line.zh and line.en and "{" not in line.zh + line.en


def test_every_condition_of_a_full_contract_has_words_of_its_own(contract):
    body = freeze_revision(contract, by=factories.person("bing")).body()
    names = {name for clause in body.clauses for name in clause.conditions}
    assert names - {*CONDITIONS, *TERMS, *UNPRINTED} == set()
