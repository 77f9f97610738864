"""Stands in for PyTorch on a machine without GPUs: the calls that the load probe makes, on numbers instead of matrices.

FAKE_GPUS: how many. FAKE_FAULT: '1:wrong' or '1:lost' after a moment, '1:full' at once.
"""

import contextlib
import os
import time
from types import SimpleNamespace

__version__ = "2.7.0+fake"
version = SimpleNamespace(cuda="12.8")
backends = SimpleNamespace(cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False)))
bfloat16 = float16 = float32 = "dtype"
SICK, _, FAULT = os.environ.get("FAKE_FAULT", "").partition(":")
BEGAN = time.monotonic()


def is_sick(index, fault, after=0.0):
    return str(index) == SICK and fault == FAULT and time.monotonic() - BEGAN > after


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
    return index


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
    device_count=lambda: 0 if "CUDA_VISIBLE_DEVICES" in os.environ else int(os.environ.get("FAKE_GPUS", "2")),
    synchronize=lambda device: None,
    Event=Event,
    device=lambda device: contextlib.nullcontext(),
    get_device_properties=lambda index: SimpleNamespace(name="NVIDIA H200", uuid=f"0000-{index}"),
)
