"""Which function reads which tool: one table of names, one table of signs for outputs whose tool is not named."""

from __future__ import annotations

import re
from collections.abc import Callable

from gpucontract.measurements.parsers import (
    dcgmi,
    dmesg,
    nccl_tests,
    nvbandwidth,
    nvidia_smi,
    nvlink,
    p2p_latency,
    topo,
    topo_p2p,
)
from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.host_tools import HOST_SIGNS, HOST_TOOLS

Parser = Callable[[Capture], Parsed]

GPU_TOOLS: dict[str, Parser] = {
    "nccl-tests": nccl_tests.parse,
    "nvidia-smi": nvidia_smi.parse,
    "nvidia-smi topo": topo.parse,
    "nvidia-smi topo -p2p": topo_p2p.parse,
    "nvidia-smi nvlink": nvlink.parse,
    "nvbandwidth": nvbandwidth.parse,
    "p2pBandwidthLatencyTest": p2p_latency.parse,
    "dcgmi diag": dcgmi.parse,
    "dmesg": dmesg.parse,
}

TOOLS: dict[str, Parser] = GPU_TOOLS | HOST_TOOLS

# First match wins, so a sign that also occurs inside another tool's output stands below that tool's own.
GPU_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = ()


def read(capture: Capture) -> Parsed:
    """Read one capture with its tool's parser; a tool nobody named is recognised by what it printed."""
    parse = _parser(capture.tool)
    if parse is None:
        tool = recognise(capture.stdout) or recognise(capture.stderr)
        parse = _parser(tool) if tool else None
    if parse is None:
        return Parsed(error=f"unknown_tool: no parser knows {capture.tool!r} and the text has no sign of a known tool")
    return parse(capture)


def recognise(text: str) -> str | None:
    """The tool whose output this looks like, by the first sign found; None when nothing fits."""
    for tool, sign in GPU_SIGNS + HOST_SIGNS:
        if sign.search(text):
            return tool
    return None


def _parser(tool: str) -> Parser | None:
    """The parser for the longest leading words of the name: 'nvidia-smi topo -m' before 'nvidia-smi'."""
    words = tool.split()
    for count in range(len(words), 0, -1):
        parse = TOOLS.get(" ".join([words[0].rpartition("/")[2], *words[1:count]]))
        if parse is not None:
            return parse
    return None
