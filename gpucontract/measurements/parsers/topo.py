"""nvidia-smi topo -m: how GPUs, and GPUs and network cards, reach each other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_matrix import Matrix, Row, matrix
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.nvidia_smi_errors import failure
from gpucontract.measurements.parsers.outcomes import absent, failed, run_error

NAMES = (
    "gpu_count", "nvlink_pairs", "nvlink_links_min", "nvlink_links_max", "worst_link", "nics", "numa_nodes",
    "gpus_with_pix_nic", "gpus_with_pxb_nic",
)  # fmt: skip
PAIR_NAMES = NAMES[1:5]
RELATION = re.compile(r"X|NV([0-9]{1,2})|PIX|PXB|PHB|NODE|SYS|SOC")
# From near to far; SOC is the old name of SYS.
DISTANCES = ("PIX", "PXB", "PHB", "NODE", "SYS", "SOC")
LEGEND = re.compile(r"^\s*(NIC[0-9]{1,3}): +(\S+)\s*$", re.MULTILINE)
# topo -mp leaves NVLink out: cards joined by it show as NODE or SYS. Its legend has every relation but that one.
PCIE_OPTION = re.compile(r"\s(?:-mp|--matrix_pci)(?=\s|$)")
PCIE_LEGEND = frozenset({"SYS", "NODE", "PHB", "PXB", "PIX"})
EXPLAINED = re.compile(r"^\s*(NV#|SYS|NODE|PHB|PXB|PIX) += ", re.MULTILINE)
NUMA_NODE = re.compile(r"[0-9]{1,4}(?:-[0-9]{1,4})?(?:,[0-9]{1,4}(?:-[0-9]{1,4})?)*")

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Link:
    """One relation word and the row that shows it."""

    word: str
    line: str

    @property
    def count(self) -> int:
        """How many NVLinks; 0 for every other relation."""
        found = RELATION.fullmatch(self.word)
        return int(found[1] or 0) if found else 0


def parse(capture: Capture) -> Parsed:
    """Relation per GPU pair and per GPU and card, NVLinks per GPU, NUMA nodes; rows and columns must agree."""
    text = cleaned(capture.stdout)
    found = matrix(text)
    if found is None:
        return failure(capture, NAMES, "a header line of GPU0, GPU1, ... columns")
    error = _broken(found) or run_error(capture)
    if error:
        return failed(error, *NAMES)
    links, differing = _links(found)
    if differing:
        return failed(f"topo_asymmetric: {differing}", *NAMES)
    if not links and len(found.gpus) > 1:
        return failed("topo_unreadable: no relation between two GPUs can be read", *NAMES)
    if _is_pcie_only(capture.command, text):
        readings = [Reading("gpu_count", len(found.gpus), line=" ".join(found.columns)), *_numa(found)]
        return Parsed((*readings, *absent("pcie_only", *PAIR_NAMES), *_cards(text, found)))
    return _parsed(text, found, links)


def _is_pcie_only(command: str, text: str) -> bool:
    return bool(PCIE_OPTION.search(command)) or set(EXPLAINED.findall(text)) == PCIE_LEGEND


def _broken(found: Matrix) -> str:
    if found.headers > 1:
        return f"two_outputs: {found.headers} matrices in one capture; keep one run per capture"
    labels = [row.label for row in found.rows]
    if len(set(labels)) < len(labels):
        return "two_outputs: a device has two rows; keep one run per capture"
    missing = [name for name in found.gpus if name not in labels]
    if missing:
        return f"output_truncated: {missing[0]} has a column but no row"
    if labels[-1] == found.gpus[-1] and not found.ends_whole:
        return "output_truncated: the last row has no end"
    return ""


def _links(found: Matrix) -> tuple[dict[Pair, Link], str]:
    """The relation of each GPU pair, and the first pair whose two cells differ. One readable cell is enough."""
    rows = {row.label: row for row in found.rows}
    cells = {gpu: _relations(rows[gpu], found) for gpu in found.gpus}
    links: dict[Pair, Link] = {}
    for first, left in enumerate(found.gpus):
        for second in range(first + 1, len(found.gpus)):
            right = found.gpus[second]
            there, back = cells[left].get(right), cells[right].get(left)
            if there and back and there != back:
                return {}, f"{left} shows {there} to {right}, {right} shows {back} to {left}"
            if there or back:
                links[first, second] = Link(there or back or "", rows[left if there else right].line)
    return links, ""


def _relations(row: Row, found: Matrix) -> dict[str, str]:
    """Readable cells by column, up to the first that cannot be read: behind it the cells may have shifted.

    A row whose X does not stand in its own column has shifted already.
    """
    read: dict[str, str] = {}
    own = found.columns.index(row.label)
    if [at for at, cell in enumerate(row.cells[: len(found.columns)]) if cell == "X"] != [own]:
        return read
    for column, cell in zip(found.columns, row.cells, strict=False):
        if not RELATION.fullmatch(cell):
            break
        read[column] = cell
    return read


def _parsed(text: str, found: Matrix, links: Mapping[Pair, Link]) -> Parsed:
    per_gpu = [Reading("nvlink_links", count, scope=f"gpu{gpu}", line=line) for gpu, count, line in _best(found, links)]
    pairs = [Reading("topo_link", link.word, scope=_scope(pair), line=link.line) for pair, link in links.items()]
    header = Reading("gpu_count", len(found.gpus), line=" ".join(found.columns))
    whole = [header, *_pair_readings(found, links), *_numa(found)]
    degraded, remarks = _degraded(per_gpu)
    unread = [remark("topo_nic_row_unreadable", f"gpu{gpu}") for gpu in _without_nics(found, dict(_nic_links(found)))]
    return Parsed((*whole, *degraded, *per_gpu, *pairs, *_cards(text, found)), (*remarks, *unread))


def _cards(text: str, found: Matrix) -> Iterator[Reading]:
    """How each GPU reaches each network card, and the counts of that."""
    nics, legend = dict(_nic_links(found)), dict(LEGEND.findall(text))
    yield from _nic_readings(found, nics, legend)
    for (gpu, nic), link in nics.items():
        yield Reading("nic_link", link.word, scope=f"gpu{gpu}+{legend.get(nic, nic)}", line=link.line)


def _scope(pair: Pair) -> str:
    return f"gpu{pair[0]}+gpu{pair[1]}"


def _best(found: Matrix, links: Mapping[Pair, Link]) -> Iterator[tuple[int, int, str]]:
    """The highest NVLink number of each GPU's row, which is its own link count on a switch; only from complete rows."""
    rows: dict[int, list[Link]] = {}
    for pair, link in links.items():
        for gpu in pair:
            rows.setdefault(gpu, []).append(link)
    for gpu, row in sorted(rows.items()):
        if len(row) == len(found.gpus) - 1:
            best = max(row, key=lambda link: link.count)
            yield gpu, best.count, best.line


