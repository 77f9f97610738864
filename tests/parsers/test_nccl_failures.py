"""Runs of nccl-tests that measured nothing give no number, however good their rows look."""

import pytest

from tests.parsers.gpu_outputs import lines_of, measured, read_gpu
from tests.parsers.host_outputs import code, read_text, sample, value, why

RUN = "nccl_tests/2.13-all-reduce-8.txt"
TOOL = "nccl-tests all_reduce_perf"
HARMLESS = {
    "collective", "iterations", "warm_up_iterations", "validation", "ranks", "hosts", "host_names", "distinct_gpus",
    "rank_gpu_models", "is_cpu_time", "nccl_version",
    "nccl_tests_version", "network", "network_interface", "ib_ports", "network_link_layer", "gdr", "algorithm",
    "tool_check", "start_time", "secrets_in_env",
}  # fmt: skip


def assert_no_numbers(parsed):
    assert parsed.error
    assert measured(parsed) <= HARMLESS
    assert value(parsed, "busbw_max") is None
    assert why(parsed, "wrong_results")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("gpu-b07: Test NCCL failure common.cu:1125 'unhandled system error'",
         "test_nccl_failure: unhandled system error"),
        ("gpu-b07: Test NCCL failure common.cu:1125 'remote process exited / socketProgress'",
         "test_nccl_failure: remote process exited / socketProgress"),
        ("gpu-b07: Test CUDA failure common.cu:963 'invalid device ordinal'",
         "test_cuda_failure: invalid device ordinal"),
        (" .. gpu-b07 pid 5000: Test failure common.cu:401", "test_failure: Test failure common.cu:401"),
        ("gpu-b07: Test timeout (600s) common.cu:524", "test_timeout: Test timeout (600s)"),
        ("Invalid number of GPUs: 16 requested but only 8 were found.",
         "invalid_number_of_gpus: Invalid number of GPUs: 16 requested but only 8 were found."),
        ("mpirun noticed that process rank 3 with PID 5003 on node node-b exited on signal 9 (Killed).",
         "process_died: exited on signal 9 (Killed)."),
        ("Incompatible NCCL versions. nccl-tests was compiled with NCCL 2.28, but is running with NCCL 22703.",
         "incompatible_nccl: Incompatible NCCL versions. nccl-tests was compiled with NCCL 2.28, but is running with "
         "NCCL 22703."),
    ],
    ids=lambda text: text[:40],
)  # fmt: skip
@pytest.mark.parametrize("status", [1, None])
def test_each_failure_text_takes_all_numbers_away(line, expected, status):
    for text in (sample(RUN) + line + "\n", "".join(lines_of(RUN)[:16]) + line + "\n"):
        parsed = read_text(TOOL, text, exit_status=status)
        assert parsed.error == expected
        assert_no_numbers(parsed)


@pytest.mark.parametrize("on_stderr", [False, True])
def test_the_last_word_of_a_whole_report_takes_nothing_away(on_stderr):
    """Releases since 2.17 end so when results were wrong or slower than NCCL_TESTS_MIN_BW asks."""
    last = " .. gpu-b07 pid 5000: Test failure common.cu:1127\n"
    slow = sample("nccl_tests/2.17-min-bw-failed.txt")
    wrong = sample(RUN).replace("Out of bounds values : 0 OK", "Out of bounds values : 2 FAILED")
    row = next(line for line in wrong.splitlines() if line.split()[:1] == ["8589934592"])
    wrong = wrong.replace(row, row[: row.rindex("0")] + "7")
    for text, name, expected in ((slow, "tool_check", "FAILED"), (wrong, "wrong_results", 7)):
        said = {"stderr": last} if on_stderr else {}
        parsed = read_text(TOOL, text + ("" if on_stderr else last), exit_status=1, **said)
        assert (parsed.error, value(parsed, name)) == ("", expected)
        assert value(parsed, "busbw_max")
        died = read_text(TOOL, text + last + "node-b: Segmentation fault\n", exit_status=1)
        assert code(died) == "process_died"


