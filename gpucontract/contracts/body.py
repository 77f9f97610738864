"""The frozen body of a revision, read back: the one thing plan, judge, PDF and offline judge look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gpucontract.canonical import decode, encode, sha256
from gpucontract.contracts.clauses import Clause, thaw
from gpucontract.contracts.sections.steps import SECTIONS

FORMAT = "gpucontract/1"
PACK_FORMAT = "gpucontract-appendix/1"
# Under this name the packed revision lies inside the appendix PDF.
PACK_NAME = "contract.json"
_ORDER = tuple(SECTIONS)


class BodyError(ValueError):
    """The frozen documents do not belong together or are of a format not known here."""


@dataclass(frozen=True, slots=True)
class Group:
    """A contracted group of equal nodes: code g1, how many nodes, GPUs and compute NIC ports each."""

    code: str
    name: str
    gpu_model: str
    node_count: int
    gpus_per_node: int
    nics_per_node: int = 0

    @property
    def node_codes(self) -> tuple[str, ...]:
        """The slots of the group by name: g1-001, g1-002 ..."""
        return _node_codes(self.code, self.node_count)

    def has(self, node: str) -> bool:
        """Whether this is one of its slots."""
        return node in _node_set(self.code, self.node_count)


@lru_cache(maxsize=256)
def _node_codes(code: str, count: int) -> tuple[str, ...]:
    return tuple(f"{code}-{ordinal:03d}" for ordinal in range(1, count + 1))


@lru_cache(maxsize=256)
def _node_set(code: str, count: int) -> frozenset[str]:
    return frozenset(_node_codes(code, count))


@dataclass(frozen=True, slots=True)
class Mount:
    """A shared mount: code m1, its path and the groups that see it."""

    code: str
    path: str
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """A revision's frozen content. parties: {'buyer': {'name', 'uscc'}, 'vendor': {...}}; sha256 is the head's."""

    contract: str
    number: int
    title: str
    sha256: str
    parties: Mapping[str, Mapping[str, str]]
    groups: tuple[Group, ...]
    mounts: tuple[Mount, ...]
    clauses: tuple[Clause, ...]
    demo: bool = False
    coverage_pct: str = "100"
    attachments: tuple[Mapping[str, str], ...] = ()

    @property
    def judged(self) -> tuple[Clause, ...]:
        """The clauses that get a verdict: measurement and document ones."""
        return tuple(clause for clause in self.clauses if clause.is_judged)

    def clause(self, key: str) -> Clause:
        """The clause of that key. Raises KeyError."""
        return {clause.key: clause for clause in self.clauses}[key]

    def group(self, code: str) -> Group:
        """The group of that code. Raises KeyError."""
        return {group.code: group for group in self.groups}[code]


def load(head: bytes, sections: Mapping[str, bytes]) -> Body:
    """Read a revision from its canonical head and section documents, checking every section hash the head names.

    Sections may be missing (a technical hand-out without the price); one whose bytes differ raises BodyError.
    """
    document = decode(head)
    if document.get("format") != FORMAT:
        raise BodyError(f"format {document.get('format')!r} is not known here, expected {FORMAT!r}")
    clauses: list[Clause] = []
    for name, expected in sorted(document["sections"].items(), key=_place):
        if name not in sections:
            continue
        if sha256(sections[name]) != expected:
            raise BodyError(f"section {name!r} is not the one that was frozen: its sha256 differs from the head's")
        clauses += [thaw(clause) for clause in decode(sections[name])["clauses"]]
    return Body(
        contract=document["contract"], number=document["number"], title=document["title"], sha256=sha256(head),
        parties=document["parties"], groups=tuple(_group(group) for group in document["groups"]),
        mounts=tuple(Mount(m["code"], m["path"], tuple(m["groups"])) for m in document["mounts"]),
        clauses=tuple(clauses), demo=document.get("demo", False),
        coverage_pct=document.get("coverage_pct", "100"), attachments=tuple(document.get("attachments") or ()),
    )  # fmt: skip


def _place(section: tuple[str, str]) -> tuple[int, str]:
    """The wizard's order; a section this version does not know comes last."""
    return (_ORDER.index(section[0]) if section[0] in _ORDER else len(_ORDER), section[0])


def pack(head: bytes, sections: Mapping[str, bytes]) -> bytes:
    """One file that holds a revision's exact bytes: what the appendix carries and the offline judge reads."""
    documents = {name: bytes(document).decode() for name, document in sections.items()}
    return encode({"format": PACK_FORMAT, "head": bytes(head).decode(), "sections": documents})


def unpack(data: bytes) -> Body:
    """The Body in a packed file, every hash checked. Raises BodyError when it is not one or was altered."""
    try:
        document = decode(data)
        head, sections = document["head"], document["sections"]
        if document["format"] != PACK_FORMAT:
            raise BodyError(f"format {document['format']!r} is not known here, expected {PACK_FORMAT!r}")
        return load(head.encode(), {name: text.encode() for name, text in sections.items()})
    except BodyError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise BodyError(f"this is not a packed appendix: {fault}") from fault


def _group(document: Mapping[str, Any]) -> Group:
    return Group(**{name: document[name] for name in Group.__slots__ if name in document})
