"""RDMA writes between pairs of machines: each port by what it wrote itself, and never by half a test."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Finding, Reading
from gpucontract.verdicts.judging import judge_contract
from gpucontract.verdicts.models import Verdict
from gpucontract.verdicts.states import Attribution, State
from gpucontract.wording import Text
from tests.verdicts import making, storing
from tests.verdicts.making import HOSTS, fabric, output

V, B, M, Q, P = State.VERIFIED, State.BREACHED, State.MARGINAL, State.INCONCLUSIVE, State.PENDING
ONE, TWO, THREE, FOUR = HOSTS
PORTS = {"nics_per_node": 2, "rdma_bw_min_gbps": Decimal(360)}
BODY = making.body_of(group=PORTS)
FOURS = making.body_of(group={**PORTS, "node_count": 4})
SIZE = "bw_average_at_65536"


def listing(ports, host="", rates=None):
    """What one machine of a pair says about its ports."""
    readings = []
    for port in ports:
        readings += [
            Reading("port_state", "Active", scope=f"port:{port}"),
            Reading("port_link_layer", "Ethernet", scope=f"port:{port}"),
            Reading("port_rate", Decimal((rates or {}).get(port, 400)), "Gb/s", f"port:{port}"),
        ]
    number, command = (2, f"ssh -o BatchMode=yes {host} 'ibv_devinfo -v'") if host else (1, "ibv_devinfo -v")
    return output(readings, f"ibv_devinfo -v {number}", command=command)


def write(port, gbps, pair, place=0, **changes):
    """One port's writes; changes: readings that are otherwise, None to leave one out, or fields of the output."""
    hosts = [HOSTS[slot] for slot in pair]
    words = changes.pop("words", f"ib_write_bw -d {port} -i 1 -s 65536 -D 10 {hosts[1 - place]}")
    command = words if place == 0 else f"ssh -o BatchMode=yes {hosts[1]} 'timeout 50 {words}'"
    fields = {name: changes.pop(name) for name in ("error", "findings", "tool") if name in changes}
    values = {
        "device": port, "link_type": "Ethernet", "test": "RDMA_Write BW Test", "bidirectional": False,
        SIZE: Decimal(str(gbps)), **changes,
    }  # fmt: skip
    told = [Reading(name, value, "Gb/s" if name == SIZE else "") for name, value in values.items() if value is not None]
    tool = fields.pop("tool", f"ib_write_bw {place + 1}.{port}.1")
    return output(told, tool, command=command, sha256=f"{pair} {place} {port} {gbps} {len(told)}", **fields)


def run(pair=(ONE, TWO), mine=(390, 391), theirs=(392, 393), repeat=1, *, ports=(), rates=None, **changes):
    """A run of a pair, each machine with ports mlx5_0 and so on; changes spoil the lead's first port."""
    sides = [mine, theirs]
    names = [ports or [f"mlx5_{at}" for at in range(len(side))] for side in sides]
    outputs = [listing(names[0], rates=rates), listing(names[1], HOSTS[pair[1]], rates)]
    for place, side in enumerate(sides):
        for at, gbps in enumerate(side):
            spoilt = changes if (place, at) == (0, 0) else {}
            outputs.append(write(names[place][at], Decimal(str(gbps)) + Decimal(repeat) / 100, pair, place, **spoilt))
    return making.run("rdma_pairs", pair, (), repeat, outputs=tuple(outputs), repeat=repeat)


def three(pair=(ONE, TWO), **changes):
    return [run(pair, repeat=repeat, **changes) for repeat in (1, 2, 3)]


def judged(records, body=BODY):
    return making.scope_verdicts(body.clause("g1/rdma_bw"), list(records), body)


def test_each_port_of_each_machine_is_judged_by_its_own_writes():
    found = judged(three())
    assert {scope: str(verdict.value) for scope, verdict in found.items()} == {
        "g1-001/port:mlx5_0": "390.02", "g1-001/port:mlx5_1": "391.02",
        "g1-002/port:mlx5_0": "392.02", "g1-002/port:mlx5_1": "393.02",
    }  # fmt: skip
    assert making.judged(three(), BODY)["g1/rdma_bw"].state is V


def test_fewer_runs_than_agreed_are_pending():
    (found,) = {verdict.reason for verdict in judged([run()]).values()}
    assert found == "few_runs"
    assert making.judged([run()], BODY)["g1/rdma_bw"].state is P


def test_a_slow_port_breaches_but_with_one_partner_nobody_says_at_which_end():
    verdict = making.judged(three(mine=(200, 391)), BODY)["g1/rdma_bw"]
    assert (verdict.state, verdict.scope, verdict.reason) == (B, "g1-001/port:mlx5_0", "one_partner")
    assert verdict.attribution is Attribution.UNKNOWN
    assert (
        "Port mlx5_0 of machine g1-001" in verdict.sentence.en and "machine g1-002 (gpu-node-02)" in verdict.sentence.en
    )


def test_a_port_that_is_slow_with_several_partners_is_the_cause():
    pairs = [(ONE, TWO), (ONE, THREE), (ONE, FOUR)]
    found = judged([run(pair, (200, 391), repeat=at) for at, pair in enumerate(pairs, 1)], FOURS)
    assert (found["g1-001/port:mlx5_0"].state, found["g1-001/port:mlx5_0"].reason) == (B, "missed")
    assert found["g1-001/port:mlx5_0"].attribution is Attribution.PROVIDER


def test_one_bad_partner_of_three_does_not_spoil_a_ports_median():
    pairs = [(ONE, TWO), (ONE, THREE), (ONE, FOUR)]
    found = judged(
        [run(pair, (200 if pair[1] == TWO else 390, 391), repeat=at) for at, pair in enumerate(pairs, 1)], FOURS
    )
    assert found["g1-001/port:mlx5_0"].state is V


