"""What two people typed into one step, where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.term import YES_NO_TEXT, Kind, TermInfo
from gpucontract.localise import spoken
from gpucontract.web.forms.fields import posted
from gpucontract.web.forms.steps import NONE, Typed
from gpucontract.web.wizard import Draft, filled


@dataclass(frozen=True, slots=True)
class Difference:
    """One input of which two versions exist. input, posted: where theirs goes, as posted, for one of a single value."""

    label: str
    mine: str
    theirs: str
    input: str
    posted: str


def differences(draft: Draft, step: str, mine: Typed) -> list[Difference]:
    """Every input in which what I typed differs from what is kept now, in the order of the page."""
    own, kept = filled(mine), filled(draft.typed(step))
    names = [name for name in dict.fromkeys([*mine, *kept]) if own.get(name, []) != kept.get(name, [])]
    return list(_told(names, own, kept, draft.titles()))


def _told(names: list[str], own: Typed, kept: Typed, titles: dict[str, str]) -> Iterator[Difference]:
    for name in names:
        code, info = _term(name)
        if info is None or info.kind is Kind.ROWS:
            continue
        label = spoken(info.label) if not name.endswith(NONE) else _("%s, why not applicable") % spoken(info.label)
        theirs = kept.get(name, [])
        yield Difference(
            label=" · ".join(filter(None, (titles.get(code, ""), label))),
            mine=_said(info, own.get(name, [])),
            theirs=_said(info, theirs),
            input="" if info.kind is Kind.MULTI else name,
            posted=theirs[0] if theirs else "",
        )


def _term(name: str) -> tuple[str, TermInfo | None]:
    """The row and the term, or the column of a child row, that an input belongs to."""
    code, term, *line = name.removesuffix(NONE).split("-", 3)
    info = TERMS.get(term)
    if info is None or not line:
        return code, info
    return code, next((column for column in info.columns if column.id == line[-1]), None)


def _said(info: TermInfo, typed: list[str]) -> str:
    words = {posted(value): spoken(text) for value, text in (info.choices or YES_NO_TEXT).items()}
    return "、".join(words.get(each, each) for each in typed) or "—"
