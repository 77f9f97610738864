"""Every fact the appendix prints, frozen before rendering: made from a revision's body, readable without a database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from gpucontract.contracts.amounts import formal, in_full
from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause, VerifiedBy
from gpucontract.contracts.comparing import KINDS, Change, changes
from gpucontract.contracts.numbering import parts
from gpucontract.contracts.printing import condition_lines, printed_value, source_text
from gpucontract.wording import Text

_NONE = Text("—", "—")
BEIJING = ZoneInfo("Asia/Shanghai")


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
    """Who signed off which hash for which side, when, and how they proved themselves, as printed in both languages."""

    side: str
    organisation: str
    typed_name: str
    email: str
    at: str
    factor: str = ""
    mandate: str = ""


@dataclass(frozen=True, slots=True)
class Changed:
    """One line that differs from what the other side knew before: how, its value before and after."""

    key: str
    text: Text
    kind: Text
    before: Text
    after: Text


@dataclass(frozen=True, slots=True)
class Against:
    """What a revision is compared with, by name, and every line that differs."""

    name: str
    lines: tuple[Changed, ...]


@dataclass(frozen=True, slots=True)
class ChainHead:
    """How far a journal had come when the revision was sent, or signed last: its last event's number and hash."""

    journal: Text
    number: int
    sha256: str


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
    total: Text | None = None
    against: Against | None = None
    heads: tuple[ChainHead, ...] = ()

    @property
    def frozen_at(self) -> str:
        """The moment of freezing as printed."""
        return printed_moment(datetime.fromisoformat(self.created))

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


def printed_moment(at: datetime) -> str:
    """A moment as both sides read it on paper, whatever clock the server goes by."""
    return f"{at.astimezone(BEIJING):%Y-%m-%d %H:%M} 北京时间 Beijing time (UTC+8)"


def appendix(
    body: Body,
    created: str,
    sign_offs: tuple[SignOffLine, ...] = (),
    *,
    against: Against | None = None,
    heads: tuple[ChainHead, ...] = (),
) -> Appendix:
    """The printed facts of one revision; created is the moment it was frozen, ISO UTC."""
    return Appendix(
        contract=body.contract, revision=body.number, title=body.title, sha256=body.sha256, created=created,
        buyer=body.parties["buyer"], vendor=body.parties.get("vendor", {}),
        groups=tuple(asdict(group) for group in body.groups), chapters=_chapters(body),
        clause_count=len(body.clauses), measured_count=_count(body, VerifiedBy.MEASUREMENT),
        document_count=_count(body, VerifiedBy.DOCUMENT), is_demo=body.demo, sign_offs=sign_offs,
        total=_total(body), against=against, heads=heads,
    )  # fmt: skip


def read(stored: str) -> Appendix:
    """The Appendix that stored() wrote."""
    document = json.loads(stored)
    document["chapters"] = tuple(_read_chapter(chapter) for chapter in document["chapters"])
    document["sign_offs"] = tuple(SignOffLine(**line) for line in document["sign_offs"])
    document["groups"] = tuple(document["groups"])
    document["total"] = _read_text(document["total"])
    document["against"] = _read_against(document["against"])
    document["heads"] = tuple(ChainHead(**head | {"journal": Text(**head["journal"])}) for head in document["heads"])
    return Appendix(**document)


def against_of(name: str, old: Body, new: Body) -> Against:
    """Every line in which a body differs from an earlier one."""
    return Against(name, tuple(_changed(change) for change in changes(old, new)))


def _changed(change: Change) -> Changed:
    old, new = change.shown
    return Changed(change.key, change.text, KINDS[change.kind], old or _NONE, new or _NONE)


def _total(body: Body) -> Text | None:
    """The total as stated, in figures and in formal numerals; None where the contract states none."""
    clauses = {clause.key: clause for clause in body.clauses}
    stated, price = clauses.get("c/total_value_stated"), clauses.get("c/price")
    if stated is None or price is None or not isinstance(stated.value, Decimal):
        return None
    currency = str(price.conditions.get("currency", "CNY"))
    figures = in_full(stated.value, currency)
    return Text(f"{figures.zh}（大写：{formal(stated.value, currency)}）", figures.en)


def _read_text(document: Mapping[str, str] | None) -> Text | None:
    return Text(**document) if document else None


def _read_against(document: Mapping[str, Any] | None) -> Against | None:
    if document is None:
        return None
    lines = [
        Changed(line["key"], *(Text(**line[name]) for name in ("text", "kind", "before", "after")))
        for line in document["lines"]
    ]
    return Against(document["name"], tuple(lines))


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