SPOILT = {
    "a side that did not answer": ({"error": "perftest_connect_failed: Couldn't connect"}, "tool_failed"),
    "another kind of link": ({"link_type": "IB"}, "other_profile"),
    "a link nobody told": ({"link_type": None}, "other_profile"),
    "reads in place of writes": ({"test": "RDMA_Read BW Test"}, "other_profile"),
    "both ways at once": ({"bidirectional": True}, "other_profile"),
    "direction unknown": ({"bidirectional": None}, "other_profile"),
    "another device": ({"device": "mlx5_7"}, "other_profile"),
    "another size": ({SIZE: None, "bw_average_at_8388608": Decimal(395)}, "size_missing"),
    "more than the port carries": ({SIZE: Decimal(409)}, "over_ceiling"),
    "to itself": ({"words": "ib_write_bw -d mlx5_0 -i 1 localhost"}, "elsewhere"),
    "to a third machine": ({"words": "ib_write_bw -d mlx5_0 -i 1 gpu-node-03"}, "elsewhere"),
    "server and client in one": ({"findings": (Finding("perftest_loopback", Text("x", "x")),)}, "elsewhere"),
}


@pytest.mark.parametrize(("changes", "reason"), SPOILT.values(), ids=SPOILT)
def test_what_is_no_write_of_this_port_to_the_other_machine_never_verifies(changes, reason):
    found = judged(three(**changes))
    assert (found["g1-001/port:mlx5_0"].state, found["g1-001/port:mlx5_0"].reason) == (Q, reason)
    assert found["g1-001/port:mlx5_1"].state is V


def test_a_port_without_a_result_is_named():
    records = [
        replace(each, outputs=tuple(one for one in each.outputs if one.tool != "ib_write_bw 2.mlx5_1.1"))
        for each in three()
    ]
    found = judged(records)
    assert (found["g1-002/port:mlx5_1"].state, found["g1-002/port:mlx5_1"].reason) == (Q, "not_read")


def test_two_results_of_one_port_count_neither():
    twice = [
        replace(each, outputs=(*each.outputs, write("mlx5_0", 399, (ONE, TWO), tool="ib_write_bw 1.x")))
        for each in three()
    ]
    assert judged(twice)["g1-001/port:mlx5_0"].reason == "many_results"


def test_too_few_ports_are_missing_however_fast_the_others_are():
    body = making.body_of(group={**PORTS, "nics_per_node": 3})
    found = judged(three(), body)
    assert (found[ONE].state, found[ONE].reason) == (Q, "ports_missing")
    down = [fabric(slot, down=(2,), ports=3) for slot in (ONE, TWO)]
    assert making.judged([*three(), *down], body)["g1/rdma_bw"].because == "g1/nic_count"


def test_a_machine_without_any_port_says_so_and_explains_the_other():
    failed = output([], "ib_write_bw", error="no_rdma_port: no active Ethernet port", command="ib_write_bw")
    outputs = (listing(["mlx5_0", "mlx5_1"]), listing([], HOSTS[TWO]), failed)
    found = judged([making.run("rdma_pairs", (ONE, TWO), (), outputs=outputs)])
    assert {found[f"{ONE}/port:mlx5_{at}"].reason for at in (0, 1)} == {"tool_failed"}
    assert all(verdict.state is Q for verdict in found.values())


def test_a_slower_port_beside_the_contracted_ones_is_left_aside():
    found = judged(three(mine=(390, 391, 90), theirs=(390, 391, 90), rates={"mlx5_2": 100}))
    assert {scope.partition(":")[2] for scope in found} == {"mlx5_0", "mlx5_1"}
    assert {verdict.state for verdict in found.values()} == {V}


def test_of_more_equal_ports_than_contracted_a_slow_one_decides_nothing_and_two_slow_ones_do():
    found = judged(three(mine=(390, 391, 90), theirs=(390, 391, 392)))
    assert (found["g1-001/port:mlx5_2"].state, found["g1-001/port:mlx5_2"].reason) == (Q, "which_ports")
    found = judged(three(mine=(390, 80, 90), theirs=(390, 391, 392)))
    assert {found[f"g1-001/port:mlx5_{at}"].state for at in (1, 2)} == {B}


def test_both_ways_at_once_are_held_against_such_a_clause_only():
    clause = BODY.clause("g1/rdma_bw")
    both = replace(clause, value=Decimal(720), conditions={**clause.conditions, "bidirectional": True})
    body = replace(BODY, clauses=tuple(both if each.key == both.key else each for each in BODY.clauses))
    records = three(mine=(750, 391), bidirectional=True)
    found = judged(records, body)
    assert found["g1-001/port:mlx5_0"].state is V and found["g1-001/port:mlx5_1"].reason == "other_profile"


def test_a_run_without_any_listing_or_write_is_no_reading():
    assert {each.reason for each in judged([making.run("rdma_pairs", (ONE, TWO), [Reading("x", 1)])]).values()} == {
        "not_read"
    }


@pytest.mark.django_db
def test_through_the_tables_each_port_of_both_machines_is_judged():
    contract = storing.delivered_contract(g1={"rdma_bw_min_gbps": Decimal(360)})
    eight = tuple(390 + port for port in range(8))
    storing.store(contract, *three(mine=eight, theirs=(200, *eight[1:])))
    assert judge_contract(contract.pk)
    verdict = Verdict.objects.get(contract=contract, key="g1/rdma_bw")
    assert (verdict.state, verdict.scope, verdict.counts) == (
        "breached",
        "g1-002/port:mlx5_0",
        {"verified": 15, "breached": 1},
    )
