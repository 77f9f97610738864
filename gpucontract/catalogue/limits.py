"""The most that hardware of today can have, whatever an output says: per machine, per part, per CPU family."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.catalogue import tables
from gpucontract.wording import Text

_NOISE = re.compile(r"\((?:R|TM|C)\)|®|™|@.*$|\bCPU\b|\b[0-9]+-Core\b|\bProcessor\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limit:
    """One ceiling with its unit, in words, and where it was published."""

    most: Decimal
    unit: str
    text: Text
    source: str


@dataclass(frozen=True, slots=True)
class Cpu:
    """A CPU model or family: the most cores and memory (TiB) of a socket, and sockets of a machine; None = unknown."""

    pattern: re.Pattern[str]
    name: str
    cores: int
    sockets: int
    memory_tib: int | None
    source: str


LIMITS: Mapping[str, Limit] = {
    row["key"]: Limit(Decimal(row["most"]), row["unit"], Text(row["zh"], row["en"]), row["source"])
    for row in tables.rows("limits")
}
CPUS = tuple(
    Cpu(
        re.compile(row["pattern"]), row["name"], int(row["cores"]), int(row["sockets"]),
        tables.whole(row["memory_tib"]), row["source"],
    )
    for row in tables.rows("cpus")
)  # fmt: skip


def cpu(printed: str) -> Cpu | None:
    """The first entry, the narrowest, that a printed CPU name is of; None for names that are not known."""
    plain = " ".join(_NOISE.sub(" ", printed).split())
    return next((each for each in CPUS if each.pattern.search(plain)), None)
