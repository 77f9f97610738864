"""What the buttons of a step do: keep what was typed, write what is right, add and remove rows and lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.db import transaction
from django.http import QueryDict

from gpucontract.accounts.models import User
from gpucontract.contracts import services
from gpucontract.contracts.errors import TermsRefused
from gpucontract.localise import spoken
from gpucontract.web.forms.steps import NEW, StepForm, Typed, over, typed_from
from gpucontract.web.wizard import Draft


@dataclass(frozen=True, slots=True)
class Posted:
    """One post of a step's page: what stands in its inputs, and which saved state the page was built on."""

    draft: Draft
    step: str
    by: User
    typed: Typed
    revision: int = 0
    tab: str = ""


def posted_from(draft: Draft, step: str, by: User, post: QueryDict) -> Posted:
    """The post of a browser; inputs that belong to no row of this step are left out."""
    codes = {place.code for place in draft.places(step)}
    typed = {name: values for name, values in post.lists() if name.partition("-")[0] in codes and "-" in name}
    revision = post.get("revision", "")
    return Posted(draft, step, by, typed, int(revision) if revision.isdecimal() else 0, post.get("tab", ""))


def keep(posted: Posted) -> None:
    """Buffer the text as typed, nothing when it says what is stored already. Raises StepConflict."""
    stored = typed_from(posted.draft.places(posted.step), posted.draft.terms)
    _buffer(posted, {} if _filled(posted.typed) == _filled(stored) else posted.typed)


def _filled(typed: Typed) -> dict[str, list[str]]:
    """The inputs that hold something: a browser posts no empty group of boxes."""
    filled = {name: [value for value in values if value] for name, values in typed.items()}
    return {name: values for name, values in filled.items() if values}


def save(posted: Posted) -> StepForm:
    """Write the step when everything in it is right, else keep it as typed; the form says what is wrong."""
    form = posted.draft.form(posted.step, posted.typed, is_bound=True)
    values = form.values()
    form.require(over(posted.draft.terms, values))
    if not form.problems():
        try:
            _write(posted, values)
            return form
        except TermsRefused as refused:
            form.refuse({path: spoken(text) for path, text in refused.refusals.items()})
    keep(posted)
    return form


@transaction.atomic
def _write(posted: Posted, values: dict[str, object]) -> None:
    rows: dict[str, dict[str, object]] = {}
    for path, value in values.items():
        code, _slash, term = path.partition("/")
        rows.setdefault(code, {})[term] = value
    _buffer(posted, {})
    services.write_terms(posted.draft.contract, values=rows, by=posted.by)


def _buffer(posted: Posted, raw: Typed) -> None:
    services.buffer_step(
        posted.draft.contract, posted.step, raw=raw, revision=posted.revision, by=posted.by, tab=posted.tab
    )  # fmt: skip


def add(posted: Posted, letter: str) -> str:
    """An empty row at the end; returns where to go."""
    keep(posted)
    adding = services.add_group if letter == "g" else services.add_mount
    return f"row-{adding(posted.draft.contract, by=posted.by).code}"


@transaction.atomic
def copy(posted: Posted, code: str) -> str:
    """A copy of a row with what is typed into it now; returns where to go."""
    new = services.duplicate_row(posted.draft.contract, code=code, by=posted.by)
    keep(replace(posted, typed={**posted.typed, **_copied(posted.typed, code, new)}))
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
    lines = posted.typed.get(name, [])
    number = max((int(line.removeprefix(NEW)) for line in lines if line.removeprefix(NEW).isdecimal()), default=0) + 1
    keep(replace(posted, typed={**posted.typed, name: [*lines, f"{NEW}{number}"]}))
    return f"add-{name}"


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
