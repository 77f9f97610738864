"""Parsers against a bare split over the same text."""

from collections.abc import Callable

from benchmarks.timing import best_of
from gpucontract.measurements.parsers import registry
from gpucontract.measurements.parsers.capture import Capture

MEGABYTE = 10**6
NCCL_ROW = "  8589934592    2147483648     float     sum      -1  31254.1  274.84  480.97      0  31230.7  275.05  481.34      0\n"


def nccl_text(size_bytes: int) -> str:
    """A well-formed all_reduce output of about that many bytes: one header, then rows of growing size."""
    head = (
        "# nThread 1 nGpus 8 minBytes 134217728 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 "
        "agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n"
        + "".join(f"#  Rank  {i} Group  0 Pid   4211 on gpu-node-01 device  {i} [0000:{i}b:00] NVIDIA H100 80GB HBM3\n" for i in range(8))
        + "#\n#                                                              out-of-place                       in-place          \n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n"
    )  # fmt: skip
    count = (size_bytes - len(head)) // len(NCCL_ROW)
    rows = (NCCL_ROW.replace("8589934592", f"{8 * (1 << 20) + 4096 * row:10d}", 1) for row in range(count))
    return head + "".join(rows) + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 481.0\n#\n"


def nccl() -> tuple[float, float]:
    """Seconds for 4 MB of nccl-tests text, and for splitting it into words line by line."""
    text = nccl_text(4 * MEGABYTE)
    capture = Capture("nccl-tests all_reduce_perf", "all_reduce_perf -b 8M -e 8G -f 2 -g 8", text, exit_status=0)
    assert registry.read(capture).named("ranks")
    return best_of(lambda: registry.read(capture), 3), best_of(lambda: [line.split() for line in text.splitlines()], 3)


CASES: dict[str, Callable[[], tuple[float, float]]] = {"parse-nccl": nccl}
