"""nvidia-smi --query-gpu and its siblings."""

from decimal import Decimal

import pytest

from tests.parsers.gpu_outputs import QUERY, lines_of, measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

HEADED = "nvidia_smi/550-csv-8xh200.csv"
BARE = "nvidia_smi/550-csv-noheader-nounits.csv"
TOOL = "nvidia-smi --query-gpu csv"


def query(fields, *rows, end="\n", options=",noheader"):
    command = f"nvidia-smi --query-gpu={fields} --format=csv{options}"
    return read_text(TOOL, "\n".join(rows) + end, command=command)


@pytest.mark.parametrize("name", [HEADED, BARE])
def test_header_and_units_may_be_there_or_not(name):
    parsed = read_gpu(name)
    assert value(parsed, "gpu_count") == 8
    assert value(parsed, "gpu_memory_total_min") == Decimal(143771)
    assert value(parsed, "driver_version") == "550.127.08"
    assert value(parsed, "power_limit_min") == Decimal("700.00")
    assert value(parsed, "clocks_max_sm_min") == Decimal(1980)
    assert value(parsed, "pcie_width_current_min") == 16
    assert value(parsed, "ecc_uncorrected_aggregate_max") == 2
    assert value(parsed, "ecc_uncorrected_aggregate", "gpu3") == 2
    assert value(parsed, "gpu_serial", "gpu7") == "1654123000007"
    assert value(parsed, "mig_mode") == "Disabled"
    assert value(parsed, "mig_enabled_gpus") == 0


def test_without_header_and_command_nobody_knows_the_columns():
    parsed = read_text(TOOL, sample(BARE), command="nvidia-smi")
    assert code(parsed) == "unknown_layout"
    assert measured(parsed) == set()


@pytest.mark.parametrize(
    ("command", "count"),
    [
        ("nvidia-smi --query-gpu=index,name --format=csv,noheader", 2),
        ("nvidia-smi --query-gpu index,name --format=csv,noheader", 2),
        ("nvidia-smi --query-gpu='index, name' --format=csv,noheader", 2),
        ("nvidia-smi --format=csv,noheader --query-gpu=index,name", 2),
    ],
)
def test_every_way_to_write_the_query_names_the_columns(command, count):
    parsed = read_text(TOOL, "0, NVIDIA A10\n1, NVIDIA A10\n", command=command)
    assert value(parsed, "gpu_count") == count
    assert value(parsed, "gpu_name") == "NVIDIA A10"


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("[N/A]", "not_available"),
        ("N/A", "not_available"),
        ("[Not Supported]", "not_supported"),
        ("[Unknown Error]", "unknown_error"),
        ("[GPU requires reset]", "gpu_requires_reset"),
        ("[Insufficient Permissions]", "no_permission"),
        ("[GPU is lost]", "gpu_lost"),
        ("[Some New Word]", "some_new_word"),
        ("ERR!", "unreadable"),
        ("400,00 W", "unreadable"),
        ("400.00 kW", "unreadable"),
    ],
)
def test_a_cell_without_a_value_spoils_only_itself(cell, reason):
    parsed = query("index,memory.total,power.limit", "0, 81920 MiB, 400.00 W", f"1, 81920 MiB, {cell}")
    assert value(parsed, "gpu_count") == 2
    assert why(parsed, "power_limit", "gpu1") == reason
    assert value(parsed, "power_limit_min") == Decimal("400.00")
    assert value(parsed, "gpu_memory_total", "gpu1") == Decimal(81920)


def test_a_dead_gpu_prints_a_line_and_a_row_and_is_counted_once():
    parsed = read_gpu("nvidia_smi/550-csv-dead-gpu.csv", exit_status=15)
    assert value(parsed, "gpu_count") == 7
    assert value(parsed, "gpu_unreadable") == 1
    assert value(parsed, "error_bus_id") == "0000:BB:00.0"
    assert value(parsed, "gpu_memory_total_min") == Decimal(143771)
    assert value(parsed, "mig_mode") == "Disabled"


