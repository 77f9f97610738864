"""Every metric a clause may carry: complete in words, unit and readings, and of the same kind as its clause."""

import pytest

from gpucontract.contracts.clause_table import CLAUSE_TABLE
from gpucontract.contracts.clauses import Operator, VerifiedBy
from gpucontract.metrics import METRICS, Better, metric
from gpucontract.units import UNITS
from gpucontract.verdicts.derive import READERS
from gpucontract.verdicts.rates import TRIALS

WORDS = {"text", "enum", "bool", "version", "set"}
MEASURED = [row for row in CLAUSE_TABLE if row.verified_by is VerifiedBy.MEASUREMENT]
DIRECTIONS = {
    Operator.AT_LEAST: {Better.MORE, Better.SAME},
    Operator.AT_MOST: {Better.LESS},
    Operator.EQUAL: {Better.SAME},
    Operator.IN: {Better.MEMBER},
}
# Judged by a function of their own, or by a job that cannot be ordered yet.
OWN_JUDGE = {"nccl_transport", "nic_count", "ib_port_rate_gbps", "peermem_or_dmabuf"}
NO_JOB_YET = {
    "gpu_cuda_usable_count", "gemm_bf16_tflops", "ib_write_bw_gbps", "burn_in_hours", "interrupts_per_1000_gpu_days",
}  # fmt: skip


@pytest.mark.parametrize("key", METRICS)
def test_a_metric_says_what_it_is_in_both_languages(key):
    one = METRICS[key]
    assert one.key == key and one.label.zh != one.label.en or key in ("peermem_or_dmabuf", "gpu_count")
    assert one.pitfall.zh != one.pitfall.en
    assert one.unit in UNITS or one.unit in WORDS
    assert one.readings and one.validity.total_seconds() > 0
    assert one.kind in ("fact", "rate")


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row.name)
def test_every_measured_clause_has_its_metric(row):
    one = metric(row.metric)
    assert (one.kind == "rate") is row.is_rate
    assert one.better in DIRECTIONS[row.operator]


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row.name)
def test_every_measured_clause_can_be_judged_or_says_that_no_job_can_yet(row):
    known = set(READERS) | set(TRIALS) | OWN_JUDGE
    assert (row.metric in known) is not (row.metric in NO_JOB_YET)


def test_speeds_hold_for_a_week_and_facts_for_a_day():
    assert metric("nccl_busbw_inter").validity.days == 7
    assert metric("gpu_count").validity.days == 1


def test_an_unknown_metric_is_named():
    with pytest.raises(KeyError, match="no_such_metric"):
        metric("no_such_metric")


