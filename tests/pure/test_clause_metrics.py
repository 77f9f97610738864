"""The metric a measured clause carries is of its kind and direction, and somebody judges it."""

import pytest

from gpucontract.contracts.clause_table import CLAUSE_TABLE
from gpucontract.contracts.clauses import Operator, VerifiedBy
from gpucontract.metrics import Better, metric
from gpucontract.verdicts.derive import READERS
from gpucontract.verdicts.rates import TRIALS

MEASURED = [row for row in CLAUSE_TABLE if row.verified_by is VerifiedBy.MEASUREMENT]
DIRECTIONS = {
    Operator.AT_LEAST: {Better.MORE, Better.SAME},
    Operator.AT_MOST: {Better.LESS},
    Operator.EQUAL: {Better.SAME},
    Operator.IN: {Better.MEMBER},
}
# Judged by a function of their own.
OWN_JUDGE = {
    "gemm_bf16_tflops", "nccl_transport", "nic_count", "ib_port_rate_gbps", "peermem_or_dmabuf", "ib_write_bw_gbps",
    "interrupts_per_1000_gpu_days",
}  # fmt: skip


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row.name)
def test_every_measured_clause_has_its_metric(row):
    one = metric(row.metric)
    assert (one.kind == "rate") is row.is_rate
    assert one.better in DIRECTIONS[row.operator]


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row.name)
def test_every_measured_clause_can_be_judged(row):
    assert row.metric in set(READERS) | set(TRIALS) | OWN_JUDGE
