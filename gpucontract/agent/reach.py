"""Programs on another machine: one fixed way over SSH, the words quoted for the shell over there."""

from __future__ import annotations

import shlex
from typing import Tuple

SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10")


def at(host: str, words: Tuple[str, ...]) -> Tuple[str, ...]:
    """The words that run a program on that host; on this machine where the host is ""."""
    # SSH hands one line to a shell on the other side, so it is quoted for that shell.
    return (*SSH, host, " ".join(map(shlex.quote, words))) if host else words
