"""p2pBandwidthLatencyTest: who may access whom, and rates and latencies between pairs of GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cells import NUMBER
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.outcomes import failed, known_error, printed, run_error

NAMES = ("p2p_pairs", "p2p_supported", "unidir_p2p_min", "bidir_p2p_min", "latency_p2p_max")
BANNER = re.compile(r"^\[P2P \(Peer-to-Peer\) GPU Bandwidth Latency Test\]", re.MULTILINE)
DEVICE = re.compile(r"^Device: ([0-9]{1,3}), (.+?), pciBusID", re.MULTILINE)
TITLES = (
    ("connectivity", re.compile(r"P2P Connectivity Matrix\s*")),
    ("unidir_p2p", re.compile(r"Unidirectional P2P=Enabled Bandwidth.*Matrix \(GB/s\)\s*")),
    ("bidir_p2p", re.compile(r"Bidirectional P2P=Enabled Bandwidth.*Matrix \(GB/s\)\s*")),
    ("latency_p2p", re.compile(r"P2P=Enabled Latency.*Matrix \(us\)\s*")),
    ("other", re.compile(r".*(?:Matrix \((?:GB/s|us)\))\s*")),
)
CORNERS = ("D\\D", "GPU")
SIGNS = (("cuda_error", re.compile(r"Cuda failure|CUDA error|cudaError|no CUDA-capable device", re.IGNORECASE)),)
UNITS = {"unidir_p2p": "GB/s", "bidir_p2p": "GB/s", "latency_p2p": "us"}


@dataclass(slots=True)
class Matrix:
    """One titled matrix, GPUs by GPUs; the CPU half of a latency matrix is left out."""

    title: str
    columns: list[str] = field(default_factory=list)
    rows: dict[str, list[str]] = field(default_factory=dict)
    is_closed: bool = False

    @property
    def is_whole(self) -> bool:
        """Every column has its row of as many cells."""
        return bool(self.columns) and list(self.rows) == self.columns

    def pairs(self) -> Iterator[tuple[str, str, str]]:
        """Row, column and cell off the diagonal, which is a card's own memory and no link."""
        for row, cells in self.rows.items():
            for column, text in zip(self.columns, cells, strict=True):
                if row != column:
                    yield row, column, text


def parse(capture: Capture) -> Parsed:
    """Ordered pairs with access, lowest rate and highest latency between GPUs, and each pair."""
    text = cleaned(capture.stdout)
    matrices = _matrices(text)
    ended = run_error(capture)
    error = known_error(printed(capture), SIGNS) or (ended if not matrices else "") or _broken(text, matrices) or ended
    if error:
        return failed(error, *NAMES)
    found = {matrix.title: matrix for matrix in matrices}
    devices = DEVICE.findall(text)
    readings = [Reading("gpu_count", len(devices))] if devices else []
    remarks: list[Finding] = []
    access = found.get("connectivity")
    if access:
        readings += _access(access, remarks)
    for name, unit in UNITS.items():
        if name in found:
            readings += _rates(found[name], unit, remarks)
    return Parsed(tuple(readings), tuple(remarks))


def _matrices(text: str) -> list[Matrix]:
    matrices: list[Matrix] = []
    for line in text.splitlines():
        title = next((name for name, pattern in TITLES if pattern.fullmatch(line)), "")
        if title:
            matrices.append(Matrix(title))
        elif matrices and not matrices[-1].is_closed:
            _line(line.split(), matrices[-1])
    return matrices


def _line(cells: Sequence[str], matrix: Matrix) -> None:
    if not cells:
        return
    if cells[0] == "CPU":
        matrix.is_closed = True
    elif cells[0] in CORNERS and not matrix.columns:
        matrix.columns = list(cells[1:])
    elif cells[0] in matrix.columns and len(cells) == len(matrix.columns) + 1 and cells[0] not in matrix.rows:
        matrix.rows[cells[0]] = list(cells[1:])


def _broken(text: str, matrices: Sequence[Matrix]) -> str:
    titles = [matrix.title for matrix in matrices if matrix.title != "other"]
    if not titles:
        return "no_report: no titled matrix, as in 'P2P Connectivity Matrix'"
    if len(BANNER.findall(text)) > 1 or len(set(titles)) < len(titles):
        return "two_outputs: a matrix stands there twice; keep one run per capture"
    cut = next((matrix for matrix in matrices if not matrix.is_whole and matrix.title != "other"), None)
    return f"output_truncated: the matrix {cut.title} lacks rows or cells" if cut else ""


def _access(matrix: Matrix, remarks: list[Finding]) -> Iterator[Reading]:
    cells = list(matrix.pairs())
    if not cells:
        yield from (Reading(name, None, why="one_gpu") for name in NAMES[:2])
        return
    if any(text not in ("0", "1") for _, _, text in cells):
        yield from (Reading(name, None, why="unreadable") for name in NAMES[:2])
        return
    able = sum(text == "1" for _, _, text in cells)
    yield Reading("p2p_pairs", f"{able} of {len(cells)}", line="P2P Connectivity Matrix")
    yield Reading("p2p_supported", able == len(cells), line="P2P Connectivity Matrix")
    if able < len(cells):
        remarks.append(remark("p2p_impossible", pairs=f"{able} of {len(cells)}"))


def _rates(matrix: Matrix, unit: str, remarks: list[Finding]) -> Iterator[Reading]:
    name = matrix.title
    whole = f"{name}_max" if unit == "us" else f"{name}_min"
    rule = max if unit == "us" else min
    cells = [(_scope(row, column), Decimal(text), f"{name} [{row}][{column}] {text}")
             for row, column, text in matrix.pairs() if NUMBER.fullmatch(text) and Decimal(text)]  # fmt: skip
    total = len(matrix.columns) * (len(matrix.columns) - 1)
    if not total or len(cells) < total:
        yield Reading(whole, None, why="cell_not_measured" if total else "one_gpu")
        return
    scope, value, line = rule(cells, key=lambda cell: cell[1])
    yield Reading(whole, value, unit, line=line)
    remarks.append(remark("worst_pair", scope, what=name, pair=scope, value=value, unit=unit))
    for pair in dict.fromkeys(scope for scope, _, _ in cells):
        _, worst, told = rule((cell for cell in cells if cell[0] == pair), key=lambda cell: cell[1])
        yield Reading(name, worst, unit, pair, "", told)


def _scope(row: str, column: str) -> str:
    first, second = sorted((int(row), int(column)))
    return f"gpu{first}+gpu{second}"
