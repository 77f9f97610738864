"""Terms and clauses into the canonical bytes of a revision: one head, one salted document per section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gpucontract.canonical import decimal_text, encode, sha256
from gpucontract.contracts.body import FORMAT
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.sections.acceptance import SECTION as ACCEPTANCE
from gpucontract.contracts.sections.steps import SECTIONS
from gpucontract.contracts.terms import Terms

SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Frozen:
    """A revision's bytes. sha256 is the head's: what both sides sign."""

    head: bytes
    sections: Mapping[str, bytes]

    @property
    def sha256(self) -> str:
        """The hash that stands for the whole revision."""
        return sha256(self.head)


@dataclass(frozen=True, slots=True)
class Deal:
    """What stands in the head beside the terms: the contract's number and title, which revision, which versions.

    attachments: name, sha256 and term of each file that goes with it.
    """

    contract: str
    number: int
    title: str
    versions: Mapping[str, str]
    demo: bool = False
    attachments: tuple[Mapping[str, str], ...] = ()


def freeze(deal: Deal, terms: Terms, clauses: Iterable[Clause], salts: Mapping[str, bytes]) -> Frozen:
    """The bytes of a revision. salts: 32 random bytes per section, so that no price can be guessed from its hash.

    Raises NotGiven when a group lacks the numbers that say how large it is, or a mount its path.
    """
    by_section: dict[str, list[Any]] = {}
    for clause in clauses:
        by_section.setdefault(clause.section, []).append(clause.frozen())
    documents = {
        name: encode({"salt": salts[name].hex(), "clauses": by_section[name]})
        for name in SECTIONS
        if name in by_section
    }
    return Frozen(encode(_head(deal, terms, documents)), documents)


def _head(deal: Deal, terms: Terms, documents: Mapping[str, bytes]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "contract": deal.contract,
        "number": deal.number,
        "title": deal.title,
        **deal.versions,
        "parties": {side: _party(terms, side) for side in ("buyer", "vendor")},
        "groups": [_group(terms, code) for code in terms.groups],
        "mounts": [_mount(terms, code) for code in terms.mounts],
        "demo": True if deal.demo else None,
        "attachments": [dict(each) for each in deal.attachments] or None,
        "coverage_pct": decimal_text(terms.get("c/acceptance_coverage_pct", _FULL)),
        "sections": {name: sha256(document) for name, document in documents.items()},
    }


_FULL = next(info.default for info in ACCEPTANCE.terms if info.id == "acceptance_coverage_pct")


def _party(terms: Terms, side: str) -> dict[str, str]:
    return {"name": terms.get(f"c/{side}_name", ""), "uscc": terms.get(f"c/{side}_uscc", "")}


def _group(terms: Terms, code: str) -> dict[str, Any]:
    return {
        "code": code,
        "name": terms.get(f"{code}/name", code),
        "gpu_model": terms.get(f"{code}/gpu_model", ""),
        "node_count": terms[f"{code}/node_count"],
        "gpus_per_node": terms[f"{code}/gpus_per_node"],
        "nics_per_node": terms.get(f"{code}/nics_per_node", 0),
    }


def _mount(terms: Terms, code: str) -> dict[str, Any]:
    return {
        "code": code,
        "path": terms[f"{code}/path"],
        "groups": list(terms.get(f"{code}/groups", terms.groups)),
    }
