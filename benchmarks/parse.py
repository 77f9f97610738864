"""Parsers and the filter for secrets against the least that reading the same text takes."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.timing import best_of
from gpucontract.agent.redaction import redact
from gpucontract.measurements.parsers import registry
from gpucontract.measurements.parsers.capture import Capture

MEGABYTE = 10**6
ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "demo" / "recordings" / "gpu-node-01"
UUID, BUS = "GPU-68638e3f-e35a-30ca-8bb7-6f9e7aa72e2a", ":1B:00.0"
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
    return best_of(lambda: registry.read(capture), 9), best_of(lambda: [line.split() for line in text.splitlines()], 9)


def smi_xml() -> tuple[float, float]:
    """Seconds for nvidia-smi -q -x of 64 GPUs, and for building the same tree."""
    head, card, tail = _cards((RECORDED / "health__1__nvidia-smi-q-x.xml").read_text(encoding="utf-8"))
    cards = (
        card.replace(UUID, f"GPU-{place:08x}{UUID[12:]}").replace(BUS, f":{place + 1:02X}:00.0") for place in range(64)
    )
    text = head.replace("<attached_gpus>8<", "<attached_gpus>64<") + "".join(cards) + tail
    capture = Capture("nvidia-smi -q -x", "nvidia-smi -q -x", text, exit_status=0)
    assert registry.read(capture).named("gpu_count")[0].value == 64
    return best_of(lambda: registry.read(capture)), best_of(lambda: ElementTree.fromstring(text))


def _cards(text: str) -> tuple[str, str, str]:
    """What stands before the cards, the first card, and what stands after them."""
    first, end, last = (
        text.index("<gpu id="),
        text.index("</gpu>") + len("</gpu>"),
        text.rindex("</gpu>") + len("</gpu>"),
    )
    return text[:first], text[first:end], text[last:]


def fio() -> tuple[float, float]:
    """Seconds for a fio document of 256 jobs, and for decoding it."""
    document = json.loads((RECORDED / "storage__1__fio-JSON.json").read_text(encoding="utf-8"))
    document["jobs"] = document["jobs"] * 256
    text = json.dumps(document, indent=2)
    capture = Capture("fio JSON", "fio --output-format=json", text, exit_status=0)
    assert registry.read(capture).named("read_bw")
    return best_of(lambda: registry.read(capture)), best_of(lambda: json.loads(text))


def redaction() -> tuple[float, float]:
    """Seconds for filtering 4 MB without secrets, and for splitting it into words line by line."""
    text = nccl_text(4 * MEGABYTE)
    assert redact(text) == (text, [])
    return best_of(lambda: redact(text), 3), best_of(lambda: [line.split() for line in text.splitlines()], 3)


CASES: dict[str, Callable[[], tuple[float, float]]] = {
    "parse-nccl": nccl,
    "parse-smi-xml": smi_xml,
    "parse-fio": fio,
    "redact": redaction,
}