def test_a_failure_on_stderr_counts_as_well():
    parsed = read_text(TOOL, sample(RUN), stderr="Invalid number of GPUs: 16 requested but only 8 were found.\n")
    assert code(parsed) == "invalid_number_of_gpus"
    assert_no_numbers(parsed)


def test_a_failure_glued_to_a_row_is_found():
    parsed = read_gpu("nccl_tests/2.13-failure-glued-to-row.txt", exit_status=3)
    assert code(parsed) == "test_nccl_failure"
    assert value(parsed, "ranks") == 8
    assert_no_numbers(parsed)


@pytest.mark.parametrize("lines", [2, 12, 15, 16, 18, 19])
def test_a_report_cut_short_is_not_a_result(lines):
    parsed = read_text(TOOL, "".join(lines_of(RUN)[:lines]), exit_status=None)
    assert code(parsed) == "run_incomplete"
    assert_no_numbers(parsed)


def test_an_average_cut_in_the_middle_is_not_a_summary():
    text = sample(RUN)
    parsed = read_text(TOOL, text[: text.index("449.033") + 4], exit_status=None)
    assert code(parsed) == "run_incomplete"


def test_an_average_of_zero_without_rows_is_no_value():
    lines = [line for line in lines_of(RUN) if not line.lstrip()[:1].isdigit()]
    parsed = read_text(TOOL, "".join(lines).replace("449.033", "0"))
    assert code(parsed) == "run_incomplete"
    assert_no_numbers(parsed)


def test_processes_that_each_test_for_themselves_are_no_common_run():
    parsed = read_gpu("nccl_tests/2.13-two-copies-without-mpi.txt")
    assert code(parsed) == "two_outputs"
    assert why(parsed, "ranks")
    assert_no_numbers(parsed)


def test_rank_zero_twice_under_one_header_is_two_runs():
    lines = lines_of(RUN)
    parsed = read_text(TOOL, "".join([*lines[:4], lines[3].replace("gpu-b07", "gpu-b08"), *lines[4:]]))
    assert code(parsed) == "two_outputs"


def test_the_same_report_twice_is_an_error():
    assert code(read_text(TOOL, sample(RUN) * 2)) == "two_outputs"


@pytest.mark.parametrize(("status", "expected"), [(1, "exit_status"), (124, "timed_out"), (137, "killed")])
def test_a_good_table_with_a_bad_exit_status_is_an_error(status, expected):
    parsed = read_gpu(RUN, exit_status=status)
    assert code(parsed) == expected
    assert_no_numbers(parsed)


def test_a_time_limit_is_an_error_even_when_the_tools_own_check_failed():
    assert code(read_gpu("nccl_tests/2.17-min-bw-failed.txt", exit_status=124)) == "timed_out"


def test_decimal_commas_are_not_read():
    text = "".join(line.replace(".", ",") if line.lstrip()[:1].isdigit() else line for line in lines_of(RUN))
    parsed = read_text(TOOL, text)
    assert code(parsed) == "rows_unreadable"
    assert_no_numbers(parsed)


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("bash: all_reduce_perf: command not found\n", 127, "command_not_found"),
        ("", 1, "exit_status"),
        ("", 0, "no_report"),
        ("usage: all_reduce_perf\n", 0, "no_report"),
    ],
)
def test_no_report_at_all_says_why(text, status, expected):
    parsed = read_text(TOOL, text, exit_status=status)
    assert code(parsed) == expected
    assert_no_numbers(parsed)


def test_a_table_without_its_header_line_is_not_read():
    lines = [line for line in lines_of(RUN) if "algbw" not in line]
    parsed = read_text(TOOL, "".join(lines))
    assert code(parsed) == "run_incomplete"
    assert_no_numbers(parsed)
