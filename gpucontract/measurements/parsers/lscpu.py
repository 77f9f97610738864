"""lscpu, as text or JSON (flat or nested): CPU(s) counts threads; cores are cores per socket times sockets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.json_documents import cut_documents, cut_text, fields, items, only_document
from gpucontract.measurements.parsers.keyed_lines import keyed_lines
from gpucontract.measurements.parsers.outcomes import absent, failed, run_error
from gpucontract.measurements.parsers.sizes import whole
from gpucontract.wording import Text

NAMES = (
    "cpus", "cores", "sockets", "threads_per_core", "cpu_model", "numa_nodes", "hypervisor", "cpus_online",
)  # fmt: skip
COUNTS = {
    "cpus": ("CPU(s)",),
    "sockets": ("Socket(s)", "CPU socket(s)"),
    "threads_per_core": ("Thread(s) per core",),
    "numa_nodes": ("NUMA node(s)",),
}
WORDS = {"cpu_model": "Model name", "hypervisor": "Hypervisor vendor"}
OFFLINE = Text(
    "{count} 个逻辑 CPU 处于离线状态。请供应方用 chcpu -e 启用，或说明原因。",
    "{count} logical CPUs are off line. Ask the vendor to enable them with chcpu -e or to explain.",
)

Lines = dict[str, list[str]]


def parse(capture: Capture) -> Parsed:
    """cpus (threads), cores (per socket x sockets), sockets, model, NUMA nodes, hypervisor and CPUs on line."""
    text = cleaned(capture.stdout)
    error = run_error(capture)
    findings: tuple[Finding, ...] = ()
    if not error and ('"lscpu"' in text or text.lstrip().startswith("{")):
        cut = cut_documents(text)
        document, error = only_document(cut, "lscpu", "lscpu")
        lines, findings = _grouped(_walked(document.get("lscpu"))), cut_text(cut)
    else:
        lines = _grouped((line.key, line.value) for line in keyed_lines(text))
    error = error or _layout_error(lines)
    if error:
        return failed(error, *NAMES)
    readings = _readings(lines)
    return Parsed(readings, findings + _offline(readings))


def _walked(entries: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every field and value of the list and, in the nested form, of the children."""
    for entry in items(entries):
        field, data = fields(entry).get("field"), fields(entry).get("data")
        if isinstance(field, str) and isinstance(data, str):
            yield field.rstrip(":"), data
        if depth < 20:
            yield from _walked(fields(entry).get("children"), depth + 1)


def _grouped(pairs: Any) -> Lines:
    lines: Lines = {}
    for key, value in pairs:
        lines.setdefault(key, []).append(value)
    return lines


def _layout_error(lines: Lines) -> str:
    if len(lines.get("CPU(s)", ())) > 1 or len(lines.get("Architecture", ())) > 1:
        return "two_outputs: 'CPU(s)' stands there more than once; keep one run per capture"
    if "CPU(s)" not in lines:
        return "lscpu_unknown: no line 'CPU(s)'; run lscpu with LC_ALL=C and without -e or -p"
    return ""


def _readings(lines: Lines) -> tuple[Reading, ...]:
    counts = {name: _count(name, keys, lines) for name, keys in COUNTS.items()}
    words = tuple(_word(name, key, lines) for name, key in WORDS.items())
    return (*counts.values(), _cores(lines, counts["sockets"]), *words, _online(lines))


def _only(keys: tuple[str, ...], lines: Lines) -> tuple[str, str]:
    """The key and value of the one line among these keys; a blank value when there is none or more than one."""
    found = [(key, value) for key in keys for value in lines.get(key, ())]
    return found[0] if len(found) == 1 else (keys[0], "")


def _count(name: str, keys: tuple[str, ...], lines: Lines) -> Reading:
    key, value = _only(keys, lines)
    number = whole(value)
    if number is None:
        return absent(_why(keys, lines), name)[0]
    return Reading(name, number, line=f"{key}: {value}")


def _why(keys: tuple[str, ...], lines: Lines) -> str:
    found = sum(len(lines.get(key, ())) for key in keys)
    return "not_printed" if not found else "unreadable" if found == 1 else "several_cpu_types"


def _cores(lines: Lines, sockets: Reading) -> Reading:
    """Cores of the machine; Arm without sockets prints cores per cluster and clusters."""
    if "Core(s) per cluster" in lines:
        keys, groups = ("Core(s) per cluster",), _count("clusters", ("Cluster(s)",), lines)
    else:
        keys, groups = ("Core(s) per socket",), sockets
    key, value = _only(keys, lines)
    each = whole(value)
    if each is None:
        return absent(_why(keys, lines), "cores")[0]
    if not isinstance(groups.value, int):
        return absent(groups.why, "cores", line=f"{key}: {value}")[0]
    return Reading("cores", each * groups.value, line=f"{key}: {value}; {groups.line}")


def _word(name: str, key: str, lines: Lines) -> Reading:
    value = _only((key,), lines)[1]
    if value in ("", "-"):
        return absent(_why((key,), lines), name)[0]
    return Reading(name, value, line=f"{key}: {value}")


def _online(lines: Lines) -> Reading:
    value = _only(("On-line CPU(s) list",), lines)[1]
    counts = [_span(part) for part in value.split(",")]
    numbers = [count for count in counts if count is not None]
    if len(numbers) != len(counts):
        return absent(_why(("On-line CPU(s) list",), lines), "cpus_online")[0]
    return Reading("cpus_online", sum(numbers), line=f"On-line CPU(s) list: {value}"[:200])


def _span(part: str) -> int | None:
    first, dash, last = part.partition("-")
    start, end = whole(first), whole(last if dash else first)
    return end - start + 1 if start is not None and end is not None and end >= start else None


def _offline(readings: tuple[Reading, ...]) -> tuple[Finding, ...]:
    values = {reading.name: reading.value for reading in readings}
    cpus, online = values["cpus"], values["cpus_online"]
    if isinstance(cpus, int) and isinstance(online, int) and online < cpus:
        return (Finding("cpus_offline", OFFLINE.fill(count=cpus - online)),)
    return ()
