"""Which CUDA toolkit first knew an architecture, and which driver a CUDA release needs at least."""

from __future__ import annotations

import re
import unicodedata

from gpucontract.catalogue import tables
from gpucontract.catalogue.gpus import Gpu

_OPEN_END = re.compile(r"\d\.?[xX*]", re.ASCII)

Version = tuple[int, ...]

_BY_SUBJECT = {(row["subject"], row["key"]): row["value"] for row in tables.rows("cuda")}


def version(text: str) -> Version | None:
    """The numbers of the first version in a text: '≥ 550.54.15' -> (550, 54, 15); None where there is none."""
    found = re.search(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in found[0].split(".")) if found else None


def is_open(text: str) -> bool:
    """Whether a version ends in a wildcard: 12.x promises no more than 12."""
    return bool(_OPEN_END.search(unicodedata.normalize("NFKC", text)))


def first_toolkit(gpu: Gpu) -> str | None:
    """The first CUDA toolkit with native code for the GPU, such as '11.8'; None where it is not known."""
    return _BY_SUBJECT.get(("first_toolkit", gpu.compute_capability))


def lowest_driver(cuda: Version) -> str | None:
    """The lowest driver branch for a CUDA release, such as '525'; None where it is not known."""
    return _BY_SUBJECT.get(("lowest_driver", str(cuda[0])))
