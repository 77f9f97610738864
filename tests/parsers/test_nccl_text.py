"""The text report of nccl-tests, all versions, when the run went well."""

from decimal import Decimal

import pytest

from tests.parsers.gpu_outputs import lines_of, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

RUN = "nccl_tests/2.13-all-reduce-8.txt"
TOOL = "nccl-tests all_reduce_perf"
GIB8 = 8589934592


def test_every_size_and_half_is_a_reading():
    parsed = read_gpu(RUN)
    assert value(parsed, f"busbw_at_{GIB8}_out_of_place") == Decimal("480.90")
    assert value(parsed, f"busbw_at_{GIB8}_in_place") == Decimal("481.30")
    assert value(parsed, f"algbw_at_{GIB8}_out_of_place") == Decimal("274.80")
    assert value(parsed, f"time_at_{GIB8}_out_of_place") == Decimal(31259)
    assert value(parsed, "busbw_at_134217728_in_place") == Decimal("403.80")
    assert value(parsed, "largest_size") == GIB8
    assert value(parsed, "busbw_max") == Decimal("481.30")
    assert value(parsed, "busbw_at_largest_size_out_of_place") == Decimal("480.90")
    assert value(parsed, "avg_busbw") == Decimal("449.033")
    assert value(parsed, "wrong_results") == 0
    assert value(parsed, "out_of_bounds") == 0
    assert value(parsed, "iterations") == 20
    assert value(parsed, "warm_up_iterations") == 5
    assert value(parsed, "collective") == "all_reduce"


def test_the_line_that_decided_stands_beside_the_number():
    found = next(r for r in read_gpu(RUN).readings if r.name == "busbw_at_largest_size_in_place")
    assert "8589934592" in found.line and "481.30" in found.line


def test_ranks_hosts_and_cards_come_from_the_device_list():
    parsed = read_gpu("nccl_tests/2.18-all-gather-2-nodes-roce.txt")
    assert value(parsed, "ranks") == 4
    assert value(parsed, "hosts") == 2
    assert value(parsed, "host_names") == ("node-a", "node-b")
    assert value(parsed, "distinct_gpus") == 4


def test_the_models_of_the_ranks_come_from_the_device_list_too():
    text = sample(RUN)
    name = "NVIDIA H200"
    host = value(read_gpu(RUN), "host_names")[0]
    assert value(read_gpu(RUN), "rank_gpu_models") == (name,)
    mixed = read_text("nccl-tests", text.replace(name, "NVIDIA A100-SXM4-80GB", 1), command=f"{TOOL} -g 8")
    assert value(mixed, "rank_gpu_models") == ("NVIDIA A100-SXM4-80GB", name)
    assert value(mixed, "rank_gpu_models", f"@{host}") == ("NVIDIA A100-SXM4-80GB", name)


@pytest.mark.parametrize(("header", "is_cpu"), [("time", None), ("cputime", True)])
def test_times_of_queueing_are_told_from_times_of_the_gpu(header, is_cpu):
    text = sample(RUN).replace("  time ", f"  {header} ")
    found = [r.value for r in read_text("nccl-tests", text, command=TOOL).readings if r.name == "is_cpu_time"]
    assert found == ([True] if is_cpu else [])


@pytest.mark.parametrize(
    ("name", "collective", "version"),
    [
        ("nccl_tests/2.17-min-bw-failed.txt", "all_reduce", "2.17.5"),
        ("nccl_tests/2.18-broadcast-all-roots.txt", "broadcast", "2.18.3"),
        ("nccl_tests/2.19-alltoall-per-iteration.txt", "alltoall", "2.19.6"),
    ],
)
def test_the_banner_tells_collective_and_version(name, collective, version):
    text = sample(name)
    parsed = read_text("nccl-tests", text, command="./run.sh", exit_status=1 if "FAILED" in text else 0)
    assert value(parsed, "collective") == collective
    assert value(parsed, "nccl_tests_version") == version


@pytest.mark.parametrize("name", [
    "all_reduce", "all_gather", "reduce_scatter", "alltoall", "alltoallv", "broadcast", "reduce", "gather", "scatter",
    "sendrecv", "hypercube",
])  # fmt: skip
def test_without_a_banner_the_command_tells_the_collective(name):
    parsed = read_text("nccl-tests", sample(RUN), command=f"/opt/nccl-tests/build/{name}_perf -g 8")
    assert value(parsed, "collective") == name


