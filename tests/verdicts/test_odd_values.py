"""A value of the wrong kind is unread: it stops no judging, proves nothing and breaches nothing."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.units import UnitError
from gpucontract.verdicts.comparing import in_unit
from gpucontract.verdicts.states import State
from tests.verdicts import making

BODY = making.body_of()
HEALTHY = making.all_healthy()
NAMES = sorted({reading.name for run in HEALTHY for out in run.outputs for reading in out.readings})
NUMBERS = [-1, Decimal("-0.5"), 10**400, Decimal("1E+5000"), Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity")]
OTHERS = ["banana", "", "²", True, False, (), ("8", "8"), *NUMBERS]
DECIDED = (State.VERIFIED, State.MARGINAL, State.BREACHED)


def with_values(name, value, why=""):
    """The healthy contract with every reading of one name replaced."""
    return [
        replace(run, outputs=tuple(
            replace(out, readings=tuple(
                Reading(r.name, value, r.unit, r.scope, why) if r.name == name and r.value is not None else r
                for r in out.readings
            ))
            for out in run.outputs
        ))
        for run in HEALTHY
    ]  # fmt: skip


def is_odd(name, value):
    """Whether no tool prints such a value under that name: of another kind, or a number that cannot be."""
    healthy = next(
        r.value
        for run in HEALTHY
        for out in run.outputs
        for r in out.readings
        if r.name == name and r.value is not None
    )
    return not isinstance(value, type(healthy)) or (isinstance(healthy, bool) is not isinstance(value, bool)) or (
        isinstance(value, int | Decimal) and not isinstance(value, bool)
    )  # fmt: skip


@settings(max_examples=120, deadline=None)
@example("disk_size", "")
@example("port_rate", Decimal("NaN"))
@given(st.sampled_from(NAMES), st.sampled_from(OTHERS))
def test_a_value_of_the_wrong_kind_decides_no_more_than_none_at_all(name, value):
    found = making.judged(with_values(name, value), BODY)
    if not is_odd(name, value):
        return
    unread = making.judged(with_values(name, None, "unreadable"), BODY)
    for key, verdict in found.items():
        if verdict.state in DECIDED:
            assert verdict.state is unread[key].state, (key, name, value, verdict.sentence)


@pytest.mark.parametrize("value", ["8", "banana", True, (), Decimal("NaN"), 10**400, -1], ids=str)
def test_what_is_no_number_is_in_no_unit(value):
    with pytest.raises(UnitError):
        in_unit(value, "Gb/s", "Gb/s")


@pytest.mark.parametrize("value", ["banana", True, (), -1], ids=str)
def test_ports_whose_rate_is_no_number_are_unread_and_the_rest_of_the_contract_is_judged(value):
    found = making.judged(with_values("port_rate", value), BODY)
    assert found["g1/nic_count"].state is State.INCONCLUSIVE
    assert found["g1/gpu_count"].state is State.VERIFIED


OTHER_VALUES = (True, False, 0, 7, 10**6, Decimal("1.5"), "another", ("a",))


@pytest.mark.parametrize("name", NAMES)
def test_a_second_tool_that_says_otherwise_stops_no_judging_and_is_named(name):
    """Whatever two tools of one run disagree on, every clause gets its sentence and none is decided by it."""
    records = []
    for run in HEALTHY:
        told = [reading for out in run.outputs for reading in out.readings if reading.name == name]
        others = [
            replace(reading, value=value)
            for reading in told
            for value in OTHER_VALUES
            if reading.value is not None and type(value) is type(reading.value) and value != reading.value
        ]
        records.append(replace(run, outputs=(*run.outputs, making.output(others, "another-tool"))) if others else run)
    verdicts = making.judged(records, BODY)
    assert all(verdict.sentence.zh and verdict.sentence.en for verdict in verdicts.values())
    assert State.BREACHED not in {verdict.state for verdict in verdicts.values()}


@pytest.mark.parametrize("values", [(18, 16, 18), (16, 18, 18), (18, 18, 16), (16, 16, 18)])
def test_a_third_tool_does_not_outvote_two_that_disagree(values):
    others = [making.output(making.each_gpu("nvlink_active", value), f"tool-{value}") for value in values[1:]]
    run = making.topology("g1-001", dict.fromkeys(making.GPUS, values[0]))
    records = [replace(run, outputs=(*run.outputs, *others))]
    found = making.scope_verdicts(BODY.clause("g1/links_per_gpu"), records, BODY)["g1-001/gpu5"]
    assert (found.state, found.reason) == (State.INCONCLUSIVE, "sources_disagree")
