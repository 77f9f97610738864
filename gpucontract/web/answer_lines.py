"""The lines of an offer as the vendor answers them: what is offered, what changed, what was said, what is typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from django.http import QueryDict
from django.utils.safestring import SafeString

from gpucontract.accounts.roles import Side
from gpucontract.canonical import decimal_text
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.comparing import Change, Kind
from gpucontract.contracts.countering import why_no_counter
from gpucontract.contracts.earlier import changes_since
from gpucontract.contracts.models import Attachment, Confirmation, Revision
from gpucontract.contracts.price_effects import is_price
from gpucontract.contracts.rounds import Said, rounds_of
from gpucontract.localise import spoken
from gpucontract.web.clause_list import Known, Row, sections_of
from gpucontract.web.forms.answering import counter_widget, kept, unit_of, value_in
from gpucontract.wording import Text

SHOWS = ("open", "counter", "ask", "confirm")
CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Typed:
    """What the inputs of a line hold: posted and refused, or saved."""

    answer: str
    question: str
    reason: str
    amount: str
    currency: str
    basis: str


@dataclass(frozen=True, slots=True)
class Line:
    """One clause to answer. widget: the input of a counter, empty where there can be none. said: earlier rounds."""

    row: Row
    typed: Typed
    widget: SafeString
    change: Change | None
    said: tuple[Said, ...]
    attachment: Attachment | None
    sha256: str
    unit: str = ""
    no_counter: str = ""
    refusal: str = ""

    @property
    def is_price(self) -> bool:
        """Whether it speaks of money, where a counter is haggling and not a change of a machine."""
        return is_price(self.row.key)

    @property
    def state(self) -> str:
        """Which filter it belongs to: open, counter, ask, confirm."""
        return self.row.answer.answer if self.row.answer else "open"


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of one section."""

    title: str
    id: str
    lines: tuple[Line, ...]

    @property
    def open(self) -> int:
        """How many lines have no answer yet."""
        return sum(line.state == "open" for line in self.lines)


def parts_of(revision: Revision, posted: QueryDict, refusals: Mapping[str, Text]) -> list[Part]:
    """All lines, section by section, for the vendor's eyes."""
    body = revision.body()
    answers = {answer.key: answer for answer in revision.confirmations.select_related("answered_by")}
    clauses = {clause.key: clause for clause in body.clauses}
    changed = changes_since(revision)
    rounds = rounds_of(revision.contract, Side.VENDOR)
    files = {file.key: file for file in revision.attachments.all()}

    def line(row: Row) -> Line:
        clause, answer, refusal = clauses[row.key], answers.get(row.key), refusals.get(row.key)
        return Line(
            row=row, typed=_typed(row.key, answer, posted), widget=_widget(clause, answer, posted, row.anchor),
            change=changed.get(row.key), said=_earlier(rounds.get(row.key, ()), revision), sha256=clause.sha256,
            attachment=files.get(row.key), unit=unit_of(clause), no_counter=_no_counter(clause),
            refusal=spoken(refusal) if refusal else "",
        )  # fmt: skip

    sections = sections_of(body, Known(answers=answers))
    return [Part(section.title, section.id, tuple(map(line, section.rows))) for section in sections]


def only(parts: Iterable[Part], show: str) -> list[Part]:
    """The lines in one state, or those that changed; all of them for anything else."""
    if show not in (*SHOWS, CHANGED):
        return list(parts)
    found = [replace(part, lines=tuple(line for line in part.lines if _shows(line, show))) for part in parts]
    return [part for part in found if part.lines]


def _shows(line: Line, show: str) -> bool:
    return line.change is not None if show == CHANGED else line.state == show


def listed(parts: Iterable[Part], which: str) -> list[Line]:
    """The open lines a bulk confirmation would confirm: of a section, all, only reworded ones, or those as signed."""
    lines = [line for part in parts for line in part.lines if which in (part.id, "wording", "open", "signed")]
    fits = {"wording": lambda line: is_wording(line.change), "signed": lambda line: line.change is None}
    return [line for line in lines if line.state == "open" and fits.get(which, bool)(line)]


def is_wording(change: Change | None) -> bool:
    """Whether nothing but the wording of the line changed."""
    return change is not None and change.kind is Kind.WORDING


def _earlier(said: Iterable[Said], revision: Revision) -> tuple[Said, ...]:
    return tuple(each for each in said if each.number < revision.number and each.answer in ("counter", "ask"))


def _no_counter(clause: Clause) -> str:
    why = why_no_counter(clause)
    return spoken(why) if why else ""


def _typed(key: str, answer: Confirmation | None, posted: QueryDict) -> Typed:
    reason = answer.reason if answer else ""
    is_ask = answer is not None and answer.answer == "ask"
    amount = decimal_text(answer.price_amount) if answer and answer.price_amount is not None else ""
    return Typed(
        answer=kept(posted, "answer", key, answer.answer if answer else ""),
        question=kept(posted, "question", key, reason if is_ask else ""),
        reason=kept(posted, "reason", key, "" if is_ask else reason), amount=kept(posted, "amount", key, amount),
        currency=kept(posted, "currency", key, answer.price_currency if answer else ""),
        basis=kept(posted, "basis", key, answer.price_basis if answer else ""),
    )  # fmt: skip


def _widget(clause: Clause, answer: Confirmation | None, posted: QueryDict, anchor: str) -> SafeString:
    saved = answer.value if answer else ""
    typed = value_in(posted, clause) if posted and f"value-{clause.key}" in posted else saved
    return counter_widget(clause, typed, anchor)
