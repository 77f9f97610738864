"""Every error code of every parser has a sentence in both languages that says what to do."""

import ast
import re
from pathlib import Path

import pytest

from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.failures import SENTENCES, failure_sentence
from gpucontract.measurements.parsers.host_failures import HOST_FAILURES
from gpucontract.measurements.parsers.registry import read
from tests.parsers.host_outputs import code, read_text

HERE = Path(__file__).parent
PARSERS = HERE.parents[1] / "gpucontract" / "measurements" / "parsers"
TESTS = "\n".join(path.read_text(encoding="utf-8") for path in HERE.glob("*.py") if path != Path(__file__))
HEAD = re.compile(r"([a-z][a-z0-9]*_[a-z0-9_]+)(?:: .*| )\Z", re.DOTALL)
# Titles of tables, module docstrings and values, which stand in the same form.
NO_CODES = {
    *("show_gids", "driver_version", "cuda_driver_version", "average_bus_bandwidth"),
    *("connectivity", "unidir_p2p", "bidir_p2p", "latency_p2p", "other"),
}
# only_document() puts the tool's name before it.
FROM_NAMES = {f"{tool}_no_json" for tool in ("findmnt", "lsblk", "lscpu", "nvme", "perftest")}


def codes(path):
    """Codes at the head of an error text, and those beside the sign of a known failure."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            head = HEAD.match(node.value)
            yield from [head[1]] if head else []
        elif isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(node.elts[1], ast.Call):
            name, sign = node.elts
            if isinstance(name, ast.Constant) and getattr(sign.func, "attr", "") == "compile":
                yield name.value


USED = {code for path in PARSERS.glob("*.py") for code in codes(path)} | FROM_NAMES
CODES = sorted(USED - NO_CODES)
DOCKER = "docker: Error response from daemon: "
OCI = f"{DOCKER}failed to create task for container: OCI runtime create failed: "
# (code, tool, what it printed, exit status)
GIVEN = [
    ("chronyc_unknown", "chronyc tracking", "hello\n", 0),
    ("collect_env_unknown", "torch collect_env", "hello\n", 0),
    ("detect_virt_unknown", "systemd-detect-virt", "two words\n", 0),
    ("docker_gpu_hook", "docker run", f"{OCI}nvidia-container-cli: nvml error: driver not loaded: unknown.\n", 125),
    (
        "docker_no_command",
        "docker run",
        f'{OCI}exec: "nvidia-smi": executable file not found in $PATH: unknown.\n',
        127,
    ),
    (
        "docker_no_daemon",
        "docker run",
        "docker: Cannot connect to the Docker daemon at unix:///run/docker.sock.\n",
        125,
    ),
    (
        "docker_no_gpu_support",
        "docker run",
        f'{DOCKER}could not select device driver "" with capabilities: [[gpu]].\n',
        125,
    ),
    ("docker_no_image", "docker run", f"{DOCKER}manifest for nvidia/cuda:99 not found: manifest unknown.\n", 125),
    ("docker_run_failed", "docker run", f"{DOCKER}Conflict. The container name is already in use.\n", None),
    ("docker_run_unknown", "docker run", "hello\n", 0),
    ("driver_version_unknown", "/proc/driver/nvidia/version", "GCC version: gcc 11\n", 0),
    ("fio_no_jobs", "fio JSON", '{"fio version": "fio-3.28", "jobs": []}', 0),
    ("fio_no_result", "fio", "fio: unrecognized option '--rww=read'\n", 1),
    ("ibstatus_unknown", "ibstatus", "hello\n", 0),
    ("ibv_devinfo_unknown", "ibv_devinfo", "hello\n", 0),
    ("identity_unknown", "id -u", "root\n", 0),
    ("lfs_no_such_path", "lfs df", "lfs df: cannot resolve path '/data': No such file or directory (2)\n", 2),
    ("login_uid_missing", "/proc/self/loginuid", "cat: /proc/self/loginuid: No such file or directory\n", 1),
    ("lspci_no_access", "lspci -vvv", "pcilib: Cannot open /proc/bus/pci\n", 1),
    ("not_systemd", "systemctl is-active", "System has not been booted with systemd as init system (PID 1).\n", 1),
    ("nvcc_no_release", "nvcc --version", "nvcc: NVIDIA (R) Cuda compiler driver\n", 0),
    ("ofed_info_unknown", "ofed_info", "hello\n", 0),
    ("os_release_missing", "/etc/os-release", "cat: /etc/os-release: No such file or directory\n", 1),
    ("os_release_unknown", "/etc/os-release", "hello\n", 0),
    ("python_error", "python print", "Traceback (most recent call last):\nRuntimeError: no GPU\n", 1),
    ("agent_note_unknown", "gpucontract-agent unfinished", '{"agent": "unfinished", "version": 1, "runs": 3}\n', 0),
    ("systemctl_unknown", "systemctl is-active", "running\n", 0),
]


def test_the_scan_finds_the_codes():
    assert {"fio_job_error", "ibstatus_failed", "not_docker", "two_outputs", "xml_broken"} <= set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_each_code_has_a_sentence(code):
    assert code in SENTENCES


@pytest.mark.parametrize(("given", "tool", "text", "status"), GIVEN, ids=[each[0] for each in GIVEN])
def test_a_failed_run_says_its_code_and_measures_nothing(given, tool, text, status):
    parsed = read_text(tool, text, exit_status=status)
    assert code(parsed) == given
    assert {reading.name for reading in parsed.readings if reading.value is not None} <= {"lines_before_json"}


def test_a_perftest_json_without_its_command_line_has_no_unit():
    text = '{"results": {"MsgSize": 65536, "BW_average": 392.1}}'
    assert code(read(Capture("ib_write_bw", "", text, exit_status=0))) == "perftest_unit_unknown"


@pytest.mark.parametrize("code", sorted(HOST_FAILURES))
def test_no_sentence_stands_for_a_code_that_is_never_given(code):
    assert code in USED | {"fio_no_json", "fio_no_result", "iperf3"}


@pytest.mark.parametrize("code", sorted(set(HOST_FAILURES) - FROM_NAMES))
def test_each_code_is_tested_with_its_parser(code):
    given = {each[0] for each in GIVEN} | {"perftest_unit_unknown"}
    assert code in given or re.search(rf"\b{code}\b", TESTS)


def test_the_tools_own_words_stand_behind_the_sentence():
    text = failure_sentence("fio_job_error 28: No space left on device")
    assert text.zh.startswith("有任务读写出错") and text.zh.endswith("（原文：No space left on device）")
    assert text.en.startswith("A job failed") and text.en.endswith("(its words: No space left on device)")


def test_no_error_has_no_sentence_and_a_new_code_shows_itself():
    assert failure_sentence("") is None
    assert failure_sentence("from_tomorrow: x").en == "from_tomorrow (its words: x)"