def test_a_banner_that_contradicts_the_command_is_said():
    parsed = read_text("nccl-tests all_reduce_perf", sample("nccl_tests/2.18-broadcast-all-roots.txt"))
    assert value(parsed, "collective") == "broadcast"
    assert "collective_differs" in codes(parsed)


def test_a_blank_operation_does_not_shift_the_columns():
    parsed = read_gpu("nccl_tests/2.9-alltoall-blank-redop.txt")
    assert value(parsed, "busbw_at_4194304_out_of_place") == Decimal("33.61")
    assert value(parsed, "busbw_at_4194304_in_place") == Decimal("33.41")
    assert value(parsed, "time_at_4194304_out_of_place") == Decimal("109.2")
    assert value(parsed, "wrong_results") == 0


def test_the_old_error_column_is_a_delta_and_counts_nothing():
    parsed = read_gpu("nccl_tests/2.10-reduce-errors.txt", exit_status=1)
    assert parsed.error == ""
    assert value(parsed, "out_of_bounds") == 1
    assert why(parsed, "wrong_results") == "count_not_printed"
    assert value(parsed, "busbw_at_2097152_out_of_place") == Decimal("34.89")
    assert codes(parsed) == ["wrong_results"]


def test_per_iteration_columns_and_timestamps_are_not_bandwidths():
    parsed = read_gpu("nccl_tests/2.19-alltoall-per-iteration.txt")
    assert value(parsed, "busbw_at_1073741824_out_of_place") == Decimal("358.80")
    assert value(parsed, "busbw_at_1073741824_in_place") == Decimal("357.50")
    assert value(parsed, "busbw_max") == Decimal("358.80")
    assert value(parsed, "wrong_results") == 0
    assert value(parsed, "nccl_version") == "2.28.7"
    assert codes(parsed) == ["nccl_last_error"]


@pytest.mark.parametrize(
    ("printed", "speed"), [("4.8e+02", 480), ("4.809e2", Decimal("480.9")), ("480.9", Decimal("480.9")), ("481", 481)]
)
def test_a_number_in_any_notation_is_that_number(printed, speed):
    text = sample(RUN).replace("480.90      0", f"{printed:>6}    N/A").replace("validation: 1", "validation: 0")
    parsed = read_text(TOOL, text, command="all_reduce_perf -b 128M -e 8G -g 8 -c 0")
    assert value(parsed, f"busbw_at_{GIB8}_out_of_place") == speed
    assert value(parsed, f"busbw_at_{GIB8}_in_place") == Decimal("481.30")
    assert why(parsed, "wrong_results") == "validation_off"


def test_a_header_that_says_cputime_is_a_header():
    parsed = read_gpu(RUN, ("  time ", "  cputime "))
    assert value(parsed, "busbw_max") == Decimal("481.30")


@pytest.mark.parametrize(
    ("header", "cut"), [("#wrong\n", "#wrongnode-a:5001:5170 [0] NCCL INFO Channel 00\n"), ("#wrong\n", "#\n")]
)
def test_under_a_header_that_lacks_a_column_no_number_is_taken_for_another(header, cut):
    text = sample(RUN).replace(header, cut, 1)
    assert text != sample(RUN)
    parsed = read_text(TOOL, text)
    assert code(parsed) == "run_incomplete"
    assert why(parsed, "busbw_max") == "run_incomplete"


def test_a_table_amid_other_lines_reads_as_one_without_them():
    lines = lines_of(RUN)
    noisy = [part for line in lines for part in (line, "node-a:5001:5170 [0] NCCL INFO comm 0x55 busy\n")]
    speeds = [
        {
            r.name: r.value
            for r in read_text(TOOL, "".join(each)).readings
            if "bw" in r.name or r.name.startswith("time")
        }
        for each in (lines, noisy)
    ]
    assert speeds[0] == speeds[1] and speeds[0]


def test_a_row_with_the_in_place_half_only_is_read_as_such():
    parsed = read_text(TOOL, "".join(_without_out_of_place(line) for line in lines_of(RUN)))
    assert value(parsed, f"busbw_at_{GIB8}_in_place") == Decimal("481.30")
    assert f"busbw_at_{GIB8}_out_of_place" not in {reading.name for reading in parsed.readings}
    assert value(parsed, "busbw_max") == Decimal("481.30")


