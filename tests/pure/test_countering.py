"""Which lines take a counter, what it reads as, and the sentence when it cannot stand."""

from decimal import Decimal

import pytest

from gpucontract.contracts.clauses import Clause, Operator
from gpucontract.contracts.compile import clauses
from gpucontract.contracts.countering import (
    Price,
    counter_term,
    counter_words,
    price_words,
    read_counter,
    read_price,
    stands_in,
    stored,
    why_no_counter,
)
from gpucontract.contracts.sections.values import TermRefused, read
from gpucontract.contracts.terms import Terms
from tests.sample_terms import SAMPLE

BODY = {clause.key: clause for clause in clauses(Terms(SAMPLE))}


def line(name: str) -> Clause:
    return BODY[name]


@pytest.mark.parametrize("clause", BODY.values(), ids=BODY)
def test_every_line_with_a_term_takes_back_the_value_it_offers_and_refuses_it_as_a_counter(clause):
    info = counter_term(clause)
    if info is None or clause.unit == "version":
        return
    code, _, name = clause.term.partition("/")
    typed = stored(read(info, SAMPLE[code][name])) if name in SAMPLE.get(code, {}) else None
    if typed is not None:
        assert stands_in(clause, typed), counter_words(clause, typed)
        with pytest.raises(TermRefused) as caught:
            read_counter(clause, typed)
        assert "equals the buyer's value" in caught.value.text.en


ASK_ONLY = [key for key, clause in BODY.items() if counter_term(clause) is None]


@pytest.mark.parametrize("key", ASK_ONLY)
def test_a_line_without_a_term_can_only_be_asked_about(key):
    with pytest.raises(TermRefused) as caught:
        read_counter(line(key), "1")
    assert "confirm it or ask about it" in caught.value.text.en


def test_fixed_values_tables_and_structure_are_ask_only():
    assert {key for key, clause in BODY.items() if clause.term is None} <= set(ASK_ONLY)
    assert any(key.startswith("c/documents:") for key in ASK_ONLY)
    assert not [key for key in BODY if key not in ASK_ONLY and BODY[key].term.endswith("/groups")]
    assert not [key for key in BODY if key not in ASK_ONLY and BODY[key].term.endswith("io_test_profile")]


READ = [
    ("g1/ram", "1536", "1536", "≥ 1,536"),
    ("g1/ram", " 1024.0 ", "1024", "≥ 1,024"),
    ("g1/ram", "1.5 TiB", "1536", "≥ 1,536 GiB"),
    ("g1/ram", "1,048,576 MiB", "1024", "≥ 1,024 GiB"),
    ("g1/ram", "1536GiB", "1536", "≥ 1,536 GiB"),
]


@pytest.mark.parametrize(("key", "typed", "kept", "said"), READ)
def test_a_counter_is_kept_as_its_term_reads_it_and_printed_as_its_line_prints(key, typed, kept, said):
    assert read_counter(line(key), typed) == kept
    assert counter_words(line(key), kept).en.startswith(said)


REFUSED = [
    ("words for a number", "g1/ram", "viel", "“viel” is not a number"),
    ("a unit that comes out uneven", "g1/ram", "1536 GB", "“1536 GB” is not a number"),
    ("a unit of something else", "g1/ram", "1536 W", "“1536 W” is not a number"),
    ("another unit beyond the limit", "g1/power_limit", "650 kW", "is out of range"),
    ("beyond the limit", "g1/ram", "99999999", "is out of range. Enter a number from"),
    ("nothing", "g1/ram", "  ", "enter your value to counter it"),
    ("a power", "g1/ram", "10³", "“10³” is not a number"),
    ("a power with a unit", "g1/ram", "10² GiB", "“10² GiB” is not a number"),
    (
        "hours for days that may be working ones",
        "c/window",
        "72 h",
        "Acceptance window: “72 h” cannot be turned into days: they may be working days, which are not 24 hours. Enter the "
        "number of days, from 1 to 365 days.",
    ),
    ("an infinite number", "g1/ram", "inf", "is not a number"),
]


@pytest.mark.parametrize(("key", "typed", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_counter_that_does_not_fit_is_refused_with_term_and_limit(key, typed, said):
    with pytest.raises(TermRefused) as caught:
        read_counter(line(key), typed)
    assert said in caught.value.text.en


def test_a_closed_list_of_one_is_countered_by_one_of_the_list():
    clause = next(each for each in BODY.values() if each.operator is Operator.IN and counter_term(each))
    assert isinstance(clause.value, tuple)


PRICES = [
    ("", "CNY", "month", None),
    ("-1200.5", "CNY", "node_month", Price(Decimal("-1200.50"), "CNY", "node_month")),
    ("+300", "USD", "once", Price(Decimal(300), "USD", "once")),
]


@pytest.mark.parametrize(("amount", "currency", "basis", "found"), PRICES)
def test_a_price_effect_is_exact_money_with_currency_and_basis_or_none(amount, currency, basis, found):
    assert read_price(amount, currency, basis) == found


BAD_PRICES = [("viel", "CNY", "month", "not a number"), ("5", "", "month", "choose a currency"),
              ("5", "CNY", "week", "what it is per"), ("0.001", "CNY", "month", "too many decimals")]  # fmt: skip


@pytest.mark.parametrize(("amount", "currency", "basis", "said"), BAD_PRICES)
def test_half_a_price_is_refused(amount, currency, basis, said):
    with pytest.raises(TermRefused) as caught:
        read_price(amount, currency, basis)
    assert said in caught.value.text.en


def test_a_price_effect_shows_its_sign():
    assert price_words(Price(Decimal("-1200.50"), "CNY", "node_month")).zh == "−1,200.50 元，每台每月"
    assert price_words(Price(Decimal(300), "USD", "once")).en == "+USD 300.00 once"


def test_a_row_of_a_table_says_how_to_have_it_changed_all_the_same():
    rows = [clause for clause in BODY.values() if ":" in clause.key and counter_term(clause) is None]
    told = {why_no_counter(clause).zh for clause in rows}
    assert len(told) == 1 and "请提问并写明您要的内容" in told.pop()


def test_a_counter_that_its_term_no_longer_takes_is_shown_as_it_was_typed():
    clause = next(each for each in BODY.values() if each.term == "c/term_start")
    assert counter_words(clause, "9999-12-31").zh == "9999-12-31"
