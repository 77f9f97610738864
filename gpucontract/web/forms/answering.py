"""The vendor's answers as posted: one radio group per clause, a question, or a counter with its reason and price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import SafeString

from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.countering import Price, counter_term, read_price
from gpucontract.contracts.printing import WORDS_UNITS
from gpucontract.contracts.sections.term import YES_NO_TEXT, Kind, TermInfo
from gpucontract.contracts.sections.values import TermRefused
from gpucontract.contracts.services import Given
from gpucontract.filing import too_large
from gpucontract.localise import spoken
from gpucontract.web.forms.fields import posted as posted_as
from gpucontract.web.forms.fields import unit_word, widget_for
from gpucontract.wording import Text

NO_CHOICE = Text("请选择…", "Select…")


def answers_in(posted: QueryDict, clauses: Iterable[Clause]) -> tuple[dict[str, Given], dict[str, Text]]:
    """The answers chosen in a posted page, by clause key, and why others cannot be read; no choice, no answer."""
    found: dict[str, Given] = {}
    refusals: dict[str, Text] = {}
    for clause in clauses:
        answer = posted.get(f"answer-{clause.key}", "")
        if not answer:
            continue
        try:
            found[clause.key] = _given(posted, clause, answer)
        except TermRefused as refusal:
            refusals[clause.key] = refusal.text
    return found, refusals


def files_in(
    posted: QueryDict, files: MultiValueDict[str, UploadedFile[bytes]]
) -> tuple[dict[str, tuple[str, bytes]], dict[str, Text]]:
    """The files chosen beside counters and questions, by clause key, and why others are too large to be read.

    Beside anything else a file says nothing.
    """
    chosen = {name.removeprefix("file-"): file for name, file in files.items() if name.startswith("file-")}
    chosen = {key: file for key, file in chosen.items() if posted.get(f"answer-{key}") in ("counter", "ask")}
    sizes = {key: too_large(file.name or "", file.size or 0) for key, file in chosen.items()}
    refusals = {key: refusal for key, refusal in sizes.items() if refusal}
    return {key: (file.name or "", file.read()) for key, file in chosen.items() if key not in refusals}, refusals


def unwanted_files(posted: QueryDict) -> set[str]:
    """The lines whose file is to go."""
    return {name.removeprefix("no-file-") for name in posted if name.startswith("no-file-")}


def _given(posted: QueryDict, clause: Clause, answer: str) -> Given:
    if answer == "ask":
        return Given("ask", posted.get(f"question-{clause.key}", ""))
    if answer == "counter":
        value, reason = value_in(posted, clause), posted.get(f"reason-{clause.key}", "")
        return Given("counter", reason, value, _price(posted, clause.key))
    return Given(answer)


def value_in(posted: QueryDict, clause: Clause) -> str:
    """The countered value as posted; several ticked boxes with commas between."""
    return ",".join(posted.getlist(f"value-{clause.key}"))


def _price(posted: QueryDict, key: str) -> Price | None:
    return read_price(*(posted.get(f"{name}-{key}", "") for name in ("amount", "currency", "basis")))


def counter_widget(clause: Clause, typed: str, anchor: str) -> SafeString:
    """The input for a counter to this clause, holding what was typed; nothing where it cannot be countered."""
    info = counter_term(clause)
    if info is None:
        return SafeString("")
    widget = _widget(info)
    value: Any = typed.split(",") if info.kind is Kind.MULTI else typed
    style = "form-select" if isinstance(widget, forms.Select) else "form-control"
    attributes = {"id": f"value-{anchor}", "autocomplete": "off"}
    if info.kind is not Kind.MULTI:
        attributes["class"] = style
    return widget.render(f"value-{clause.key}", value, attributes)


def unit_of(clause: Clause) -> str:
    """The unit a counter is typed in; nothing for words and counts."""
    info = counter_term(clause)
    if info is None or info.choices or info.kind not in (Kind.WHOLE, Kind.DECIMAL):
        return ""
    return unit_word(info.unit or ("" if clause.unit in WORDS_UNITS else clause.unit))


def _widget(info: TermInfo) -> forms.Widget:
    if info.kind is not Kind.MULTI and (info.choices or info.kind is Kind.YES_NO):
        pairs = [(posted_as(value), spoken(text)) for value, text in (info.choices or YES_NO_TEXT).items()]
        return forms.Select(choices=[("", spoken(NO_CHOICE)), *pairs])
    return widget_for(info, {})


def kept(posted: Mapping[str, str], name: str, key: str, saved: str) -> str:
    """What an input shows: what was posted and refused, else what is saved."""
    return posted.get(f"{name}-{key}", saved) if posted else saved
