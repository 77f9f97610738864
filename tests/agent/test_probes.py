"""The probes as programs: what they print on a good machine, a sick one, and one without what they need."""

import ctypes
import json
import os
import subprocess
from pathlib import Path

import pytest

from gpucontract.agent import probe_usable
from tests.agent.running import PYTHON, ROOT

FAKES = Path(__file__).parent / "fake_torch"


def probe(*words, **env):
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{FAKES}", **env}
    command = [PYTHON, "-m", "gpucontract.agent", "probe", *words]
    done = subprocess.run(command, env=given, capture_output=True, text=True, timeout=60)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def load(**env):
    return probe("load", "--dtype", "bf16", "--seconds", "2", **env)


def last_of(lines):
    return {line["gpu"]: line for line in lines if line.get("last")}


def test_every_gpu_works_for_the_ordered_time_at_once():
    status, lines, _ = load(CUDA_VISIBLE_DEVICES="0")
    head, last = lines[0], last_of(lines)
    assert (status, head["gpus"], head["dtype"], head["n"], lines[-1]) == (0, 2, "bf16", 8192, {"end": True})
    assert sorted(last) == [0, 1]
    for line in last.values():
        assert line["ended_s"] - line["began_s"] >= 2 and line["clean_s"] == line["ended_s"]
        # Each is rounded by itself.
        assert 0 < line["busy_s"] <= line["ended_s"] - line["began_s"] + 0.002
        assert (line["wrong"], line["name"]) == (0, "NVIDIA H200") and line["products"] > 100
    assert max(line["began_s"] for line in last.values()) < min(line["ended_s"] for line in last.values())


def test_a_wrong_product_ends_the_clean_time_of_that_gpu_alone():
    _, lines, _ = load(FAKE_FAULT="1:wrong")
    last = last_of(lines)
    assert last[1]["wrong"] > 0 and last[1]["clean_s"] < last[1]["ended_s"]
    assert last[0]["wrong"] == 0


def test_a_gpu_that_is_lost_says_so_and_the_other_goes_on():
    status, lines, _ = load(FAKE_FAULT="1:lost")
    last = last_of(lines)
    assert (status, last[1]["error"]) == (0, "RuntimeError: CUDA error: unspecified launch failure")
    assert "error" not in last[0] and last[0]["ended_s"] - last[0]["began_s"] >= 2


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"FAKE_FAULT": "1:full"}, "GPU 1: RuntimeError: CUDA out of memory. Tried to allocate 256.00 MiB"),
        ({"FAKE_GPUS": "0"}, "PyTorch sees no GPU"),
        ({"PYTHONPATH": str(ROOT)}, "No module named 'torch'"),
    ],
    ids=["a full card", "no card", "no PyTorch"],
)
def test_what_keeps_it_from_starting_is_said_and_nothing_is_measured(env, said):
    status, lines, stderr = load(**env)
    assert status == 1 and stderr.startswith(f"gpucontract-probe: {said}")
    assert not last_of(lines)


def test_without_a_driver_usable_says_so():
    status, lines, stderr = probe("usable")
    assert (status, lines) == (1, []) and "libcuda.so.1" in stderr


class Library:
    """Stands in for the driver: three cards, the second refuses a context, the third writes one value wrong."""

    def __getattr__(self, name):
        return lambda *arguments: 0

    @staticmethod
    def _put(pointer, value):
        pointer._obj.value = value
        return 0

    def cuDriverGetVersion(self, version):
        return self._put(version, 12080)

    def cuDeviceGetCount(self, count):
        return self._put(count, 3)

    def cuDeviceGet(self, device, index):
        return self._put(device, index)

    def cuDeviceGetName(self, text, length, device):
        text.value = b"NVIDIA H200"
        return 0

    def cuDeviceGetUuid(self, raw, device):
        raw.raw = bytes([device]) * 16
        return 0

    def cuDevicePrimaryCtxRetain(self, context, device):
        self.device = device
        return 802 if device == 1 else 0

    def cuGetErrorName(self, code, text):
        return self._put(text, b"CUDA_ERROR_SYSTEM_NOT_READY")

    def cuLaunchKernel(self, function, blocks, _1, _2, threads, _3, _4, shared, stream, pointers, extra):
        count, factor = (ctypes.cast(pointers[at], ctypes.POINTER(ctypes.c_uint32))[0] for at in (1, 2))
        assert blocks * threads >= count
        self.values = [(index * factor + index) % 2**32 for index in range(count)]
        self.values[7] += self.device == 2
        return 0

    def cuMemcpyDtoH_v2(self, values, memory, size):
        values[:] = self.values
        return 0


def test_each_card_is_usable_or_says_why_not(monkeypatch, capsys):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Library())
    assert probe_usable.main() == 0
    head, first, second, third, end = map(json.loads, capsys.readouterr().out.splitlines())
    assert (head["gpus"], head["cuda"], end) == (3, "12.8", {"end": True})
    assert (first["ok"], first["wrong"], first["uuid"]) == (True, 0, "GPU-00000000-0000-0000-0000-000000000000")
    assert (second["ok"], second["error"]) == (False, "cuDevicePrimaryCtxRetain 802 CUDA_ERROR_SYSTEM_NOT_READY")
    assert (third["ok"], third["wrong"]) == (True, 1)
