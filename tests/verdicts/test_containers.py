"""An agent in a container sees the container: what it lacks there is no breach, what it shows there no proof."""

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import inventory, software, storage

V, B, Q = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE
ONE = "g1-001"
BODY = making.body_of()
INSIDE = software(ONE, ["virtualization"], [Reading("virtualization", "docker")], minutes=1)
OUTSIDE = software(ONE, minutes=1)
ABSENT = storage(ONE, drop=["mount_type", "mount_writable"], add=[Reading("mounts_listed", 12)])


def verdict(name, *records):
    found = making.scope_verdicts(BODY.clause(making.key_of(BODY, name)), list(records), BODY)
    return next(each for scope, each in found.items() if scope.startswith(ONE))


def inside(drop, *add):
    return software(ONE, [*drop, "virtualization"], [*add, Reading("virtualization", "docker")])


LACKING = {
    "another system": ("os", inside(["os_name"], Reading("os_name", "Alpine"))),
    "no Docker": ("container", inside(["docker_available"], Reading("docker_available", False))),
    "no service": ("fabric_manager", inside(["service_active"], Reading("service_active", False))),
}  # fmt: skip
OF_OTHERS = {
    "no mount": ("present", ABSENT), "three drives": ("local_disks", storage(ONE, disks=3)),
    "fewer cores": ("cpu_cores", inventory(ONE, ["cores"], [Reading("cores", 16)])),
    "less memory": ("ram", inventory(ONE, ["mem_total"], [Reading("mem_total", 64 * 2**20, "KiB")])),
    "fewer GPUs": ("gpu_count", inventory(ONE, ["gpu_count"], [Reading("gpu_count", 4)])),
}  # fmt: skip


@pytest.mark.parametrize(("name", "record"), LACKING.values(), ids=LACKING)
def test_what_a_container_lacks_is_no_breach(name, record):
    found = verdict(name, record)
    assert (found.state, found.reason, found.runs) == (Q, "inside_container", ())


@pytest.mark.parametrize(("name", "record"), OF_OTHERS.values(), ids=OF_OTHERS)
def test_other_runs_of_such_an_agent_breach_nothing_that_it_may_not_see(name, record):
    assert verdict(name, record, INSIDE).reason == "inside_container"
    assert verdict(name, record, OUTSIDE).state is B


def test_a_disk_that_no_system_mount_tells_from_the_system_proves_nothing():
    layered = storage(ONE, add=[Reading("mount_type", "overlay", scope="mount:/")])
    assert verdict("local_disks", layered, INSIDE).reason == "inside_container"
    assert verdict("local_disks", layered, OUTSIDE).state is V  # a diskless machine boots from layers, too
    assert verdict("local_disks", storage(ONE), INSIDE).state is V


def test_what_it_does_see_still_counts():
    assert verdict("gpu_count", inventory(ONE), INSIDE).state is V
    short = [Reading("power_limit", 300, "W", f"gpu{gpu}") for gpu in making.GPUS]
    assert verdict("power_limit", inventory(ONE, ["power_limit"], short), INSIDE).state is B


def test_the_sentence_says_what_to_do():
    text = making.judged([inside(["os_name"], Reading("os_name", "Alpine"))], BODY)["c/os"].sentence
    assert "in a container (docker)" in text.en and "start the agent on the host" in text.en and "请在主机上" in text.zh