def _without_out_of_place(line):
    return line[:53] + " " * 32 + line[85:] if line.lstrip()[:1].isdigit() else line


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [("    24      ", 24), (" 1e+06      ", 1000000), ("     7      ", 7)],
)
def test_wrong_elements_are_summed_and_a_failed_run_keeps_its_numbers(wrong, expected):
    parsed = read_gpu(RUN, ("480.90      0", "480.90 " + wrong.rstrip()), ("0 OK", "1 FAILED"), exit_status=1)
    assert value(parsed, "wrong_results") == expected
    assert value(parsed, "out_of_bounds") == 1
    assert value(parsed, "busbw_max") == Decimal("481.30")
    assert "wrong_results" in codes(parsed)


@pytest.mark.parametrize("flag", ["-c 0", "-c0", "--check=0", "--check 0 -n 20"])
def test_a_command_without_checks_is_believed_over_a_header_with_them(flag):
    text = sample(RUN)
    assert "validation: 1" in text
    parsed = read_text(TOOL, text, command=f"all_reduce_perf -b 128M -e 8G -g 8 {flag}")
    assert value(parsed, "validation") is False
    assert why(parsed, "wrong_results") == "validation_off"


def test_without_validation_a_summary_of_zero_proves_nothing():
    parsed = read_gpu(RUN, ("validation: 1", "validation: 0"), ("      0 ", "    N/A "), ("      0\n", "    N/A\n"))
    assert why(parsed, "wrong_results") == "validation_off"
    assert value(parsed, "validation") is False
    assert value(parsed, "busbw_max") == Decimal("481.30")
    assert codes(parsed) == ["validation_off"]


def test_a_column_of_na_was_not_checked():
    parsed = read_gpu(RUN, ("      0 ", "    N/A "), ("      0\n", "    N/A\n"))
    assert why(parsed, "wrong_results") == "not_checked"


def test_the_tools_own_minimum_is_not_a_failed_run():
    parsed = read_gpu("nccl_tests/2.17-min-bw-failed.txt", exit_status=1)
    assert parsed.error == ""
    assert value(parsed, "tool_check") == "FAILED"
    assert value(parsed, "busbw_max") == Decimal("481.30")
    assert codes(parsed) == ["tool_check_failed"]


def test_a_lowered_maximum_leaves_the_asked_size_unmeasured():
    text = sample(RUN).replace("# Using", "# Reducing maxBytes to 6442450944 due to memory limitation\n#\n# Using")
    text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(f"  {GIB8}"))
    parsed = read_text(TOOL, text)
    assert value(parsed, "largest_size") == 1073741824
    assert why(parsed, "requested_size_8G") == "max_bytes_reduced"
    assert why(parsed, f"busbw_at_{GIB8}_out_of_place") == "max_bytes_reduced"
    assert codes(parsed) == ["size_not_reached"]


def test_a_missing_last_size_is_said_too():
    text = "".join(line for line in lines_of(RUN) if not line.startswith(f"  {GIB8}"))
    parsed = read_text(TOOL, text)
    assert why(parsed, "requested_size_8G") == "size_not_reached"
    assert codes(parsed) == ["size_not_reached", "sizes_missing"]


def test_a_row_cut_in_two_is_skipped_and_counted():
    parsed = read_gpu("nccl_tests/2.13-row-cut-by-nccl-line.txt")
    assert parsed.error == ""
    assert value(parsed, f"busbw_at_{GIB8}_in_place") == Decimal("481.30")
    assert why(parsed, "busbw_at_1073741824_out_of_place") == "row_cut"
    assert codes(parsed) == ["rows_cut", "sizes_missing"]


def test_several_types_and_operations_are_told_apart():
    parsed = read_gpu("nccl_tests/2.13-all-types.txt")
    assert value(parsed, "busbw_at_1073741824_out_of_place") == Decimal("463.90")
    assert value(parsed, "busbw_max") == Decimal("470.90")
    assert codes(parsed) == ["sizes_repeated"]


def test_of_several_roots_the_slowest_counts():
    parsed = read_gpu("nccl_tests/2.18-broadcast-all-roots.txt")
    assert value(parsed, "busbw_at_1073741824_out_of_place") == Decimal("341.90")
    assert value(parsed, "busbw_max") == Decimal("355.60")


def test_sizes_rounded_to_the_ranks_are_read_under_the_size_asked_for():
    ranks = "".join(
        f"#  Rank {r:2d} Group  0 Pid {5000 + r:6d} on     node-{'abc'[r // 8]} device {r % 8:2d} [0000:1a:00] H200\n"
        for r in range(24)
    )
    text = (
        "# nThread 1 nGpus 1 minBytes 8589934592 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 "
        f"agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n{ranks}"
        + "".join(lines_of(RUN)[11:15])
        + "  8589934464      89478484     float    none      -1    26000  330.38  316.62      0    26100  329.11  315.40"
        "      0\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 316.01 \n#\n"
    )
    parsed = read_text("nccl-tests all_gather_perf", text)
    assert value(parsed, "ranks") == 24
    assert value(parsed, "largest_size") == 8589934464
    assert value(parsed, f"busbw_at_{GIB8}_out_of_place") == Decimal("316.62")
    assert "requested_size_8G" not in {reading.name for reading in parsed.readings}


