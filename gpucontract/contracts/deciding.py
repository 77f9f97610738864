"""The buyer's word on the vendor's counters and questions, and what accepting a counter writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.countering import counter_words, stands_in, stored
from gpucontract.contracts.errors import AnswersRefused, ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import STATES, State
from gpucontract.contracts.meanwhile import decisions_meanwhile
from gpucontract.contracts.models import Confirmation, Contract, Decision, Revision
from gpucontract.contracts.price_effects import effects
from gpucontract.contracts.printing import stated_value
from gpucontract.contracts.rights import must
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.terms import NotApplicable
from gpucontract.contracts.writing import put_terms
from gpucontract.wording import Text

LONGEST_TEXT = 1000
# decision -> the answer it fits, the right it needs, its event
FITS = {
    "accepted": ("counter", "agree", "counter_accepted"),
    "declined": ("counter", "draft", "counter_declined"),
    "replied": ("ask", "draft", "question_answered"),
}

_NOT_NOW = Text(
    "合同处于“{state}”，版本 {revision} 的修改和提问现在不能处理。请刷新页面。",
    "The contract is “{state}”; counters and questions on revision {revision} cannot be settled now. Reload the page.",
)
_NOTHING = Text(
    "条款 {key} 没有等待处理的修改或提问。请刷新页面。",
    "Clause {key} has no counter or question waiting. Reload the page.",
)
_UNFIT = Text("条款 {key}：这里不能“{decision}”。", "Clause {key}: “{decision}” does not fit what the vendor said.")
_NO_TEXT = Text(
    "“{line}”：请写明理由或答复，最多 {limit} 个字。",
    "“{line}”: write why, or your reply, in at most {limit} characters.",
)
_NO_CHOICE = Text(
    "“{line}”：写了说明，还没有选择“接受”还是“维持我方的值”。请选一项。",
    "“{line}”: you wrote a note; choose whether you accept the counter or keep your value.",
)
_UNDECIDED = Text("“{line}”：乙方的{what}还没有处理。", "“{line}”: the vendor's {what} waits for you.")
_CONTRADICTED = Text(
    "“{line}”：已接受乙方提出的 {counter}，但条款现在写的是 {value}。请重新处理，或改回乙方提出的值。",
    "“{line}”: the counter {counter} was accepted, but the terms now say {value}. Decide again or set that value.",
)
_GONE = Text("（没有这一条）", "(no such line)")
_WHAT = {"counter": Text("修改", "counter"), "ask": Text("提问", "question")}


@dataclass(frozen=True, slots=True)
class Open:
    """A line of the last revision that keeps the next one from being sent, with what to do."""

    key: str
    sentence: Text


@dataclass(frozen=True, slots=True)
class Word:
    """The buyer's word on one line as typed. decision: "" while none is chosen; settled: see Decision.price_settled."""

    decision: str = ""
    text: str = ""
    settled: bool = False

    @property
    def is_blank(self) -> bool:
        """Whether nothing was chosen or typed; a reply has no choice beside its text."""
        return self.decision in ("", "replied") and not self.text.strip()


@dataclass(frozen=True, slots=True)
class Before:
    """What a term held: its value as typed, or why it did not apply."""

    value: str = ""
    excuse: str = ""


@transaction.atomic
def decide(
    revision: Revision,
    key: str,
    *,
    decision: str,
    text: str = "",
    settled: bool = False,
    by: User,
    now: datetime | None = None,
) -> Decision:
    """Accept or decline a counter, or answer a question; may be done anew until the next revision is sent.

    Accepting writes the value through the term's own field, and never the price. settled: the price effect of the
    accepted counter needs no change of the price. Raises ContractError, TermsRefused.
    """
    answer, right, kind = FITS.get(decision, ("", "agree", ""))
    must(revision.contract, by, right)
    held = _being_revised(revision)
    confirmation = _waiting(revision, key, answer, decision)
    clause = revision.body().clause(key)
    said = _plain(text, clause, is_needed=decision != "accepted")
    at = now or timezone.now()
    before = _apply(held, clause, confirmation, decision)
    fresh = {"answer": decision, "text": said, "decided_by": by, "decided_at": at}
    settles = settled and decision == "accepted" and confirmation.price_amount is not None
    fresh |= {"replaced": before.value, "excuse": before.excuse, "price_settled": settles}
    made, _is_new = Decision.objects.update_or_create(confirmation=confirmation, defaults=fresh)
    old = before.value or before.excuse or None
    body: dict[str, object] = {"new": confirmation.value or None, "old": old, "reason": said or None}
    body |= {"price_settled": True} if settles else {}
    record(held, kind, by=by, at=at, key=key, body=body, revision=revision)
    return made


