"""Terms: empty raises NotGiven, False and 0 are values, a row falls back to the contract."""

from decimal import Decimal

import pytest

from gpucontract.contracts.terms import NotGiven, Terms

TERMS = Terms(
    {
        "c": {"repeat_runs": 3, "note": "", "day": None, "coverage": Decimal(0)},
        "g1": {"gpus": 8, "exclusive": False, "repeat_runs": 5, "env": ()},
        "g2": {},
        "m1": {"path": "/data"},
    }
)


@pytest.mark.parametrize("path", ["c/note", "c/day", "g1/env", "g2/gpus", "g9/gpus", "c/unheard_of"])
def test_an_empty_term_raises(path):
    assert not TERMS.is_given(path)
    with pytest.raises(NotGiven):
        TERMS[path]


@pytest.mark.parametrize(("path", "value"), [("g1/exclusive", False), ("c/coverage", 0), ("m1/path", "/data")])
def test_false_and_zero_are_values(path, value):
    assert TERMS[path] == value
    assert TERMS.is_given(path)


def test_rows_are_listed_in_order():
    assert (TERMS.groups, TERMS.mounts) == (("g1", "g2"), ("m1",))


def test_a_row_reads_its_own_value_first_then_the_contracts():
    assert TERMS.at("g1")["repeat_runs"] == 5
    assert TERMS.at("g2")["repeat_runs"] == 3
    assert TERMS.at("g2").path("repeat_runs") == "c/repeat_runs"
    assert TERMS.at("g2").path("gpus") == "g2/gpus"


def test_a_row_never_reads_another_row():
    assert TERMS.at("g2").get("gpus") is None
    assert not TERMS.at("m1").is_given("gpus")
