"""What the buttons of a step do: keep what was typed, write what is right, add and remove rows and lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext as _

from gpucontract.accounts.models import User
from gpucontract.contracts import services
from gpucontract.contracts.errors import TermsRefused
from gpucontract.contracts.sections.steps import ROW_OF_LETTER, SECTIONS
from gpucontract.contracts.sections.term import Row
from gpucontract.contracts.usual_rows import usual_rows
from gpucontract.localise import spoken
from gpucontract.web.forms.fields import typed_as
from gpucontract.web.forms.steps import FOLDED, NEW, NONE, StepForm, Typed, over
from gpucontract.web.panel import proposals
from gpucontract.web.wizard import Draft, hidden_names

# A revision counter of more digits is nonsense.
DIGITS = 10
_ROW_CODE = re.compile(r"c|[gm][1-9][0-9]{0,3}")


@dataclass(frozen=True, slots=True)
class Posted:
    """One post of a step's page: what stands in its inputs, and which saved state the page was built on.

    folded: the rows whose seldom-used terms were not on the page; `typed` holds their stored text.
    """

    draft: Draft
    step: str
    by: User
    typed: Typed
    folded: frozenset[str] = frozenset()
    revision: int = 0
    tab: str = ""

    @property
    def raw(self) -> Typed:
        """What the buffer keeps: the inputs that were on the page, and which rows were folded."""
        places = [place for place in self.draft.places(self.step) if place.code in self.folded]
        hidden = {name for place in places for name in hidden_names(place)}
        shown = {name: values for name, values in self.typed.items() if name not in hidden}
        return shown | ({FOLDED: sorted(self.folded)} if self.folded else {})


def posted_from(draft: Draft, step: str, by: User, post: QueryDict) -> Posted:
    """The post of a browser."""
    raw = raw_from(step, post)
    return Posted(draft, step, by, draft.filled_up(step, raw), frozenset(raw.get(FOLDED, ())), *page_of(post))


def raw_from(step: str, post: QueryDict) -> Typed:
    """The inputs of a step as posted; what belongs to none of its terms is left out."""
    known = {(info.row, info.id) for info in SECTIONS[step].terms}
    raw = {name: values for name, values in post.lists() if _place(name.removesuffix(NONE)) in known}
    folded = [code for code in post.getlist(FOLDED) if _ROW_CODE.fullmatch(code)]
    return raw | ({FOLDED: folded} if folded else {})


def page_of(post: QueryDict) -> tuple[int, str]:
    """The saved state a page was built on, and the tab it stands in."""
    revision = post.get("revision", "")
    is_number = revision.isascii() and revision.isdecimal() and len(revision) < DIGITS
    return int(revision) if is_number else 0, post.get("tab", "")


def _place(name: str) -> tuple[Row, str] | None:
    code, _dash, rest = name.partition("-")
    return (ROW_OF_LETTER[code[0]], rest.partition("-")[0]) if _ROW_CODE.fullmatch(code) else None


def keep(posted: Posted) -> None:
    """Buffer the text as typed, nothing when it says what is stored already. Raises StepConflict."""
    _buffer(posted, {} if posted.draft.is_stored(posted.step, posted.typed) else posted.raw)


def save(posted: Posted) -> StepForm:
    """Write what is right in the step and keep the rest as typed; the form says what is wrong."""
    form = posted.draft.form(posted.step, posted.typed, is_bound=True)
    if (typed := _with_usual_lines(posted, form)) != posted.typed:
        posted = replace(posted, typed=typed)
        form = posted.draft.form(posted.step, typed, is_bound=True)
        form.added = _(
            "The usual way to test storage was filled in, as its rates need one; change it if you agree on another."
        )
    _write_right(posted, form)
    return form


def later(posted: Posted) -> None:
    """The same for whoever goes on another time: nothing is filled in, nothing is said."""
    _write_right(posted, posted.draft.form(posted.step, posted.typed, is_bound=True))


def _write_right(posted: Posted, form: StepForm) -> None:
    values = form.values()
    form.require(over(posted.draft.terms, values))
    while True:
        wrong = form.refused()
        right = {path: value for path, value in values.items() if path not in wrong}
        try:
            return _write(posted, right, wrong)
        except TermsRefused as refused:
            form.refuse({path: spoken(text) for path, text in refused.refusals.items()})
            values = {path: value for path, value in right.items() if not _is_refused(path, refused.refusals)}


def _is_refused(path: str, refusals: Mapping[str, object]) -> bool:
    """Whether a term was refused, or the row it stands in."""
    return path in refusals or path.partition("/")[0] in refusals


@transaction.atomic
def _write(posted: Posted, values: Mapping[str, object], wrong: Collection[str]) -> None:
    rows: dict[str, dict[str, object]] = {}
    for path, value in values.items():
        code, _slash, term = path.partition("/")
        rows.setdefault(code, {})[term] = value
    services.write_terms(posted.draft.contract, values=rows, by=posted.by)
    keep(_with_wrong(posted, wrong)) if wrong else _buffer(posted, {})


def _with_wrong(posted: Posted, wrong: Collection[str]) -> Posted:
    """What is stored now, under what was typed into the terms that were refused."""
    draft = Draft.of(posted.draft.contract)
    names = {path.replace("/", "-") for path in wrong}
    right = {name: given for name, given in draft.stored(posted.step).items() if _term_of(name) not in names}
    refused = {name: given for name, given in posted.typed.items() if _term_of(name) in names}
    return replace(posted, draft=draft, typed=right | refused)


def _term_of(name: str) -> str:
    """The input of the term that an input belongs to: c-unit_price.na and c-unit_price-new1-from to c-unit_price."""
    return "-".join(name.removesuffix(NONE).split("-")[:2])


def _buffer(posted: Posted, raw: Typed) -> None:
    services.buffer_step(
        posted.draft.contract, posted.step, raw=raw, revision=posted.revision, by=posted.by, tab=posted.tab
    )  # fmt: skip


def fill(posted: Posted, _subject: str) -> str:
    """Put the catalogue's values into the inputs that are empty; returns where to go."""
    typed, before = dict(posted.typed), None
    # A value that was filled in may lead to the next one: the CUDA version to the driver.
    while typed != before:
        before = dict(typed)
        found = proposals(posted.step, posted.draft.terms_with(posted.step, typed), posted.draft.titles())
        typed |= {each.input: [each.posted] for each in found if not "".join(typed.get(each.input, []))}
    keep(replace(posted, typed=typed))
    return "step-form"


