"""Good outputs of GPU tools, damaged: nothing crashes, no number is invented, no failed run gives numbers.

MUTATION_EXAMPLES sets how many examples each tool gets (60 by default; 2,000 is a long run).
"""

from __future__ import annotations

import json
import os
import re
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.registry import read
from tests.parsers.gpu_outputs import GPU_SAMPLES
from tests.parsers.host_outputs import sample

EXAMPLES = int(os.environ.get("MUTATION_EXAMPLES", "60"))
NOISE = (
    "Warning: Permanently added 'node-1' (ED25519) to the list of known hosts.\n",
    "node-a:5000:5100 [0] NCCL INFO Connected all rings\n",
    "mesg: ttyname failed: Inappropriate ioctl for device\n",
    "\n",
    "fatal\n",
    "7\n",
)
PREFIXES = ("[1,0]<stdout>:", "[0] ", "0: ", "node-a: ", "[pod/x/y] ")

# Counts, sums and conversions: not printed as such, but derived by a rule that the documentation gives.
DERIVED = re.compile(
    r".*_gpus|gpu_count|gpu_unreadable|distinct_.*|mig_devices|.*_decimal|ranks|hosts|wrong_results|pix_pairs|nics"
    r"|numa_nodes|gpus_with_.*|nvlink_(?:active|inactive|sum|.*errors).*|tests_.*|x?xids?_?.*|sxids?.*|hardware_xids"
    r"|fatal_s?xids|nccl_segfaults|gpu_processes|ib_ports|ecc_uncorrected.*|ecc_errors_.*"
)
TOOLS = {
    "nvidia-smi": [name for name in GPU_SAMPLES if name.startswith("nvidia_smi/") and "-table" in name],
    "nvidia-smi -L": [name for name in GPU_SAMPLES if "-list-" in name],
    "nvidia-smi csv": [name for name in GPU_SAMPLES if "-csv-" in name],
    "nvidia-smi -q": [name for name in GPU_SAMPLES if "-q-" in name],
    "nvidia-smi -q -x": [name for name in GPU_SAMPLES if "-qx-" in name],
    "nvidia-smi topo": [name for name in GPU_SAMPLES if name.startswith("topo/")],
    "nvidia-smi nvlink": [name for name in GPU_SAMPLES if name.startswith("nvlink/")],
    "nccl-tests": [name for name in GPU_SAMPLES if name.startswith("nccl_tests/") and name.endswith(".txt")],
    "nccl-tests -J": [name for name in GPU_SAMPLES if name.startswith("nccl_tests/") and name.endswith(".json")],
    "nvbandwidth": [name for name in GPU_SAMPLES if name.startswith("nvbandwidth/")],
    "p2pBandwidthLatencyTest": [name for name in GPU_SAMPLES if name.startswith("p2p/")],
    "dcgmi diag": [name for name in GPU_SAMPLES if name.startswith("dcgmi/")],
    "dmesg": [name for name in GPU_SAMPLES if name.startswith("dmesg/")],
}
# What a run that failed may still say: who took part and what was asked for, not what was measured.
CIRCUMSTANCES = {
    "collective", "iterations", "warm_up_iterations", "validation", "ranks", "hosts", "host_names", "distinct_gpus",
    "rank_gpu_models", "is_cpu_time", "nccl_version",
    "nccl_tests_version", "network", "network_interface", "ib_ports", "network_link_layer", "gdr", "algorithm",
    "tool_check", "start_time", "secrets_in_env", "driver_version", "nvbandwidth_version", "gpu_count",
    "nvml_library_version", "error_bus_id", "gpu_lost_bus_id",
}  # fmt: skip


@st.composite
def damaged(draw, text):
    """A text cut, noisy, prefixed, doubled, recoded or edited, one or two of these at once."""
    for _ in range(draw(st.integers(1, 2))):
        text = draw(st.sampled_from(DAMAGES))(draw, text)
    return text


def cut(draw, text):
    return text[: draw(st.integers(0, len(text)))]


def cut_head(draw, text):
    return text[draw(st.integers(0, len(text))) :]


def noisy(draw, text):
    lines = text.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 4))):
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(NOISE)))
    return "".join(lines)


