"""Stands in for PyTorch on a machine without GPUs: the calls that the probes make, on numbers instead of matrices.

FAKE_GPUS: how many. FAKE_FAULT: '1:nan' in training, '1:wrong', '1:lost', '1:killed' or '1:hung' after a moment, '1:full' at once.
FAKE_ONCE: a file that is not there until the fault has happened; then it does not happen again.
"""

import contextlib
import os
import pathlib
import signal
import sys
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
    synchronize=lambda device=None: None,
    set_device=lambda index: None,
    is_bf16_supported=lambda: "FAKE_OLD" not in os.environ,
    max_memory_allocated=lambda: 15 * 2**30,
    Event=Event,
    device=lambda device: contextlib.nullcontext(),
    get_device_properties=lambda index: SimpleNamespace(name="NVIDIA H200", uuid=f"0000-{place(index)}"),
)


class Anything:
    """Tensors, layers and optimisers of the training probe: whatever is asked of one gives another."""

    def __init__(self, *arguments, **named):
        self.arguments = arguments

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *arguments, **named):
        return Anything()

    def __getitem__(self, key):
        return Anything()

    def __add__(self, other):
        return Anything()

    def __iter__(self):
        return iter([Anything()] * 3)


class Loss(Anything):
    """Falls a little each step, and is no number where a fault says so."""

    steps = 0

    def item(self):
        Loss.steps += 1
        time.sleep(0.001)
        rank = next(int(sys.argv[at + 1]) for at, word in enumerate(sys.argv) if word == "--rank")
        if is_sick(rank, "lost", 0.1):
            raise RuntimeError("CUDA error: unspecified launch failure\nmore words")
        return float("nan") if is_sick(rank, "nan", 0.1) else 10.4 - Loss.steps / 100 * ("FAKE_DULL" not in os.environ)


class Module:
    def __call__(self, *arguments):
        return self.forward(*arguments)

    def to(self, device):
        return self

    def parameters(self):
        return [SimpleNamespace(numel=lambda: 1000)] * 3


class Layer(Anything, Module):
    def __call__(self, x):
        return SimpleNamespace(shape=(4, 2048, 2048), view=lambda *sizes: Anything()) if self.is_split else Anything()

    @property
    def is_split(self):
        return len(self.arguments) == 2 and self.arguments[1] == 3 * self.arguments[0]


class Table(Anything, Module):
    def __call__(self, tokens):
        return Shaped()


class Shaped(Anything):
    shape = (4, 2048, 2048)

    def __add__(self, other):
        return Shaped()


functional = SimpleNamespace(
    scaled_dot_product_attention=Anything(), gelu=Anything(), linear=Anything(), cross_entropy=lambda *given: Loss()
)
nn = SimpleNamespace(
    Module=Module, Linear=Layer, LayerNorm=Layer, Embedding=Table, ModuleList=list, Parameter=Anything,
    functional=functional, init=Anything(),
    parallel=SimpleNamespace(DistributedDataParallel=lambda model, device_ids: model),
)  # fmt: skip
optim = SimpleNamespace(AdamW=Anything)
distributed = Anything()
zeros = randint = Anything
manual_seed = int


def autocast(kind, dtype):
    return contextlib.nullcontext()
