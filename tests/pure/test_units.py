"""Units are exact: nothing is rounded unless it must be, GB is not GiB, b is not B."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as some

from gpucontract.contracts.clause_table import CLAUSE_TABLE
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.units import UNITS, UnitError, convert, exact, grouped, shown, unit

CONVERTED = [
    (1, "GiB", "MiB", "1024"),
    (1, "GB", "MB", "1000"),
    (80, "GB", "B", "80000000000"),
    (400, "Gb/s", "GB/s", "50"),
    (8, "b/s", "B/s", "1"),
    (1, "TiB", "TB", "1.099512"),
    (2048, "GiB", "KiB", "2147483648"),
    (90, "min", "h", "1.5"),
    (1, "ms", "µs", "1000"),
    (1, "us", "µs", "1"),
    (3, "d", "h", "72"),
    (1, "MiB/s", "MB/s", "1.048576"),
]
APART = [("GB", "GB/s"), ("count", "%"), ("W", "GB"), ("IOPS", "count"), ("ops/s", "IOPS"), ("h", "Hz")]
WORDS = {"", "text", "enum", "bool", "version", "set", "date"}


@pytest.mark.parametrize(("value", "source", "target", "expected"), CONVERTED)
def test_a_value_is_converted(value, source, target, expected):
    assert convert(value, source, target) == Decimal(expected)


@pytest.mark.parametrize(("source", "target"), APART)
def test_it_refuses_to_mix_dimensions(source, target):
    with pytest.raises(UnitError, match="measures"):
        exact(1, source, target)


@pytest.mark.parametrize("name", ["gb", "Gbps", "GB/S", "MiB/sec", ""])
def test_it_refuses_an_unknown_unit_and_lists_the_known(name):
    with pytest.raises(UnitError, match="GiB"):
        unit(name)


PAIRS = [(a, b) for a in UNITS for b in UNITS if UNITS[a].dimension == UNITS[b].dimension]


@given(some.sampled_from(PAIRS), some.decimals(0, 10**6, places=3))
def test_there_and_back_is_exact(pair, value):
    source, target = pair
    there = exact(value, source, target)
    assert there * UNITS[target].factor / UNITS[source].factor == Fraction(value)


@pytest.mark.parametrize(
    ("value", "name", "text"),
    [(Decimal("455.00"), "GB/s", "455 GB/s"), (8, "count", "8"), (Decimal("99.5"), "%", "99.5 %"), (3, "", "3")],
)
def test_a_number_is_shown_with_its_unit(value, name, text):
    assert shown(value, name) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(10_000_000, "10,000,000"), (Decimal("0.0001"), "0.0001"), (Decimal("1E+6"), "1,000,000"), (Decimal("-0"), "0"),
     (Decimal("1234.50"), "1,234.5"), (Decimal("NaN"), "NaN"), (Decimal("-Infinity"), "-Infinity")],
)  # fmt: skip
def test_a_number_is_read_with_its_thousands_apart(value, text):
    assert grouped(value) == text


def test_every_unit_of_a_term_or_clause_is_known():
    used = {info.unit for info in TERMS.values()} | {row.unit for row in CLAUSE_TABLE}
    assert used - WORDS <= set(UNITS)