def test_a_row_of_error_cells_alone_is_a_dead_gpu_too():
    dead = "[GPU requires reset]"
    parsed = query("index,memory.total,power.limit", "0, 81920 MiB, 400.00 W", f"1, {dead}, {dead}")
    assert value(parsed, "gpu_count") == 1
    assert value(parsed, "gpu_unreadable") == 1
    assert [(finding.code, finding.scope) for finding in parsed.findings] == [("gpu_unreadable", "gpu1")]


@pytest.mark.parametrize(
    ("fields", "row", "expected"),
    [
        ("index,pstate,pcie.link.gen.max,pcie.link.gen.current", "0, P8, 5, 1", None),
        ("index,pstate,pcie.link.gen.max,pcie.link.gen.gpucurrent", "0, P2, 5, 2", None),
        ("index,pcie.link.gen.max,pcie.link.gen.current", "0, 5, 1", None),
        ("index,pcie.link.gen.current", "0, 1", None),
        ("index,pstate,pcie.link.gen.max,pcie.link.gen.current", "0, P0, 5, 4", 4),
        ("index,pstate,pcie.link.gen.max,pcie.link.gen.current", "0, P8, 5, 5", 5),
    ],
)
def test_an_idle_link_generation_proves_nothing(fields, row, expected):
    parsed = query(fields, row)
    assert value(parsed, "pcie_gen_current", "gpu0") == expected
    assert ("pcie_idle" in codes(parsed)) is (expected is None)


def test_one_idle_gpu_leaves_no_lowest_generation():
    parsed = query("index,pstate,pcie.link.gen.max,pcie.link.gen.current", "0, P8, 4, 1", "1, P0, 4, 4")
    assert why(parsed, "pcie_gen_current_min") == "idle"
    assert value(parsed, "pcie_gen_max_min") == 4


def test_remapped_rows_are_read_and_said():
    parsed = read_gpu("nvidia_smi/550-csv-remapped-rows.csv")
    assert value(parsed, "row_remap_pending_gpus") == 1
    assert value(parsed, "row_remap_failure_gpus") == 0
    assert value(parsed, "remapped_rows_uncorrectable_max") == 12
    assert why(parsed, "row_remap_failure", "gpu2") == "not_available"
    assert [(finding.code, finding.scope) for finding in parsed.findings] == [("row_remap_pending", "gpu1")]


def test_the_index_gives_the_scope_and_minus_i_where_there_is_none():
    assert value(query("index,name", "5, NVIDIA A10"), "gpu_name", "gpu5") == "NVIDIA A10"
    command = "nvidia-smi -i 3,6 --query-gpu=name,memory.total --format=csv,noheader"
    parsed = read_text(TOOL, "NVIDIA A10, 23028 MiB\nNVIDIA A10, 24564 MiB\n", command=command)
    assert value(parsed, "gpu_memory_total", "gpu6") == Decimal(24564)


def test_a_row_with_too_few_cells_is_a_cut_one():
    assert code(query("index,name,memory.total", "0, NVIDIA A10, 23028 MiB", "1, NVIDIA A10")) == "output_truncated"
    cut = query("name,memory.total,power.limit", "NVIDIA A10, 23028 MiB, 150.00 W", "NVIDIA A10, 230", end="")
    assert code(cut) == "output_truncated"


def test_a_cell_that_the_end_of_the_text_may_have_cut_is_not_trusted():
    parsed = query("index,memory.total", "0, 81559", "1, 815", end="", options=",noheader,nounits")
    assert why(parsed, "gpu_memory_total", "gpu1") == "may_be_cut"
    assert value(parsed, "gpu_memory_total_min") == Decimal(81559)


def test_a_number_without_the_unit_its_column_has_is_not_trusted():
    parsed = query("index,memory.total,name", "0, 81559 MiB, NVIDIA A10", "1, 815, NVIDIA A10")
    assert why(parsed, "gpu_memory_total", "gpu1") == "unreadable"


@pytest.mark.parametrize("name", [HEADED, BARE])
def test_the_same_output_twice_is_an_error(name):
    command = QUERY if name == HEADED else f"{QUERY},noheader,nounits"
    assert code(read_text(TOOL, sample(name) * 2, command=command)) == "two_outputs"


