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
FAR = making.topology(
    ONE, drop=["nic_link"], add=[Reading("nic_link", "SYS", scope=f"gpu{n}+mlx5_{n}") for n in range(8)]
)


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
    "fewer ports": ("nic_count", making.fabric(ONE, ports=6)),
    "no near NIC": ("gpu_nic_affinity", FAR),
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


VIRTUAL = software(ONE, ["virtualization"], [Reading("virtualization", "kvm")], minutes=1)
PCIE = making.body_of({"intra_link_type": "pcie_switch", "nvlink_active_links_min": None, "gpu_model": "L40S 48GB"})


def test_no_port_in_a_container_is_no_missing_network():
    tcp = making.collective((ONE, "g1-002"), 10, name="all_gather", network="Socket")
    none = making.fabric(ONE, down=range(8))
    assert verdict("fabric_type", none, tcp, INSIDE).reason == "inside_container"
    assert verdict("fabric_type", none, tcp, OUTSIDE).reason == "no_fabric"


def test_where_cards_sit_in_a_virtual_machine_is_its_own_tree():
    found = verdict("gpu_nic_affinity", FAR, VIRTUAL)
    assert (found.state, found.reason) == (Q, "inside_vm")
    text = making.judged([FAR, VIRTUAL], BODY)["g1/gpu_nic_affinity"].sentence
    assert "GPU 0 of machine g1-001 (gpu-node-01) is inside a virtual machine (kvm)" in text.en
    assert "请在主机上复测" in text.zh


@pytest.mark.parametrize(("where", "state"), [(VIRTUAL, Q), (OUTSIDE, B)])
def test_pcie_cards_behind_no_switch_are_no_breach_in_a_virtual_machine(where, state):
    links = [Reading("topo_link", "PHB", scope=f"gpu{a}+gpu{b}") for a in range(8) for b in range(a + 1, 8)]
    record = making.topology(ONE, drop=["topo_link"], add=links)
    found = making.scope_verdicts(PCIE.clause(making.key_of(PCIE, "kind")), [record, where], PCIE)[ONE]
    assert found.state is state


def test_lost_links_are_a_breach_in_a_virtual_machine_too():
    found = making.judged([making.topology(ONE, {5: 16}), VIRTUAL], BODY)["g1/links_per_gpu"]
    assert found.state is B
