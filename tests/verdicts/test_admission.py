"""Which runs may speak: signed, of this round and this machine, whole, not copied, fresh."""

from dataclasses import replace
from datetime import timedelta

import pytest

from gpucontract.measurements.parsers.capture import Finding, Reading
from gpucontract.measurements.records import Origin
from gpucontract.verdicts.admission import copies
from gpucontract.verdicts.scopes import machines
from gpucontract.verdicts.states import State
from gpucontract.wording import Text
from tests.verdicts import making
from tests.verdicts.making import NOW, health, inventory, output, run, software, three, topology

ONE, TWO = "g1-001", "g1-002"
BODY = making.body_of()
DEMO = making.body_of(demo=True)


def driver(*records, body=BODY, **context):
    """The verdict on the driver version of machine 1."""
    return making.scope_verdicts(body.clause("c/driver"), list(records), body, **context)[ONE]


ORIGINS = {
    "an agent's": (Origin.AGENT, BODY, {}, State.VERIFIED, "met"),
    "a signed bundle's": (Origin.BUNDLE, BODY, {}, State.VERIFIED, "met"),
    "pasted": (Origin.PASTED, BODY, {}, State.INCONCLUSIVE, "unsigned"),
    "a file's": (Origin.FILE, BODY, {}, State.INCONCLUSIVE, "unsigned"),
    "a file's, accepted": (Origin.FILE, BODY, {"accept_unsigned": True}, State.VERIFIED, "met"),
    "a replay's": (Origin.REPLAY, BODY, {}, State.INCONCLUSIVE, "replayed"),
    "a replay's in a demo contract": (Origin.REPLAY, DEMO, {}, State.VERIFIED, "met"),
}


@pytest.mark.parametrize(("origin", "body", "context", "state", "reason"), ORIGINS.values(), ids=ORIGINS)
def test_only_a_signed_origin_verifies(origin, body, context, state, reason):
    found = driver(software(ONE, origin=origin), body=body, **context)
    assert (found.state, found.reason) == (state, reason)


def test_an_unsigned_miss_does_not_breach_either():
    bad = software(ONE, ["driver_version"], [Reading("driver_version", "1.0")], origin=Origin.PASTED)
    assert driver(bad).state is State.INCONCLUSIVE
    assert driver(bad, software(ONE, minutes=1)).state is State.VERIFIED


def test_a_round_that_failed_still_replaces_the_older_one():
    found = driver(software(ONE), software(ONE, minutes=5, round=2, error="timeout: no answer"))
    assert (found.state, found.reason) == (State.INCONCLUSIVE, "failed")


def test_a_failed_run_beside_a_good_one_is_only_set_aside():
    good, failed = software(ONE), software(ONE, minutes=5, error="timeout: no answer")
    found = driver(good, failed)
    assert found.state is State.VERIFIED and found.aside == ((failed.id, "failed"),)


def test_a_replaced_machine_takes_its_evidence_along():
    before = software(ONE)
    other = inventory(ONE, minutes=9)
    after = replace(other, hostnames={ONE: "gpu-node-09"})
    found = driver(before, after)
    assert (found.state, found.reason) == (State.INCONCLUSIVE, "other_machine")
    assert machines([after, before]) == {ONE: "gpu-node-09"}


def test_a_joint_run_with_a_machine_that_was_replaced_does_not_count():
    joint = three((ONE, TWO), 330, 331, 332, name="all_gather")
    fresh = replace(inventory(TWO, minutes=30), hostnames={TWO: "gpu-node-09"})
    found = making.scope_verdicts(BODY.clause("g1/busbw_inter:8GiB"), [*joint, fresh], BODY)
    assert {verdict.reason for verdict in found.values()} == {"other_machine"}


def test_a_host_name_with_its_domain_is_the_same_machine():
    named = replace(inventory(ONE, minutes=9), hostnames={ONE: "gpu-node-01.cluster.local"})
    assert driver(software(ONE), named).state is State.VERIFIED


COPY = [Reading("gpu_uuid", "GPU-same", scope="gpu0"), Reading("driver_version", "550.54")]


def test_the_same_serials_from_two_machines_settle_nothing_on_either():
    records = [run("software", slot, COPY) for slot in (ONE, TWO)]
    found = making.scope_verdicts(BODY.clause("c/driver"), records, BODY)
    assert {(v.state, v.reason) for v in found.values()} == {(State.INCONCLUSIVE, "copied")}


def test_equal_words_from_two_machines_are_no_copy():
    records = [software(ONE), software(TWO)]
    assert copies(records) == {}
    assert driver(*records).state is State.VERIFIED


def test_an_empty_log_on_two_machines_is_no_copy():
    records = [run("health", slot, [Reading("gpu_uuid", None, why="not_printed")]) for slot in (ONE, TWO)]
    assert copies(records) == {}


def test_what_measuring_noted_as_copied_from_elsewhere_does_not_count():
    noted = Finding("copied_output", Text("抄", "copied"))
    record = run("software", ONE, (), outputs=(output(software(ONE).outputs[0].readings, findings=(noted,)),))
    assert (driver(record).state, driver(record).reason) == (State.INCONCLUSIVE, "copied")


def of_cards(job, *uuids, slot=ONE):
    """A run of this job that shows these cards."""
    shown = [Reading("gpu_uuid", uuid, scope=f"gpu{place}") for place, uuid in enumerate(uuids)]
    return {"topology": topology, "health": health}[job](slot, add=shown, minutes=2)


OTHERS = {
    "its own cards": ("GPU-g1-001-0", "GPU-g1-001-1"),
    "one card changed": ("GPU-g1-001-0", "GPU-new"),
    "no UUID printed": (),
}


