"""nvidia-smi topo -p2p r (and w): whether each GPU may read the others' memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_matrix import Matrix, matrix
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.nvidia_smi_errors import failure
from gpucontract.measurements.parsers.outcomes import failed, run_error

NAMES = ("p2p_supported", "p2p_pairs")
STATUS = re.compile(r"X|OK|CNS|GNS|TNS|NS|DR|U")
UNKNOWN = "U"


def parse(capture: Capture) -> Parsed:
    """p2p_status per pair (the worse of both directions), p2p_pairs, p2p_supported when every pair may."""
    found = matrix(cleaned(capture.stdout))
    if found is None:
        return failure(capture, NAMES, "a header line of GPU0, GPU1, ... columns")
    error = _broken(found) or run_error(capture)
    if error:
        return failed(error, *NAMES)
    pairs = tuple(_pairs(found))
    if not pairs:
        return Parsed(tuple(Reading(name, None, why="one_gpu") for name in NAMES))
    working = [pair for pair in pairs if pair.value == "OK"]
    told = f"{len(working)} of {len(pairs)}"
    if any(pair.value is None for pair in pairs):
        return Parsed((*(Reading(name, None, why="unknown") for name in NAMES), *pairs))
    refused = next((pair for pair in pairs if pair.value != "OK"), None)
    line = (refused or pairs[0]).line
    whole = (Reading("p2p_supported", refused is None, line=line), Reading("p2p_pairs", told, line=line))
    return Parsed((*whole, *pairs), (remark("p2p_impossible", pairs=told),) if refused else ())


def _broken(found: Matrix) -> str:
    labels = [row.label for row in found.rows]
    if found.headers > 1 or len(set(labels)) < len(labels):
        return "two_outputs: two matrices in one capture; keep one run per capture"
    for name in found.gpus:
        row = next((row for row in found.rows if row.label == name), None)
        if row is None:
            return f"output_truncated: {name} has a column but no row"
        cells = row.cells[: len(found.gpus)]
        own = found.gpus.index(name)
        if len(cells) < len(found.gpus) or any((cell == "X") != (at == own) for at, cell in enumerate(cells)):
            return f"p2p_unreadable: the row of {name} does not fit its columns: {row.line[:100]!r}"
        foreign = next((cell for cell in cells if not STATUS.fullmatch(cell)), None)
        if foreign:
            return f"p2p_unreadable: {foreign[:40]!r} in the row of {name} is no known status"
    return ""


def _pairs(found: Matrix) -> Iterator[Reading]:
    rows = {row.label: row for row in found.rows}
    for first, left in enumerate(found.gpus):
        for second in range(first + 1, len(found.gpus)):
            there, back = rows[left].cells[second], rows[found.gpus[second]].cells[first]
            worse = next((word for word in (there, back) if word not in ("OK", UNKNOWN)), "")
            status = worse or (UNKNOWN if UNKNOWN in (there, back) else "OK")
            scope, line = f"gpu{first}+gpu{second}", rows[left].line
            if status == UNKNOWN:
                yield Reading("p2p_status", None, scope=scope, why="unknown", line=line)
            else:
                yield Reading("p2p_status", status, scope=scope, line=line)
