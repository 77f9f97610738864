"""The kernel's own list of GPUs."""

import pytest

from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import read, recognise
from tests.parsers.host_outputs import code, read_sample, read_text, sample, value

TOOL = "/proc/driver/nvidia/gpus"
LIST = "kernel_gpus/8xh200.txt"


def test_each_folder_is_a_gpu():
    assert value(read_sample(LIST), "kernel_gpu_count") == 8
    assert recognise(sample(LIST)) == TOOL


def test_an_empty_folder_is_a_measured_zero_only_when_the_command_ended_well():
    assert value(read_text(TOOL, ""), "kernel_gpu_count") == 0
    assert code(read(Capture(TOOL, "", ""))) == "kernel_gpus_unknown"


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("ls: cannot access '/proc/driver/nvidia/gpus': No such file or directory\n", 2, "driver_not_loaded"),
        ("0000:1b:00.0\n0000:43:0\n", 0, "kernel_gpus_unknown"),
        ("0000:1b:00.0\n0000:1B:00.0\n", 0, "two_outputs"),
        ("0000:1b:00.0\n", 1, "exit_status"),
    ],
    ids=["no driver", "cut", "twice", "failed"],
)
def test_anything_else_is_an_error(text, status, expected):
    parsed = read_text(TOOL, text, exit_status=status)
    assert code(parsed) == expected
    assert all(reading.value is None for reading in parsed.readings)