@transaction.atomic
def decide_lines(
    revision: Revision,
    words: Mapping[str, Word],
    *,
    by: User,
    shown: int | None = None,
    now: datetime | None = None,
) -> int:
    """Keep the buyer's word on every line where it is new; returns on how many.

    shown: the journal's newest number when the page was made that they come from; a colleague's word since is not
    overwritten unseen.
    Raises AnswersRefused with a sentence for every line that cannot be kept; then nothing is saved.
    """
    must(revision.contract, by, "draft")
    # Held before the words kept so far are read: a colleague's one could come in between.
    _being_revised(revision)
    kept = {made.confirmation.key: made for made in _decided(revision)}
    clauses = {clause.key: clause for clause in revision.body().clauses}
    later = decisions_meanwhile(revision, kept, clauses, by=by, shown=shown) if shown is not None else {}
    fresh = {
        key: word
        for key, word in words.items()
        if _is_new(word, kept.get(key)) and not (key in later and word.is_blank)
    }
    refusals = {key: later[key] for key in fresh if key in later}
    for key, word in fresh.items():
        try:
            _must_be_chosen(revision, key, word)
            decide(revision, key, decision=word.decision, text=word.text, settled=word.settled, by=by, now=now)
        except ContractError as refusal:
            refusals.setdefault(key, refusal.text)
    if refusals:
        raise AnswersRefused(refusals)
    return len(fresh)


def _decided(revision: Revision) -> Iterator[Decision]:
    return (
        Decision.objects.filter(confirmation__revision=revision).select_related("confirmation", "decided_by").iterator()
    )


def _is_new(word: Word, kept: Decision | None) -> bool:
    text = word.text.replace("\x00", "").strip()
    if kept is None:
        return bool(word.decision or text)
    if not word.decision:
        return text not in ("", kept.text)
    return (word.decision, text, word.settled) != (kept.answer, kept.text, kept.price_settled)


def _must_be_chosen(revision: Revision, key: str, word: Word) -> None:
    if not word.decision:
        clause = next((clause for clause in revision.body().clauses if clause.key == key), None)
        raise ContractError(_NO_CHOICE.fill(line=clause.text if clause else key))


def open_lines(earlier: Revision, body: Body) -> Iterator[Open]:
    """What keeps the next revision back: no word yet, an accepted value the terms lost, an open price effect."""
    clauses = {clause.key: clause for clause in body.clauses}
    old = {clause.key: clause for clause in earlier.body().clauses}
    waiting = earlier.confirmations.exclude(answer="confirm").filter(submitted_at__isnull=False)
    order = list(old)
    for confirmation in sorted(waiting.select_related("decision"), key=lambda each: order.index(each.key)):
        line, decision = old[confirmation.key].text, getattr(confirmation, "decision", None)
        if decision is None:
            yield Open(confirmation.key, _UNDECIDED.fill(line=line, what=_WHAT[confirmation.answer]))
        elif decision.answer == "accepted" and not _is_held(clauses.get(confirmation.key), confirmation.value):
            yield Open(confirmation.key, _contradiction(old[confirmation.key], clauses, confirmation.value))
    yield from (Open(effect.key, effect.sentence) for effect in effects(earlier, body) if effect.is_open)


def tell(earlier: Revision, now: datetime) -> int:
    """Let the vendor read the decisions on a revision; done when the next one is sent."""
    return Decision.objects.filter(confirmation__revision=earlier, told_at=None).update(told_at=now)


def _being_revised(revision: Revision) -> Contract:
    held = lock(revision.contract)
    newest = held.revisions.filter(sent_at__isnull=False).order_by("-number").first()
    if held.state != State.ANSWERED or newest != revision:
        raise ContractError(_NOT_NOW.fill(state=STATES[State(held.state)], revision=f"v{revision.number}"))
    return held


def _waiting(revision: Revision, key: str, answer: str, decision: str) -> Confirmation:
    found = revision.confirmations.exclude(answer="confirm").filter(key=key, submitted_at__isnull=False)
    confirmation = found.select_related("decision").first()
    if confirmation is None:
        raise ContractError(_NOTHING.fill(key=key[:80]))
    if confirmation.answer != answer:
        raise ContractError(_UNFIT.fill(key=key, decision=decision[:20]))
    return confirmation


def _plain(text: str, clause: Clause, *, is_needed: bool) -> str:
    said = text.replace("\x00", "").strip()
    if len(said) > LONGEST_TEXT or (is_needed and not said):
        raise ContractError(_NO_TEXT.fill(line=clause.text, limit=LONGEST_TEXT))
    return said


def _apply(held: Contract, clause: Clause, confirmation: Confirmation, decision: str) -> Before:
    """Write an accepted counter, or put back what one replaced; returns what the term held before."""
    earlier: Decision | None = getattr(confirmation, "decision", None)
    accepted = Before(earlier.replaced, earlier.excuse) if earlier and earlier.answer == "accepted" else None
    now = _now(held, clause)
    if decision == "accepted":
        _put(held, clause, confirmation.value)
        return accepted or now
    if accepted and now.value == confirmation.value:
        _put(held, clause, NotApplicable(accepted.excuse) if accepted.excuse else accepted.value)
    return Before()


def _now(held: Contract, clause: Clause) -> Before:
    terms, path = terms_of(held), str(clause.term)
    return Before(stored(terms.get(path)), terms.reason(path))


def _put(held: Contract, clause: Clause, value: object) -> None:
    code, _slash, name = str(clause.term).partition("/")
    put_terms(held, {code: {name: value}})


def _is_held(clause: Clause | None, typed: str) -> bool:
    return clause is not None and stands_in(clause, typed)


def _contradiction(old: Clause, clauses: dict[str, Clause], typed: str) -> Text:
    now = clauses.get(old.key)
    value = stated_value(now) if now else _GONE
    return _CONTRADICTED.fill(line=old.text, counter=counter_words(old, typed), value=value)
