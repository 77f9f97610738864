"""The vendor's side of a revision: answer line by line, save part, submit; unchanged lines carry their answer over."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.answer_files import filed_away, laid, lay_beside, take_away
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.errors import AnswersRefused, ContractError, StillOpen
from gpucontract.contracts.given import Given, checked
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import STATES, Fact, State
from gpucontract.contracts.meanwhile import answers_meanwhile, files_meanwhile
from gpucontract.contracts.models import Attachment, Confirmation, Contract, Event, Revision
from gpucontract.contracts.moving import move
from gpucontract.contracts.rights import must
from gpucontract.contracts.writing import check_terms
from gpucontract.wording import Text

Answers = Mapping[str, Given | None]


@dataclass(frozen=True, slots=True)
class AnswersPage:
    """What a page of answers holds, all by clause key. shown: the journal's newest number when it was made.

    unread: lines whose answer or file cannot be read, with why. files: name and bytes. without: lines whose file goes.
    """

    answers: Answers
    shown: int
    unread: Mapping[str, Text] = field(default_factory=dict)
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    without: Collection[str] = ()


_NOT_OPEN = Text(
    "版本 {revision} 现在不能答复：合同处于“{state}”，或已有更新的版本。请刷新页面。",
    "Revision {revision} cannot be answered now: the contract is “{state}”, or there is a newer revision. Reload.",
)
_STILL_OPEN = Text(
    "还不能提交：共 {lines} 条，还有 {count} 条没有答复。已作的答复都已保存。",
    "Not submitted yet: {count} of {lines} lines have no answer. Every answer you gave is saved.",
)
_NO_CLAUSE = Text("版本 {revision} 没有条款 {keys}。", "Revision {revision} has no clause {keys}.")


@transaction.atomic
def answer_clauses(revision: Revision, *, answers: Answers, by: User) -> int:
    """Save answers by clause key, as many as are given; None takes one back. Returns how many lines changed.

    Only while the newest sent revision is with the vendor. Nothing is submitted by this. Raises AnswersRefused with
    a sentence for every line that cannot be kept; then nothing is saved.
    """
    must(revision.contract, by, "answer")
    held = with_vendor(revision)
    clauses = {clause.key: clause for clause in revision.body().clauses}
    fitting = _checked(held, revision, clauses, answers)
    old = {answer.key: answer for answer in revision.confirmations.all()}
    changed = {key: given for key, given in fitting.items() if _differs(old.get(key), given)}
    revision.confirmations.filter(key__in=changed).delete()
    take_away(held, revision, (key for key, given in changed.items() if not given or given.answer == "confirm"), by=by)
    now = timezone.now()
    Confirmation.objects.bulk_create(
        _confirmation(revision, clauses[key], given, by, now) for key, given in changed.items() if given is not None
    )
    if changed:
        record(held, "clauses_answered", by=by, at=now, body=_said(changed), revision=revision)
    return len(changed)


def keep_page(revision: Revision, page: AnswersPage, *, by: User) -> int:
    """Save a page of answers, its files first. Returns how many answers changed.

    A file stays although an answer or another file is refused, for no browser posts it again by itself; where a
    colleague was faster, nothing of the page stays. Raises AnswersRefused with a sentence for every line that cannot
    be kept.
    """
    must(revision.contract, by, "answer")
    # Asked here as well, so that an overtaken page leaves no bytes either.
    _must_be_seen(revision, page, by)
    clauses = {clause.key for clause in revision.body().clauses}
    filed, refusals = filed_away({key: file for key, file in page.files.items() if key in clauses})
    with transaction.atomic():
        held = with_vendor(revision)
        _must_be_seen(revision, page, by)
        take_away(held, revision, set(page.without) - set(filed), by=by)
        lay_beside(held, revision, filed, by=by)
        try:
            return _answered(revision, replace(page, unread=refusals | dict(page.unread)), by)
        except AnswersRefused as refusal:
            refused = refusal
    raise refused


@transaction.atomic
def confirm_lines(revision: Revision, *, hashes: Mapping[str, str], by: User) -> int:
    """Confirm the lines somebody was shown, by key and the hash they saw; those answered meanwhile stay as they are."""
    must(revision.contract, by, "answer")
    # Held before the answers are read: a colleague's counter saved in between would be confirmed away.
    with_vendor(revision)
    clauses = {clause.key: clause.sha256 for clause in revision.body().clauses}
    answered = set(revision.confirmations.values_list("key", flat=True))
    seen = {key: Given("confirm") for key, sha in hashes.items() if clauses.get(key) == sha and key not in answered}
    return answer_clauses(revision, answers=seen, by=by)


@transaction.atomic
def confirm_open_in_section(revision: Revision, section: str, *, by: User) -> int:
    """Confirm every line of a section that has no answer yet; returns how many."""
    lines = {clause.key: clause.sha256 for clause in revision.body().clauses if clause.section == section}
    return confirm_lines(revision, hashes=lines, by=by)


@transaction.atomic
def submit_answers(revision: Revision, *, by: User) -> Contract:
    """Hand all answers to the buyer; when every line is confirmed, the contract is agreed at once."""
    must(revision.contract, by, "submit")
    held = with_vendor(revision)
    answers = dict(revision.confirmations.values_list("key", "answer"))
    keys = {clause.key for clause in revision.body().clauses}
    if missing := keys - set(answers):
        raise StillOpen(_STILL_OPEN.fill(count=len(missing), lines=len(keys)))
    now = timezone.now()
    said = _counted(answers) | {"files": laid(revision)}
    moved = move(held, "submit", by=by, facts={Fact.ALL_ANSWERED}, now=now, body=said, revision=revision)
    revision.confirmations.filter(submitted_at__isnull=True).update(submitted_at=now)
    if is_confirmed(revision):
        moved = move(moved, "agree", by=None, facts={Fact.ALL_CONFIRMED}, now=now, revision=revision)
    return moved


def is_confirmed(revision: Revision) -> bool:
    """Whether every line of the revision is confirmed with exactly the hash it has."""
    confirmed = dict(revision.confirmations.filter(answer="confirm").values_list("key", "clause_sha256"))
    return all(confirmed.get(clause.key) == clause.sha256 for clause in revision.body().clauses)


def carry_over(earlier: Revision, revision: Revision) -> int:
    """Copy answers of the sent revision before to lines with the same key and hash; returns how many.

    Confirmed lines stay confirmed. A counter or question that was never submitted stays as it was typed.
    """
    hashes = {clause.key: clause.sha256 for clause in revision.body().clauses}
    kept = earlier.confirmations.filter(Q(answer="confirm") | Q(submitted_at=None)).select_related("answered_by")
    carried = [
        Confirmation(
            revision=revision, key=answer.key, clause_sha256=answer.clause_sha256, answer=answer.answer,
            reason=answer.reason, value=answer.value, price_amount=answer.price_amount,
            price_currency=answer.price_currency, price_basis=answer.price_basis,
            answered_by=answer.answered_by, answered_at=answer.answered_at, submitted_at=answer.submitted_at,
            carried_from_number=answer.carried_from_number or earlier.number,
        )
        for answer in kept
        if hashes.get(answer.key) == answer.clause_sha256
    ]  # fmt: skip
    unsent = {answer.key for answer in carried if answer.answer != "confirm"}
    Attachment.objects.filter(revision=earlier, key__in=unsent).update(revision=revision)
    return len(Confirmation.objects.bulk_create(carried))


def still_open(contracts: Collection[Contract]) -> dict[int, int]:
    """Contract -> how many lines of the offer with the vendor have no answer yet; two queries, however many."""
    sent = Event.objects.filter(contract__in=contracts, kind="move_send").order_by("number")
    lines = {pk: int(json.loads(body).get("lines", 0)) for pk, body in sent.values_list("contract", "body")}
    newest = Revision.objects.filter(contract__in=contracts, sent_at__isnull=False).order_by("number")
    counted = newest.annotate(answered=Count("confirmations"))
    answered = dict(counted.values_list("contract", "answered"))
    return {pk: count - answered.get(pk, 0) for pk, count in lines.items()}


def with_vendor(revision: Revision) -> Contract:
    """The contract, its row held. Raises ContractError unless this newest revision is the vendor's to answer."""
    held = lock(revision.contract)
    newest = held.revisions.filter(sent_at__isnull=False).order_by("-number").first()
    if held.state != State.WITH_VENDOR or newest != revision:
        raise ContractError(_NOT_OPEN.fill(revision=f"v{revision.number}", state=STATES[State(held.state)]))
    return held


