"""nvidia-smi -q -x: the XML log of schema v9 to v13."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from xml.etree import ElementTree

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cells import cell, number
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_facts import gpu_readings, is_dead
from gpucontract.measurements.parsers.gpu_remarks import gpu_findings, remark
from gpucontract.measurements.parsers.gpu_summaries import summaries
from gpucontract.measurements.parsers.nvidia_smi_errors import (
    DeadGpu,
    dead_findings,
    dead_gpus,
    dead_readings,
    exit_error,
    failure,
    warnings,
)
from gpucontract.measurements.parsers.outcomes import failed, printed

NAMES = ("gpu_count", "gpu_name", "gpu_memory_total_min", "driver_version", "cuda_driver_version")
START = re.compile(r"<\?xml\b[^>\n]{0,200}>|<!DOCTYPE nvidia_smi_log\b|<nvidia_smi_log\b")
END = "</nvidia_smi_log>"
# The document names its DTD and nothing more; a subset or an entity is not nvidia-smi's and could blow up the reader.
UNSAFE = re.compile(r"<!ENTITY|<!DOCTYPE[^>]*\[", re.IGNORECASE)


def parse(capture: Capture) -> Parsed:
    """Every fact per GPU, the worst over the machine, MIG slices; sums of all uncorrectable counters."""
    text = cleaned(capture.stdout)
    start = START.search(text)
    if start is None:
        return failure(capture, NAMES, "an XML document <nvidia_smi_log>")
    end = text.find(END)
    document = text[start.start() : end + len(END)] if end >= 0 else ""
    around = (text[: start.start()] + "\n" + text[end + len(END) :]).strip()
    dead = dead_gpus(printed(capture))
    error = _broken(document, around) or exit_error(capture, dead)
    if error:
        return failed(error, *NAMES, findings=dead_findings(dead))
    try:
        root = ElementTree.fromstring(document)
    except ElementTree.ParseError as problem:
        return failed(f"xml_broken: {problem}; capture the output again", *NAMES)
    return _parsed(root, around, dead)


def _broken(document: str, around: str) -> str:
    if not document:
        return f"output_truncated: the XML has no closing {END}"
    if END in around or "<nvidia_smi_log" in around:
        return "two_outputs: two XML documents in one capture; keep one run per capture"
    if UNSAFE.search(document):
        return "xml_unsafe: the XML declares entities or a DTD of its own, which nvidia-smi never does"
    return ""


def _parsed(root: ElementTree.Element, around: str, dead: tuple[DeadGpu, ...]) -> Parsed:
    elements = root.findall("gpu")
    attached = number(root.findtext("attached_gpus", "").strip())
    readings: list[Reading] = []
    for index, element in enumerate(elements):
        leaves = dict(_leaves(element))
        if is_dead(leaves):
            dead = (*dead, DeadGpu(element.get("id", ""), str(index), f'<gpu id="{element.get("id", "")}">'))
        else:
            readings += gpu_readings(leaves, f"gpu{index}")
    counted = _count(attached, len(elements), len({reading.scope for reading in readings}))
    remarks = [remark("gpus_not_described", attached=attached, described=len(elements))] if counted.why else []
    return Parsed(
        (counted, *_versions(root), *_slices(root), *summaries(readings), *dead_readings(dead), *readings),
        (*dead_findings(dead), *gpu_findings(readings), *remarks, *_around(around), *warnings(around)),
    )


def _count(attached: Decimal | None, described: int, alive: int) -> Reading:
    """With -i fewer GPUs are described than are attached: neither number counts the machine's readable GPUs."""
    line = f"<attached_gpus>{attached}</attached_gpus>"
    if attached is not None and attached != described:
        return Reading("gpu_count", None, why="gpus_not_described", line=line)
    return Reading("gpu_count", alive, line=line)


# The names in newer drivers (610), then those before.
VERSIONS = (
    ("driver_version", ("kmd_version", "driver_version")),
    ("cuda_driver_version", ("cuda_umd_version", "cuda_version")),
)


def _versions(root: ElementTree.Element) -> Iterator[Reading]:
    for name, tags in VERSIONS:
        told = ((tag, text) for tag in tags if (text := root.findtext(tag)) is not None)
        tag, text = next(told, ("", ""))
        if tag:
            yield cell(name, text, "text", line=f"<{tag}>{text.strip()}</{tag}>")


def _leaves(gpu: ElementTree.Element) -> Iterator[tuple[str, tuple[str, str]]]:
    """Leaf texts by path below the gpu element; MIG slices are left out, they repeat the GPU's own tags."""
    stack = [(child, child.tag) for child in gpu if child.tag != "mig_devices"]
    while stack:
        element, path = stack.pop()
        if len(element):
            stack += [(child, f"{path}/{child.tag}") for child in element]
        elif element.text and element.text.strip():
            text = " ".join(element.text.split())
            yield path.lower(), (text, f"<{element.tag}>{text}</{element.tag}>")


def _slices(root: ElementTree.Element) -> Iterator[Reading]:
    slices = root.findall("gpu/mig_devices/mig_device")
    yield Reading("mig_devices", len(slices))
    sizes = [number(slice_.findtext("fb_memory_usage/total", "").strip(), "MiB") for slice_ in slices]
    known = [size for size in sizes if isinstance(size, Decimal)]
    if known:
        yield Reading("mig_device_memory_min", min(known), "MiB", line=f"<total>{min(known)} MiB</total>")


def _around(text: str) -> Iterator[Finding]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines:
        yield remark("text_around", count=len(lines), line=lines[0][:200])
