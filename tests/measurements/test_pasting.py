"""Pasted text: secrets out first, the tool told by itself, a terminal's commands read one by one."""

import pytest

from gpucontract.measurements.parsers.failures import failure_sentence
from gpucontract.measurements.pasting import MOST_COMMANDS, decoded, read_pasted
from tests.parsers.host_outputs import sample

LIST = sample("nvidia_smi/550-list-8xh200.txt")
NVCC = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.4, V12.4.131\n"


def values(output):
    return {reading.name: reading.value for reading in output.parsed.readings if not reading.scope}


def test_the_tool_is_told_by_what_it_printed():
    (output,) = read_pasted(LIST).outputs
    assert output.tool == "nvidia-smi -L" and values(output)["gpu_count"] == 8


def test_a_chosen_tool_wins():
    (output,) = read_pasted(LIST, tool="nvcc").outputs
    assert output.tool == "nvcc" and output.parsed.error


def test_a_text_like_no_tool_is_told_by_its_command():
    (output,) = read_pasted("0\n", command="id -u").outputs
    assert (output.tool, values(output)["uid"]) == ("id", 0)


def test_what_was_printed_says_more_than_a_command_that_starts_another():
    (output,) = read_pasted(LIST, command="docker run --gpus all cuda nvidia-smi -L").outputs
    assert output.tool == "nvidia-smi -L" and not output.parsed.error


@pytest.mark.parametrize(
    ("text", "tool", "brings"),
    [
        ("bash: nvidia-smi: command not found\n", "nvidia-smi", "NVIDIA 驱动"),
        ("bash: line 3: nvidia-smi: command not found\n", "nvidia-smi", "NVIDIA 驱动"),
        ("-bash: ibstat: 未找到命令\n", "ibstat", "infiniband-diags"),
        ("bash: fio：未找到命令\n", "fio", "fio"),
        ("sh: 1: nvme: not found\n", "nvme", "nvme-cli"),
        ("zsh: command not found: nvcc\n", "nvcc", "cuda-toolkit"),
        ("nvcc: command not found\n", "nvcc", "cuda-toolkit"),
        ("fish: Unknown command: dcgmi\n", "dcgmi", "datacenter-gpu-manager"),
        ("env: ‘ib_write_bw’: No such file or directory\n", "ib_write_bw", "perftest"),
        ("bash: ./build/all_reduce_perf: No such file or directory\n", "all_reduce_perf", "nccl-tests"),
        (
            "\nCommand 'nvidia-smi' not found, but can be installed with:\n\napt install nvidia-utils-390\n",
            "nvidia-smi",
            "NVIDIA 驱动",
        ),
    ],
)
def test_a_shell_that_finds_no_tool_is_told_with_what_to_install(text, tool, brings):
    (output,) = read_pasted(text).outputs
    said = failure_sentence(output.parsed.error)
    assert (output.tool, output.parsed.readings) == (tool, ())
    assert f"没有找到命令 {tool}" in said.zh and brings in said.zh and f"The command {tool} was not found" in said.en


def test_a_shells_complaint_beside_a_whole_output_does_not_hide_it():
    (output,) = read_pasted(f"bash: /etc/profile.d/site.sh: No such file or directory\n{LIST}").outputs
    assert output.tool == "nvidia-smi -L" and values(output)["gpu_count"] == 8


def test_a_missing_tool_costs_only_its_own_command():
    text = f"root@a:~# nvidia-smi\nbash: nvidia-smi: command not found\nroot@a:~# nvcc --version\n{NVCC}"
    missing, found = read_pasted(text).outputs
    assert missing.parsed.error.startswith("command_not_found") and not found.parsed.error


