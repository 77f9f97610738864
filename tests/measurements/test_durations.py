"""How long plans take, what soaks cost and what they can show."""

from decimal import Decimal
from fractions import Fraction

import pytest

from gpucontract.contracts.body import Group
from gpucontract.contracts.clause_rows.conditions import permitted_interrupts
from gpucontract.contracts.clauses import Scope
from gpucontract.measurements import durations as plan_time
from gpucontract.measurements.durations import MINUTES, SUITES, Soak, durations, soaks, suite_for
from gpucontract.measurements.plan import BY_HAND, JOBS
from tests.measurements.making import body, clause

SIZE = {"size": "8GiB", "size_bytes": 8 * 2**30}
INTRA = clause("g1/busbw_intra:8GiB", "nccl_intra", repeats=3, conditions={**SIZE, "collective": "all_reduce"})
INTER = clause("g1/busbw_inter:8GiB", "nccl_inter", repeats=3, conditions={**SIZE, "collective": "all_gather"})

# nodes, hours, permitted interrupts, good cluster rejected (%), bad cluster accepted (%)
RISKS = [
    (1, 24, 0, 0.4, 98), (1, 72, 0, 1.2, 95), (4, 48, 0, 3.1, 88), (4, 72, 0, 4.7, 83), (32, 72, 2, 0.7, 80),
    (32, 168, 3, 1.3, 52), (256, 72, 6, 3.7, 3.9), (256, 168, 12, 3.2, 0.1), (256, 336, 21, 3.6, 0.1),
]  # fmt: skip


def hours(made):
    return plan_time.hours_in_total(durations(made)), plan_time.gpu_hours_in_total(durations(made))


def test_every_job_that_can_be_ordered_has_its_minutes():
    assert set(MINUTES) == {*JOBS, *BY_HAND}


@pytest.mark.parametrize(
    ("clauses", "nodes", "total", "gpu_hours"),
    [
        ([], 1, "0", "0.1"),  # one minute of eight GPUs
        ([INTRA], 1, "0.2", "1.3"),  # 1 + 3 x 3 minutes
        ([INTRA], 100, "0.2", "133.3"),  # side by side: not longer, but a hundred times the GPU time
        ([INTRA, INTER], 2, "0.4", "6.7"),  # 1 + 9 + 15 minutes
    ],
    ids=["inventory", "one-node", "hundred-nodes", "two-nodes-joint"],
)
def test_repeats_follow_each_other_and_machines_work_side_by_side(clauses, nodes, total, gpu_hours):
    assert hours(body(clauses, nodes=nodes)) == (Decimal(total), Decimal(gpu_hours))


def test_groups_work_side_by_side_and_the_longest_counts():
    made = body([INTRA], nodes=1, more=[Group("g2", "推理", "L40S", 1, 4)])
    assert hours(made)[0] == hours(body([INTRA], nodes=1))[0]


def test_reading_local_disks_adds_writing_them_and_the_agreed_time():
    plain = clause("g1/local_disks", "storage")
    read = clause("g1/local_read", "storage", conditions={"path": "/mnt"})
    minutes = [
        next(each.minutes_each for each in durations(body(clauses)) if each.job.job == "storage")
        for clauses in ([plain], [plain, read])
    ]
    assert minutes == [Fraction(2), Fraction(5)]


@pytest.mark.parametrize(("nodes", "hours", "permitted", "seller", "buyer"), RISKS)
def test_risks_of_a_soak_are_those_of_the_table(nodes, hours, permitted, seller, buyer):
    soak = Soak(nodes, hours, permitted)
    assert permitted_interrupts({"node_count": nodes, "acceptance_burnin_hours": hours}) == permitted
    assert soak.seller_risk * 100 == pytest.approx(seller, abs=0.06)
    assert soak.buyer_risk * 100 == pytest.approx(buyer, abs=0.6) if buyer > 1 else soak.buyer_risk < 0.001


@pytest.mark.parametrize(
    ("soak", "said"),
    [
        (Soak(1, 24), ["does not prove"]),
        (Soak(32, 72, 2), ["does not prove", "unfair"]),
        (Soak(256, 72, 6), ["unfair"]),
        (Soak(256, 168, 12), ["unfair"]),
    ],
    ids=lambda value: f"{value.nodes}x{value.hours}" if isinstance(value, Soak) else "",
)
def test_a_soak_says_when_it_proves_nothing_and_when_zero_would_be_unfair(soak, said):
    remarks = [remark.en for remark in soak.remarks]
    assert len(remarks) == len(said)
    assert all(words in remark for words, remark in zip(said, remarks, strict=True))


@pytest.mark.parametrize(
    ("nodes", "size", "gpu_hours"), [(1, 1, 192), (4, 4, 1536), (32, 32, 18432), (256, 256, 344064)]
)
def test_gpu_hours_of_a_soak_by_size(nodes, size, gpu_hours):
    suite = suite_for(nodes)
    assert (suite.nodes, suite.soak_gpu_hours(nodes, 8)) == (size, gpu_hours)


@pytest.mark.parametrize(("nodes", "size"), [(2, 4), (3, 4), (11, 4), (12, 32), (90, 32), (91, 256), (5000, 256)])
def test_other_sizes_take_the_nearest_suite(nodes, size):
    assert suite_for(nodes).nodes == size


def test_suites_grow_with_the_cluster():
    assert list(SUITES) == sorted(SUITES, key=lambda suite: (suite.nodes, suite.soak_hours, suite.window_days))


def test_the_soak_of_a_contract_is_read_from_its_clauses():
    asked = [
        clause("g1/burn_in_hours", "burn_in", value=Decimal(72), unit="h", scope=Scope.NODE),
        clause("g1/burn_in_interrupts", "burn_in", value=Decimal(2), scope=Scope.GROUP),
    ]
    assert soaks(body(asked, nodes=32)) == {"g1": Soak(32, 72, 2)}
    assert soaks(body([INTRA])) == {}
