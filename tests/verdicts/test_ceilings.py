"""A value that no machine can have neither verifies nor breaches, whoever sent it."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.admission import context_for
from gpucontract.verdicts.rules import judge_scopes
from gpucontract.verdicts.states import Attribution, State
from tests.verdicts import making
from tests.verdicts.making import each_gpu, fabric, inventory, storage, topology

V, Q = State.VERIFIED, State.INCONCLUSIVE
ONE = "g1-001"
BODY = making.body_of()
MIB = 2**20


def disks(size):
    return [Reading("disk_size", size, "B", f"disk:nvme{number}n1") for number in range(4)]


# clause, the run with a value at the limit, the run with one above it, scope that decides
FACTS = {
    "GPU memory": ("gpu_memory", lambda v: inventory(ONE, ["gpu_memory_total"], each_gpu("gpu_memory_total", v, "MiB")),
                   (81920, 81921, 999_999), "g1-001/gpu0"),
    "power limit": ("power_limit", lambda v: inventory(ONE, ["power_limit"], each_gpu("power_limit", v, "W")),
                    (Decimal(1050), Decimal("1050.1"), 9999), "g1-001/gpu0"),
    "PCIe lanes": ("pcie_width", lambda v: inventory(ONE, ["pcie_width_current"], each_gpu("pcie_width_current", v)),
                   (16, 17, 64), "g1-001/gpu0"),
    "NVLink links": ("links_per_gpu", lambda v: topology(ONE, drop=["nvlink_active"], add=each_gpu("nvlink_active", v)),
                     (18, 19, 400), "g1-001/gpu0"),
    "CPU cores": ("cpu_cores", lambda v: inventory(ONE, ["cores"], [Reading("cores", v)]), (112, 113, 500), ONE),
    "RAM": ("ram", lambda v: inventory(ONE, ["mem_total"], [Reading("mem_total", v * 2**20, "KiB")]),
            (8 * 1024, 8 * 1024 + 1, 999_999), ONE),
    "GPUs in one machine": ("gpu_count", lambda v: inventory(ONE, ["gpu_count"], [Reading("gpu_count", v)]),
                            (None, 33, 999), ONE),
    "capacity of the disks": ("local_capacity", lambda v: storage(ONE, drop=["disk_size"], add=disks(v)),
                              (245_760_000_000_000, 245_760_000_000_001, 10**18), ONE),
    "free space": ("free", lambda v: storage(ONE, drop=["fs_free"], add=[Reading("fs_free", v, "KiB", "mount:/data")]),
                   (600 * 10**9, 600 * 10**9 + 1, 10**15), "g1-001/mount:/data"),
    "port rate": ("port_rate", lambda v: fabric(ONE, rates=dict.fromkeys(range(8), v)), (800, 801, 4000), None),
    "count of ports": ("nic_count", lambda v: fabric(ONE, rates=dict.fromkeys(range(8), v)), (800, 801, 4000), ONE),
}  # fmt: skip


def states(name, record, body=BODY):
    found = making.scope_verdicts(body.clause(making.key_of(body, name)), [record], body)
    return {verdict.state for scope, verdict in found.items() if scope.startswith(ONE)}, found


@pytest.mark.parametrize(("name", "run_with", "values", "scope"), FACTS.values(), ids=FACTS)
def test_a_value_at_the_limit_counts_and_one_above_it_settles_nothing(name, run_with, values, scope):
    at_most, *above = values
    if at_most is not None:
        assert states(name, run_with(at_most))[0] == {V}
    for value in above:
        found, verdicts = states(name, run_with(value))
        assert found == {Q}
        if scope is not None:
            assert verdicts[scope].reason in ("beyond", "beyond_port")
            assert verdicts[scope].attribution is Attribution.HARNESS


def test_the_sentence_names_value_limit_and_where_the_limit_is_from():
    record = inventory(ONE, ["gpu_memory_total"], each_gpu("gpu_memory_total", 999_999, "MiB"))
    verdict = making.judged([record], BODY)["g1/gpu_memory"]
    assert (
        "999,999 MiB, above the known limit of 81,920 MiB (H100 SXM5 80GB has 81,920 MiB at most)"
        in verdict.sentence.en
    )
    assert "超过已知的上限 81,920 MiB" in verdict.sentence.zh and "请查明" in verdict.sentence.zh


def test_a_port_faster_than_any_is_named():
    verdict = making.judged([fabric(ONE, rates=dict.fromkeys(range(8), 4000))], BODY)["g1/port_rate"]
    assert "a port shows 4,000 Gb/s, above the known limit of 800 Gb/s" in verdict.sentence.en


def test_one_impossible_port_does_not_speak_against_the_others():
    record = fabric(ONE, ports=9, rates={8: 4000})
    assert states("nic_count", record)[0] == {V}
    assert states("port_rate", record)[0] == {V}


def test_a_model_that_nobody_knows_has_no_ceiling():
    body = making.body_of(group={"gpu_model": "Banana 9000"})
    named = each_gpu("gpu_name", "Banana 9000")
    record = inventory(ONE, ["gpu_memory_total", "gpu_name"], [*named, *each_gpu("gpu_memory_total", 999_999, "MiB")])
    assert states("gpu_memory", record, body)[0] == {V}


def test_an_impossible_value_is_no_breach_either():
    record = inventory(ONE, ["gpu_count"], [Reading("gpu_count", 999)])
    assert states("gpu_count", record)[0] == {Q}


def test_a_clause_of_the_whole_contract_is_held_against_the_ceiling_of_each_groups_own_model():
    (group,) = BODY.groups
    body = replace(BODY, groups=(replace(group, code="g2", gpu_model="H200 SXM 141GB"), group))
    memory = each_gpu("gpu_memory_total", 130_000, "MiB")
    first = inventory(ONE, ["gpu_memory_total", "gpu_name"], memory)
    unlike = inventory(ONE, ["gpu_memory_total", "gpu_name", "gpu_uuid"], memory)
    others = replace(unlike, id="of-g2", group="g2", nodes=("g2-001",), hostnames={"g2-001": "other"})
    clause = replace(body.clause(making.key_of(body, "gpu_memory")), key="c/gpu_memory")
    context = context_for(body, [first, others], making.NOW)
    found = {
        place: judge_scopes(clause, [record], context.at(place))[0].state
        for place, record in (("g2-001", others), (ONE, first))
    }
    assert found == {"g2-001": V, ONE: Q}
