"""A run copied from another machine is found by its timings, whatever else in it was rewritten."""

from dataclasses import replace
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.records import OutputRecord
from gpucontract.verdicts.admission import copies, mark_of
from tests.verdicts.making import run


def nccl(host, sha256, times=("31254.1", "15630.2", "7815.9")):
    readings = [
        Reading(f"time_at_{2 ** (31 + place)}_out_of_place", Decimal(time), "us") for place, time in enumerate(times)
    ]
    readings.append(Reading("host_names", (host,)))
    return OutputRecord("nccl", "nccl-tests all_reduce_perf", "all_reduce_perf", sha256, 0, readings=tuple(readings))


def test_the_same_timings_under_another_name_are_one_measurement():
    assert mark_of(nccl("gpu-node-01", "a" * 64)) == mark_of(nccl("gpu-node-03", "b" * 64))


def test_other_timings_are_another_measurement():
    assert mark_of(nccl("gpu-node-01", "a" * 64)) != mark_of(nccl("gpu-node-01", "b" * 64, ("31254.2", "1.1", "2.2")))


def test_a_table_of_one_or_two_sizes_is_told_by_its_bytes():
    assert mark_of(nccl("gpu-node-01", "a" * 64, ("31254.1",))) == "a" * 64


def test_copied_timings_speak_against_both_slots():
    first, second = run("nccl_intra", "g1-001", []), run("nccl_intra", "g1-002", [])
    first = replace(first, outputs=(nccl("gpu-node-01", "a" * 64),))
    second = replace(second, outputs=(nccl("gpu-node-03", "b" * 64),))
    assert list(copies([first, second]).values()) == [("g1-001", "g1-002")]
