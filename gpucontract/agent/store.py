"""Results kept on disk, so that a restarted agent answers the same bytes for the same run; old ones are dropped."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from pathlib import Path
from typing import IO, Any, Dict, List, NamedTuple, Optional, Tuple

from gpucontract.agent.protocol import body_sha256, compact

KEPT_S = 30 * 24 * 3600
KEPT_BYTES = 2 * 2**30


class Kept(NamedTuple):
    """A finished run: what was ordered, where the result came from, its bytes."""

    run: str
    job: str
    params: Dict[str, Any]
    node: str
    origin: str
    body: bytes


class InUse(Exception):
    """Another agent works in this state directory."""


class Store:
    """One folder for one agent. A result is there when its note is: the body is written and synced first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runs = folder / "runs"
        self._runs.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = _locked(folder / "lock")
        for draft in self._runs.glob("*.draft"):
            draft.unlink()
        self.clear()

    def keep(self, kept: Kept) -> None:
        """Write a result down for good. Raises OSError when the disk does not take it."""
        note = {**kept._asdict(), "body": None, "body_sha256": body_sha256(kept.body)}
        self._write(self._runs / f"{kept.run}.body", kept.body)
        self._write(self._runs / f"{kept.run}.json", compact(note))
        self.clear()

    def find(self, run: str) -> Optional[Kept]:
        """The kept result of a run; None when there is none or its bytes are no longer what was kept."""
        try:
            note = json.loads((self._runs / f"{run}.json").read_bytes())
            body = (self._runs / f"{run}.body").read_bytes()
            is_whole = note.pop("body_sha256") == body_sha256(body)
            return Kept(**{**note, "body": body}) if is_whole else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def clear(self, now: Optional[float] = None) -> None:
        """Drop what is older than KEPT_S, then the oldest until KEPT_BYTES are left."""
        now = time.time() if now is None else now
        left = 0
        for stamp, size, name in sorted(self._dated(), reverse=True):
            left += size
            if left > KEPT_BYTES or now - stamp > KEPT_S:
                for ending in ("json", "body"):
                    with contextlib.suppress(FileNotFoundError):
                        (self._runs / f"{name}.{ending}").unlink()

    def _dated(self) -> List[Tuple[float, int, str]]:
        found = []
        for path in self._runs.glob("*.body"):
            with contextlib.suppress(FileNotFoundError):
                stat = path.stat()
                found.append((stat.st_mtime, stat.st_size, path.stem))
        return found

    def _write(self, path: Path, content: bytes) -> None:
        draft = path.with_suffix(f"{path.suffix}.draft")
        with open(draft, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)


def _locked(path: Path) -> IO[str]:
    """An open, locked file: two agents in one folder would end each other's tests."""
    file = open(path, "w")  # noqa: SIM115 - open as long as the agent runs
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise InUse(str(path.parent)) from None
    return file
