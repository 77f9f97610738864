"""The plan of a frozen body: which jobs on which nodes, how often, in which order, and what they leave open."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.agent.orders import check
from gpucontract.contracts.body import Group, Mount
from gpucontract.contracts.clauses import Scope, VerifiedBy
from gpucontract.measurements.plan import JOBS, by_hand, jobs_for, not_settled
from tests.measurements.making import body, clause

SIZE = {"size": "8GiB", "size_bytes": 8 * 2**30}
INTRA = clause("g1/busbw_intra:8GiB", "nccl_intra", repeats=3, conditions={**SIZE, "collective": "all_reduce"})
INTER = clause(
    "g1/busbw_inter:8GiB", "nccl_inter", kind="rate", repeats=3, conditions={**SIZE, "collective": "all_gather"}
)
LOAD = {
    "mount": "/data", "rw": "read", "block_size": "1MiB", "iodepth": 32, "numjobs": 8, "runtime_s": 60, "direct": True,
}  # fmt: skip
DATA = [Mount("m1", "/data", ("g1",))]


def shared(name="read", **changes):
    """A rate of the shared storage, with the usual test agreed."""
    agreed = {key: value for key, value in {**LOAD, **changes}.items() if value is not None}
    return clause(f"m1/{name}", "storage", "shared_load", conditions=agreed, kind="rate", repeats=3)


WRITES = {"size_bytes": 65536, "link_layer": "Ethernet"}
RDMA = clause("g1/rdma_bw", "rdma_pairs", kind="rate", repeats=3, conditions=WRITES)
WRONG = clause("g1/wrong_results_intra", "nccl_intra")
FULL = [
    INTER, INTRA, WRONG, clause("g1/local_disks", "storage"), clause("c/driver", "software"),
    clause("g1/links_per_gpu", "topology"), clause("g1/health_ecc", "health"), clause("g1/nic_count", "fabric"),
    clause("g1/fabric_type", "nccl_inter", "fabric"), clause("g1/gpu_count", "inventory"),
]  # fmt: skip


def planned(made, job, group="g1"):
    return next(one for one in jobs_for(made) if (one.job, one.group) == (job, group))


def test_inventory_is_always_taken():
    assert [one.job for one in jobs_for(body([]))] == ["inventory"]


def test_jobs_come_in_the_order_of_the_suite_and_only_those_a_clause_needs():
    burn_in = clause("g1/burn_in_hours", "burn_in", value=Decimal(72), unit="h")
    asked = [*FULL, shared(), RDMA, clause("g1/gemm", "gemm"), burn_in]
    assert [one.job for one in jobs_for(body(asked, nodes=3, mounts=DATA))] == list(JOBS)
    assert [one.job for one in jobs_for(body([clause("c/driver", "software")]))] == ["inventory", "software"]


def test_each_machine_runs_alone_but_the_joint_job_takes_all_lead_first():
    made = body(FULL)
    assert [run.nodes for run in planned(made, "topology").runs()] == [("g1-001",), ("g1-002",)]
    assert [run.nodes for run in planned(made, "nccl_inter").runs()] == [("g1-001", "g1-002")] * 3


@pytest.mark.parametrize("count", [3, 4, 5, 32, 33, 100])
def test_a_machine_stands_in_one_pair_at_a_time_and_meets_others_each_round(count):
    made = body([INTER], nodes=count)
    job, codes = planned(made, "nccl_pairs"), set(made.group("g1").node_codes)
    runs = list(job.runs())
    for repeat in range(1, job.repeats + 1):
        busy = [code for run in runs if run.repeat == repeat for code in run.nodes]
        assert len(busy) == len(set(busy)) and set(busy) <= codes
    met = [run.nodes for run in runs]
    assert len(met) == len(set(met)) and all(one < other for one, other in met)
    assert len(met) == count * (count - 1) // 2 if count <= 32 else job.repeats == 8
    assert all(sum(code in pair for pair in met) >= min(count - 1, 7) for code in codes)


def test_pairs_run_as_a_ring_settle_nothing_and_need_three_machines():
    reduced = clause("g1/busbw_inter:8GiB", "nccl_inter", kind="rate", conditions={**SIZE, "collective": "all_reduce"})
    job = planned(body([reduced], nodes=3), "nccl_pairs")
    assert (job.params["collective"], job.settles) == ("all_reduce_ring", ())
    assert "nccl_pairs" not in {one.job for one in jobs_for(body([reduced]))}


def test_repeats_are_separate_runs_and_one_run_serves_every_clause_of_its_job():
    job = planned(body(FULL), "nccl_intra")
    assert [(run.nodes[0], run.repeat, run.params["repeat"]) for run in job.runs()] == [
        (code, repeat, repeat) for repeat in (1, 2, 3) for code in ("g1-001", "g1-002")
    ]
    assert job.settles == ("g1/busbw_intra:8GiB", "g1/wrong_results_intra")


def test_parameters_follow_the_clauses():
    made = body(FULL)
    assert planned(made, "nccl_intra").params == {
        "collective": "all_reduce", "min_bytes": 32 * 2**20, "max_bytes": 8 * 2**30, "gpus_per_node": 8,
        "iterations": 20,
    }  # fmt: skip
    assert planned(made, "nccl_inter").params["collective"] == "all_gather"
    ring = clause("g1/busbw_inter:1GiB", "nccl_inter", conditions={
        "size_bytes": 2**30, "collective": "all_reduce", "algorithm": "Ring"})  # fmt: skip
    assert planned(body([ring]), "nccl_inter").params["collective"] == "all_reduce_ring"
    assert planned(body([ring]), "nccl_inter").params["max_bytes"] == 2**30


def test_storage_looks_at_the_mounts_of_its_group_only():
    mounts = [Mount("m1", "/data", ("g1",)), Mount("m2", "/home", ("g2",))]
    made = body([clause("m1/present", "storage"), clause("m2/present", "storage")], mounts=mounts,
                more=[Group("g2", "推理", "L40S", 1, 4)])  # fmt: skip
    first, second = planned(made, "storage"), planned(made, "storage", "g2")
    assert (first.params["paths"], first.settles) == (["/data"], ("m1/present",))
    assert (second.params["paths"], second.settles) == (["/home"], ("m2/present",))


def test_a_contract_wide_clause_is_settled_in_every_group():
    made = body([clause("c/driver", "software")], more=[Group("g2", "推理", "L40S", 1, 4)])
    assert [one.group for one in jobs_for(made) if one.job == "software"] == ["g1", "g2"]


@pytest.mark.parametrize("count", [1, 2, 128, 129, 300, 1000])
def test_teams_cover_every_node_once_and_never_exceed_what_an_agent_takes(count):
    if count == 1:
        assert [one.job for one in jobs_for(body([INTER], nodes=1))] == ["inventory"]
        return
    teams = planned(body([INTER], nodes=count), "nccl_inter").teams
    assert [code for team in teams for code in team] == list(body([], nodes=count).group("g1").node_codes)
    assert all(2 <= len(team) <= 128 for team in teams)


def test_an_agent_takes_every_order_of_a_full_plan():
    for job in jobs_for(body([*FULL, RDMA, shared(), shared("read_iops", rw="randread")], nodes=3, mounts=DATA)):
        for run in job.runs():
            hosts = {"hosts": list(run.nodes)} if job.is_joint else {}
            check(job.job, {**run.params, **hosts})


UNSETTLED = {
    "a job that comes later": (clause("g1/trained", "train"), 'job "train"'),
    "a type the probe lacks": (clause("g1/gemm", "gemm", conditions={"dtype": "fp8"}), "BF16, FP16, TF32"),
    "writes in an older paper": (clause("g1/rdma_bw", "fabric"), "amendment"),
    "a shared load": (clause("m1/read", "storage"), "“Block size” is not agreed, “Queue depth” is not agreed"),
    "a local read without a folder": (clause("g1/local_read", "storage"), "folder"),
}


@pytest.mark.parametrize(("one", "said"), UNSETTLED.values(), ids=UNSETTLED)
def test_what_no_job_settles_is_listed_with_its_reason(one, said):
    made = body([one], mounts=[Mount("m1", "/data", ("g1",))])
    (left,) = not_settled(made)
    assert left.key == one.key and said in left.reason.en
    assert [job.job for job in jobs_for(made)] == ["inventory"]


def test_a_load_is_ordered_as_the_clauses_say():
    asked = [
        clause("g1/gemm", "gemm", conditions={"dtype": "fp16"}, repeats=3),
        clause("g1/burn_in_hours", "burn_in", value=Decimal(48), unit="h"),
        clause("g1/gpu_usable", "software"),
    ]
    params = {job.job: (job.repeats, dict(job.params)) for job in jobs_for(body(asked))}
    assert params["gemm"] == (3, {"dtype": "fp16", "runtime_s": 60})
    assert params["burn_in"] == (1, {"hours": 48})
    permitted = clause("g1/burn_in_interrupts", "burn_in", value=Decimal(2), conditions={"hours": 72, "nodes": 2})
    assert planned(body([permitted, asked[1]]), "burn_in").params == {"hours": 48}
    assert planned(body([permitted]), "burn_in").params == {"hours": 72}
    assert planned(body([permitted, asked[1]]), "burn_in").settles == ("g1/burn_in_interrupts", "g1/burn_in_hours")
    assert list(params) == ["inventory", "software", "gemm", "burn_in"]


@pytest.mark.parametrize("one", [INTER, RDMA], ids=lambda one: one.name)
def test_a_joint_test_of_one_machine_is_not_settled(one):
    (left,) = not_settled(body([one], nodes=1))
    assert "at least two" in left.reason.en


@pytest.mark.parametrize(("nodes", "rounds"), [(2, 3), (3, 5), (4, 3), (5, 4), (33, 4), (64, 3)])
def test_every_machine_writes_in_as_many_pairs_as_runs_are_agreed_with_changing_partners(nodes, rounds):
    made = body([RDMA], nodes=nodes)
    job = planned(made, "rdma_pairs")
    assert (job.repeats, job.settles) == (rounds, ("g1/rdma_bw",)) and not_settled(made) == ()
    assert job.params == {"size_bytes": 65536, "runtime_s": 10, "link_layer": "Ethernet"}
    met = {code: [set(run.nodes) - {code} for run in job.runs() if code in run.nodes] for code in job.nodes}
    assert min(map(len, met.values())) == 3
    partners = {code: {slot for others in own[:3] for slot in others} for code, own in met.items()}
    assert all(len(own) == min(3, nodes - 1) for own in partners.values())


def test_writes_both_ways_are_ordered_where_they_are_agreed():
    both = clause("g1/rdma_bw", "rdma_pairs", conditions={**WRITES, "bidirectional": True})
    assert planned(body([both]), "rdma_pairs").params["bidirectional"] is True


def test_where_machines_talk_over_tcp_the_plan_says_that_there_is_no_rdma():
    tcp = clause("g1/fabric_type", "nccl_inter", "fabric", conditions={"transport": "Socket"})
    made = body([RDMA, tcp])
    (left,) = not_settled(made)
    assert left.key == "g1/rdma_bw" and "no RDMA" in left.reason.en
    assert "rdma_pairs" not in {job.job for job in jobs_for(made)}


def test_documents_and_plain_lines_are_no_matter_of_the_plan():
    paper = clause("c/licence", verified_by=VerifiedBy.DOCUMENT, scope=Scope.CONTRACT)
    plain = clause("c/price", verified_by=VerifiedBy.NONE, scope=Scope.CONTRACT)
    assert not_settled(body([paper, plain, *FULL])) == ()


UNTESTED = {
    "m1/shared_write_gbs": ("GB/s", "No job measures it"),
    "m1/shared_write_iops": ("IOPS", "No job measures it"),
    "g1/nic_model": ("text", "No job measures it"),
    "g1/node_variance_max_pct": ("%", "does not say of which rate"),
}


@pytest.mark.parametrize(("key", "unit", "reason"), [(key, *rest) for key, rest in UNTESTED.items()])
def test_a_promise_that_looks_tested_and_is_not_is_told(key, unit, reason):
    plain = clause(key, unit=unit, verified_by=VerifiedBy.NONE)
    (left,) = not_settled(body([plain], mounts=DATA))
    assert left.key == key and reason in left.reason.en
    assert not_settled(body([replace(plain, conditions={"not_applicable": True})], mounts=DATA)) == ()


def test_shared_storage_is_loaded_by_all_machines_of_the_group_at_once():
    made = body([shared(), shared("read_iops", rw="randread", block_size="4KiB")], nodes=3, mounts=DATA)
    job = planned(made, "shared_load")
    assert [run.nodes for run in job.runs()] == [("g1-001", "g1-002", "g1-003")] * 3
    assert [(test["path"], test["rw"], test["block_size"]) for test in job.params["tests"]] == [
        ("/data", "read", "1MiB"), ("/data", "randread", "4KiB"),
    ]  # fmt: skip
    assert job.settles == ("m1/read", "m1/read_iops") and not_settled(made) == ()
    assert all("m1/read" not in one.settles for one in jobs_for(made) if one.job != "shared_load")


ELSEWISE = {
    "no block size": ({"block_size": None}, 2, DATA, "没有约定块大小"),
    "no queue depth": ({"iodepth": None}, 2, DATA, "没有约定队列深度"),
    "through the cache": ({"direct": False}, 2, DATA, "“绕过缓存”须为“是”"),
    "more jobs than an agent takes": ({"numjobs": 65}, 2, DATA, "“每台任务数”是 65，最多 64"),
    "longer than an agent takes": ({"runtime_s": 601}, 2, DATA, "“时长”是 601 秒，最多 600 秒"),
    "other machines than there are": ({"clients": 8}, 2, DATA, "“同时测试的机器数”是 8，该组却有 2 台"),
    "more machines than fit into a result": ({}, 191, DATA, "191 台机器 × 1 项测试超过 190"),
    "two groups": (
        {}, 2, [Mount("m1", "/data", ("g1", "g2"))], "挂载 /data 有 2 个节点组能看到，只能由一个组来测",
    ),
    "no group": ({}, 2, [Mount("m1", "/data", ())], "挂载 /data 有 0 个节点组能看到"),
    "two things": (
        {"iodepth": 5000, "clients": 8}, 2, DATA, "“队列深度”是 5,000，最多 4,096、“同时测试的机器数”是 8，该组却有 2 台",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "nodes", "mounts", "said"), ELSEWISE.values(), ids=ELSEWISE)
def test_a_load_that_cannot_be_driven_as_agreed_stays_open_and_says_what_differs(changes, nodes, mounts, said):
    made = body([shared(**changes)], nodes=nodes, mounts=mounts, more=[Group("g2", "推理", "L40S", 1, 4)])
    (left,) = not_settled(made)
    assert left.key == "m1/read" and f"：{said}" in left.reason.zh and "“存储测试口径”" in left.reason.zh
    assert left.reason.zh.count("没有约定") == said.count("没有约定")
    assert "shared_load" not in {one.job for one in jobs_for(made)}


def test_local_disks_are_loaded_in_the_folder_that_the_order_names():
    made = body([clause("g1/local_read", "storage", repeats=3)])
    (job,) = (job for job in jobs_for(made, "/mnt/nvme1") if job.job == "storage")
    assert (job.params["local_path"], job.repeats, job.settles) == ("/mnt/nvme1", 3, ("g1/local_read",))


def test_the_reference_training_is_no_part_of_the_plan_and_can_be_ordered_on_every_machine():
    made = body(FULL, more=[Group("g2", "推理", "L40S", 1, 4)])
    assert "training" not in {job.job for job in jobs_for(made)}
    first, second = by_hand(made)
    assert (first.job, first.group, first.settles, second.group) == ("training", "g1", (), "g2")
    assert [run.nodes for run in first.runs()] == [("g1-001",), ("g1-002",)]
    for run in first.runs():
        check("training", dict(run.params))
