"""Ten times the text against ten times the time for the text: a ratio above 1.2 means a parser that is not linear.

Every sample of the tests, repeated and with other text after it, and outputs of machines with many devices; the same
for what takes secrets out of a text. The one that grows most is told.
"""

import gc
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from benchmarks.timing import best_of
from gpucontract.agent.redaction import redact
from gpucontract.measurements.parsers import registry
from gpucontract.measurements.parsers.capture import Capture

Work = Callable[[], object]
# Ten times the text, and the text.
Works = tuple[Work, Work]
SAMPLES = Path(__file__).resolve().parent.parent / "tests" / "samples"
SMALL_BYTES = 100_000
SUSPECT, ROUNDS = 1.1, 6
# What prints one bare word has nothing to be recognised by.
NAMELESS = {"detect_virt": "systemd-detect-virt", "systemctl": "systemctl is-active"}
FILLER = "x: 1 2 3 (4) [5] {6} on / type a -> OST0001 : y 7% /z\t8.0\n"
FEW_LINES = 1000
HOSTILE = (
    "a", "://", "@", '"', "\\", "{", '"env":{', 'token":"', "KEY=", 'KEY="', 'KEY=\\"', "password='", "bearer ",
    "authorization:", "-----BEGIN PRIVATE KEY-----", "eyJaaaaaaaaa.", "sk-", '"env":[]', " \t",
)  # fmt: skip
CARD = "NVIDIA H100 80GB HBM3, GPU-{0:08x}-e35a-30ca-8bb7-6f9e7aa72e2a, 81559, 550.54.15, Enabled, 700.00"


def gpu_rows(count: int) -> str:
    """--query-gpu of so many GPUs without units, which says least about where a row ends."""
    head = "index, name, uuid, memory.total, driver_version, ecc.mode.current, power.limit\n"
    return head + "".join(f"{place}, {CARD.format(place)}\n" for place in range(count))


def matrix(count: int) -> str:
    """topo -m with so many cells: the square root of it in GPUs."""
    side = range(int(count**0.5))
    head = "\t" + "\t".join(f"GPU{column}" for column in side) + "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    cells = ("\t".join("X" if row == column else "NV18" for column in side) for row in side)
    return head + "".join(f"GPU{row}\t{line}\t0-55\t0\t\tN/A\n" for row, line in enumerate(cells))


def mounts(count: int) -> str:
    """findmnt of so many mounts."""
    listed = [
        {"target": f"/m{place}", "source": f"nas:/x{place}", "fstype": "nfs4", "options": "rw"}
        for place in range(count)
    ]
    return json.dumps({"filesystems": listed})


def drives(count: int) -> str:
    """lsblk of so many drives."""
    listed = [
        {"name": f"nvme{place}n1", "type": "disk", "size": 7681501126656, "tran": "nvme"} for place in range(count)
    ]
    return json.dumps({"blockdevices": listed})


def links(count: int) -> str:
    """nvlink -s of so many GPUs."""
    cards = (
        f"GPU {place}: NVIDIA H100 (UUID: GPU-{place:08x}-e35a-30ca-8bb7-6f9e7aa72e2a)\n" for place in range(count)
    )
    return "".join(card + "".join(f"\t Link {link}: 26.562 GB/s\n" for link in range(18)) for card in cards)


def events(count: int) -> str:
    """dmesg with so many Xid lines."""
    line = "[Sat Feb  7 03:13:58 2026] NVRM: Xid (PCI:0000:{0:02x}:00): {1}, pid=1, name=python3, Ch 0\n"
    return "".join(line.format(place % 250, 10 + place % 100) for place in range(count))


# Tool, what it prints, how many devices it prints first.
WIDE: tuple[tuple[str, Callable[[int], str], int], ...] = (
    ("nvidia-smi --query-gpu csv", gpu_rows, 1000),
    ("nvidia-smi topo -m", matrix, 1600),
    ("findmnt -J", mounts, 5000),
    ("lsblk -J", drives, 5000),
    ("nvidia-smi nvlink -s", links, 100),
    ("dmesg", events, 1000),
)


def growth() -> tuple[float, float]:
    """Seconds for ten times the text, and ten times those for the text, where they differ most.

    One noisy ratio in a hundred is always large, so a large one is measured again and the calmest round counts.
    """
    return _worst({name: _work(tool, small, large) for name, tool, small, large in _pairs()})


def redacting() -> tuple[float, float]:
    """The same for redact() over pieces of text that begin a secret and never end it."""
    texts = {piece: piece * (SMALL_BYTES // len(piece)) for piece in HOSTILE}
    return _worst({repr(piece): (partial(redact, text * 10), partial(redact, text)) for piece, text in texts.items()})


def _worst(works: Mapping[str, Works]) -> tuple[float, float]:
    # As timeit does: collections fall where they fall, not where the text is.
    gc.disable()
    found = {name: _calmest(*both) for name, both in works.items()}
    worst = max(found, key=lambda name: _ratio(found[name]))
    print(f"grows most of {len(found)}: {worst}", file=sys.stderr)
    return found[worst]


def _calmest(ten: Work, one: Work) -> tuple[float, float]:
    best = _times(ten, one)
    for _ in range(ROUNDS):
        if _ratio(best) > SUSPECT:
            best = min(best, _times(ten, one), key=_ratio)
    return best


def _ratio(times: tuple[float, float]) -> float:
    return times[0] / times[1]


def _pairs() -> Iterator[tuple[str, str, str, str]]:
    """A name, the tool, a text and ten times as much of it."""
    for tool, printed, count in WIDE:
        yield f"{tool} of many", tool, printed(count), printed(10 * count)
    for path in sorted(SAMPLES.glob("*/*")):
        text = path.read_text(encoding="utf-8")
        told = registry.recognise(text) or NAMELESS.get(path.parent.name)
        if told:
            small = text * (SMALL_BYTES // len(text) + 1)
            name = str(path.relative_to(SAMPLES))
            yield name, told, small, small * 10
            yield f"{name}, then other text", told, text + FILLER * FEW_LINES, text * 10 + FILLER * 10 * FEW_LINES


def _work(tool: str, small: str, large: str) -> Works:
    one, ten = (Capture(tool, tool, text, exit_status=0) for text in (small, large))
    return partial(registry.read, ten), partial(registry.read, one)


def _times(ten: Work, one: Work, repeats: int = 4) -> tuple[float, float]:
    return best_of(ten, repeats), 10 * best_of(one, 2 * repeats)


CASES: dict[str, Callable[[], tuple[float, float]]] = {"parse-growth": growth, "redact-growth": redacting}
