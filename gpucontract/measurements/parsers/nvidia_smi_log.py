"""nvidia-smi -q as text, whole or by -d: keys repeat under different headings, so indentation decides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cells import cell, number
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_facts import gpu_readings, is_dead
from gpucontract.measurements.parsers.gpu_remarks import gpu_findings, remark
from gpucontract.measurements.parsers.gpu_summaries import summaries
from gpucontract.measurements.parsers.nvidia_smi_errors import (
    BUS_ID,
    DeadGpu,
    dead_findings,
    dead_gpus,
    dead_readings,
    exit_error,
    failure,
    warnings,
)
from gpucontract.measurements.parsers.nvidia_smi_fields import CHOSEN
from gpucontract.measurements.parsers.outcomes import failed, printed

NAMES = ("gpu_count", "gpu_name", "gpu_memory_total_min", "driver_version", "cuda_driver_version")
BANNER = re.compile(r"^=+NVSMI LOG=+\s*$", re.MULTILINE)
GPU = re.compile(rf"^GPU ({BUS_ID})\s*$")
ATTACHED = re.compile(r"^Attached GPUs +: ([0-9]{1,4})\s*$", re.MULTILINE)
# The names in newer drivers (610), then those before.
VERSIONS = (
    ("driver_version", ("KMD Version", "Driver Version")),
    ("cuda_driver_version", ("CUDA UMD Version", "CUDA Version")),
)
SLICE = "mig device"
LAST_SECTION = "processes"

Entry = tuple[str, str, str]


def parse(capture: Capture) -> Parsed:
    """Every fact per GPU and the worst over the machine; with -d only the sections asked for."""
    text = cleaned(capture.stdout)
    banners = len(BANNER.findall(text))
    if not banners:
        return failure(capture, NAMES, "the banner ==============NVSMI LOG==============")
    dead = dead_gpus(printed(capture))
    gpus = list(_sections(text))
    error = _broken(capture, text, banners, gpus) or exit_error(capture, dead)
    if error:
        return failed(error, *NAMES, findings=dead_findings(dead))
    return _parsed(text, gpus, dead)


def _sections(text: str) -> Iterator[tuple[str, list[Entry]]]:
    """Bus id and (path, value, line) of each GPU; blank lines may stand inside a block."""
    bus_id = ""
    entries: list[Entry] = []
    heads: list[tuple[int, str]] = []
    for line in text.splitlines():
        found = GPU.match(line)
        if found:
            if bus_id:
                yield bus_id, entries
            bus_id, entries, heads = found[1], [], []
        elif bus_id and line.strip():
            entries.append(_entry(line, heads))
    if bus_id:
        yield bus_id, entries


def _entry(line: str, heads: list[tuple[int, str]]) -> Entry:
    """The path and value of a line; any line may head deeper ones (the lines of a process nest below its number)."""
    line = line.expandtabs(4).rstrip()
    depth = len(line) - len(line.lstrip())
    key, _, value = line.strip().partition(" : ")
    key = key.strip(" :").lower()
    while heads and heads[-1][0] >= depth:
        heads.pop()
    path = "/".join([*(head for _, head in heads), key])
    heads.append((depth, key))
    return path, value.strip(), line.strip()


def _broken(capture: Capture, text: str, banners: int, gpus: Sequence[tuple[str, list[Entry]]]) -> str:
    if banners > 1:
        return f"two_outputs: {banners} logs in one capture; keep one run per capture"
    attached = ATTACHED.search(text)
    if attached is None or (int(attached[1]) != len(gpus) and not (gpus and CHOSEN.search(capture.command))):
        told = attached[1] if attached else "no number of"
        return f"output_truncated: {told} attached GPUs but {len(gpus)} described"
    if not any("/" in path for _, entries in gpus for path, _, _ in entries):
        return "indentation_lost: the headings cannot be told from their values; capture the output again"
    return "" if _ends_whole(text, gpus) else "output_truncated: the description of the last GPU breaks off"


def _ends_whole(text: str, gpus: Sequence[tuple[str, list[Entry]]]) -> bool:
    """The last GPU tells as much in the first one's last section; a blank line closes what has no list of processes."""
    if not gpus:
        return text.endswith("\n")
    first, last = ([path for path, _, _ in gpus[at][1]] for at in (0, -1))
    closing = next((path for path in reversed(first) if "/" not in path), "")
    if closing == LAST_SECTION:
        return closing in last
    wanted = {path for path in first if path == closing or path.startswith(f"{closing}/")}
    return wanted <= set(last) and bool(BLANK_END.search(text))


BLANK_END = re.compile(r"\n[ \t]*\n\s*$")


def _parsed(text: str, gpus: Sequence[tuple[str, list[Entry]]], dead: tuple[DeadGpu, ...]) -> Parsed:
    readings: list[Reading] = []
    slices: list[str] = []
    for index, (bus_id, entries) in enumerate(gpus):
        leaves = {path: (value, line) for path, value, line in reversed(entries) if value}
        if is_dead(leaves):
            dead = (*dead, DeadGpu(bus_id, str(index), f"GPU {bus_id}"))
        else:
            scope = f"gpu{index}"
            leaves.setdefault("pci/bus id", (bus_id, f"GPU {bus_id}"))
            readings += gpu_readings(leaves, scope)
            slices += [value for path, value, _ in entries if path.startswith(SLICE) and path.endswith(MIG_MEMORY)]
    count = _count(text, len(gpus), len({reading.scope for reading in readings}))
    remarks = [remark("gpus_not_described", attached=count.line, described=len(gpus))] if count.why else []
    return Parsed(
        (count, *_versions(text), *_slices(gpus, slices), *summaries(readings), *dead_readings(dead), *readings),
        (*dead_findings(dead), *gpu_findings(readings), *remarks, *warnings(text)),
    )


def _count(text: str, described: int, alive: int) -> Reading:
    """With -i fewer GPUs are described than are attached: neither number counts the machine's readable GPUs."""
    attached = ATTACHED.search(text)
    told = attached[1] if attached else ""
    if told != str(described):
        return Reading("gpu_count", None, why="gpus_not_described", line=told)
    return Reading("gpu_count", alive, line=f"Attached GPUs : {told}")


MIG_MEMORY = "/fb memory usage/total"


def _versions(text: str) -> Iterator[Reading]:
    for name, keys in VERSIONS:
        lines = (re.search(rf"^{key} +: (.+)$", text, re.MULTILINE) for key in keys)
        found = next(filter(None, lines), None)
        if found:
            yield cell(name, found[1], "text", line=found[0].strip())


def _slices(gpus: Sequence[tuple[str, list[Entry]]], sizes: Sequence[str]) -> Iterator[Reading]:
    count = sum(path == f"{SLICE}/index" for _, entries in gpus for path, _, _ in entries)
    if any(path.startswith("mig mode") for _, entries in gpus for path, _, _ in entries):
        yield Reading("mig_devices", count)
    known = [size for text in sizes if isinstance(size := number(text, "MiB"), Decimal)]
    if known:
        yield Reading("mig_device_memory_min", min(known), "MiB", line=f"Total : {min(known)} MiB")