def more(posted: Posted, code: str) -> str:
    """Bring the seldom-used terms of a row; returns where to go."""
    keep(replace(posted, folded=posted.folded - {code}))
    return f"more-{code}"


def add(posted: Posted, letter: str) -> str:
    """An empty row at the end; returns where to go."""
    keep(posted)
    adding = services.add_group if letter == "g" else services.add_mount
    return f"row-{adding(posted.draft.contract, by=posted.by).code}"


@transaction.atomic
def copy(posted: Posted, code: str) -> str:
    """A copy of a row with what is typed into it now; returns where to go."""
    new = services.duplicate_row(posted.draft.contract, code=code, by=posted.by)
    typed = {**posted.typed, **_copied(posted.typed, code, new)}
    keep(replace(posted, typed=typed, folded=posted.folded | ({new} if code in posted.folded else set())))
    return f"row-{new}"


def remove(posted: Posted, code: str) -> str:
    """A row less; returns where to go."""
    left = {name: values for name, values in posted.typed.items() if not _starts(name, code)}
    with transaction.atomic():
        services.remove_row(posted.draft.contract, code=code, by=posted.by)
        keep(replace(posted, typed=left))
    return f"add-{code[:1]}"


def add_line(posted: Posted, name: str) -> str:
    """One more child row, as yet without a code; returns where to go."""
    new, held = _new_line(posted, name), posted.typed.get(name, [])
    usual = usual_rows(posted.draft.terms_with(posted.step, posted.typed), name.replace("-", "/"))[len(held) :]
    keep(replace(posted, typed={**posted.typed, **_line(name, new, usual[0] if usual else {}), name: [*held, new]}))
    return f"line-{name}-{new}"


def _line(name: str, code: str, row: Mapping[str, Any]) -> Typed:
    """The inputs of a child row with these values."""
    return {f"{name}-{code}-{column}": typed_as(value) for column, value in row.items()}


def _with_usual_lines(posted: Posted, form: StepForm) -> Typed:
    """The typed text with the usual lines where the step needs some and has none."""
    terms = over(posted.draft.terms, form.values())
    typed = dict(posted.typed)
    for name in form.without_lines(terms):
        if not (rows := usual_rows(terms, name.replace("-", "/"))):
            continue
        codes = [f"{NEW}{number}" for number in range(1, len(rows) + 1)]
        typed[name] = codes
        for code, row in zip(codes, rows, strict=True):
            typed |= _line(name, code, row)
    return typed


def _new_line(posted: Posted, name: str) -> str:
    numbers = [line.removeprefix(NEW) for line in posted.typed.get(name, [])]
    return f"{NEW}{max((int(number) for number in numbers if number.isdecimal()), default=0) + 1}"


def copy_line(posted: Posted, code: str) -> str:
    """One more child row with the text of another; returns where to go."""
    name, _dash, own = code.rpartition("-")
    new = _new_line(posted, name)
    copied = {f"{name}-{new}-{key.removeprefix(f'{code}-')}": values for key, values in posted.typed.items()
              if key.startswith(f"{code}-")}  # fmt: skip
    lines = list(posted.typed.get(name, []))
    lines.insert(lines.index(own) + 1 if own in lines else len(lines), new)
    keep(replace(posted, typed={**posted.typed, **copied, name: lines}))
    return f"line-{name}-{new}"


def drop_line(posted: Posted, code: str) -> str:
    """One child row less; returns where to go."""
    name, _dash, own = code.rpartition("-")
    left = {key: values for key, values in posted.typed.items() if not key.startswith(f"{code}-")}
    left[name] = [line for line in left.get(name, []) if line != own]
    keep(replace(posted, typed=left))
    return f"add-{name}"


ACTS: dict[str, Callable[[Posted, str], str]] = {
    "add": add,
    "copy": copy,
    "remove": remove,
    "line": add_line,
    "copyline": copy_line,
    "more": more,
    "fill": fill,
    "drop": drop_line,
}


def _starts(name: str, code: str) -> bool:
    return name.partition("-")[0] == code


def _copied(typed: Typed, code: str, new: str) -> dict[str, list[str]]:
    """A row's inputs under another code; its lines become new ones, as their codes belong to the first row."""
    own = {name: values for name, values in typed.items() if _starts(name, code)}
    lines: dict[tuple[str, str], str] = {}
    for name in own:
        _code, term, *rest = name.split("-")
        if rest:
            lines.setdefault((term, rest[0]), f"{NEW}{len(lines) + 1}")
    copied: dict[str, list[str]] = {}
    for name, values in own.items():
        _code, term, *rest = name.split("-")
        place = [lines[term, rest[0]], *rest[1:]] if rest else []
        copied["-".join([new, term, *place])] = [lines.get((term, value), value) for value in values]
    return copied
