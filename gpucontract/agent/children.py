"""The programs an agent has started, noted on disk: an agent that was killed does not leave its test running."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import Optional


class Children:
    """One small file for each running process group, named by its leader's pid and holding its start time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def note(self, pid: int) -> None:
        """Remember a process group that was just started."""
        (self._folder / str(pid)).write_text(start_time(pid) or "")

    def forget(self, pid: int) -> None:
        """It has ended."""
        with contextlib.suppress(FileNotFoundError):
            (self._folder / str(pid)).unlink()

    def end_leftovers(self) -> int:
        """Kill the groups an earlier agent left behind; a pid that belongs to another process by now is left alone."""
        killed = 0
        for note in list(self._folder.iterdir()):
            started = note.read_text()
            if note.name.isdigit() and started and start_time(int(note.name)) == started:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(int(note.name), signal.SIGKILL)
                    killed += 1
            note.unlink()
        return killed


def start_time(pid: int) -> Optional[str]:
    """When a process started, in clock ticks since boot; None when there is none of that pid or no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return fields[19] if len(fields) > 19 else None
