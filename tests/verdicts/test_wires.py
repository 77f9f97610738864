"""A joint run against what carries it: ports as measured, else as contracted, and the links inside the machines."""

from decimal import Decimal

import pytest

from gpucontract.measurements.records import Origin
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import three
from tests.verdicts.test_rates import BODY, PAIR, inter

V, Q = State.VERIFIED, State.INCONCLUSIVE


CEILINGS = {
    "all_gather": ("all_gather", {}, 401, "over_contracted_ports"),
    "a forced ring": ("all_reduce_ring", {"env": {"NCCL_ALGO": "Ring"}}, 401, "over_contracted_ports"),
    "a ring that NCCL chose": ("all_reduce", {"spoil": {"algorithm": "RING"}}, 401, "over_contracted_ports"),
    "a tree": ("all_reduce", {"spoil": {"algorithm": "TREE"}}, 487, "two_node_all_reduce"),
    "an algorithm not said": ("all_reduce", {}, 801, "over_contracted_ports"),
}


@pytest.mark.parametrize(("collective", "told", "value", "reason"), CEILINGS.values(), ids=CEILINGS)
def test_what_the_ports_allow_depends_on_collective_and_algorithm(collective, told, value, reason):
    body = making.body_of(group={"inter_test_collective": collective})
    runs = three(PAIR, value, value + 1, value + 2, name=collective.removesuffix("_ring"), **told)
    found = inter(runs, body)["g1-001+g1-002"]
    assert (found.state, found.reason) == (Q, reason)


def ports(rate, *slots, **fields):
    return [making.fabric(slot, rates=dict.fromkeys(range(64), rate), **fields) for slot in slots]


# ports as measured, GB/s of an all_gather, what it is: 8 x 400 Gb/s are contracted and carry 400 GB/s
PORTS = {
    "not measured, within": ([], 399, V, "met"),
    "not measured, above": ([], 401, Q, "over_contracted_ports"),
    "faster than contracted": (ports(500, *PAIR), 499, V, "met"),
    "faster and yet above": (ports(500, *PAIR), 501, Q, "over_ports"),
    "faster than the links inside": (ports(800, *PAIR), 515, Q, "over_ceiling"),
    "at what the links inside allow": (ports(800, *PAIR), 514, V, "met"),
    "ports without end": (ports(400, *PAIR, ports=64), 401, Q, "over_ports"),
    "two storage ports beside": (ports(400, *PAIR, ports=10), 399, V, "met"),
    "many slow ports for few fast ones": (ports(100, *PAIR, ports=32), 399, V, "met"),
    "many slow ports and yet above": (ports(100, *PAIR, ports=64), 401, Q, "over_ports"),
    "faster on one, the other not measured": (ports(800, PAIR[0]), 401, Q, "over_contracted_ports"),
    "slower on one": ([*ports(800, PAIR[0]), *ports(200, PAIR[1])], 300, Q, "over_ports"),
    "one port down": ([*ports(400, PAIR[0]), making.fabric(PAIR[1], down=[7])], 360, Q, "over_ports"),
    "faster in an older round of the other": ([*ports(800, PAIR[0], round=2), *ports(800, PAIR[1])], 500, V, "met"),
    "measured by a file nobody signed": (ports(800, *PAIR, origin=Origin.FILE), 401, Q, "over_contracted_ports"),
}  # fmt: skip


@pytest.mark.parametrize(("measured", "value", "state", "reason"), PORTS.values(), ids=PORTS)
def test_a_joint_run_is_held_against_the_ports_as_measured_else_as_contracted(measured, value, state, reason):
    shown = [Decimal(value) - Decimal(less) / 10 for less in (0, 1, 2)]
    found = inter([*measured, *three(PAIR, *shown, name="all_gather")])["g1-001+g1-002"]
    assert (found.state, found.reason) == (state, reason)


def test_the_sentence_about_ports_says_whose_rate_the_limit_is_and_what_to_run():
    runs = three(PAIR, 401, 402, 403, name="all_gather")
    text = making.judged(runs, BODY)["g1/busbw_inter:8GiB"].sentence
    assert "above the 400 GB/s that the contracted ports carry" in text.en and "Run the job fabric" in text.en
    assert "请在参测的每台机器上运行测试项 fabric" in text.zh
    text = making.judged([*ports(200, *PAIR), *runs], BODY)["g1/busbw_inter:8GiB"].sentence
    assert "above the 200 GB/s that the ports carry at their measured rate" in text.en
    assert "超过端口实测速率所能承载的 200 GB/s" in text.zh
