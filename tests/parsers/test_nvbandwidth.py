"""nvbandwidth, as text and as JSON."""

import json
from decimal import Decimal

import pytest

from tests.parsers.gpu_outputs import lines_of, measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

TEXT = "nvbandwidth/0.8-3xh200.txt"
OLD = "nvbandwidth/0.2-2xa100.txt"
JSON = "nvbandwidth/0.8-2xh200.json"
RUNNING = "Running device_to_device_memcpy_read_ce.\n"


def changed(change):
    document = json.loads(sample(JSON))
    change(document["nvbandwidth"])
    return read_text("nvbandwidth -j", json.dumps(document, indent=1))


def test_the_lowest_cell_and_the_sum_of_each_case():
    parsed = read_gpu(TEXT)
    assert value(parsed, "h2d_min") == Decimal("27.42")
    assert value(parsed, "h2d_sum") == Decimal("138.02")
    assert value(parsed, "d2h_min") == Decimal("55.97")
    assert value(parsed, "d2d_read_min") == Decimal("391.05")
    assert value(parsed, "d2d_read_sum") == Decimal("2356.52")
    assert value(parsed, "gpu_count") == 3
    assert value(parsed, "driver_version") == "570.86.15"
    assert value(parsed, "nvbandwidth_version") == "0.8"


def test_each_gpu_and_pair_has_its_own_reading():
    parsed = read_gpu(TEXT)
    assert value(parsed, "h2d", "gpu2") == Decimal("27.42")
    assert value(parsed, "d2d_read", "gpu0+gpu1") == Decimal("393.10")
    assert value(parsed, "d2d_read", "gpu1+gpu2") == Decimal("391.05")


def test_of_latencies_the_highest_is_the_worst():
    parsed = read_gpu(TEXT)
    found = next(r for r in parsed.readings if r.name == "d2d_latency" and not r.scope)
    assert (found.value, found.unit) == (Decimal("815.75"), "ns")


def test_waived_cases_are_not_measured():
    parsed = read_gpu(TEXT)
    assert why(parsed, "d2d_bidirectional_write_min") == "waived"
    assert codes(parsed).count("test_waived") == 2
    assert why(read_gpu(OLD), "h2d_sm_min") == "waived"


def test_the_worst_pair_is_named():
    found = next(finding for finding in read_gpu(TEXT).findings if finding.code == "worst_pair")
    assert found.scope == "gpu1+gpu2"
    assert "391.05 GB/s" in found.text.en


def test_a_waived_case_after_a_finished_one_does_not_undo_it():
    parsed = read_gpu(TEXT)
    assert value(parsed, "d2d_read_min") is not None


def test_zeros_on_the_old_diagonal_are_no_rates():
    assert value(read_gpu(OLD), "d2d_write_min") == Decimal("276.12")


@pytest.mark.parametrize("cell", ["0.00", "N/A"])
def test_an_empty_cell_off_the_diagonal_leaves_no_minimum(cell):
    parsed = read_gpu(TEXT, ("391.05", f"{cell:>6}"))
    assert why(parsed, "d2d_read_min") == "cell_not_measured"
    assert value(parsed, "d2d_read", "gpu0+gpu1") == Decimal("393.10")
    assert "cells_not_measured" in codes(parsed)


@pytest.mark.parametrize(
    "line", ["SUM device_to_device_memcpy_read_ce 2356.52\n", " 1    393.41       N/A    391.05\n"]
)
def test_a_case_without_its_end_or_a_row_is_not_measured(line):
    lines = [other for other in lines_of(TEXT) if other != line]
    assert len(lines) == len(lines_of(TEXT)) - 1
    parsed = read_text("nvbandwidth", "".join(lines))
    assert why(parsed, "d2d_read_min") == "incomplete"
    assert value(parsed, "h2d_min") == Decimal("27.42")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (" Invalid value when checking the pattern at 0x70a640000000\n", "nvbandwidth_pattern_mismatch"),
        ("[CUDA_ERROR_SYSTEM_NOT_READY] system not yet initialized in expression cuInit(0)\n", "fabric_manager_down"),
        ("[CUDA_ERROR_OUT_OF_MEMORY] out of memory in expression cuMemAlloc\n", "nvbandwidth_cuda_error"),
        ("[cudaErrorUnknown] unknown error in expression cudaFree\n", "nvbandwidth_cuda_error"),
        ("NVML_ERROR: [Unknown Error] in expression nvmlInit\n", "nvbandwidth_nvml_error"),
        ("ASSERT in expression size > 0 in void f() : memcpy.cpp:165\n", "nvbandwidth_assert"),
    ],
)
def test_a_run_that_broke_off_measures_no_rate(line, expected):
    parsed = read_gpu(TEXT, (RUNNING, RUNNING + line), exit_status=1)
    assert code(parsed) == expected
    assert measured(parsed) == {"gpu_count", "driver_version", "nvbandwidth_version"}
    assert ("data_corruption" in codes(parsed)) is (expected == "nvbandwidth_pattern_mismatch")