@pytest.mark.parametrize("uuids", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize(("job", "key"), [("topology", "g1/links_per_gpu"), ("health", "g1/health_ecc")])
def test_links_and_health_of_the_machines_own_cards_count(job, key, uuids):
    found = making.scope_verdicts(BODY.clause(key), [inventory(ONE), of_cards(job, *uuids)], BODY)
    assert found[f"{ONE}/gpu0"].state is State.VERIFIED


@pytest.mark.parametrize(("job", "key"), [("topology", "g1/links_per_gpu"), ("health", "g1/health_ecc")])
def test_links_and_health_of_another_machines_cards_do_not_count(job, key):
    found = making.scope_verdicts(BODY.clause(key), [inventory(ONE), of_cards(job, "GPU-g1-002-0")], BODY)
    assert (found[ONE].state, found[ONE].reason) == (State.INCONCLUSIVE, "other_gpus")


def test_without_an_inventory_nobody_knows_whose_cards_they_are():
    found = making.scope_verdicts(BODY.clause("g1/links_per_gpu"), [of_cards("topology", "GPU-g1-002-0")], BODY)
    assert found[f"{ONE}/gpu0"].state is State.VERIFIED


def of_parts(*uuids, round=1, slot=ONE, **fields):
    """An inventory of this round that lists these cards."""
    shown = [Reading("gpu_uuid", uuid, scope=f"gpu{place}") for place, uuid in enumerate(uuids)]
    return inventory(slot, ["gpu_uuid"], shown, round=round, minutes=10 * round, **fields)


A, C, D = "GPU-a", "GPU-c", "GPU-d"
# cards listed in round 1, 2, 3 -> whether what was measured in round 1 still counts
EXCHANGES = {
    "the same cards": (((A, C), (A, C)), True),
    "one missing": (((A, C), (A,)), True),
    "one missing and back": (((A, C), (A,), (A, C)), True),
    "one exchanged": (((A, C), (A, D)), False),
    "one missing, then another in its place": (((A, C), (A,), (A, D)), False),
    "exchanged and exchanged back": (((A, C), (A, D), (A, C)), False),
    "not listed in between": (((A, C), (), (A, D)), False),
}


@pytest.mark.parametrize(("rounds", "counts"), EXCHANGES.values(), ids=EXCHANGES)
def test_what_was_measured_before_a_card_was_exchanged_does_not_count(rounds, counts):
    lists = [of_parts(*uuids, round=number) for number, uuids in enumerate(rounds, 1)]
    found = driver(software(ONE), *lists)
    assert (found.state, found.reason) == ((State.VERIFIED, "met") if counts else (State.INCONCLUSIVE, "other_parts"))
    again = software(ONE, round=len(rounds), minutes=59)
    assert driver(software(ONE), *lists, again).state is State.VERIFIED


def test_an_exchanged_drive_leaves_what_was_measured_before_it_behind():
    drives = [
        run("storage", ONE, [Reading("nvme_serial", name, scope="disk:nvme0n1")], round=r, minutes=9 * r)
        for r, name in enumerate("AB", 1)
    ]
    assert driver(software(ONE), *drives).reason == "other_parts"


def test_a_joint_run_does_not_outlive_a_card_of_one_machine():
    joint = three((ONE, TWO), 330, 331, 332, name="all_gather")
    lists = [of_parts(A, round=1, slot=TWO), of_parts(C, round=5, slot=TWO)]
    found = making.scope_verdicts(BODY.clause("g1/busbw_inter:8GiB"), [*joint, *lists], BODY)
    assert {verdict.reason for verdict in found.values()} == {"other_parts"}


def test_an_unsigned_list_of_other_cards_takes_nothing_away():
    lists = [of_parts(A), of_parts(C, round=2, origin=Origin.PASTED)]
    assert driver(software(ONE), *lists).state is State.VERIFIED


# age of the evidence, in the acceptance window or not -> state
AGES = {
    "a month old in the window": (timedelta(days=30), True, State.VERIFIED),
    "an hour old in the term": (timedelta(hours=1), False, State.VERIFIED),
    "a day and a minute old in the term": (timedelta(hours=24, minutes=1), False, State.INCONCLUSIVE),
}


@pytest.mark.parametrize(("age", "in_window", "state"), AGES.values(), ids=AGES)
def test_evidence_goes_stale_in_the_term_only(age, in_window, state):
    found = driver(software(ONE, received_at=NOW - age), now=NOW, in_window=in_window)
    assert found.state is state
    assert found.reason == ("met" if state is State.VERIFIED else "stale")


def test_a_verdict_in_the_term_says_how_long_it_holds():
    found = driver(software(ONE, received_at=NOW), now=NOW, in_window=False)
    assert found.fresh_until == NOW + timedelta(hours=24)
    assert driver(software(ONE), in_window=True).fresh_until is None


def test_bandwidth_holds_for_a_week():
    records = [replace(record, received_at=NOW - timedelta(days=6)) for record in three(ONE, 480, 481, 482)]
    clause = BODY.clause("g1/busbw_intra:8GiB")
    assert making.scope_verdicts(clause, records, BODY, in_window=False)[ONE].state is State.VERIFIED
    later = making.scope_verdicts(clause, records, BODY, in_window=False, now=NOW + timedelta(days=2))[ONE]
    assert (later.state, later.reason) == (State.INCONCLUSIVE, "stale")


def test_runs_of_other_jobs_do_not_settle_a_clause():
    stray = run("topology", ONE, [Reading("driver_version", "550.54")])
    assert driver(stray).state is State.PENDING
    assert driver(topology(ONE)).reason == "no_run"
