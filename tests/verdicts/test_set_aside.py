"""What counted and what was set aside: a run that cannot decide never stands among those a verdict rests on."""

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import collective, each_gpu, fabric, inventory, load, output, run, software, storage, three

B, Q = State.BREACHED, State.INCONCLUSIVE
ONE, TWO, PAIR = "g1-001", "g1-002", ("g1-001", "g1-002")
BODY = making.body_of()
JOINT = three(PAIR, "1.13", "1.12", "1.14", name="all_gather", network="Socket")
PORTS = [fabric(ONE), fabric(TWO, down=making.GPUS)]


def verdict(name, records, scope):
    return making.scope_verdicts(BODY.clause(making.key_of(BODY, name)), records, BODY)[scope]


def test_a_joint_run_over_tcp_says_nothing_about_a_machine_whose_ports_are_up():
    found = verdict("fabric_type", [*PORTS, *JOINT], ONE)
    assert (found.state, found.reason, found.runs) == (Q, "fell_back", (PORTS[0].id,))
    assert dict(found.aside) == {JOINT[-1].id: "over_tcp"}
    assert "gpu-node-02" in making.judged([*PORTS, *JOINT], BODY)["g1/fabric_type"].sentence.en


def test_where_all_ports_are_up_the_same_run_is_what_breaches():
    found = making.judged([fabric(ONE), fabric(TWO), *JOINT], BODY)["g1/fabric_type"]
    assert found.state is B and set(found.runs) == {"fabric-g1-001-r1-1-0", "fabric-g1-002-r1-1-0", JOINT[-1].id}
    assert found.aside == ()


def test_a_run_over_tcp_is_what_a_machine_without_ports_is_held_to():
    found = verdict("fabric_type", [*PORTS, *JOINT], TWO)
    assert (found.state, found.reason) == (B, "no_fabric") and set(found.runs) == {PORTS[1].id, JOINT[-1].id}


def test_a_log_that_does_not_name_its_network_is_set_aside():
    silent = collective(PAIR, 330, name="all_gather", network="?")
    found = verdict("fabric_type", [fabric(ONE), silent], ONE)
    assert (found.reason, dict(found.aside)) == ("no_network", {silent.id: "no_network"})


# clause, run that cannot decide it, why, scope
SPENT = {
    "results over TCP": ("wrong_results_inter", JOINT[0], "over_tcp", "g1-001+g1-002"),
    "GPUDirect over TCP": ("gdr", JOINT[0], "over_tcp", ONE),
    "a rate over TCP": ("busbw_inter", JOINT[0], "over_tcp", "g1-001+g1-002"),
    "a rate of four GPUs": ("busbw_intra", collective(ONE, 480, spoil={"ranks": 4}), "wrong_ranks", ONE),
    "results unchecked": ("wrong_results_intra", collective(ONE, 480, spoil={"validation": False}), "validation_off", ONE),
    "a burn-in too short": ("burn_in_hours", load(ONE, 3600), "too_short", ONE),
    "an agent without root": ("root", software(ONE, ["uid"], [Reading("uid", 1000)]), "not_root", ONE),
    "an agent in a container": ("root", software(ONE, ["virtualization"], [Reading("virtualization", "docker")]), "in_container", ONE),
    "drives half read": ("local_disks", storage(ONE, drop=["nvme_is_local"]), "half_read", ONE),
    "memory beyond the card's": ("gpu_memory", inventory(ONE, ["gpu_memory_total"], each_gpu("gpu_memory_total", 999_999, "MiB")), "beyond", "g1-001/gpu0"),
    "a tool that failed": ("driver", run("software", ONE, (), outputs=(output([], "nvidia-smi", error="no driver"),)), "tool_failed", ONE),
    "another tool's output": ("driver", software(ONE, ["driver_version"]), "not_read", ONE),
}  # fmt: skip


@pytest.mark.parametrize(("name", "record", "why", "scope"), SPENT.values(), ids=SPENT)
def test_a_run_that_cannot_decide_is_set_aside_with_its_reason(name, record, why, scope):
    found = verdict(name, [record], scope)
    assert (found.state, found.reason, found.runs) == (Q, why, ())
    assert dict(found.aside) == {record.id: why} and found.hosts[ONE] == "gpu-node-01"


def test_what_was_read_and_yet_settles_nothing_still_counts():
    low, high = collective(ONE, 440, 1), collective(ONE, 480, 2, minutes=1)
    body = making.body_of(contract={"repeat_runs": 1})
    found = making.scope_verdicts(body.clause("g1/busbw_intra:8GiB"), [low, high], body)[ONE]
    assert (found.state, found.reason, found.runs) == (Q, "split_runs", (low.id, high.id)) and not found.aside