def test_an_error_on_stderr_counts():
    parsed = read_gpu(TEXT, stderr="[CUDA_ERROR_UNKNOWN] unknown error in expression cuCtxSynchronize()\n")
    assert code(parsed) == "nvbandwidth_cuda_error"


@pytest.mark.parametrize("name", [TEXT, JSON])
def test_a_bad_exit_and_two_outputs_are_errors(name):
    assert code(read_gpu(name, exit_status=1)) == "exit_status"
    assert code(read_text("nvbandwidth", sample(name) * 2)) == "two_outputs"


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("bash: nvbandwidth: command not found\n", 127, "command_not_found"),
        ("hello\n", 0, "no_report"),
        ("nvbandwidth Version: v0.8\n", 0, "no_report"),
        ("nvbandwidth Version: v0.8\nERROR: Testcase 77 not found!\n", 1, "nvbandwidth_unknown_test"),
    ],
)
def test_no_case_at_all_says_why(text, status, expected):
    assert code(read_text("nvbandwidth", text, exit_status=status)) == expected


def test_json_cells_are_strings():
    parsed = read_gpu(JSON)
    assert value(parsed, "d2h_min") == Decimal("56.11")
    assert value(parsed, "d2h_sum") == Decimal("112.31")
    assert value(parsed, "d2h", "gpu0") == Decimal("56.2")
    assert value(parsed, "gpu_count") == 2
    assert value(parsed, "driver_version") == "570.86.15"


def test_json_cells_without_a_number_leave_no_minimum():
    parsed = read_gpu(JSON)
    assert why(parsed, "d2d_write_min") == "cell_not_measured"
    assert why(parsed, "multinode_d2d_read_min") == "waived"


@pytest.mark.parametrize("status", ["Running", "Interrupted"])
def test_a_json_case_that_did_not_pass_is_not_measured(status):
    parsed = changed(lambda report: report["testcases"][0].update(status=status))
    assert why(parsed, "d2h_min") == "incomplete"


@pytest.mark.parametrize(
    "change",
    [
        lambda report: report.update(error="CUDA init failed: 802"),
        lambda report: report["testcases"][0].update(status="Error"),
        lambda report: report["testcases"][0].update(error="out of memory"),
        lambda report: report["testcases"][0].update(status="Not Found"),
    ],
    ids=["whole run", "case status", "case error", "no such case"],
)
def test_a_json_error_takes_all_rates_away(change):
    parsed = changed(change)
    assert code(parsed) == "nvbandwidth_failed"
    assert why(parsed, "h2d_min") == "nvbandwidth_failed"


def test_json_that_breaks_off_is_an_error():
    assert code(read_text("nvbandwidth -j", sample(JSON)[:400])) == "json_broken"


def test_between_machines_the_diagonal_is_no_pair_and_no_process_is_a_machines_gpu():
    text = (
        "nvbandwidth Version: v0.8\nDriver Version: 570.124.06\n\n"
        "Process 0 (tray-01): device 0: NVIDIA GB200 (00000008:01:00)\n"
        "Process 1 (tray-02): device 0: NVIDIA GB200 (00000008:01:00)\n\n"
        "Running multinode_device_to_device_memcpy_read_ce.\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n"
        "           0         1\n 0       N/A    397.06\n 1    397.18       N/A\n\n"
        "SUM multinode_device_to_device_memcpy_read_ce 794.24\n"
    )
    parsed = read_text("nvbandwidth", text)
    assert value(parsed, "multinode_d2d_read_min") == Decimal("397.06")
    assert not parsed.named("multinode_d2d_read") and not parsed.named("gpu_count")


def test_the_gpus_of_a_json_report_across_machines_are_not_one_machines():
    def across(report):
        case = next(case for case in report["testcases"] if case["name"].startswith("multinode_device_to_device"))
        case.update(status="Passed", bandwidth_matrix=[["N/A", "391.46"], ["402.55", "N/A"]], sum=794.01)

    parsed = changed(across)
    assert value(parsed, "multinode_d2d_read_min") == Decimal("391.46")
    assert not parsed.named("gpu_count")
