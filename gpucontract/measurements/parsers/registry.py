"""Which function reads which tool: one table of names, one table of signs for outputs whose tool is not named."""

from __future__ import annotations

import logging
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
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.host_tools import HOST_SIGNS, HOST_TOOLS

logger = logging.getLogger(__name__)

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

# Signs stand near the beginning; a text of many megabytes is not searched through for each of them.
LOOKED_AT = 10**6

TOOLS: dict[str, Parser] = GPU_TOOLS | HOST_TOOLS

DAY, DATE, CLOCK = "[A-Z][a-z]{2} [A-Z][a-z]{2}", "2[0-9]{3}-[0-9]{2}-[0-9]{2}", "[0-9]{2}:[0-9]{2}:[0-9]{2}"

# First match wins, so a sign that also occurs inside another tool's output stands below that tool's own.
GPU_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (tool, re.compile(sign, re.MULTILINE))
    for tool, sign in (
        ("nvidia-smi -q -x", r"^<nvidia_smi_log|^<!DOCTYPE nvidia_smi_log"),
        ("nvidia-smi -q", r"^=+NVSMI LOG=+"),
        ("nvidia-smi", r"^\| NVIDIA-SMI |^NVIDIA-SMI version +: [0-9]"),
        (
            "nccl-tests",
            r"^[ \t]*# nThread [0-9]+ nGpus [0-9]+|^# Collective test |^[ \t]*# +size +count +type "
            r"|Test (?:NCCL|CUDA) failure",
        ),
        ("nccl-tests -J", r'^\{.{0,200000}"average_bus_bandwidth"|"step_factor" ?:'),
        ("nvbandwidth", r'^nvbandwidth Version|^[ \t]*"nvbandwidth" ?:|^Running [a-z0-9_]{1,80}_(?:ce|sm)\.'),
        ("p2pBandwidthLatencyTest", r"^\[P2P \(Peer-to-Peer\)|^P2P Connectivity Matrix|^(?:Uni|Bi)directional P2P="),
        (
            "dcgmi diag -j",
            r'"DCGM (?:GPU )?Diagnostic" ?:|Unable to connect to host engine|^\| Diagnostic +\| Result',
        ),
        ("nvidia-smi nvlink", r"^[ \t]*Link [0-9]{1,3}: (?:[0-9.]+ GB/s|<inactive>|[A-Z][A-Za-z ]+: +[0-9]+)[ \t]*$"),
        (
            "nvidia-smi nvlink",
            r"[Nn][Vv][Ll]ink information as all links are [Ii]n[Aa]ctive"
            r"|^Device does not have or support N[Vv][Ll]ink",
        ),
        ("nvidia-smi topo -p2p", r"^[ \t]*GPU0[ \t]+X[ \t]+(?:OK|CNS|GNS|TNS|NS|DR|U)\b"),
        ("nvidia-smi topo -m", r"^[ \t]*GPU0[ \t]+(?:GPU1\b|X[ \t]).{0,2000}$"),
        ("nvidia-smi -L", r"^GPU [0-9]{1,3}: .{1,120}\(UUID: GPU-"),
        (
            "nvidia-smi --query-compute-apps",
            r"^(?:pid|process_name|timestamp|gpu_[a-z_]{1,20}), .*\b(?:pid|process_name)\b",
        ),
        (
            "nvidia-smi --query-gpu",
            r"^(?:index|count|timestamp|name|uuid|serial|[a-z_]+\.[a-zA-Z0-9_.]+|driver_version|gpu_[a-z_]{1,20})"
            r"(?: \[\S{1,12}\])?(?:, [a-z][A-Za-z0-9_.]*(?: \[\S{1,12}\])?)+[ \t]*$",
        ),
        ("nvidia-smi", r"NVIDIA-SMI has failed|Failed to initialize NVML|^No devices were found|device handle for"),
        ("nvidia-smi", r'^Field ".{1,200}" is not a valid field to query'),
        ("dmesg", r"NVRM: Xid |SXid \(PCI:|^(?:<[0-9]{1,3}>)?\[ *[0-9]{1,9}\.[0-9]{6}\] |^dmesg: |^kern +:[a-z]+ *: "),
        # Without an Xid in it, the kernel's log is told by the time before each line: raw, dmesg -T, ISO, journal.
        ("dmesg", r"^[0-9]{1,3},[0-9]{1,12},[0-9]{1,16},[-c][^;\n]{0,80};"),
        ("dmesg", rf"^\[{DAY} [ 0-9]{{1,3}} {CLOCK} 2[0-9]{{3}}\] |^{DATE}T{CLOCK},[0-9]{{6}}\S{{0,6}} "),
        ("dmesg", rf"^(?:[A-Z][a-z]{{2}} [ 0-9]{{2}} {CLOCK}|{DATE}T{CLOCK}\S{{0,16}}) \S{{1,80}} kernel: "),
        (
            "nvidia-smi --query-gpu",
            r"^(?:[0-9]{1,3}, )?(?:NVIDIA|Tesla|Quadro|GeForce) [^,\n]{2,60}, (?:[0-9.]+(?: [MW%]\S*)?|\[?N/A|GPU-)",
        ),
    )
)


def read(capture: Capture) -> Parsed:
    """Read one capture with the parser of its tool.

    A parser that breaks is a fault of ours; it costs its own output, never a stage, a folder or a page.
    """
    tool = tool_of(capture)
    if not tool:
        return Parsed(error=f"unknown_tool: no parser knows {capture.tool!r} and the text has no sign of a known tool")
    try:
        return TOOLS[_known(tool)](capture)
    except Exception as fault:
        logger.exception("the parser of %r broke", tool)
        return Parsed(error=f"parser_broke: {type(fault).__name__}: {fault}"[:300])


def tool_of(capture: Capture) -> str:
    """The tool that was named, else the one its command starts, else the one it prints like; "" when none is known."""
    for name in (capture.tool, capture.command):
        if known := _known(name):
            return known
    return recognise(capture.stdout) or recognise(capture.stderr) or ""


def recognise(text: str) -> str | None:
    """The tool whose output this looks like, by the first sign found; None when nothing fits."""
    text = text[:LOOKED_AT]
    # A tool that complains begins every line with its own name, which looks like a launcher's prefix.
    for said in dict.fromkeys((cleaned(text), text)):
        for tool, sign in GPU_SIGNS + HOST_SIGNS:
            if sign.search(said):
                return tool
    return None


def _known(tool: str) -> str:
    """The longest leading words of a name that a parser is listed under: 'nvidia-smi topo -m' before 'nvidia-smi'."""
    words = tool.split()
    for count in range(len(words), 0, -1):
        name = " ".join([words[0].rpartition("/")[2], *words[1:count]])
        if name in TOOLS:
            return name
    return ""
