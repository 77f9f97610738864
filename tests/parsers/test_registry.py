"""Which parser reads what: by the leading words of the tool's name, by the command, else by the text."""

import pytest

from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import TOOLS, read, recognise
from tests.parsers.gpu_outputs import GPU_SAMPLES, read_gpu
from tests.parsers.host_outputs import code, read_text, sample

NOT_TOLD_BY_TEXT = {"nvidia_smi/550-csv-noheader-nounits.csv", "dmesg/quiet.txt"}


@pytest.mark.parametrize("name", sorted(set(GPU_SAMPLES) - NOT_TOLD_BY_TEXT))
def test_a_pasted_text_is_recognised_and_read_as_if_the_tool_were_named(name):
    tool, _ = GPU_SAMPLES[name]
    assert recognise(sample(name)).split()[0] == tool.split()[0]
    pasted, named = read_text("text", sample(name)), read_gpu(name)
    # Without the command nobody says which collective was asked for.
    skipped = {"collective"}
    assert {r for r in pasted.readings if r.name not in skipped} == {r for r in named.readings if r.name not in skipped}


def test_a_text_under_a_launchers_prefix_is_recognised():
    text = "".join(f"node-1: {line}\n" for line in sample("nvidia_smi/550-list-8xh200.txt").splitlines())
    assert recognise(text) == "nvidia-smi -L"


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("fio: engine nosuch not loadable\nfio: failed to load engine\nfio: file:ioengines.c:134\n", "fio"),
        ("NVIDIA GeForce RTX 4090, 24564 MiB, 0 %, [N/A]\n", "nvidia-smi --query-gpu"),
        ("0, NVIDIA H100 80GB HBM3, GPU-1197955e-4244-c18b-db9b-375076bcb6ca\n", "nvidia-smi --query-gpu"),
        ("timestamp, name, pstate\n2026/03/01 10:00:00.000, NVIDIA H200, P0\n", "nvidia-smi --query-gpu"),
        ("timestamp, gpu_uuid, pid, used_gpu_memory [MiB]\n", "nvidia-smi --query-compute-apps"),
        ("6,3973,227986636,-;eth0: link becomes ready\n", "dmesg"),
        ("<6>[  201.650687] usb 1-1: new device\n", "dmesg"),
        ("[Mon Jan  5 10:00:00 2026] usb 1-1: new device\n", "dmesg"),
        ("2026-01-05T10:00:00,123456+08:00 usb 1-1: new device\n", "dmesg"),
        ("Jan 05 10:00:00 gpu-01 kernel: usb 1-1: new device\n", "dmesg"),
        ("2026-01-05T10:00:00+0800 gpu-01 kernel: usb 1-1: new device\n", "dmesg"),
        ("#       size         count      type   redop    root     time   algbw   busbw\n", "nccl-tests"),
        ("Running host_to_device_memcpy_ce.\n", "nvbandwidth"),
        ("Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n", "p2pBandwidthLatencyTest"),
        ("PyTorch version              : 2.9.0+cu130\nCPU(s):            32\n", "torch collect_env"),
    ],
    ids=lambda text: text[:30],
)
def test_a_weak_sign_still_tells_the_tool(text, tool):
    assert recognise(text) == tool


@pytest.mark.parametrize(
    ("text", "tool", "expected"),
    [
        ("NAME        MAJ:MIN RM   SIZE RO TYPE MOUNTPOINTS\nsda 8:0 0 3.5T 0 disk\n", "lsblk", "lsblk_no_json"),
        ('NAME="sda" MAJ:MIN="8:0" SIZE="1.7T" TYPE="disk" MOUNTPOINT=""\n', "lsblk", "lsblk_no_json"),
        ("TARGET SOURCE    FSTYPE OPTIONS\n/      /dev/sda2 ext4   rw\n", "findmnt", "findmnt_no_json"),
        ("Node                  SN     Model   Namespace Usage\n", "nvme list", "nvme_no_json"),
        ("[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n", "iperf3", "iperf3_no_json"),
        ("| Diagnostic                | Result                  |\n", "dcgmi diag -j", "dcgm_no_json"),
    ],
    ids=lambda text: text[:30],
)
def test_a_form_that_is_not_read_is_told_and_says_how_to_ask(text, tool, expected):
    assert (recognise(text), code(read_text("text", text))) == (tool, expected)


@pytest.mark.parametrize("text", ["", "hello\n", "total 8\ndrwxr-xr-x 2 root root\n"])
def test_an_unknown_text_is_an_error_that_says_so(text):
    assert recognise(text) is None
    assert code(read_text("text", text)) == "unknown_tool"


def test_an_unknown_tool_is_told_by_its_command():
    text = sample("nvidia_smi/550-csv-noheader-nounits.csv")
    _, command = GPU_SAMPLES["nvidia_smi/550-csv-noheader-nounits.csv"]
    assert read(Capture("text", command, text)).error == ""


def test_a_path_before_the_tool_does_not_matter():
    assert read_text("/usr/bin/nvidia-smi -L", sample("nvidia_smi/550-list-8xh200.txt")).error == ""


def test_the_longest_leading_words_choose():
    assert read_text("nvidia-smi topo -m", sample("topo/570-8xh200.txt")).error == ""
    assert read_text("nvidia-smi topo -p2p r", sample("topo/570-p2p-8xh200.txt")).error == ""


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_every_tool_reads_an_empty_output_without_a_single_value(tool):
    parsed = read_text(tool, "", exit_status=1)
    assert [reading for reading in parsed.readings if reading.value is not None] == []
