"""Probe: the load of probe_load for hours, each GPU in a process of its own that is started again when it fails.

The head says version 2. The last line of each GPU also says how long it worked and every interrupt: when, why, and when
its work went on. A GPU that cannot be started again stays down and is tried again until the time is up.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from typing import IO, Any, Dict, List, Optional

from gpucontract.agent import itself, probe_load

# A process on each GPU says something this often; one that is silent for so long hangs.
SIGN_S = 20
SILENT_S = 300.0
START_S = 300.0
ENDING_S = 5.0
PAUSE_S = 60.0
# A GPU that fails more often is down for good.
MOST_INTERRUPTS = 1000
LONGEST_REASON = 300


class Soak:
    """What all GPUs share."""

    def __init__(self, options: argparse.Namespace, gpus: int) -> None:
        self.dtype: str = options.dtype
        self.seconds: int = options.seconds
        self.pause_s: float = options.pause
        self.report_s = max(10.0, options.seconds / probe_load.REPORTS)
        self.ready = threading.Barrier(gpus)
        self._origin = time.monotonic()
        self._lock = threading.Lock()

    def now(self) -> float:
        """Seconds since the probe began."""
        return round(time.monotonic() - self._origin, 3)

    def say(self, line: Dict[str, Any]) -> None:
        """Print one line as a whole."""
        with self._lock:
            print(json.dumps(line, ensure_ascii=False), flush=True)


def main(arguments: Optional[List[str]] = None) -> int:
    """Soak every GPU; with a PyTorch that names no UUIDs, by which one GPU is singled out, load them once instead."""
    parser = argparse.ArgumentParser(prog="gpucontract-agent probe soak")
    parser.add_argument("--dtype", choices=sorted(probe_load.DTYPES), default="bf16")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--pause", type=float, default=PAUSE_S)
    options = parser.parse_args(arguments)
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    listed = subprocess.run(_command("--list"), stdout=subprocess.PIPE, check=False)
    if listed.returncode:
        return listed.returncode
    known = json.loads(listed.stdout)
    if not all("uuid" in card for card in known["cards"]):
        return probe_load.main(["--dtype", options.dtype, "--seconds", str(options.seconds)])
    return _soak(Soak(options, len(known["cards"])), known)


def _soak(soak: Soak, known: Dict[str, Any]) -> int:
    cards = [Card(soak, index, card) for index, card in enumerate(known["cards"])]
    soak.say({"probe": "load", "version": 2, "torch": known["torch"], "cuda": known["cuda"], "gpus": len(cards),
              "dtype": soak.dtype, "n": probe_load.SIZE, "seconds": soak.seconds})  # fmt: skip
    threads = [threading.Thread(target=card.run) for card in cards]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused = next((card for card in cards if card.refusal), None)
    if refused is not None:
        print(f"gpucontract-probe: GPU {refused.index}: {refused.refusal}", file=sys.stderr)
        return 1
    soak.say({"end": True})
    return 0


def _command(*words: str) -> List[str]:
    return [sys.executable, *itself.words(), "probe", "load", *words]


class Process:
    """The load on one GPU, as lines."""

    def __init__(self, soak: Soak, index: int, uuid: str, seconds: int) -> None:
        words = ("--dtype", soak.dtype, "--seconds", str(seconds), "--card", str(index), "--report", str(SIGN_S))
        self._said: "queue.Queue[Optional[str]]" = queue.Queue()
        self._words = ""
        self._process = subprocess.Popen(
            _command(*words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "CUDA_VISIBLE_DEVICES": uuid},
        )  # fmt: skip
        assert self._process.stdout is not None
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()

    def line(self, patience_s: float) -> Dict[str, Any]:
        """The next line; {} once there is none more. Raises queue.Empty."""
        while True:
            text = self._said.get(timeout=patience_s)
            if text is None:
                return {}
            with contextlib.suppress(ValueError):
                line = json.loads(text)
                if isinstance(line, dict):
                    return line
            self._words = text.strip().replace("gpucontract-probe: ", "") or self._words

    def go(self) -> None:
        """Let it work."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write("\n")
            self._process.stdin.flush()

    def ended(self, patience_s: float = ENDING_S) -> str:
        """Why it is no more, in words; one that still is gets killed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience_s)
        if self._process.returncode is None:
            self._process.kill()
            self._process.wait()
        code = self._process.returncode
        how = f"ended by signal {-code}" if code < 0 else f"ended with exit status {code}"
        return f"{how}: {self._words}" if self._words else how

    def _read(self, pipe: "IO[str]") -> None:
        for text in pipe:
            self._said.put(text)
        self._said.put(None)


class Card:
    """One GPU: what it has done over all its processes, and what came between."""

    def __init__(self, soak: Soak, index: int, known: Dict[str, str]) -> None:
        self._soak, self.index, self._known = soak, index, known
        self.refusal = ""
        self._interrupts: List[Dict[str, Any]] = []
        self._began = self._ended = self._clean = self._reported = self._worked = self._busy = 0.0
        self._products = self._wrong = 0

    def run(self) -> None:
        """Work until the time is up, then say the last line."""
        process = self._started()
        if process is None:
            self._soak.ready.abort()
            return
        try:
            self._soak.ready.wait(START_S)
        except threading.BrokenBarrierError:
            process.ended()
            return
        self._began = self._ended = self._clean = self._reported = self._soak.now()
        fault = self._worked_with(process)
        while fault:
            self._interrupts.append({"at_s": self._soak.now(), "error": fault[:LONGEST_REASON]})
            fault = self._again()
        self._soak.say(self._last_line())

    def _again(self) -> str:
        """Start the work anew for the time that is left, as often as it takes; how it failed once more, or ""."""
        while self._left() > self._soak.pause_s and len(self._interrupts) < MOST_INTERRUPTS:
            time.sleep(self._soak.pause_s)
            process = self._started()
            if process is not None:
                self._interrupts[-1]["back_s"] = self._soak.now()
                return self._worked_with(process)
        return ""

    def _left(self) -> float:
        return self._began + self._soak.seconds - self._soak.now()

    def _started(self) -> Optional[Process]:
        """A process that holds its matrices and waits; None with the refusal noted when there is none."""
        seconds = max(1, int(self._left())) if self._began else self._soak.seconds
        process = Process(self._soak, self.index, self._known["uuid"], seconds)
        with contextlib.suppress(queue.Empty):
            if "ready" in process.line(START_S):
                return process
        reason = process.ended()
        self.refusal = "" if self._began else reason[:LONGEST_REASON]
        return None

    def _worked_with(self, process: Process) -> str:
        """Follow a process to its end; why it failed, or ""."""
        start = self._soak.now()
        before = (self._products, self._wrong, self._busy, self._worked)
        process.go()
        while True:
            try:
                line = process.line(SILENT_S)
            except queue.Empty:
                process.ended(0)
                return f"gave no sign for {SILENT_S:.0f} s"
            if not line:
                return process.ended()
            self._add(line, start, before)
            if line.get("last"):
                process.ended()
                return str(line.get("error", ""))

    def _add(self, line: Dict[str, Any], start: float, before: Any) -> None:
        products, wrong, busy, worked = before
        if not self._interrupts and not wrong:
            self._clean = round(start + line["clean_s"], 3)
        self._products, self._wrong = products + line["products"], wrong + line["wrong"]
        self._busy = busy + line["busy_s"]
        self._worked = worked + line["ended_s"] - line["began_s"]
        self._ended = round(start + line["ended_s"], 3)
        if self._ended - self._reported >= self._soak.report_s and not line.get("last"):
            self._reported = self._ended
            self._soak.say(self._line())

    def _line(self) -> Dict[str, Any]:
        return {
            "gpu": self.index, "began_s": self._began, "ended_s": self._ended, "products": self._products,
            "busy_s": round(self._busy, 4), "wrong": self._wrong, "clean_s": self._clean,
        }  # fmt: skip

    def _last_line(self) -> Dict[str, Any]:
        first = {"error": self._interrupts[0]["error"]} if self._interrupts else {}
        told = {"worked_s": round(self._worked, 3), "interrupts": self._interrupts}
        return {**self._line(), **self._known, **told, "last": True, **first}
