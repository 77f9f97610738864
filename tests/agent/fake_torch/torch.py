"""Stands in for PyTorch on a machine without GPUs: the calls that the load probe makes, on numbers instead of matrices.

FAKE_GPUS: how many. FAKE_FAULT: '1:wrong', '1:lost', '1:killed' or '1:hung' after a moment, '1:full' at once.
FAKE_ONCE: a file that is not there until the fault has happened; then it does not happen again.
"""

import contextlib
import os
import pathlib
import signal
import time
from types import SimpleNamespace

__version__ = "2.7.0+fake"
version = SimpleNamespace(cuda="12.8")
backends = SimpleNamespace(cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False)))
bfloat16 = float16 = float32 = "dtype"
SICK, _, FAULT = os.environ.get("FAKE_FAULT", "").partition(":")
BEGAN = time.monotonic()
ONCE = os.environ.get("FAKE_ONCE")
# One card singled out by its UUID is the only one in sight, as number 0.
SEEN = os.environ.get("CUDA_VISIBLE_DEVICES", "")


def is_sick(index, fault, after=0.0):
    if str(index) != SICK or fault != FAULT or time.monotonic() - BEGAN <= after:
        return False
    if ONCE and pathlib.Path(ONCE).exists():
        return False
    if ONCE:
        pathlib.Path(ONCE).touch()
    return True


def place(index):
    return int(SEEN.rpartition("-")[2]) if SEEN.startswith("GPU-") else index


def count():
    return SEEN.count("GPU-") if "CUDA_VISIBLE_DEVICES" in os.environ else int(os.environ.get("FAKE_GPUS", "2"))


class Matrix:
    def __init__(self, index, value):
        self.index, self.value = index, value

    def to(self, dtype):
        return self

    def __ne__(self, other):
        return Matrix(self.index, int(self.value != other.value))

    __hash__ = None

    def sum(self):
        return self

    def item(self):
        return self.value


def device(kind, index):
    assert kind == "cuda"
    return place(index)


class Generator:
    def __init__(self, device):
        self.index = device

    def manual_seed(self, seed):
        self.seed = seed


def randn(rows, columns, generator, device, dtype):
    if is_sick(device, "full"):
        raise RuntimeError("CUDA out of memory. Tried to allocate 256.00 MiB\nmore words")
    return Matrix(device, generator.seed + rows)


def matmul(left, right, out=None):
    time.sleep(0.001)
    if is_sick(left.index, "lost", 0.8):
        raise RuntimeError("CUDA error: unspecified launch failure\nCUDA kernel errors might be reported late")
    if is_sick(left.index, "killed", 0.8):
        os.kill(os.getpid(), signal.SIGKILL)
    if is_sick(left.index, "hung", 0.8):
        time.sleep(60)
    value = left.value * right.value + is_sick(left.index, "wrong", 0.8)
    if out is None:
        return Matrix(left.index, value)
    out.value = value
    return out


def empty_like(other):
    return Matrix(other.index, 0)


class Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        self.at = time.monotonic()

    def elapsed_time(self, later):
        return (later.at - self.at) * 1000


cuda = SimpleNamespace(
    device_count=count,
    synchronize=lambda device: None,
    Event=Event,
    device=lambda device: contextlib.nullcontext(),
    get_device_properties=lambda index: SimpleNamespace(name="NVIDIA H200", uuid=f"0000-{place(index)}"),
)
