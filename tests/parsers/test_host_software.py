"""Versions, containers, services and identity: what is installed is not what runs, and refused is not absent."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import read
from tests.parsers.host_outputs import code, codes, read_sample, read_text, sample, value, why

PLAIN, CDI, INFO = "docker_info/24-plain.txt", "docker_info/29-cdi.txt", "docker_info/26-info.json"
CLIENT_ONLY = "Client:\n Version:    28.2.2\n Context:    default\n\nServer:\n"


def test_docker_with_a_daemon_is_available_and_names_its_runtimes():
    parsed = read_sample(PLAIN)
    assert (value(parsed, "docker_available"), value(parsed, "nvidia_runtime")) == (True, True)
    assert (value(parsed, "docker_server_version"), value(parsed, "docker_client_version")) == ("24.0.7", "24.0.7")
    assert value(parsed, "cgroup_version") == 1
    assert value(read_sample(PLAIN, ("nvidia runc", "runc")), "nvidia_runtime") is False


def test_a_list_of_runtimes_that_may_be_cut_tells_nothing():
    whole = sample(PLAIN)
    for end in ("Runtimes: nv", "Runtimes: nvidia runc io.containerd.runc.v2\n"):
        cut = whole[: whole.index(end) + len(end)]
        assert value(read_text("docker info", cut), "nvidia_runtime") is None
    assert value(read_text("docker info", whole), "nvidia_runtime") is True


def test_docker_as_json_says_the_same():
    parsed = read_sample(INFO)
    assert (value(parsed, "docker_available"), value(parsed, "nvidia_runtime"), value(parsed, "cgroup_version")) == (
        True,
        True,
        2,
    )
    assert code(read_text("docker info", sample(INFO) * 2)) == "two_outputs"
    assert code(read_text("docker info", sample(INFO)[:50])) == "json_broken"


def test_gpus_through_cdi_leave_the_runtime_open():
    parsed = read_sample(CDI)
    assert why(parsed, "nvidia_runtime") == "through_cdi"
    assert codes(parsed) == ["cdi_only"]
    bare = read_sample(CDI, ("  cdi: nvidia.com/gpu=0\n  cdi: nvidia.com/gpu=all\n", ""))
    assert (value(bare, "nvidia_runtime"), codes(bare)) == (False, [])


NO_DAEMON = [
    "ERROR: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\nerrors pretty printing info\n",
    "failed to connect to the docker API at unix:///var/run/docker.sock; check if the path is correct and if the daemon is running\n",
]


@pytest.mark.parametrize("said", NO_DAEMON)
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_no_daemon_is_measured_as_not_available(said, stream):
    streams = {"stdout": CLIENT_ONLY, "stderr": ""}
    streams[stream] += said
    parsed = read_text("docker info", **streams, exit_status=1)
    assert (parsed.error, value(parsed, "docker_available")) == ("", False)
    assert value(parsed, "docker_client_version") == "28.2.2"
    assert value(parsed, "reason") == "cannot connect to daemon"
    assert why(parsed, "docker_server_version") == "no_daemon"


def test_being_refused_says_nothing_about_the_daemon():
    said = "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock\n"
    parsed = read_text("docker info", CLIENT_ONLY, stderr=said, exit_status=1)
    assert (code(parsed), why(parsed, "docker_available")) == ("docker_permission", "docker_permission")
    assert value(parsed, "reason") == "permission denied"
    assert value(parsed, "docker_client_version") == "28.2.2"


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param("bash: line 1: docker: command not found\n", 127, "command_not_found", id="not installed"),
        pytest.param(
            "Emulate Docker CLI using podman. Create /etc/containers/nodocker to quiet msg.\nhost:\n",
            0,
            "not_docker",
            id="podman",
        ),
        pytest.param(sample(PLAIN) * 2, 0, "two_outputs", id="twice"),
        pytest.param(CLIENT_ONLY, 0, "docker_info_unknown", id="no server part"),
        pytest.param(sample(PLAIN), 1, "exit_status", id="non-zero exit"),
    ],
)
def test_docker_without_evidence_measures_nothing(text, status, expected):
    parsed = read_text("docker info", text, exit_status=status)
    assert (code(parsed), why(parsed, "docker_available")) == (expected, expected)


KUBECTL = [
    pytest.param(sample("kubectl/1.29-short.txt"), 0, "v1.29.3", "v1.28.8+k3s1", id="short"),
    pytest.param('Client Version: version.Info{Major:"1", Minor:"20", GitVersion:"v1.20.4", GitCommit:"e"}\n', 0, "v1.20.4", None, id="long"),
    pytest.param('{\n  "clientVersion": {"gitVersion": "v1.30.1"},\n  "serverVersion": {"gitVersion": "v1.30.0"}\n}\n', 0, "v1.30.1", "v1.30.0", id="json"),
    pytest.param("Client Version: v1.29.3\nThe connection to the server localhost:8080 was refused - did you specify the right host?\n", 1, "v1.29.3", None, id="no server"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "status", "client", "server"), KUBECTL)
def test_kubectl_reads_both_sides_apart(text, status, client, server):
    parsed = read_text("kubectl version", text, exit_status=status)
    assert parsed.error == ""
    assert value(parsed, "kubernetes_client_version") == client
    assert value(parsed, "kubernetes_server_version") == server


def test_kubectl_twice_or_empty_is_an_error():
    assert code(read_text("kubectl version", sample("kubectl/1.29-short.txt") * 2)) == "two_outputs"
    assert code(read_text("kubectl version", "")) == "kubectl_unknown"


def test_nvcc_gives_release_and_full_version():
    parsed = read_sample("nvcc/12.6.txt")
    assert (value(parsed, "cuda_toolkit_version"), value(parsed, "cuda_toolkit_full")) == ("12.6", "12.6.85")


def test_the_driver_version_is_not_found_in_the_name_of_the_architecture():
    parsed = read_sample("driver_version/570-open-aarch64.txt")
    assert (value(parsed, "driver_version"), value(parsed, "kernel_module")) == ("570.124.06", "open")
    text = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.256.02  Thu May  2 14:37:44 UTC 2024\n"
    old = read_text("/proc/driver/nvidia/version", text)
    assert (value(old, "driver_version"), value(old, "kernel_module")) == ("470.256.02", "proprietary")
    assert why(old, "gcc_version") == "not_printed"


def test_os_release_takes_quotes_off():
    parsed = read_sample("os_release/rocky-9.txt")
    assert (value(parsed, "os_name"), value(parsed, "os_version_id"), value(parsed, "os_id")) == (
        "Rocky Linux",
        "9.4",
        "rocky",
    )
    bare = read_text("/etc/os-release", "NAME=Fedora\nVERSION_ID=40\nPRETTY_NAME='Fedora 40'\n")
    assert (value(bare, "os_version_id"), value(bare, "os_pretty_name")) == ("40", "Fedora 40")
    assert why(read_text("/etc/os-release", 'NAME="Rocky Linux"\nVERSION_ID="9.'), "os_version_id") == "unreadable"


def test_collect_env_of_a_torch_without_cuda_did_not_look():
    parsed = read_text(
        "torch collect_env",
        "PyTorch version: 2.9.1+cpu\nCUDA used to build PyTorch: None\nIs CUDA available: False\n"
        "CUDA runtime version: No CUDA\nGPU models and configuration: No CUDA\nNvidia driver version: No CUDA\n"
        "cuDNN version: No CUDA\n",
    )
    assert value(parsed, "cuda_available") is False and value(parsed, "pytorch_version") == "2.9.1+cpu"
    for name in ("cuda_runtime_version", "driver_version", "gpu_count", "cudnn_version"):
        assert why(parsed, name) == "no_cuda"
    assert parsed.findings == ()


def test_collect_env_reads_what_was_collected():
    parsed = read_sample("collect_env/2.6-8gpus.txt")
    assert (value(parsed, "pytorch_version"), value(parsed, "driver_version")) == ("2.6.0+cu124", "550.90.07")
    assert (value(parsed, "cuda_available"), value(parsed, "gpu_count")) == (True, 8)
    assert why(parsed, "cudnn_version") == "files_on_disk"
    assert codes(parsed) == ["cudnn_files_only"]


@pytest.mark.parametrize(
    ("old", "new", "name", "expected"),
    [
        pytest.param("Is CUDA available: True", "Is CUDA available: Yes", "cuda_available", True, id="old yes"),
        pytest.param("Is CUDA available: True", "Is CUDA available: No", "cuda_available", False, id="old no"),
        pytest.param("550.90.07", "Could not collect", "driver_version", None, id="no driver"),
        pytest.param("GPU 3: NVIDIA", "Unable: NVIDIA", "gpu_count", None, id="gap in the list"),
        pytest.param(
            "GPU models and configuration: \n",
            "GPU models and configuration: GPU 0: NVIDIA A10\n",
            "gpu_count",
            1,
            id="one GPU",
        ),
        pytest.param(
            "GPU models and configuration: \n",
            "GPU models and configuration: Could not collect\n",
            "cuda_runtime_version",
            "12.4.131",
            id="others stay",
        ),
    ],
)
def test_collect_env_in_its_variants(old, new, name, expected):
    assert value(read_sample("collect_env/2.6-8gpus.txt", (old, new)), name) == expected


PRINT = "python3 -c 'import torch; print({})'"
PRINTED = [
    pytest.param("torch.__version__", "2.6.0+cu124", {"pytorch_version": "2.6.0+cu124"}, id="torch"),
    pytest.param("torch.backends.cudnn.version()", "8902", {"cudnn_version": "8.9.2"}, id="cudnn 8"),
    pytest.param("torch.backends.cudnn.version()", "90100", {"cudnn_version": "9.1.0"}, id="cudnn 9"),
    pytest.param("torch.backends.cudnn.version()", "91002", {"cudnn_version": "9.10.2"}, id="cudnn 9.10"),
    pytest.param("torch.backends.cudnn.version()", "None", {"cudnn_version": None}, id="no cudnn"),
    pytest.param("torch.cuda.nccl.version()", "(2, 21, 5)", {"nccl_version": "2.21.5"}, id="nccl tuple"),
    pytest.param("torch.cuda.nccl.version()", "(2, 29, 1, 'a')", {"nccl_version": "2.29.1"}, id="nccl with suffix"),
    pytest.param("torch.cuda.nccl.version()", "2708", {"nccl_version": "2.7.8"}, id="nccl old int"),
    pytest.param("torch.cuda.nccl.version()", "22803", {"nccl_version": "2.28.3"}, id="nccl int"),
    pytest.param("torch.cuda.is_available(), torch.cuda.device_count()", "True 8", {"cuda_available": True, "torch_gpu_count": 8}, id="gpus"),
    pytest.param("torch.cuda.nccl.version(), torch.backends.cudnn.version()", "(2, 20, 5) 90100",
                 {"nccl_version": "2.20.5", "cudnn_version": "9.1.0"}, id="another order"),
    pytest.param("torch.backends.cudnn.version()", "warning: something at 1.2 odd\n8902", {"cudnn_version": "8.9.2"}, id="prose first"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "printed", "expected"), PRINTED)
def test_python_values_stand_where_the_command_puts_them(expression, printed, expected):
    parsed = read_text("python print", printed + "\n", command=PRINT.format(expression))
    assert {name: value(parsed, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param(
            "Traceback (most recent call last):\nModuleNotFoundError: No module named 'torch'\n",
            1,
            "python_no_module",
            id="no torch",
        ),
        pytest.param("2.6.0+cu124 12.4\n", 0, "python_print_unknown", id="values missing"),
        pytest.param(sample("python_print/2.6.txt") * 2, 0, "python_print_unknown", id="twice"),
        pytest.param(sample("python_print/2.6.txt"), 1, "exit_status", id="non-zero exit"),
    ],
)
def test_python_that_failed_gives_no_version(text, status, expected):
    parsed = read_text("python print", text, exit_status=status)
    assert (code(parsed), why(parsed, "cudnn_version")) == (expected, expected)


SERVICES = [
    pytest.param("active\n", 0, True, id="active"),
    pytest.param("inactive\n", 3, False, id="inactive"),
    pytest.param("failed\n", 3, False, id="failed"),
    pytest.param("unknown\n", 4, False, id="unknown unit"),
    pytest.param("activating\n", 3, None, id="in between"),
    pytest.param("active\n", 3, None, id="word and status disagree"),
    pytest.param(
        "System has not been booted with systemd as init system (PID 1). Can't operate.\n", 1, None, id="container"
    ),
    pytest.param("active\nactive\n", 0, None, id="twice"),
    pytest.param("", 0, None, id="nothing"),
]


@pytest.mark.parametrize(("text", "status", "expected"), SERVICES)
def test_a_service_is_active_only_when_systemd_says_so(text, status, expected):
    parsed = read_text(
        "systemctl is-active", text, command="systemctl is-active nvidia-fabricmanager.service", exit_status=status
    )
    assert value(parsed, "service_active") is expected
    assert ("service_failed" in codes(parsed)) == (text == "failed\n")
    if not parsed.error:
        assert value(parsed, "service_name") == "nvidia-fabricmanager"


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param("none\n", 1, "none", id="bare metal ends with 1"),
        pytest.param("kvm\n", 0, "kvm", id="kvm"),
        pytest.param("kvm\n", 1, None, id="kvm and failed"),
        pytest.param("none\nnone\n", 0, None, id="twice"),
        pytest.param("Failed to detect\n", 1, None, id="prose"),
    ],
)
def test_virtualisation_is_one_word(text, status, expected):
    assert value(read_text("systemd-detect-virt", text, exit_status=status), "virtualization") == expected


IDENTITIES = [
    pytest.param("id -u", "0\n", "uid", 0, id="root"),
    pytest.param("id", "uid=1000(ubuntu) gid=1000(ubuntu) groups=1000(ubuntu)\n", "uid", 1000, id="id"),
    pytest.param("/proc/self/loginuid", "1000", "login_uid", 1000, id="login"),
    pytest.param("/proc/self/loginuid", "4294967295", "login_uid", None, id="nobody logged in"),
    pytest.param("id -u", "0\n0\n", "uid", None, id="twice"),
    pytest.param("id -u", "root\n", "uid", None, id="a name"),
]


@pytest.mark.parametrize(("tool", "text", "name", "expected"), IDENTITIES)
def test_who_runs_is_a_number(tool, text, name, expected):
    assert value(read_text(tool, text), name) == expected


def test_who_called_sudo_is_kept():
    parsed = read(Capture("id -u", "id -u", "0\n", env={"SUDO_UID": "1001"}, exit_status=0))
    assert (value(parsed, "uid"), value(parsed, "sudo_uid")) == (0, 1001)


def test_ofed_info_reads_either_form():
    assert value(read_sample("ofed_info/24.04.txt"), "ofed_version") == "24.04-0.6.6"
    full = read_text("ofed_info", "MLNX_OFED_LINUX-5.8-3.0.7.0 (OFED-5.8-3.0.7):\n\nibsim:\n")
    assert (value(full, "ofed_version"), value(full, "ofed_package")) == ("5.8-3.0.7.0", "MLNX_OFED_LINUX")
    assert code(read_text("ofed_info", "OFED-internal-24.04-0.6.6:\n" * 2)) == "two_outputs"


def test_the_clock_has_a_sign_and_none_without_a_source():
    parsed = read_sample("chronyc/4.2-tracking.txt")
    assert value(parsed, "time_offset") == Decimal("-0.000213455")
    lost = read_sample("chronyc/4.2-tracking.txt", ("Normal", "Not synchronised"))
    assert (why(lost, "time_offset"), value(lost, "time_synchronised")) == ("not_synchronised", False)
    assert code(read_text("chronyc tracking", "506 Cannot talk to daemon\n", exit_status=1)) == "chrony_no_daemon"
    assert code(read_text("chronyc tracking", sample("chronyc/4.2-tracking.txt") * 2)) != ""
