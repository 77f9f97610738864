"""How many machines and GPUs there are: second sources, the 2 x 4 trick, machines measured twice, coverage of teams."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import collective, health, inventory, three, topology

V, B, Q, P = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING
ONE, TWO = "g1-001", "g1-002"
BODY = making.body_of()
FOUR = making.body_of(group={"node_count": 4})


def at_one(name, *records):
    verdict = making.scope_verdicts(BODY.clause(f"g1/{name}"), list(records), BODY)[ONE]
    return verdict.state, verdict.reason, verdict.value


def listed(count, unreadable=0, **fields):
    readings = [Reading("gpu_count", count), Reading("gpu_unreadable", unreadable)]
    return inventory(ONE, ["gpu_count", "gpu_unreadable"], readings, **fields)


def matrix(count):
    return topology(ONE, drop=["gpu_count"], add=[Reading("gpu_count", count)])


def in_kernel(count, unreadable, kernel):
    """An inventory with the kernel's own list of GPUs beside the driver's."""
    told = Reading("kernel_gpu_count", kernel, why="" if kernel is not None else "no_such_file")
    readings = [Reading("gpu_count", count), Reading("gpu_unreadable", unreadable), told]
    return inventory(ONE, ["gpu_count", "gpu_unreadable"], readings)


LOST = health(ONE, add=[Reading("xid_79", 1)])
COUNTS = {
    "eight": ([listed(8)], V, "met", 8),
    "eight, and eight in the matrix": ([listed(8), matrix(8)], V, "met", 8),
    "seven and no doubt": ([listed(7)], B, "missed", 7),
    "seven and one unreadable": ([listed(7, 1)], Q, "unreadable_count", 7),
    "unreadable, and seven in the matrix": ([listed(7, 1), matrix(7)], B, "short_confirmed", 7),
    "unreadable, and fallen off the bus": ([listed(7, 1), LOST], B, "lost_confirmed", 7),
    "unreadable, but eight in the matrix": ([listed(7, 1), matrix(8)], Q, "unreadable_count", 7),
    "eight listed, seven in the matrix": ([listed(8), matrix(7)], Q, "sources_disagree", 8),
    "eight, and eight in the kernel's list": ([in_kernel(8, 0, 8)], V, "met", 8),
    "eight listed, seven in the kernel's list": ([in_kernel(8, 0, 7)], Q, "sources_disagree", 8),
    "eight listed of sixteen that the kernel knows": ([in_kernel(8, 0, 16)], Q, "sources_disagree", 8),
    "seven listed, eight in the kernel's list": ([in_kernel(7, 0, 8)], Q, "sources_disagree", 7),
    "seven listed, seven in the kernel's list": ([in_kernel(7, 0, 7)], B, "missed", 7),
    "one unreadable, which the kernel knows": ([in_kernel(7, 1, 8)], Q, "unreadable_count", 7),
    "a kernel's list that was not read": ([in_kernel(8, 0, None)], V, "met", 8),
    "none at all": ([listed(0)], B, "missed", 0),
}


@pytest.mark.parametrize(("records", "state", "reason", "value"), COUNTS.values(), ids=COUNTS)
def test_the_number_of_gpus(records, state, reason, value):
    assert at_one("gpu_count", *records) == (state, reason, Decimal(value))


def test_one_card_listed_twice_is_not_two_cards():
    twice = inventory(ONE, add=[Reading("distinct_uuids", 7)])
    assert at_one("gpu_count", twice) == (Q, "sources_disagree", None)


ONE_MACHINE = {
    "eight ranks on one host": ([listed(8), collective(ONE, 480)], V, "met"),
    "eight ranks on four cards": ([listed(8), collective(ONE, 480, spoil={"distinct_gpus": 4})], Q, "shared_gpus"),
    "eight ranks on two hosts": ([listed(8), collective(ONE, 48, spoil={"hosts": 2})], Q, "several_hosts"),
    "four in the machine": ([listed(4), collective(ONE, 48, spoil={"hosts": 2})], B, "missed"),
    "only four ranks": ([listed(8), collective(ONE, 48, spoil={"ranks": 4})], Q, "too_few_ranks"),
    "no collective yet": ([listed(8)], P, "no_run"),
    "no list yet": ([collective(ONE, 480)], P, "no_run"),
}


@pytest.mark.parametrize(("records", "state", "reason"), ONE_MACHINE.values(), ids=ONE_MACHINE)
def test_eight_gpus_in_one_machine(records, state, reason):
    assert at_one("gpus_in_one_machine", *records)[:2] == (state, reason)


def node_count(*records, body=BODY):
    return making.judged(list(records), body)["g1/node_count"]


def test_two_machines_that_answered_are_counted():
    verdict = node_count(inventory(ONE), inventory(TWO))
    assert (verdict.state, verdict.scope, verdict.value) == (V, "g1", Decimal(2))


def test_a_slot_that_never_answered_is_pending_by_name():
    verdict = node_count(inventory(ONE))
    assert (verdict.state, verdict.scope) == (P, TWO) and TWO in verdict.sentence.zh


def test_one_machine_in_two_slots_is_not_two_machines():
    shared = [Reading("gpu_uuid", f"GPU-g1-001-{gpu}", scope=f"gpu{gpu}") for gpu in range(8)]
    verdict = node_count(inventory(ONE), inventory(TWO, ["gpu_uuid"], shared))
    assert (verdict.state, verdict.reason) == (Q, "same_gpus")
    assert ONE in verdict.sentence.en and TWO in verdict.sentence.en


def test_a_single_gpu_shown_by_two_machines_is_noticed_too():
    mixed = [Reading("gpu_uuid", "GPU-g1-001-0", scope="gpu0"), Reading("gpu_uuid", "GPU-own", scope="gpu1")]
    assert node_count(inventory(ONE), inventory(TWO, ["gpu_uuid"], mixed)).reason == "same_gpus"


def test_equal_host_names_alone_are_no_miss():
    cloned = replace(inventory(TWO), hostnames={TWO: "gpu-node-01"})
    assert node_count(inventory(ONE), cloned).state is V


def inter(records, body=FOUR):
    return making.judged(records, body)[making.key_of(body, "busbw_inter")]


def team(*ordinals, speed=330, minutes=0):
    nodes = tuple(f"g1-00{ordinal}" for ordinal in ordinals)
    return [replace(r, id=f"{r.id}{minutes}") for r in three(nodes, speed, speed + 1, speed + 2, name="all_gather")]


def test_teams_that_together_cover_every_machine_verify():
    verdict = inter([*team(1, 2), *team(3, 4)])
    assert verdict.state is V and verdict.counts == {V: 2}


def test_a_machine_in_no_team_keeps_the_clause_pending_by_name():
    verdict = inter(team(1, 2))
    assert (verdict.state, verdict.reason, verdict.scope) == (P, "uncovered", "g1")
    assert "g1-003" in verdict.sentence.zh and "g1-004" in verdict.sentence.zh and "g1-001" not in verdict.sentence.zh


def test_the_contracted_share_of_machines_suffices():
    half = making.body_of(group={"node_count": 4}, coverage_pct="50")
    assert inter(team(1, 2), half).state is V
    more = making.body_of(group={"node_count": 4}, coverage_pct="51")
    assert inter(team(1, 2), more).state is P


def test_one_team_below_the_mark_breaches_although_others_pass():
    verdict = inter([*team(1, 2), *team(3, 4, speed=200)])
    assert (verdict.state, verdict.scope) == (B, "g1-003+g1-004")


def test_a_team_that_settled_nothing_does_not_block_when_others_cover_its_machines():
    fallen = three(("g1-001", "g1-002"), 1, 1, 1, name="all_gather", network="Socket")
    verdict = inter([*fallen, *team(1, 2, 3, 4)])
    assert verdict.state is V
    assert inter([*fallen, *team(3, 4)]).state is Q


def test_wrong_results_of_a_joint_run_breach_for_its_team():
    bad = three(("g1-001", "g1-002"), 330, 331, 332, name="all_gather", spoil={"wrong_results": 7})
    verdict = making.judged(bad, BODY)["g1/wrong_results_inter"]
    assert (verdict.state, verdict.scope, verdict.value) == (B, "g1-001+g1-002", Decimal(7))
    assert ") show 7 " in verdict.sentence.en and " shows " not in verdict.sentence.en


@pytest.mark.parametrize(
    ("network", "wrong", "state", "reason"),
    [("IB", 0, V, "met"), ("Socket", 0, Q, "over_tcp"), ("mixed", 0, Q, "over_tcp"), ("Socket", 7, B, "missed")],
)
def test_clean_results_over_tcp_say_nothing_about_the_fabric_but_wrong_ones_count(network, wrong, state, reason):
    spoil = {"wrong_results": wrong}
    runs = three(("g1-001", "g1-002"), 330, 331, 332, name="all_gather", network=network, spoil=spoil)
    verdict = making.judged(runs, BODY)["g1/wrong_results_inter"]
    assert (verdict.state, verdict.reason) == (state, reason)


def test_one_clean_repeat_does_not_undo_wrong_results():
    bad = collective(ONE, 480, 1, spoil={"wrong_results": 7})
    assert at_one("wrong_results_intra", bad, collective(ONE, 481, 2, minutes=2))[::2] == (B, Decimal(7))


def test_capacity_of_a_shared_mount_needs_one_machine_to_see_it_and_the_least_counts():
    assert making.judged([making.storage(ONE)], BODY)["m1/capacity"].state is V
    small = making.storage(TWO, drop=["fs_capacity"], add=[Reading("fs_capacity", 10**9, "KiB", "mount:/data")])
    verdict = making.judged([making.storage(ONE), small], BODY)["m1/capacity"]
    assert (verdict.state, verdict.scope) == (B, "g1-002/mount:/data")
    assert making.judged([], BODY)["m1/capacity"].state is P
