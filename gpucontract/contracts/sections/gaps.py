"""What a draft still lacks, and what it says vaguely."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from gpucontract.contracts.sections.steps import terms_of
from gpucontract.contracts.sections.term import Requirement, TermInfo
from gpucontract.contracts.terms import Terms
from gpucontract.wording import Text

# Whole phrases that promise nothing, in whatever field they stand.
VAGUE_EVERYWHERE = frozenset(
    {
        "按需", "另议", "尽快", "行业标准", "同等", "以实际为准", "待定", "无", "若干", "协商", "面议",
        "tbd", "tba", "n/a", "best effort", "as needed", "industry standard", "to be agreed", "asap",
    }
)  # fmt: skip

_VAGUE = Text(
    "{term}：“{value}”没有约定任何东西。{why}请写出可以核对的内容。",
    "{term}: “{value}” promises nothing. {why} Write what can be checked.",
)


@dataclass(frozen=True, slots=True)
class Gap:
    """A required term without a value: its path and what the term is."""

    path: str
    info: TermInfo


def missing(terms: Terms) -> tuple[Gap, ...]:
    """The required terms that are empty, in order; conditional ones when their condition holds."""
    return tuple(gap for code in terms.rows for gap in _missing_in(terms, code))


def is_required(terms: Terms, code: str, info: TermInfo) -> bool:
    """Whether a term must be given in that row, now."""
    if info.requirement is Requirement.REQUIRED:
        return True
    row = terms.at(code)
    return info.requirement is Requirement.CONDITIONAL and all(
        condition.holds(row.get(condition.term)) for condition in info.conditions
    )


def vague_hint(info: TermInfo, value: object) -> Text | None:
    """A hint where a whole answer says nothing; it warns and never refuses. Matched after NFKC, without case."""
    if not isinstance(value, str):
        return None
    phrase = unicodedata.normalize("NFKC", value).strip().rstrip("。.").casefold()
    own = {unicodedata.normalize("NFKC", each).casefold() for each in info.vague}
    if phrase not in own | VAGUE_EVERYWHERE:
        return None
    return _VAGUE.fill(term=info.label, value=value, why=info.why)


def _missing_in(terms: Terms, code: str) -> Iterator[Gap]:
    for info in terms_of(code):
        path = f"{code}/{info.id}"
        if not terms.is_given(path) and is_required(terms, code, info):
            yield Gap(path, info)
