"""The clause list for counsel: every clause in both languages with its value, proof, status and the vendor's answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.contracts.clauses import Clause, Operator, VerifiedBy
from gpucontract.contracts.numbering import numbered
from gpucontract.contracts.printing import SIGNS, WORDS_UNITS, counter_of, printed_value
from gpucontract.documents.context import line_of
from gpucontract.units import unit_word
from gpucontract.wording import Text

PROOFS: Mapping[str, Text] = {
    VerifiedBy.MEASUREMENT: Text("实测", "measured"),
    VerifiedBy.DOCUMENT: Text("文件", "document"),
    VerifiedBy.NONE: Text("不核验", "not verified"),
}
HEADINGS: Mapping[str, Text] = {
    "number": Text("编号", "No."),
    "section": Text("部分", "Section"),
    "zh": Text("条款（中文）", "Clause (Chinese)"),
    "en": Text("条款（英文）", "Clause (English)"),
    "sign": Text("关系", "Relation"),
    "value": Text("约定值", "Agreed value"),
    "unit": Text("单位", "Unit"),
    "notes": Text("条件", "Conditions"),
    "proof": Text("怎样核验", "Verified by"),
    "status": Text("状态", "Status"),
    "answer": Text("乙方答复", "Vendor's answer"),
    "remarks": Text("乙方说明", "Vendor's remarks"),
}
NO_VALUE = Text("—", "—")
# XML knows none of these; Word and Excel refuse a file that holds one.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
DRAFT = Text("草稿", "draft")


@dataclass(frozen=True, slots=True)
class Said:
    """What is known of a clause beside its text: its status, the vendor's answer, what the vendor asks for and why."""

    status: Text = NO_VALUE
    answer: Text = NO_VALUE
    remarks: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedClause:
    """One clause. value: a number, or text in both languages; sign: its relation; unit: as printed, "" for none."""

    number: str
    section: Text
    text: Text
    sign: str
    value: Decimal | Text
    unit: Text | None
    printed: Text
    notes: tuple[Text, ...]
    proof: Text
    said: Said


@dataclass(frozen=True, slots=True)
class ListedChapter:
    """One part of the list under its printed number."""

    number: int
    title: Text
    clauses: tuple[ListedClause, ...]


@dataclass(frozen=True, slots=True)
class ClauseList:
    """The whole list. stage: which wording this is; sha256: of the frozen revision, "" for a draft."""

    contract: str
    title: str
    stage: Text
    sha256: str
    parties: tuple[tuple[Text, str], ...]
    chapters: tuple[ListedChapter, ...]

    @property
    def count(self) -> int:
        """How many clauses there are."""
        return sum(len(chapter.clauses) for chapter in self.chapters)


def listed(clauses: Iterable[Clause], said: Mapping[str, Said], otherwise: Said) -> tuple[ListedChapter, ...]:
    """The clauses part by part, numbered as on paper, each with what is said of it by key."""
    return tuple(
        ListedChapter(
            part.number,
            part.title,
            tuple(
                _clause(number, clause, part.title, said.get(clause.key, otherwise)) for number, clause in part.lines
            ),
        )
        for part in numbered(clauses)
    )


def _clause(number: str, clause: Clause, section: Text, said: Said) -> ListedClause:
    line = line_of(number, clause)
    is_number = isinstance(clause.value, Decimal)
    has_unit = is_number and clause.unit not in WORDS_UNITS and clause.unit != "count"
    counter = counter_of(clause) if is_number else None
    unit = unit_word(clause.unit) if has_unit else counter
    return ListedClause(
        number=line.number, section=section, text=line.text, sign=SIGNS[Operator(clause.operator)].strip() or "=",
        value=clause.value if isinstance(clause.value, Decimal) else printed_value(clause),
        unit=unit, printed=line.value, notes=line.notes,
        proof=PROOFS[clause.verified_by], said=said,
    )  # fmt: skip


def both(text: Text) -> str:
    """Both languages on one line, once where they are alike."""
    return text.zh if text.zh == text.en else f"{text.zh} / {text.en}"


def clean(text: str) -> str:
    """The text without what no Word or Excel file may hold."""
    return _UNPRINTABLE.sub("", text)
