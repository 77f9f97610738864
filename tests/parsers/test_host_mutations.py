"""Damaged outputs of host tools: never a crash, never a number out of nowhere, never numbers out of a failed run.

MUTATION_EXAMPLES sets how many damages each sample suffers (60 without it).
"""

from __future__ import annotations

import os
import re
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.registry import read
from tests.parsers.host_mutations import FAITHFUL, LOSSY
from tests.parsers.host_outputs import GOOD, sample

EXAMPLES = int(os.environ.get("MUTATION_EXAMPLES", "60"))
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
# Counts, sums and conversions, each by the formula that its parser's docstring gives.
DERIVED = re.compile(
    r"cores|cpus_online|mem_total_g.*|dimm.*|memory_installed|disks|nvme_disks|.*capacity|nvme_(?:local_)?devices|nvme_size"
    r"|shared_filesystems|.*_mounts|mounts_listed|ib_ports_.*|ethernet_rdma_ports|gids|roce_devices|bridges|.*bridges"
    r"|lustre_free|fs_free|osts_.*|rows|bw_average_GBps|(?:storage_)?(?:read|write)_(?:bw|bw_bytes|iops)|reported_bw"
    r"|block_size|fio_size|numjobs|jobs|direct|lines_before_json|throughput.*|streams|(?:kernel_)?gpu_count|slurm_nodes.*|time_offset"
    r"|port_rate|ib_rate_.*|ethernet_rdma_rate_min_active|cgroup_version|runtime|usable_gpus|gemm_tflops|load_(?:gpus|time|together|clean_time|interrupts.*)|tokens_per_s.*|train_(?:gpus|tflops)|mfu"
)
ABOUT_THE_TEXT = ("lines_before_json",)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_damage_that_loses_nothing_changes_no_number(name):
    clean = {(reading.name, reading.scope): reading for reading in _read(name, sample(name)).readings}

    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
    @given(st.lists(st.sampled_from(FAITHFUL), min_size=1, max_size=3), st.integers(0, 2**32))
    def damage(mutations, seed):
        text = sample(name)
        for mutation in mutations:
            text = mutation(text, Random(seed))
        for reading in _read(name, text).readings:
            before = clean.get((reading.name, reading.scope))
            same = before is not None and reading.value == before.value
            assert same or not _is_number(reading) or reading.name in ABOUT_THE_TEXT, (reading, before)

    damage()


@pytest.mark.parametrize("name", sorted(GOOD))
def test_damage_that_loses_text_brings_in_no_number(name):
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
    @given(st.lists(st.sampled_from(FAITHFUL + LOSSY), min_size=1, max_size=3), st.integers(0, 2**32))
    def damage(mutations, seed):
        text = sample(name)
        for mutation in mutations:
            text = mutation(text, Random(seed)) if text else text
        printed = {Decimal(number) for number in NUMBER.findall(text)} | {
            Decimal(number) for number in re.findall("[0-9]+", text)
        }
        for reading in _read(name, text).readings:
            known = DERIVED.fullmatch(reading.name) or not _is_number(reading) or Decimal(reading.value) in printed
            assert known, reading

    damage()


@pytest.mark.parametrize("name", sorted(GOOD))
@pytest.mark.parametrize("status", [99, 124, 127, 137])
def test_a_failed_run_is_never_numbers_whatever_happened_to_its_text(name, status):
    for seed in range(6):
        random = Random(seed)
        text = random.choice(FAITHFUL + LOSSY)(sample(name), random) if seed else sample(name)
        parsed = read(Capture(*GOOD[name], text, exit_status=status))
        assert parsed.error
        assert not [
            reading for reading in parsed.readings if _is_number(reading) and reading.name not in ABOUT_THE_TEXT
        ]


@pytest.mark.parametrize("name", sorted(GOOD))
def test_two_outputs_in_one_capture_are_an_error_or_one_run_printed_twice(name):
    parsed = _read(name, sample(name) * 2)
    twice = ("fio/", "iperf3/")
    assert parsed.error or name.startswith(twice), parsed.readings


def _read(name: str, text: str) -> Parsed:
    parsed = read(Capture(*GOOD[name], text))
    for reading in parsed.readings:
        assert (reading.value is None) == bool(reading.why), reading
    assert not parsed.error or re.match(r"[a-z][a-z0-9_]+[: ]", parsed.error)
    return parsed


def _is_number(reading: Reading) -> bool:
    return isinstance(reading.value, int | Decimal) and not isinstance(reading.value, bool)
