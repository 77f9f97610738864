"""Numbers with units, versions, names and words against a clause."""

from decimal import Decimal

import pytest

from gpucontract.contracts.clauses import Clause, Operator, VerifiedBy
from gpucontract.units import UnitError
from gpucontract.verdicts.comparing import compare, in_unit, is_met, mark, miss_pct
from gpucontract.verdicts.plausibility import agrees, bus_factor, recomputed
from gpucontract.verdicts.states import State
from gpucontract.wording import Text

SAME = Text("同", "same")
AT_LEAST, AT_MOST, EQUAL, IN = Operator.AT_LEAST, Operator.AT_MOST, Operator.EQUAL, Operator.IN


def clause(operator, value, unit, metric="", **conditions):
    return Clause("g1/x", "nodes", SAME, operator, value, unit, metric=metric, conditions=conditions,
                  verified_by=VerifiedBy.MEASUREMENT)  # fmt: skip


NUMBERS = {
    "equal": (AT_LEAST, "18", "count", 18, "", True),
    "one less": (AT_LEAST, "18", "count", 17, "", False),
    "GB/s against Gb/s": (AT_LEAST, "400", "Gb/s", Decimal(50), "GB/s", True),
    "KiB against GiB": (AT_LEAST, "2", "GiB", 2 * 2**20, "KiB", True),
    "one KiB short": (AT_LEAST, "2", "GiB", 2 * 2**20 - 1, "KiB", False),
    "GB is not GiB": (AT_LEAST, "80", "GiB", Decimal(80), "GB", False),
    "at most": (AT_MOST, "0", "count", 1, "", False),
    "exactly": (EQUAL, "8", "count", 9, "", False),
}


@pytest.mark.parametrize(("operator", "value", "unit", "seen", "seen_unit", "kept"), NUMBERS.values(), ids=NUMBERS)
def test_a_number(operator, value, unit, seen, seen_unit, kept):
    outcome = compare(clause(operator, Decimal(value), unit), seen, seen_unit)
    assert (outcome.state is State.VERIFIED) is kept


VERSIONS = {
    "newer": ("550.54", "550.90.07", True),
    "newer by one, not by letters": ("9.9", "10.0", True),
    "same, written longer": ("12.4", "12.4.0", True),
    "same, written shorter": ("12.4.0", "12.4", True),
    "older": ("2.20", "2.19.3", False),
    "with a suffix": ("2.4.0", "2.4.0+cu121", True),
    "a date behind it": ("2.20", "2.18 20990101", False),
}


@pytest.mark.parametrize(("wanted", "seen", "kept"), VERSIONS.values(), ids=VERSIONS)
def test_a_version(wanted, seen, kept):
    assert (compare(clause(AT_LEAST, wanted, "version"), seen, "").state is State.VERIFIED) is kept


NAMES = {
    "one of the printed names": ("gpu_model", {"printed_names": ["NVIDIA A", "NVIDIA B"]}, "NVIDIA B", True),
    "only the beginning": ("gpu_model", {"printed_names": ["NVIDIA L20"]}, "NVIDIA L20X", False),
    "contracted words in order": ("cpu_model", {}, "Intel(R) Xeon(R) Platinum 8480+ CPU @ 2.00GHz", True),
    "a longer number": ("cpu_model", {}, "Intel(R) Xeon(R) Platinum 84801", False),
    "another series": ("cpu_model", {}, "Intel(R) Xeon(R) Gold 8480", False),
}


@pytest.mark.parametrize(("metric", "conditions", "seen", "kept"), NAMES.values(), ids=NAMES)
def test_a_name(metric, conditions, seen, kept):
    made = clause(IN, ("Intel Xeon Platinum 8480",), "text", metric, **conditions)
    assert (compare(made, seen, "").state is State.VERIFIED) is kept


def test_units_that_measure_different_things_are_refused():
    with pytest.raises(UnitError):
        compare(clause(AT_LEAST, Decimal(1), "GB/s"), 1, "GiB")


def test_an_allowance_lowers_the_mark_and_not_the_promise():
    made = clause(AT_LEAST, Decimal(2048), "GiB", allowance="0.97")
    assert mark(made) == Decimal("1986.56")
    assert is_met(made, Decimal("1986.56")) and not is_met(made, Decimal("1986.55"))


def test_the_least_listed_memory_counts_where_the_catalogue_has_one():
    made = clause(AT_LEAST, Decimal(80), "GB", "gpu_memory_total_mib", allowance="0.99", smallest_mib=81559)
    assert mark(made) == Decimal("80743.41")
    assert compare(made, 81559, "MiB").value == 81559


@pytest.mark.parametrize(
    ("operator", "value", "seen", "percent"),
    [
        (AT_LEAST, 18, 16, "-11.11"),
        (AT_LEAST, 455, 480, "5.49"),
        (AT_MOST, 10, 12, "-20.00"),
        (AT_MOST, 10, 9, "10.00"),
    ],
)
def test_the_margin_is_signed_in_the_direction_of_the_promise(operator, value, seen, percent):
    assert round(miss_pct(clause(operator, Decimal(value), "GB/s"), Decimal(seen)), 2) == Decimal(percent)


def test_a_mark_of_nothing_has_no_percent():
    assert miss_pct(clause(AT_MOST, Decimal(0), "count"), Decimal(3)) is None


def test_lanes_and_counts_carry_no_unit():
    assert in_unit(16, "", "lanes") == in_unit(Decimal(16), "lanes", "count") == 16


# collective, ranks -> factor; the published H100 row: 8 GiB in 33605 us on 16 ranks is 479.3 GB/s
@pytest.mark.parametrize(
    ("collective", "ranks", "factor"),
    [("all_reduce", 8, "1.75"), ("all_reduce", 16, "1.875"), ("all_gather", 8, "0.875"), ("broadcast", 8, "1")],
)
def test_factors(collective, ranks, factor):
    assert bus_factor(collective, ranks) == Decimal(factor)


def test_a_published_row_adds_up_and_a_row_with_the_wrong_ranks_does_not():
    time = Decimal(33605)
    again = recomputed("all_reduce", 16, 2**33, time)
    assert agrees(Decimal("479.28"), again, time)
    assert not agrees(Decimal("479.28"), recomputed("all_reduce", 8, 2**33, time), time)
    assert recomputed("unknown", 8, 2**33, time) is None


def test_rounding_of_short_numbers_is_no_lie():
    assert agrees(Decimal("1.1"), Decimal("1.149"), Decimal("10000.1"))
    assert not agrees(Decimal("1.13"), Decimal("1.149"), Decimal("10000.1"))


ABSURD = {"ten to the thirtieth": Decimal(10) ** 30, "not a number": Decimal("NaN"), "without end": Decimal("Infinity")}


@pytest.mark.parametrize("seen", ABSURD.values(), ids=ABSURD)
def test_a_number_no_tool_can_mean_is_refused_not_compared(seen):
    with pytest.raises(UnitError, match="no reading"):
        compare(clause(AT_LEAST, Decimal(1), "GiB"), seen, "KiB")


@pytest.mark.parametrize("value", [-1, Decimal("-0.5"), Decimal("-1E+30")])
def test_a_number_below_zero_is_no_reading_and_so_no_breach(value):
    with pytest.raises(UnitError, match="no reading"):
        in_unit(value, "MiB", "MiB")
