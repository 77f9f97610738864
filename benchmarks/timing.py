"""Processor time, best of several repeats, so that a busy machine disturbs less."""

import time
from collections.abc import Callable


def best_of(work: Callable[[], object], repeats: int = 5) -> float:
    """The shortest of several runs, in seconds of this process's own work."""
    return min(_once(work) for _ in range(repeats))


def _once(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
