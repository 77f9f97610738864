"""Probe: train the reference model on all GPUs of the machine, each in a process of its own, gradients shared by NCCL.

Needs PyTorch. One JSON object a line on stdout: the head, one for each GPU, the end. A GPU that fails, a loss that is
no number, or a machine without GPUs ends it with exit status 1 and the reason on stderr; nothing is measured then.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from gpucontract.agent import decoder, itself
from gpucontract.agent.probe_load import identity

# Compiling, growing buffers and first connecting lie in the steps before the measured ones.
WARM_UP = 50
STEPS = 150
MOST_STEPS = 10_000
MEETING_S = 300
POLL_S = 0.2
BACKENDS = {"cuda": "nccl", "cpu": "gloo"}


def main(arguments: Optional[List[str]] = None) -> int:
    """Train on every GPU; what was narrowed for other programs does not narrow this one."""
    options = _parser().parse_args(arguments)
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        return _refuse(str(error))
    if options.rank is not None:
        return _rank(torch, options)
    gpus = options.workers if options.device == "cpu" else torch.cuda.device_count()
    if not gpus:
        return _refuse("PyTorch sees no GPU")
    return _all(torch, gpus, options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gpucontract-agent probe train")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--device", choices=sorted(BACKENDS), default="cuda", help="cpu: to try it out, tiny")
    parser.add_argument("--workers", type=int, default=2, help="with --device cpu")
    parser.add_argument("--rank", type=int, help="which GPU this process is; the probe starts these itself")
    parser.add_argument("--meet", help="the file by which the processes find each other")
    return parser


def _refuse(reason: str) -> int:
    print(f"gpucontract-probe: {reason}", file=sys.stderr)
    return 1


def _say(line: Dict[str, Any]) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)


def _all(torch: Any, gpus: int, options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="gpucontract-train-") as folder:
        words = ["--steps", str(options.steps), "--device", options.device, "--workers", str(gpus),
                 "--meet", str(Path(folder) / "meet")]  # fmt: skip
        ranks = [Rank(index, words) for index in range(gpus)]
        fault = _followed(ranks)
    told = [rank.line for rank in ranks]
    if fault or not all(told):
        return _refuse(fault or "a process ended without a result")
    _say({"probe": "train", "version": 1, "torch": torch.__version__, "cuda": torch.version.cuda, "gpus": gpus,
          "device": options.device, "dtype": "bf16", "warm_up": WARM_UP, "steps": options.steps,
          **told[0].pop("model")})  # fmt: skip
    for line in told:
        line.pop("model", None)
        _say(line)
    _say({"end": True})
    return 0


class Rank:
    """One process: its result line once it has one, and the last words it said."""

    def __init__(self, index: int, words: List[str]) -> None:
        self.index = index
        self.line: Dict[str, Any] = {}
        self._words = ""
        command = [sys.executable, *itself.words(), "probe", "train", *words, "--rank", str(index)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def fault(self) -> str:
        """How it failed, "" while it runs or when it ended well."""
        code = self.process.poll()
        if code in (None, 0):
            return ""
        self._reader.join(MEETING_S)
        how = f"ended by signal {-code}" if code < 0 else f"ended with exit status {code}"
        return f"GPU {self.index}: {how}: {self._words}"[:300]

    def end(self) -> None:
        """Kill it where it still runs, and read what it said."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            if text.startswith('{"gpu"'):
                self.line = json.loads(text)
            elif text.startswith("gpucontract-probe: ") or not self._words.startswith("gpucontract-probe: "):
                self._words = text.strip() or self._words


def _followed(ranks: List[Rank]) -> str:
    """Wait for all; the first failure ends the others, which would wait for it."""
    fault = ""
    try:
        while not fault and any(rank.process.poll() is None for rank in ranks):
            time.sleep(POLL_S)
            fault = next(filter(None, (rank.fault() for rank in ranks)), "")
        return (fault or next(filter(None, (rank.fault() for rank in ranks)), "")).replace("gpucontract-probe: ", "")
    finally:
        for rank in ranks:
            rank.end()


def _rank(torch: Any, options: argparse.Namespace) -> int:
    try:
        _say(Trainer(torch, options).trained())
    except Exception as error:
        return _refuse(f"{type(error).__name__}: {error}".splitlines()[0][:300])
    return 0


class Trainer:
    """The part of one GPU."""

    def __init__(self, torch: Any, options: argparse.Namespace) -> None:
        self._torch, self._options = torch, options
        self._is_cuda = options.device == "cuda"
        self._sizes = decoder.Sizes() if self._is_cuda else decoder.TINY
        if self._is_cuda:
            torch.cuda.set_device(options.rank)
            if not torch.cuda.is_bf16_supported():
                raise RuntimeError("the GPU does not compute in bf16")
        self._device = torch.device(options.device, options.rank) if self._is_cuda else torch.device("cpu")
        torch.distributed.init_process_group(
            BACKENDS[options.device], init_method=f"file://{options.meet}", rank=options.rank,
            world_size=options.workers, timeout=timedelta(seconds=MEETING_S),
        )  # fmt: skip
        torch.manual_seed(1)
        self._model = decoder.model(torch, self._sizes).to(self._device)
        shared = {"device_ids": [options.rank]} if self._is_cuda else {}
        self._shared = torch.nn.parallel.DistributedDataParallel(self._model, **shared)
        self._optimiser = torch.optim.AdamW(self._model.parameters(), lr=decoder.LEARNING_RATE)

    def trained(self) -> Dict[str, Any]:
        """Train; the result line of this GPU."""
        batches = self._batches()
        losses, times = [], []
        for step in range(WARM_UP + self._options.steps):
            loss, seconds = self._step(batches[step % len(batches)])
            if not math.isfinite(loss):
                raise ValueError(f"the loss is {loss} at step {step}")
            losses.append(loss)
            times += [seconds] if step >= WARM_UP else []
        params = sum(each.numel() for each in self._model.parameters())
        self._torch.distributed.destroy_process_group()
        known = identity(self._torch, self._options.rank) if self._is_cuda else {"name": "CPU"}
        peak = self._torch.cuda.max_memory_allocated() if self._is_cuda else 0
        return {
            "gpu": self._options.rank, **known, "tokens": self._sizes.tokens * len(times),
            "total_s": round(sum(times), 4), "step_p50_s": _rounded(times, 50), "step_p99_s": _rounded(times, 99),
            "loss_first": round(losses[0], 4), "loss_last": round(losses[-1], 4), "peak_bytes": peak, "last": True,
            "model": decoder.described(self._sizes, params),
        }  # fmt: skip

    def _batches(self) -> List[Any]:
        """Tokens of this GPU's own, the same on every machine."""
        source = self._torch.Generator(device=self._device)
        source.manual_seed(self._options.rank)
        shape = (self._sizes.batch, self._sizes.sequence + 1)
        return [
            self._torch.randint(self._sizes.vocab, shape, generator=source, device=self._device)
            for _ in range(decoder.BATCHES)
        ]

    def _step(self, tokens: Any) -> Tuple[float, float]:
        """One step to its very end; its loss and its seconds."""
        torch, began = self._torch, time.perf_counter()
        with torch.autocast(self._options.device, dtype=torch.bfloat16):
            loss = self._shared(tokens)
        loss.backward()
        self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)
        if self._is_cuda:
            torch.cuda.synchronize()
        return float(loss.item()), time.perf_counter() - began


def _rounded(times: List[float], percent: int) -> float:
    """The time below which so many per cent lie, by nearest rank."""
    ordered = sorted(times)
    return round(ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)], 6)
