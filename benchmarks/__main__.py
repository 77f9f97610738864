"""python -m benchmarks [NAME...]: one line a case, each measured in a process of its own."""

import resource
import subprocess
import sys
from collections.abc import Callable

from benchmarks import drafting, growth, judge, parse, store

CASES: dict[str, Callable[[], tuple[float, float]]] = {
    **parse.CASES,
    **growth.CASES,
    **judge.CASES,
    **drafting.CASES,
    **store.CASES,
}


def measure(name: str) -> None:
    """Run one case here and print its line: ours and the floor in seconds, their ratio, this process's peak memory."""
    ours_s, floor_s = CASES[name]()
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"bench {name} ours_s={ours_s:.4f} floor_s={floor_s:.4f} ratio={ours_s / floor_s:.2f} peak_mb={peak_mb:.0f}")


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in CASES]
    if unknown:
        print(f"no benchmark called {', '.join(unknown)}; there are {', '.join(CASES)}")
        return 2
    if len(names) == 1:
        measure(names[0])
        return 0
    return max(subprocess.call([sys.executable, "-m", "benchmarks", name]) for name in names or CASES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