def test_a_cut_device_list_is_completed_by_the_formula():
    parsed = read_gpu("nccl_tests/2.16-list-cut-at-2048.txt")
    assert value(parsed, "ranks") == 24
    assert value(parsed, "hosts") == 1
    assert codes(parsed) == ["device_list_cut"]


def test_a_lost_line_of_the_device_list_leaves_the_ranks_unknown():
    text = "".join(line for line in lines_of(RUN) if "Rank  3" not in line)
    parsed = read_text(TOOL, text)
    assert [why(parsed, name) for name in ("ranks", "hosts", "host_names")] == ["device_list_incomplete"] * 3
    assert codes(parsed) == ["device_list_incomplete"]


def test_split_groups_speak_of_rank_zeros_group_only():
    parsed = read_gpu("nccl_tests/2.13-split-groups.txt")
    assert value(parsed, "ranks") == 2
    assert value(parsed, "hosts") == 2
    assert codes(parsed) == ["split_groups"]


def test_one_rank_has_no_bus_bandwidth():
    lines = [line for line in lines_of(RUN) if "# " not in line or " Rank " not in line or "Rank  0" in line]
    parsed = read_text(TOOL, "".join(lines).replace("nGpus 8", "nGpus 1"))
    assert value(parsed, "ranks") == 1
    assert why(parsed, "busbw_max") == "one_rank"
    assert why(parsed, "avg_busbw") == "one_rank"
    assert value(parsed, "printed_avg") == Decimal("449.033")
    assert codes(parsed) == ["one_rank"]


def test_two_machines_of_one_name_are_said():
    text = sample("nccl_tests/2.18-all-gather-2-nodes-roce.txt").replace("node-b", "node-a")
    parsed = read_text("nccl-tests all_gather_perf", text)
    assert value(parsed, "hosts") == 1
    assert value(parsed, "distinct_gpus") == 2
    assert "host_name_shared" in codes(parsed)


def test_a_cell_that_is_no_number_spoils_only_itself():
    parsed = read_gpu(RUN, ("274.80  480.90", "   nan     nan"))
    assert why(parsed, f"busbw_at_{GIB8}_out_of_place") == "not_a_number"
    assert value(parsed, f"busbw_at_{GIB8}_in_place") == Decimal("481.30")


def test_a_json_file_that_got_another_name_is_said():
    text = "# Writing JSON output to out.json.0\n" + sample(RUN)
    assert codes(read_text(TOOL, text)) == ["json_renamed"]


@pytest.mark.parametrize("prefix", ["[1,0]<stdout>:", "[0] ", "0: ", "node-a: "])
def test_a_launchers_prefix_changes_nothing(prefix):
    prefixed = "".join(f"{prefix}{line}" for line in lines_of(RUN))
    assert read_text(TOOL, prefixed).readings == read_text(TOOL, sample(RUN)).readings


def test_a_table_of_very_many_sizes_keeps_powers_of_two_and_the_largest():
    row = "  {:10d}     268435456     float     sum      -1   4050.6  265.09  463.90      0   4057.5  264.63  463.10      0\n"
    rows = "".join(row.format(1048576 + 1024 * at) for at in range(3000))
    lines = lines_of(RUN)
    parsed = read_text(TOOL, "".join(lines[:15]) + rows + "".join(lines[18:]))
    sizes = [r for r in parsed.readings if r.name.startswith("busbw_at_") and r.name.endswith("0_out_of_place")]
    assert 1000 < len([r for r in parsed.readings if r.name.startswith("time_at_")]) < 2200
    assert value(parsed, "busbw_at_2097152_out_of_place") == Decimal("463.90")
    assert sizes and code(parsed) == ""


def test_the_banner_may_name_the_commit():
    text = sample("nccl_tests/2.19-alltoall-per-iteration.txt").replace("version 2.19.6", "version 2.20.0 (b4d5bee)")
    parsed = read_text(TOOL, text)
    assert (value(parsed, "nccl_tests_version"), bool(parsed.named("nccl_version"))) == ("2.20.0", True)
