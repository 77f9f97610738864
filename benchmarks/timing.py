"""Best of several repeats, so that a busy machine disturbs less."""

import time
from collections.abc import Callable


def best_of(work: Callable[[], object], repeats: int = 5) -> float:
    """The shortest of several runs, in seconds."""
    return min(_once(work) for _ in range(repeats))


def _once(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