def split_by_noise(draw, text):
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.sampled_from(NOISE)) + text[at:]


def line_lost(draw, text):
    lines = text.splitlines(keepends=True)
    if lines:
        del lines[draw(st.integers(0, len(lines) - 1))]
    return "".join(lines)


def line_twice(draw, text):
    lines = text.splitlines(keepends=True)
    if lines:
        at = draw(st.integers(0, len(lines) - 1))
        lines.insert(at, lines[at])
    return "".join(lines)


def prefixed(draw, text):
    prefix = draw(st.sampled_from(PREFIXES))
    return "".join(prefix + line for line in text.splitlines(keepends=True))


def character_changed(draw, text):
    if not text:
        return text
    at = draw(st.integers(0, len(text) - 1))
    return text[:at] + draw(st.sampled_from("0,.9-:x|\t\n {}[]<>\x1b\r\0é٣")) + text[at + 1 :]


DAMAGES = (
    cut,
    cut_head,
    noisy,
    split_by_noise,
    line_lost,
    line_twice,
    prefixed,
    character_changed,
    lambda draw, text: text + text,
    lambda draw, text: text.replace("\t", " "),
    lambda draw, text: text.replace("\t", ""),
    lambda draw, text: text.replace("\n", "\r\n"),
    lambda draw, text: "\ufeff" + text,
    lambda draw, text: re.sub(r"(?<=[0-9])\.(?=[0-9])", ",", text),
    lambda draw, text: text.replace("GPU", "\x1b[4mGPU\x1b[0m"),
    lambda draw, text: " ".join(text.split(" ")),
    lambda draw, text: text.strip(),
)


def assert_sane(text: str, parsed: Parsed, exit_status: int | None) -> None:
    """Every number stands in the text or is derived; a run with an error has no measured number; reasons are given."""
    plain = re.sub(r"\x1b\[[0-9;]*m|[\r\ufeff]", "", text)
    for reading in parsed.readings:
        assert (reading.value is None) == bool(reading.why), reading
        assert not isinstance(reading.value, float), reading
        if isinstance(reading.value, Decimal) and not DERIVED.fullmatch(reading.name):
            assert is_printed(reading.value, plain), reading
    if parsed.error:
        assert ":" in parsed.error, parsed.error
        left = {r.name for r in parsed.readings if r.value is not None} - CIRCUMSTANCES
        assert not left, (parsed.error, left)
    elif exit_status == 42:
        raise AssertionError("an unknown exit status must be an error")
    json.dumps([reading.stored() for reading in parsed.readings])


def is_printed(value: Decimal, text: str) -> bool:
    """The digits of the number stand in the text, not inside a longer number."""
    digits = re.escape(format(value, "f"))
    return re.search(rf"(?<![0-9.]){digits}0*(?![0-9])", text) is not None or any(
        Decimal(found) == value for found in re.findall(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", text)
    )


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_damage_never_crashes_invents_or_turns_failure_into_numbers(tool):
    names = TOOLS[tool]

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def check(data):
        name = data.draw(st.sampled_from(names))
        text = data.draw(damaged(sample(name)))
        status = data.draw(st.sampled_from([0, None, 42]))
        named, command = GPU_SAMPLES[name]
        explained = re.search(r"FAILED|Unable to de|\"Fail\"|\"Warn\"|\"warnings?\"|No devices", text)
        for tool_name in (named, "text"):
            parsed = read(Capture(tool_name, command, text, "", status))
            assert_sane(text, parsed, None if explained else status)

    check()


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_undamaged_samples_pass_the_same_check(tool):
    for name in TOOLS[tool]:
        named, command = GPU_SAMPLES[name]
        assert_sane(sample(name), read(Capture(named, command, sample(name), "", 0)), 0)


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_random_text_is_never_a_measurement(tool):
    @settings(max_examples=EXAMPLES, deadline=None, database=None)
    @given(st.text(max_size=300))
    def check(text):
        named, command = GPU_SAMPLES[TOOLS[tool][0]]
        assert_sane(text, read(Capture(named, command, text, "", None)), None)

    check()