def _checked(
    contract: Contract, revision: Revision, clauses: Mapping[str, Clause], answers: Answers
) -> dict[str, Given | None]:
    strangers = sorted(set(answers) - set(clauses))
    if strangers:
        raise ContractError(_NO_CLAUSE.fill(revision=f"v{revision.number}", keys=", ".join(strangers[:5])))
    fitting: dict[str, Given | None] = {}
    refusals: dict[str, Text] = {}
    for key, given in answers.items():
        try:
            fitting[key] = None if given is None else _fitting(contract, clauses[key], given)
        except ContractError as refusal:
            refusals[key] = refusal.text
    if refusals:
        raise AnswersRefused(refusals)
    return fitting


def _fitting(contract: Contract, clause: Clause, given: Given) -> Given:
    """The answer as it is kept; a counter has passed the field its term is stored in."""
    kept = checked(clause, given)
    if kept.answer == "counter":
        code, _slash, name = str(clause.term).partition("/")
        check_terms(contract, {code: {name: kept.value}})
    return kept


def _answered(revision: Revision, page: AnswersPage, by: User) -> int:
    if page.unread:
        raise AnswersRefused(page.unread)
    return answer_clauses(revision, answers=page.answers, by=by)


def _must_be_seen(revision: Revision, page: AnswersPage, by: User) -> None:
    """Raises AnswersRefused naming what a colleague answered or laid, after the page was made, where it would go."""
    clauses = {clause.key: clause for clause in revision.body().clauses}
    old = {each.key: each for each in revision.confirmations.select_related("answered_by")}
    changed = {key for key, given in page.answers.items() if _differs(old.get(key), given)} | set(page.unread)
    touched = (changed | set(page.files) | set(page.without)) & set(clauses)
    overtaken = {key: old[key] for key in changed if key in old}
    refusals = files_meanwhile(revision, touched, clauses, by=by, shown=page.shown)
    refusals |= answers_meanwhile(revision, overtaken, clauses, by=by, shown=page.shown)
    if refusals:
        raise AnswersRefused(refusals)


