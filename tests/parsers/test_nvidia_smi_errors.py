"""Every text by which nvidia-smi says that it cannot answer."""

import pytest

from tests.parsers.gpu_outputs import measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, value, why

LOST = "Unable to determine the device handle for {}: GPU is lost.  Reboot the system to recover this GPU\n"
TOOLS = ("nvidia-smi", "nvidia-smi -L", "nvidia-smi -q", "nvidia-smi -q -x", "nvidia-smi --query-gpu csv")


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n", 18,
         "driver_library_mismatch"),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
         "NVIDIA driver is installed and running.\n\n", 9, "driver_not_loaded"),
        ("Failed to initialize NVML: Driver Not Loaded\n", 9, "driver_not_loaded"),
        ("Failed to initialize NVML: Insufficient Permissions\n", 4, "nvml_permission"),
        ("Failed to initialize NVML: Unknown Error\n", 255, "nvml_failed"),
        ("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.\n", 12, "nvml_library_missing"),
        (LOST.format("GPU0000:C3:00.0"), 15, "gpu_lost"),
        ("bash: line 1: nvidia-smi: command not found\n", 127, "command_not_found"),
        ("nvidia-smi: command not found\n", None, "command_not_found"),
        ("", 124, "timed_out"),
        ("Segmentation fault\n", 139, "exit_status"),
        ("something quite different\n", 0, "unknown_layout"),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_a_failure_of_the_whole_measures_nothing(tool, text, status, expected):
    parsed = read_text(tool, text, exit_status=status)
    assert code(parsed) == expected
    assert measured(parsed) <= {"nvml_library_version", "error_bus_id", "gpu_lost_bus_id"}
    assert why(parsed, "gpu_count") == expected


def test_the_failure_may_stand_on_stderr():
    parsed = read_text("nvidia-smi", "", stderr="Failed to initialize NVML: Unknown Error\n", exit_status=255)
    assert code(parsed) == "nvml_failed"


def test_the_library_version_is_no_driver_version():
    text = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n"
    parsed = read_text("nvidia-smi", text, exit_status=18)
    assert value(parsed, "nvml_library_version") == "550.144"
    assert why(parsed, "driver_version") == "driver_library_mismatch"


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("status", [6, None, 0])
def test_no_devices_is_a_measured_zero(tool, status):
    parsed = read_text(tool, "No devices were found\n", exit_status=status)
    assert value(parsed, "gpu_count") == 0
    assert parsed.error == ""


@pytest.mark.parametrize(
    ("spelling", "bus_id", "scope"),
    [
        ("GPU 0000:02:00.0", "0000:02:00.0", ""),
        ("GPU0000:C3:00.0", "0000:C3:00.0", ""),
        ("GPU0: 0000:81:00.0", "0000:81:00.0", "gpu0"),
        ("gpu 0000:90:00.0", "0000:90:00.0", ""),
        ("GPU 00000000:9B:00.0", "00000000:9B:00.0", ""),
    ],
)
def test_every_spelling_of_a_lost_gpu_names_its_bus_id(spelling, bus_id, scope):
    parsed = read_text("nvidia-smi", LOST.format(spelling), exit_status=15)
    assert value(parsed, "gpu_lost_bus_id") == bus_id
    assert value(parsed, "error_bus_id") == bus_id
    assert [(finding.code, finding.scope) for finding in parsed.findings] == [("gpu_unreadable", scope)]


@pytest.mark.parametrize(
    "line",
    [
        "Unable to determine the device handle for GPU0: Unknown Error",
        "Unable to detect GPU 0000:3B:00.0: Unknown Error",
        "Unable to determine the device handle for gpu 0000:90:00.0: Not Found",
    ],
)
def test_a_gpu_that_cannot_be_opened_is_not_called_lost(line):
    parsed = read_text("nvidia-smi", line + "\n", exit_status=255)
    assert code(parsed) == "gpu_unreadable"
    assert "gpu_lost_bus_id" not in measured(parsed)
    assert codes(parsed) == ["gpu_unreadable"]


def test_an_unknown_field_fails_the_whole_query_and_is_named():
    text = 'Field "mig.mode.curent" is not a valid field to query.\n\n'
    parsed = read_text("nvidia-smi --query-gpu csv", text, exit_status=2)
    assert parsed.error == "invalid_query_field: mig.mode.curent"
    assert measured(parsed) == set()


def test_a_dead_gpu_explains_a_bad_exit_status_of_the_list():
    parsed = read_gpu("nvidia_smi/535-list-one-lost.txt", exit_status=15)
    assert parsed.error == ""
    assert value(parsed, "gpu_count") == 2
    assert value(parsed, "gpu_unreadable") == 1
