"""Long runs that began and never ended: a machine that goes down under load takes the agent and its counting with it.

One small file for each beginning. It goes when the run ends, or when it is stopped by hand and the machine stays up.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from typing import Any, Dict, List

from gpucontract.agent import execute
from gpucontract.agent.execute import Command, Record, Said

JOBS = ("burn_in",)
COMMAND = Command("gpucontract-agent unfinished", ("gpucontract-agent", "unfinished"))
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Begun:
    """The beginnings noted in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def note(self, run: str) -> Path:
        """Remember that a run begins now."""
        place = self._folder / f"{time.time_ns()}-{run}"
        _write(place, {"run": run, "began_at": execute.now(), "boot": _boot()})
        return place

    def stopped(self, place: Path) -> None:
        """It was ended because the agent was asked to end: by hand, or by a machine on its way down."""
        with contextlib.suppress(OSError, ValueError):
            _write(place, {**json.loads(place.read_text()), "stopped": True})

    def forget(self, place: Path) -> None:
        """It has ended."""
        with contextlib.suppress(FileNotFoundError):
            place.unlink()

    def left(self) -> Dict[Path, Dict[str, Any]]:
        """What began and did not end, the oldest first; without runs stopped by hand on a machine that stayed up."""
        found = {}
        for place in sorted(self._folder.iterdir()):
            with contextlib.suppress(OSError, ValueError, KeyError):
                note = json.loads(place.read_text())
                is_down = note["boot"] != _boot()
                if is_down or not note.get("stopped"):
                    found[place] = {"run": note["run"], "began_at": note["began_at"], "rebooted": is_down}
        return found


def record(left: Dict[Path, Dict[str, Any]]) -> Record:
    """What was left unfinished before, as one output."""
    lines: List[Dict[str, Any]] = [{"agent": "unfinished", "version": 1, "runs": len(left)}, *left.values()]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return execute.record(COMMAND, Said(text.encode(), b"", 0), execute.now())


def _boot() -> str:
    try:
        return BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _write(place: Path, note: Dict[str, Any]) -> None:
    # On the disk before the load begins: the machine may go down at any moment after.
    with open(place, "w", encoding="utf-8") as file:
        file.write(json.dumps(note))
        file.flush()
        os.fsync(file.fileno())
