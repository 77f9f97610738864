"""The plain table of nvidia-smi."""

import re
from decimal import Decimal

import pytest

from tests.parsers.gpu_outputs import lines_of, measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

TABLE = "nvidia_smi/550-table-8xh200.txt"


def test_it_counts_gpus_and_reads_versions_and_memory():
    parsed = read_gpu(TABLE)
    assert value(parsed, "gpu_count") == 8
    assert value(parsed, "driver_version") == "550.127.08"
    assert value(parsed, "cuda_driver_version") == "12.4"
    assert value(parsed, "gpu_memory_total_min") == Decimal(143771)
    assert value(parsed, "gpu_memory_total_min_decimal") == Decimal("150.754820096")
    assert value(parsed, "gpu_name") == "NVIDIA H200"
    assert value(parsed, "mig_enabled_gpus") == 0
    assert value(parsed, "ecc_uncorrected_volatile_max") == 0
    assert value(parsed, "gpu_bus_id", "gpu5") == "00000000:BB:00.0"


def test_the_newest_table_names_the_driver_otherwise_and_has_a_border_above_its_headings():
    old, new = read_gpu(TABLE), read_gpu("nvidia_smi/610-table-8xh200.txt")
    assert (value(new, "driver_version"), value(new, "cuda_driver_version")) == ("610.57.04", "13.3")
    versions = ("driver_version", "cuda_driver_version", "gpu_count")
    assert value(new, "gpu_count") == 8
    assert [r for r in new.readings if r.name not in versions] == [r for r in old.readings if r.name not in versions]


@pytest.mark.parametrize("lost", ["|   0  NVIDIA H200", "|   7  NVIDIA H200"])
def test_a_row_lost_under_the_border_above_the_headings_is_missed(lost):
    text = sample("nvidia_smi/610-table-8xh200.txt").replace(lost, "| noise")
    assert code(read_text("nvidia-smi", text)) == "table_broken"


def test_the_old_table_has_no_cuda_version_no_mig_and_cut_names():
    parsed = read_gpu("nvidia_smi/390-table-no-cuda.txt")
    assert value(parsed, "gpu_count") == 2
    assert why(parsed, "cuda_driver_version") == "not_available"
    assert why(parsed, "gpu_name") == "name_truncated"
    assert value(parsed, "ecc_uncorrected_volatile_max") == 2
    assert "mig_enabled_gpus" not in {reading.name for reading in parsed.readings}


def test_each_word_of_the_ecc_column_means_its_own():
    parsed = read_gpu("nvidia_smi/570-table-mixed-cards.txt")
    assert value(parsed, "ecc_enabled", "gpu0") is False
    assert why(parsed, "ecc_uncorrected_volatile", "gpu0") == "ecc_off"
    assert why(parsed, "ecc_enabled", "gpu1") == "not_available"
    assert value(parsed, "ecc_uncorrected_volatile", "gpu2") == 3
    assert value(parsed, "ecc_uncorrected_volatile_max") == 3
    assert value(parsed, "ecc_enabled_gpus") == 2
    assert why(parsed, "gpu_name", "gpu2") == "name_truncated"


def test_one_err_field_leaves_the_rest_of_the_row():
    parsed = read_gpu("nvidia_smi/570-table-mixed-cards.txt")
    assert value(parsed, "gpu_count") == 4
    assert value(parsed, "gpu_memory_total", "gpu3") == Decimal(81920)


def test_err_over_the_row_is_a_gpu_that_cannot_be_used():
    parsed = read_gpu("nvidia_smi/550-table-dead-row.txt")
    assert value(parsed, "gpu_count") == 2
    assert value(parsed, "gpu_unreadable") == 1
    assert value(parsed, "error_bus_id") == "00000000:3B:00.0"
    assert why(parsed, "cuda_driver_version") == "not_available"
    assert [(finding.code, finding.scope) for finding in parsed.findings] == [("gpu_unreadable", "gpu1")]


def test_mig_slices_are_not_gpus():
    parsed = read_gpu("nvidia_smi/550-table-mig.txt")
    assert value(parsed, "gpu_count") == 2
    assert value(parsed, "mig_enabled_gpus") == 1
    assert value(parsed, "mig_devices") == 2
    assert value(parsed, "mig_device_memory_min") == Decimal(17408)
    assert why(parsed, "ecc_uncorrected_volatile", "gpu0") == "mig_hides_ecc"
    assert value(parsed, "mig_enabled", "gpu1") is False
    assert codes(parsed) == ["mig_enabled"]


@pytest.mark.parametrize("kept", [1, 5, 9, 11, 12, 20, 30, 40])
def test_a_table_cut_short_counts_nothing(kept):
    parsed = read_text("nvidia-smi", "".join(lines_of(TABLE)[:kept]))
    assert parsed.error
    assert measured(parsed) == set()


def test_a_table_without_its_list_of_processes_is_whole_when_a_blank_line_closes_it():
    parsed = read_text("nvidia-smi", "".join(lines_of(TABLE)[:41]))
    assert value(parsed, "gpu_count") == 8


