"""The frozen body of a revision, read back: the one thing plan, judge, PDF and offline judge look at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from gpucontract.canonical import LARGEST_INTEGER, decode, encode, sha256
from gpucontract.contracts.clauses import Clause, thaw
from gpucontract.contracts.sections.steps import SECTIONS, TERMS

FORMAT = "gpucontract/1"
PACK_FORMAT = "gpucontract-appendix/1"
# Under this name the packed revision lies inside the appendix PDF.
PACK_NAME = "contract.json"
_ORDER = tuple(SECTIONS)
# Far above any contract: without an end a forged head would keep the judge counting.
MOST_NODES, MOST_REPEATS = 1_000_000, 1_000
_GROUP_TEXTS = ("code", "name", "gpu_model")
_COUNTS = {
    name: (0 if name == "nics_per_node" else 1, int(TERMS[name].maximum or 0))
    for name in ("node_count", "gpus_per_node", "nics_per_node")
}
_PERCENT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,9})?", re.ASCII)


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
    _check_head(document)
    clauses: list[Clause] = []
    for name, expected in sorted(document["sections"].items(), key=_place):
        if name not in sections:
            continue
        if sha256(sections[name]) != expected:
            raise BodyError(f"section {name!r} is not the one that was frozen: its sha256 differs from the head's")
        clauses += [_clause(clause) for clause in decode(sections[name])["clauses"]]
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
    except (ValueError, LookupError, ArithmeticError, TypeError, AttributeError) as fault:
        raise BodyError(f"this is not a packed appendix: {fault}") from fault


def _group(document: Mapping[str, Any]) -> Group:
    return Group(**{name: document[name] for name in Group.__slots__ if name in document})


def _clause(frozen: Mapping[str, Any]) -> Clause:
    clause = thaw(frozen)
    numbers = [each for each in (clause.value, clause.tolerance) if isinstance(each, Decimal)]
    _must(all(number.is_finite() for number in numbers), f"clause {clause.key!r} holds a number that is none")
    _must(_is_count(clause.repeats, 1, MOST_REPEATS), f"clause {clause.key!r}: repeats is {clause.repeats!r}")
    words = (clause.key, clause.section, clause.text.zh, clause.text.en, clause.unit, clause.metric, *clause.jobs)
    _must(_are_texts(words) and isinstance(clause.conditions, Mapping), f"clause {clause.key!r} is not in its form")
    return clause


def _check_head(document: Mapping[str, Any]) -> None:
    """Raise BodyError where a head that somebody else wrote would be no contract: numbers that are texts, no ends."""
    _must(_is_count(document["number"], 0, LARGEST_INTEGER), f"number is {document['number']!r}")
    _must(_are_texts((document["contract"], document["title"])), "contract and title must be texts")
    _must(isinstance(document.get("demo", False), bool), f"demo is {document.get('demo')!r}")
    share = document.get("coverage_pct", "100")
    known = isinstance(share, str) and _PERCENT.fullmatch(share) and Decimal(share) <= 100
    _must(bool(known), f"coverage_pct is {share!r}, expected a number from 0 to 100")
    for name in ("parties", "sections"):
        _must(isinstance(document[name], Mapping), f"{name} must be an object")
    _must(all(_is_table(party) for party in document["parties"].values()), "each party must be an object of texts")
    attached = document.get("attachments") or []
    _must(_are_tables(attached), "attachments must be a list of objects of texts")
    _check_rows(document["groups"], document["mounts"])


def _check_rows(groups: Any, mounts: Any) -> None:
    _must(isinstance(groups, list) and isinstance(mounts, list), "groups and mounts must be lists")
    for row in groups:
        _must(isinstance(row, Mapping) and _are_texts(row[name] for name in _GROUP_TEXTS), f"not a group: {row!r:.80}")
        for name, (least, most) in _COUNTS.items():
            number = row.get(name, 0 if name == "nics_per_node" else None)
            _must(_is_count(number, least, most), f"{name} is {number!r:.40}, expected {least} to {most}")
    for row in mounts:
        known = isinstance(row, Mapping) and isinstance(row["groups"], list)
        _must(known and _are_texts((row["code"], row["path"], *row["groups"])), f"not a mount: {row!r:.80}")
    codes = [row["code"] for row in (*groups, *mounts)]
    _must(len(set(codes)) == len(codes), "two groups or mounts have one and the same code")
    _must(sum(row["node_count"] for row in groups) <= MOST_NODES, f"more than {MOST_NODES} machines")


def _must(holds: bool, fault: str) -> None:
    if not holds:
        raise BodyError(f"this is not a packed appendix: {fault}")


def _is_count(number: object, least: int, most: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and least <= number <= most


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) and _are_texts(value.values())


def _are_tables(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_table, value))