OCI = "docker: Error response from daemon: failed to create task for container: OCI runtime create failed: "


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].\n',
         "docker_no_gpu_support"),
        ("docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n",
         "docker_no_daemon"),
        ("docker: permission denied while trying to connect to the Docker daemon socket.\n", "docker_permission"),
        (f'{OCI}exec: "nvidia-smi": executable file not found in $PATH: unknown.\n', "docker_no_command"),
        (f"{OCI}nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown.\n",
         "docker_gpu_hook"),
        ("Unable to find image 'nvidia/cuda:99' locally\ndocker: Error response from daemon: manifest for "
         "nvidia/cuda:99 not found: manifest unknown.\n", "docker_no_image"),
        ("docker: Error response from daemon: Conflict. The container name is in use.\n", "docker_run_failed"),
        ("hello\n", "docker_run_unknown"),
    ],
)  # fmt: skip
def test_a_container_that_did_not_start_says_nothing_of_docker_info(text, code):
    (output,) = read_pasted(text, command="docker run --rm --gpus all nvidia/cuda nvidia-smi").outputs
    assert (output.tool, output.parsed.error.partition(":")[0]) == ("docker run", code)
    assert output.parsed.readings == ()


def test_nothing_known_is_an_error_and_no_value():
    (output,) = read_pasted("hello\n").outputs
    assert output.tool == "" and output.parsed.error.startswith("unknown_tool")
    assert output.parsed.readings == ()


@pytest.mark.parametrize(
    "prompt",
    [
        "root@gpu-01:~# ",
        "[root@gpu-01 ~]# ",
        "eng@gpu-01:/data/run 1$ ",
        "(base) eng@gpu-01:~$ ",
        "$ ",
        "# ",
        "sh-4.4# ",
        "bash-5.1$ ",
        "gpu-01 ~ # ",
        "eng@Mac ~ % ",
        "gpu-01% ",
        "> ",
        "❯ ",
        "➜  ~ ",
        "➜  repo git:(main) ✗ ",
        "[10:00:00] root@gpu-01:~# ",
    ],
)
def test_a_terminals_prompts_divide_its_outputs(prompt):
    text = f"{prompt}nvidia-smi -L\n{LIST}{prompt}nvcc --version\n{NVCC}{prompt.rstrip()}"
    first, second = read_pasted(text).outputs
    assert (first.command, values(first)["gpu_count"]) == ("nvidia-smi -L", 8)
    assert (second.command, values(second)["cuda_toolkit_version"]) == ("nvcc --version", "12.4")


def test_a_banner_that_names_its_tool_is_no_prompt():
    (output,) = read_pasted(sample("nccl_tests/2.19-alltoall-per-iteration.txt")).outputs
    assert (output.command, values(output)["nccl_tests_version"]) == ("", "2.19.6")
    (output,) = read_pasted(sample("dmidecode/3.5-memory.txt")).outputs
    assert output.command == "" and not output.parsed.error


def test_comments_of_a_tool_are_no_prompts():
    text = sample("nccl_tests/2.13-all-reduce-8.txt")
    assert text.count("\n# ") > 3
    (output,) = read_pasted(text).outputs
    assert output.tool == "nccl-tests" and values(output)["ranks"] == 8


def test_prompts_without_outputs_are_one_text_that_nobody_knows():
    (output,) = read_pasted("root@gpu-01:~# \nroot@gpu-01:~# ").outputs
    assert output.parsed.error.startswith("unknown_tool")


def test_too_many_prompts_are_read_as_one_text():
    assert len(read_pasted("root@gpu-01:~# id -u\n0\n" * (MOST_COMMANDS + 1)).outputs) == 1


def test_secrets_are_taken_out_of_text_and_command_and_noted():
    found = read_pasted(f"export API_KEY=abc123\n{LIST}", command="TOKEN=hunter2 nvidia-smi -L")
    assert "abc123" not in found.text + found.outputs[0].text
    assert "hunter2" not in found.outputs[0].command
    assert found.redacted == ("assignment x 1",)


def test_the_exit_status_counts_for_a_single_output():
    (output,) = read_pasted(LIST, exit_status=9).outputs
    assert output.parsed.error.startswith("exit_status")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_a_file_is_read_in_the_encoding_it_came_in(encoding):
    assert decoded("显卡 8 块\n".encode(encoding)) == "显卡 8 块\n"


def test_a_file_in_no_encoding_is_still_read():
    assert decoded(b"GPU 0\n\xff\xff\n").startswith("GPU 0\n")