def test_a_row_lost_in_noise_makes_the_table_broken():
    lines = [line for line in lines_of(TABLE) if "00000000:4C:00.0" not in line]
    assert code(read_text("nvidia-smi", "".join(lines))) == "table_broken"


def test_foreign_lines_between_rows_do_no_harm():
    noise = "mesg: ttyname failed: Inappropriate ioctl for device\n"
    parsed = read_text("nvidia-smi", noise.join(lines_of(TABLE)))
    assert value(parsed, "gpu_count") == 8
    assert value(parsed, "gpu_memory_total_min") == Decimal(143771)


def test_two_tables_are_an_error():
    assert code(read_text("nvidia-smi", sample(TABLE) * 2)) == "two_outputs"


def test_a_good_table_with_a_bad_exit_status_is_an_error():
    parsed = read_gpu(TABLE, exit_status=9)
    assert code(parsed) == "exit_status"
    assert measured(parsed) == set()


def test_no_kept_exit_status_is_no_error():
    assert read_gpu(TABLE, exit_status=None).error == ""


def test_a_warning_after_the_table_is_a_finding():
    parsed = read_text("nvidia-smi", sample(TABLE) + "WARNING: infoROM is corrupted at gpu 0000:3B:00.0\n")
    assert codes(parsed) == ["inforom_corrupted"]


def test_a_card_without_memory_of_its_own_says_so():
    used = re.compile(r"\|[^|/]*MiB */ *[0-9]+MiB \|")
    text = used.sub(lambda cell: "| Not Supported".ljust(len(cell[0]) - 1) + "|", sample(TABLE), count=1)
    parsed = read_text("nvidia-smi", text)
    assert why(parsed, "gpu_memory_total", "gpu0") == "not_supported"
    assert value(parsed, "gpu_memory_total", "gpu1") == value(read_gpu(TABLE), "gpu_memory_total", "gpu1")


@pytest.mark.parametrize("is_new", [False, True], ids=["590", "610"])
def test_the_versions_alone_are_read_under_old_and_new_names(is_new):
    lines = ["NVIDIA-SMI version  : 610.57.04", "NVML version        : 610.57"]
    names = (
        ("KMD version         :", "CUDA UMD version    :")
        if is_new
        else ("DRIVER version      :", "CUDA Version        :")
    )
    lines += [f"{name} {version}" for name, version in zip(names, ("610.57.04", "13.3"), strict=True)]
    if is_new:
        lines[2:2] = [
            'DRIVER version      : Deprecated, see "KMD version" instead',
            'CUDA version        : Deprecated, see "CUDA UMD version" instead',
        ]
    text = "\n".join(lines) + "\n"
    parsed = read_text("text", text)
    assert (value(parsed, "driver_version"), value(parsed, "cuda_driver_version")) == ("610.57.04", "13.3")
    assert not parsed.named("gpu_count")
    assert code(read_text("nvidia-smi --version", text * 2)) == "two_outputs"
    assert code(read_text("nvidia-smi --version", text, exit_status=9)) == "exit_status"


BUSY = [
    ("|   0  NVIDIA H200                    On  |   00000000:1A:00.0 Off |                    0 |",
     "|   0  NVIDIA H200                    On  |   00000000:1A:00.0 Off |                    3 |"),
    ("| N/A   31C    P0             71W /  700W |       1MiB / 143771MiB |      0%      Default |",
     "| N/A   61C    P0            642W /  700W |   90001MiB / 143771MiB |     98%      Default |"),
]  # fmt: skip


def in_use():
    text = sample(TABLE)
    for old, new in BUSY:
        assert old in text
        text = text.replace(old, new, 1)
    return read_text("nvidia-smi", text)


def test_the_table_tells_use_and_cap_of_every_card():
    found = {(reading.scope, reading.name): (reading.value, reading.unit) for reading in in_use().readings}
    assert found["gpu0", "power_draw"] == (642, "W") and found["gpu0", "power_limit"] == (700, "W")
    assert found["gpu0", "gpu_utilization"] == (98, "%") and found["gpu1", "gpu_utilization"] == (0, "%")
    assert found["gpu0", "gpu_memory_used"] == (90001, "MiB") and found["gpu0", "gpu_temperature"] == (61, "C")
    assert found["", "power_limit_min"] == (700, "W")


def test_errors_of_memory_and_a_busy_card_stand_out_as_findings():
    found = [(finding.code, finding.scope) for finding in in_use().findings]
    assert found == [("ecc_uncorrected", "gpu0"), ("gpu_busy", "gpu0")]


@pytest.mark.parametrize(
    ("row", "count"),
    [
        ("|    0   N/A  N/A      2041      C   python3                                    89990MiB  |", 1),
        ("|    0      2041      C   python3                                    89990MiB |", 1),
        ("|    0   N/A  N/A      1041      G   /usr/lib/xorg/Xorg                             4MiB  |", 0),
        ("|  No running processes found                                                             |", 0),
    ],
)
def test_a_program_that_computes_on_a_card_is_a_finding_and_a_desktop_is_none(row, count):
    text = sample(TABLE)
    parsed = read_text("nvidia-smi", f"{text}{row}\n")
    assert [finding.code for finding in parsed.findings] == ["foreign_processes"] * count