def _differs(old: Confirmation | None, given: Given | None) -> bool:
    if old is None or given is None:
        return (old is None) != (given is None)
    return (old.answer, old.reason, old.value, *_price(old)) != (given.answer, given.reason, given.value, *given.money)


def _price(answer: Confirmation) -> tuple[object, str, str]:
    return answer.price_amount, answer.price_currency, answer.price_basis


def _confirmation(revision: Revision, clause: Clause, given: Given, by: User, now: datetime) -> Confirmation:
    amount, currency, basis = given.money
    return Confirmation(
        revision=revision, key=clause.key, clause_sha256=clause.sha256, answer=given.answer, reason=given.reason,
        value=given.value, price_amount=amount, price_currency=currency, price_basis=basis,
        answered_by=by, answered_at=now,
    )  # fmt: skip


def _said(changed: Answers) -> dict[str, object]:
    def keys(answer: str | None) -> Iterable[str]:
        return sorted(key for key, given in changed.items() if (given.answer if given else None) == answer)

    names = {"confirmed": "confirm", "countered": "counter", "asked": "ask", "taken_back": None}
    return {name: list(keys(answer)) for name, answer in names.items()}


def _counted(answers: Mapping[str, str]) -> dict[str, object]:
    """How many lines there are and how they were answered; the mail to the buyer says the same."""
    given = list(answers.values())
    return {"lines": len(given), **{name: given.count(name) for name in ("confirm", "counter", "ask")}}
