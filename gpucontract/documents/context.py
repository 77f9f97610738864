"""Every fact the appendix prints, frozen before rendering: made from a revision's body, readable without a database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause, VerifiedBy
from gpucontract.contracts.numbering import parts
from gpucontract.contracts.printing import condition_lines, printed_value, source_text
from gpucontract.wording import Text


@dataclass(frozen=True, slots=True)
class Line:
    """One printed clause. number: its place on paper; notes: side conditions and where the mark comes from."""

    number: str
    key: str
    text: Text
    value: Text
    notes: tuple[Text, ...]
    verified_by: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """One section of the appendix with its lines."""

    number: int
    title: Text
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class SignOffLine:
    """Who signed off which hash for which side, when (UTC), and how they proved themselves, in both languages."""

    side: str
    organisation: str
    typed_name: str
    email: str
    at: str
    factor: str = ""
    mandate: str = ""


@dataclass(frozen=True, slots=True)
class Appendix:
    """The whole appendix as printed. created: ISO UTC of freezing, so that the same revision gives the same bytes."""

    contract: str
    revision: int
    title: str
    sha256: str
    created: str
    buyer: Mapping[str, str]
    vendor: Mapping[str, str]
    groups: tuple[Mapping[str, Any], ...]
    chapters: tuple[Chapter, ...]
    clause_count: int
    measured_count: int
    document_count: int
    is_demo: bool
    sign_offs: tuple[SignOffLine, ...] = ()

    @property
    def buyer_line(self) -> SignOffLine | None:
        """The buyer's sign-off, if there is one."""
        return self._line_of("buyer")

    @property
    def vendor_line(self) -> SignOffLine | None:
        """The vendor's sign-off, if there is one."""
        return self._line_of("vendor")

    def _line_of(self, side: str) -> SignOffLine | None:
        return next((line for line in self.sign_offs if line.side == side), None)

    def stored(self) -> str:
        """JSON that read() turns back into the same Appendix."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)


def appendix(body: Body, created: str, sign_offs: tuple[SignOffLine, ...] = ()) -> Appendix:
    """The printed facts of one revision; created is the moment it was frozen, ISO UTC."""
    return Appendix(
        contract=body.contract, revision=body.number, title=body.title, sha256=body.sha256, created=created,
        buyer=body.parties["buyer"], vendor=body.parties.get("vendor", {}),
        groups=tuple(asdict(group) for group in body.groups), chapters=_chapters(body),
        clause_count=len(body.clauses), measured_count=_count(body, VerifiedBy.MEASUREMENT),
        document_count=_count(body, VerifiedBy.DOCUMENT), is_demo=body.demo, sign_offs=sign_offs,
    )  # fmt: skip


def read(stored: str) -> Appendix:
    """The Appendix that stored() wrote."""
    document = json.loads(stored)
    document["chapters"] = tuple(_read_chapter(chapter) for chapter in document["chapters"])
    document["sign_offs"] = tuple(SignOffLine(**line) for line in document["sign_offs"])
    document["groups"] = tuple(document["groups"])
    return Appendix(**document)


def _count(body: Body, verified_by: VerifiedBy) -> int:
    return sum(clause.verified_by is verified_by for clause in body.clauses)


def _chapters(body: Body) -> tuple[Chapter, ...]:
    return tuple(
        Chapter(part.number, part.title, tuple(line_of(number, clause) for number, clause in part.lines))
        for part in parts(body)
    )


def line_of(number: str, clause: Clause) -> Line:
    """One clause as printed under its number."""
    source = source_text(clause)
    notes = (*condition_lines(clause), *([source] if source else []))
    return Line(number, clause.key, clause.text, printed_value(clause), notes, clause.verified_by.value)


def _read_chapter(document: Mapping[str, Any]) -> Chapter:
    return Chapter(document["number"], Text(**document["title"]), tuple(_read_line(line) for line in document["lines"]))


def _read_line(document: Mapping[str, Any]) -> Line:
    return Line(
        number=document["number"], key=document["key"], text=Text(**document["text"]), value=Text(**document["value"]),
        notes=tuple(Text(**note) for note in document["notes"]), verified_by=document["verified_by"],
    )  # fmt: skip
