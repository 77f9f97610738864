"""One load of several machines on shared storage: their sum counts only if every one counted, at the same time."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import HOSTS, NOW
from tests.verdicts.test_storage_rates import MOUNTED, fio

V, B, Q, P = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING
BOTH = ("g1-001", "g1-002")
BEGAN = NOW - timedelta(minutes=5)


def client(gbs, repeat=1, place=0, late=0, ended_late=None, **changes):
    """What one machine of the load printed; late: seconds after the first machine."""
    listed, one = fio(gbs, repeat, path="/data", **changes).outputs
    ended = BEGAN + timedelta(seconds=62 + (late if ended_late is None else ended_late))
    times = {"started_at": BEGAN + timedelta(seconds=late), "ended_at": ended}
    return listed, replace(one, sha256=f"{repeat}-{place}-{gbs}", name=f"fio-JSON-1.{place}", **times)


def load(*clients, repeat=1, nodes=BOTH):
    """A run of these clients, all on the lead's record."""
    whole = fio(1, repeat)
    outputs = (clients[0][0], *(one for _, one in clients))
    hosts = {node: HOSTS[node] for node in nodes}
    return replace(whole, id=f"load-{repeat}", job="shared_load", nodes=nodes, hostnames=hosts, outputs=outputs)


def loads(*speeds, **changes):
    """Three repeats in which the machines read at these speeds, a little more each time."""
    return [
        load(*(client(Decimal(speed) + Decimal(repeat) / 10, repeat, place, **changes) for place, speed in enumerate(speeds)), repeat=repeat)
        for repeat in (1, 2, 3)
    ]  # fmt: skip


def judged(*records):
    found = making.scope_verdicts(MOUNTED.clause("m1/read"), list(records), MOUNTED)
    return found["g1-001+g1-002"]


def test_the_sum_of_all_machines_is_held_against_the_mark():
    assert judged(*loads(12, 13)).state is V  # 25 of 20 GB/s
    found = judged(*loads(8, 9))
    assert (found.state, found.value) == (B, Decimal("17.4"))


SPOILED = {
    "started late": ({"late": 10}, "not_together"),
    "ended late": ({"late": 0, "ended_late": 20}, "not_together"),
    "through the cache": ({"direct": False}, "not_direct"),
    "too short": ({"runtime": Decimal(9)}, "too_short"),
    "another block": ({"block_size": "4KiB"}, "other_profile"),
}


@pytest.mark.parametrize(("changes", "reason"), SPOILED.values(), ids=SPOILED)
def test_a_machine_that_does_not_count_spoils_the_sum_even_above_the_mark(changes, reason):
    records = [
        load(client(30, repeat), client(30 + repeat, repeat, 1, **changes), repeat=repeat) for repeat in (1, 2, 3)
    ]  # fmt: skip
    found = judged(*records)
    assert (found.state, found.reason) == (Q, reason)


def test_a_machine_without_a_result_spoils_it_too():
    found = judged(*(load(client(30, repeat), repeat=repeat) for repeat in (1, 2, 3)))
    assert (found.state, found.reason) == (Q, "few_clients")
    assert "only 1 of 2 machines" in making.judged([load(client(30))], MOUNTED)["m1/read"].sentence.en


def test_two_results_of_one_machine_are_not_added_up():
    three_of_two = [
        load(*(client(8 + Decimal(repeat) / 10, repeat, place) for place in (0, 1, 2)), repeat=repeat)
        for repeat in (1, 2, 3)
    ]
    found = judged(*three_of_two)  # 24 and more of 20 GB/s, where two machines read 16
    assert (found.state, found.reason) == (Q, "many_results")


def test_a_load_that_no_machine_could_begin_failed_and_was_not_on_another_path():
    failed = making.output([], "fio JSON", error="fio_job_error 13: Permission denied")
    records = [replace(load(client(30, repeat), repeat=repeat), outputs=(failed, failed)) for repeat in (1, 2, 3)]
    found = judged(*records)
    assert (found.state, found.reason) == (Q, "tool_failed")


def test_times_that_nobody_noted_are_not_the_same_time():
    records = []
    for repeat in (1, 2, 3):
        listed, one = client(30, repeat)
        other = replace(client(31, repeat, 1)[1], started_at=None)
        records.append(load((listed, one), (listed, other), repeat=repeat))
    assert judged(*records).reason == "not_together"


def test_another_test_of_the_same_run_is_left_to_its_own_clause():
    records = []
    for repeat in (1, 2, 3):
        reads = [client(12 + repeat / 10, repeat, place) for place in (0, 1)]
        others = [client(1, repeat, 2 + place, rw="randread", block_size="4KiB") for place in (0, 1)]
        records.append(load(*reads, *others, repeat=repeat))
    assert judged(*records).state is V


def test_the_machines_own_storage_runs_beside_it_change_nothing():
    plain = [making.storage(slot) for slot in BOTH]
    verdict = making.judged([*loads(12, 13), *plain], MOUNTED)["m1/read"]
    assert verdict.state is V