def test_foreign_lines_between_rows_are_passed_over_and_said():
    noise = "Warning: Permanently added 'node-1' to the list of known hosts.\n"
    parsed = read_text(TOOL, noise + noise.join(lines_of(HEADED)), command=QUERY)
    assert value(parsed, "gpu_count") == 8
    assert codes(parsed) == ["lines_passed_over"]


def test_a_bad_exit_status_is_an_error():
    parsed = read_gpu(HEADED, exit_status=14)
    assert code(parsed) == "exit_status"
    assert measured(parsed) == set()


def test_processes_on_the_gpus_are_counted_not_taken_for_gpus():
    parsed = read_gpu("nvidia_smi/550-csv-compute-apps.csv")
    assert value(parsed, "gpu_processes") == 2
    assert codes(parsed) == ["foreign_processes"]
    assert "gpu_count" not in measured(parsed)


@pytest.mark.parametrize(("status", "expected"), [(0, 0), (None, None)])
def test_no_process_is_a_zero_only_when_the_run_ended_well(status, expected):
    command = "nvidia-smi --query-compute-apps=pid,process_name --format=csv,noheader"
    parsed = read_text("nvidia-smi --query-compute-apps", "", command=command, exit_status=status)
    assert value(parsed, "gpu_processes") == expected


def test_a_list_of_processes_that_cannot_be_read_counts_none():
    command = "nvidia-smi --query-compute-apps=pid,process_name --format=csv"
    parsed = read_text("nvidia-smi", "pid, process_name\nabc, python\n", command=command)
    assert code(parsed) == "unknown_layout"


def test_fields_with_capitals_belong_to_the_query():
    header = "timestamp, driver_version, vgpu_driver_capability.heterogenous_multivGPU, count, name, fabric.clusterUuid"
    row = "2026/03/01 10:00:00.000, 590.48.01, Not Supported, 1, NVIDIA H200, 00000000-0000-0000-0000-000000000000"
    command = f"nvidia-smi --query-gpu={header.replace(', ', ',')} --format=csv"
    for text in (f"{header}\n{row}\n", f"{row}\n"):
        parsed = read_text("nvidia-smi", text, command=command)
        assert (value(parsed, "gpu_count"), value(parsed, "gpu_name")) == (1, "NVIDIA H200")


def test_some_gpus_only_are_not_counted():
    row = "3, 8, NVIDIA H200"
    assert why(query("index,count,name", row), "gpu_count") == "gpus_not_described"
    chosen = read_text(TOOL, f"{row}\n", command="nvidia-smi -i 3 --query-gpu=index,minor,name --format=csv,noheader")
    assert why(chosen, "gpu_count") == "gpus_not_described"
    assert value(query("index,count,name", "0, 1, NVIDIA H200"), "gpu_count") == 1


def test_a_dead_gpu_counts_in_the_column_count_but_not_as_readable():
    text = "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.\n0, 2, NVIDIA H200\n"
    parsed = read_text(TOOL, text, command="nvidia-smi --query-gpu=index,count,name --format=csv,noheader")
    assert (value(parsed, "gpu_count"), value(parsed, "gpu_unreadable")) == (1, 1)


def test_two_fields_of_one_meaning_give_one_reading():
    parsed = query("index,pcie.link.gen.current,pcie.link.gen.gpucurrent,pcie.link.gen.max", "0, 5, 5, 5")
    assert [reading.value for reading in parsed.named("pcie_gen_current")] == [5]


def test_a_list_of_retired_pages_is_no_list_of_gpus():
    row = "NVIDIA H200, 00000000:19:00.0, GPU-1197955e-4244-c18b-db9b-375076bcb6ca, [N/A]"
    text = f"gpu_name, gpu_bus_id, gpu_uuid, retired_pages.cause\n{row[:-5]}Single Bit ECC\n{row[:-5]}Double Bit ECC\n"
    assert code(read_text("text", text)) == "unknown_layout"