def _pair_readings(found: Matrix, links: Mapping[Pair, Link]) -> Iterator[Reading]:
    total = len(found.gpus) * (len(found.gpus) - 1) // 2
    why = "one_gpu" if total == 0 else "unreadable" if len(links) < total else ""
    if why:
        yield from absent(why, *PAIR_NAMES)
        return
    joined = [link for link in links.values() if link.count]
    yield Reading("nvlink_pairs", f"{len(joined)} of {total}", line=(joined or list(links.values()))[0].line)
    for name, rule in (("nvlink_links_min", min), ("nvlink_links_max", max)):
        link = rule(joined, key=lambda link: link.count, default=None)
        yield Reading(name, link.count, line=link.line) if link else Reading(name, None, why="no_nvlink")
    worst = max(links.values(), key=_distance)
    yield Reading("worst_link", worst.word, line=worst.line)
    yield Reading("pix_pairs", sum(link.word == "PIX" for link in links.values()))


def _distance(link: Link) -> int:
    return DISTANCES.index(link.word) + 100 if link.word in DISTANCES else -link.count


def _nic_links(found: Matrix) -> Iterator[tuple[tuple[int, str], Link]]:
    """Relations of a GPU to every card, only from rows in which each cell stands in its place."""
    rows = {row.label: row for row in found.rows}
    for gpu, name in enumerate(found.gpus):
        read = _relations(rows[name], found)
        if len(read) == len(found.columns):
            yield from (((gpu, nic), Link(read[nic], rows[name].line)) for nic in found.nics)


def _without_nics(found: Matrix, nics: Mapping[tuple[int, str], Link]) -> list[int]:
    seen = {gpu for gpu, _ in nics}
    return [gpu for gpu in range(len(found.gpus)) if found.nics and gpu not in seen]


def _nic_readings(found: Matrix, nics: Mapping[tuple[int, str], Link], legend: Mapping[str, str]) -> Iterator[Reading]:
    yield Reading("nics", len(found.nics), line=" ".join(found.columns))
    for name, word in (("gpus_with_pix_nic", "PIX"), ("gpus_with_pxb_nic", "PXB")):
        if not found.nics:
            yield Reading(name, None, why="no_nic_columns")
        elif _without_nics(found, nics):
            yield Reading(name, None, why="unreadable")
        else:
            yield Reading(name, len({gpu for (gpu, _), link in nics.items() if link.word == word}))
    named = [f"{nic}={legend[nic]}" for nic in found.nics if nic in legend]
    if named:
        yield Reading("nic_legend", named[0] if len(named) == 1 else f"{named[0]}..{named[-1]}")


def _numa(found: Matrix) -> Iterator[Reading]:
    """Trailing cells of the GPU rows, taken by the header once empty ones are dropped."""
    nodes: list[str] = []
    memory: list[str] = []
    for row in found.rows:
        if row.label in found.gpus:
            trailing = [cell for cell in row.cells[len(found.columns) :] if cell]
            values = (
                dict(zip(found.affinities, trailing, strict=False)) if len(trailing) == len(found.affinities) else {}
            )
            nodes.append(values.get("NUMA Affinity", ""))
            memory.append(values.get("GPU NUMA ID", ""))
    if all(NUMA_NODE.fullmatch(node) for node in nodes):
        yield Reading("numa_nodes", len(set(nodes)))
    else:
        yield Reading("numa_nodes", None, why="not_available" if "NUMA Affinity" in found.affinities else "no_column")
    if memory and all(node.isascii() and node.isdigit() for node in memory):
        yield Reading("gpu_numa_ids", ",".join(memory))


def _degraded(per_gpu: list[Reading]) -> tuple[tuple[Reading, ...], tuple[Finding, ...]]:
    """GPUs whose best link number is below what most others reach."""
    counts = Counter(int(reading.value) for reading in per_gpu if isinstance(reading.value, int))
    if len(counts) < 2:
        return (), ()
    usual = max(counts, key=lambda count: (counts[count], count))
    low = [reading for reading in per_gpu if isinstance(reading.value, int) and reading.value < usual]
    if not low:
        return (), ()
    indexes = Reading("degraded_gpu_indexes", ",".join(reading.scope[3:] for reading in low), line=low[0].line)
    remarks = tuple(remark("links_degraded", r.scope, links=r.value, usual=usual) for r in low)
    return (indexes,), remarks
