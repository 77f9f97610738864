"""Probe: multiply matrices on all GPUs at once, for a minute or for days, and compare every product with the first.

Needs PyTorch. One JSON object a line on stdout: the head, a report of each GPU now and then, the last one of each GPU,
the end. A GPU that fails on the way says so in its last line, and the others go on; the exit status is still 0, for the
probe did its work. Exit status 1 with the reason on stderr when it could not start on every GPU.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import threading
import time
from typing import Any, Dict, List, Optional

DTYPES = {"bf16": "bfloat16", "fp16": "float16", "tf32": "float32"}
SIZE = 8192
# Between two looks at the clock: long enough to keep the GPU full, short enough to end on time.
BATCH_S = 0.5
REPORTS = 24
START_S = 300.0


class Load:
    """What all GPUs of one probe share."""

    def __init__(self, torch: Any, dtype: str, seconds: int, gpus: int, report_s: int = 0) -> None:
        self.torch = torch
        self.dtype = dtype
        self.seconds = seconds
        self.report_s = float(report_s) or max(10.0, seconds / REPORTS)
        self.ready = threading.Barrier(gpus)
        self.origin = time.monotonic()
        self.refusals: List[str] = []
        self._lock = threading.Lock()

    def now(self) -> float:
        """Seconds since the probe began."""
        return round(time.monotonic() - self.origin, 3)

    def say(self, line: Dict[str, Any]) -> None:
        """Print one line as a whole."""
        with self._lock:
            print(json.dumps(line, ensure_ascii=False), flush=True)


def main(arguments: Optional[List[str]] = None) -> int:
    """Load every GPU; what was narrowed for other programs does not narrow this one."""
    options = _parser().parse_args(arguments)
    if options.card is None:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        return _refuse(str(error))
    torch.backends.cuda.matmul.allow_tf32 = options.dtype == "tf32"
    gpus = torch.cuda.device_count()
    if not gpus:
        return _refuse("PyTorch sees no GPU")
    if options.list:
        return _list(torch, gpus)
    load = Load(torch, options.dtype, options.seconds, gpus, options.report)
    return _load_all(load, gpus) if options.card is None else _load_one(load, options.card)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gpucontract-agent probe load")
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="bf16")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--report", type=int, default=0, help="seconds between two reports of a GPU")
    parser.add_argument("--list", action="store_true", help="say which GPUs there are, and load none")
    parser.add_argument("--card", type=int, help="load the only GPU in sight under this number once a line comes in")
    return parser


def _list(torch: Any, gpus: int) -> int:
    cards = [identity(torch, index) for index in range(gpus)]
    print(json.dumps({"torch": torch.__version__, "cuda": torch.version.cuda, "cards": cards}))
    return 0


def identity(torch: Any, index: int) -> Dict[str, str]:
    """Name and UUID of a GPU; older versions of PyTorch know no UUID."""
    told = torch.cuda.get_device_properties(index)
    known = getattr(told, "uuid", None)
    return {"name": told.name, **({"uuid": f"GPU-{known}"} if known else {})}


def _load_one(load: Load, label: int) -> int:
    """One GPU that was singled out: ready, then at work as soon as a line comes in."""
    try:
        worker = Worker(load, 0, label)
    except Exception as error:
        return _refuse(f"{type(error).__name__}: {error}".splitlines()[0][:300])
    load.say({"ready": label})
    if not sys.stdin.readline():
        return _refuse("nobody waits for it any more")
    load.origin = time.monotonic()
    worker.run()
    return 0


def _load_all(load: Load, gpus: int) -> int:
    torch = load.torch
    load.say({"probe": "load", "version": 1, "torch": torch.__version__, "cuda": torch.version.cuda, "gpus": gpus,
              "dtype": load.dtype, "n": SIZE, "seconds": load.seconds})  # fmt: skip
    threads = [threading.Thread(target=_work, args=(load, index)) for index in range(gpus)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if load.refusals:
        return _refuse(load.refusals[0])
    load.say({"end": True})
    return 0


def _refuse(reason: str) -> int:
    print(f"gpucontract-probe: {reason}", file=sys.stderr)
    return 1


def _work(load: Load, index: int) -> None:
    try:
        worker = Worker(load, index)
    except Exception as error:
        load.refusals.append(f"GPU {index}: {type(error).__name__}: {error}"[:300])
        load.ready.abort()
        return
    try:
        load.ready.wait(START_S)
    except threading.BrokenBarrierError:
        return
    worker.run()


class Worker:
    """One GPU: the matrices, their first product, and what has been counted since."""

    def __init__(self, load: Load, index: int, label: Optional[int] = None) -> None:
        torch = load.torch
        self._load, self._index, self._label = load, index, index if label is None else label
        self._device = torch.device("cuda", index)
        self._began = self._ended = self._clean = 0.0
        self._products = self._wrong = 0
        self._busy_s = 0.0
        source = torch.Generator(device=self._device)
        source.manual_seed(index)
        self._left, self._right = (self._random(source), self._random(source))
        self._first = torch.matmul(self._left, self._right)
        self._out = torch.empty_like(self._first)
        torch.cuda.synchronize(self._device)
        self._batch = self._fitting_batch()

    def run(self) -> None:
        """Multiply until the time is up or the GPU fails, then say the last line."""
        self._began = self._ended = self._clean = self._load.now()
        reported, fault = self._began, ""
        try:
            while self._ended - self._began < self._load.seconds:
                self._multiply(self._batch)
                if self._ended - reported >= self._load.report_s:
                    reported = self._ended
                    self._load.say(self._line())
        except Exception as error:
            fault = f"{type(error).__name__}: {error}".splitlines()[0][:300]
            self._ended = self._load.now()
        known = identity(self._load.torch, self._index)
        self._load.say({**self._line(), **known, "last": True, **({"error": fault} if fault else {})})

    def _random(self, source: Any) -> Any:
        torch = self._load.torch
        dtype = getattr(torch, DTYPES[self._load.dtype])
        return torch.randn(SIZE, SIZE, generator=source, device=self._device, dtype=torch.float32).to(dtype)

    def _fitting_batch(self) -> int:
        """How many products take about BATCH_S; the first ones warm the GPU up and do not count."""
        self._multiply(3)
        began = self._busy_s
        self._multiply(5)
        each_s = (self._busy_s - began) / 5
        self._products, self._wrong, self._busy_s = 0, 0, 0.0
        return max(1, min(2000, int(BATCH_S / each_s))) if each_s else 1

    def _multiply(self, count: int) -> None:
        """Time is the GPU's own, around the products alone; the last product is compared with the first one."""
        cuda = self._load.torch.cuda
        with cuda.device(self._device):
            start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
            start.record()
            for _ in range(count):
                self._load.torch.matmul(self._left, self._right, out=self._out)
            end.record()
            wrong = int((self._out != self._first).sum().item())
        self._busy_s += start.elapsed_time(end) / 1000
        self._products += count
        self._wrong += wrong
        self._ended = self._load.now()
        if not self._wrong:
            self._clean = self._ended

    def _line(self) -> Dict[str, Any]:
        return {
            "gpu": self._label, "began_s": self._began, "ended_s": self._ended, "products": self._products,
            "busy_s": round(self._busy_s, 4), "wrong": self._wrong, "clean_s": self._clean,
        }  # fmt: skip
