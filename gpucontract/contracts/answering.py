"""The vendor's side of a revision: answer line by line, save part, submit; unchanged lines carry their answer over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import STATES, Fact, State
from gpucontract.contracts.models import Confirmation, Contract, Revision
from gpucontract.contracts.models.revision import ANSWERS
from gpucontract.contracts.moving import move
from gpucontract.contracts.rights import must
from gpucontract.wording import Text

LONGEST_REASON = 1000

_NOT_OPEN = Text(
    "版本 {revision} 现在不能答复：合同处于“{state}”，或已有更新的版本。请刷新页面。",
    "Revision {revision} cannot be answered now: the contract is “{state}”, or there is a newer revision. Reload.",
)
_NO_CLAUSE = Text("版本 {revision} 没有条款 {keys}。", "Revision {revision} has no clause {keys}.")
_NO_QUESTION = Text("“{line}”：提问时请写明问题。", "“{line}”: write the question you ask.")
_NO_ANSWER = Text(
    "条款 {key}：“{answer}”不是答复，可选：确认、提问。", "Clause {key}: “{answer}” is no answer; confirm or ask."
)
_TOO_LONG = Text(
    "“{line}”：问题有 {length} 个字，最多 {limit} 个。",
    "“{line}”: the question has {length} characters, at most {limit}.",
)


@dataclass(frozen=True, slots=True)
class Given:
    """One answer: confirm, or ask with a question."""

    answer: str
    reason: str = ""


@transaction.atomic
def answer_clauses(revision: Revision, *, answers: Mapping[str, Given | None], by: User) -> int:
    """Save answers by clause key, as many as are given; None takes one back. Returns how many lines changed.

    Only while the newest sent revision is with the vendor. Nothing is submitted by this.
    """
    must(revision.contract, by, "answer")
    held = _with_vendor(revision)
    clauses = {clause.key: clause for clause in revision.body().clauses}
    _check(revision, clauses, answers)
    old = {answer.key: answer for answer in revision.confirmations.all()}
    changed = {key: given for key, given in answers.items() if _differs(old.get(key), given)}
    revision.confirmations.filter(key__in=changed).delete()
    now = timezone.now()
    Confirmation.objects.bulk_create(
        _confirmation(revision, clauses[key], given, by, now) for key, given in changed.items() if given is not None
    )
    if changed:
        record(held, "clauses_answered", by=by, at=now, body=_said(changed), revision=revision)
    return len(changed)


@transaction.atomic
def confirm_open_in_section(revision: Revision, section: str, *, by: User) -> int:
    """Confirm every line of a section that has no answer yet; returns how many."""
    answered = set(revision.confirmations.values_list("key", flat=True))
    open_keys = [clause.key for clause in revision.body().clauses if clause.section == section]
    answers = {key: Given("confirm") for key in open_keys if key not in answered}
    return answer_clauses(revision, answers=answers, by=by)


@transaction.atomic
def submit_answers(revision: Revision, *, by: User) -> Contract:
    """Hand all answers to the buyer; when every line is confirmed, the contract is agreed at once."""
    must(revision.contract, by, "submit")
    held = _with_vendor(revision)
    answers = dict(revision.confirmations.values_list("key", "answer"))
    keys = {clause.key for clause in revision.body().clauses}
    facts = {Fact.ALL_ANSWERED} if keys <= set(answers) else set()
    now = timezone.now()
    moved = move(held, "submit", by=by, facts=facts, now=now, revision=revision)
    revision.confirmations.filter(submitted_at__isnull=True).update(submitted_at=now)
    if is_confirmed(revision):
        moved = move(moved, "agree", by=None, facts={Fact.ALL_CONFIRMED}, now=now, revision=revision)
    return moved


def is_confirmed(revision: Revision) -> bool:
    """Whether every line of the revision is confirmed with exactly the hash it has."""
    confirmed = dict(revision.confirmations.filter(answer="confirm").values_list("key", "clause_sha256"))
    return all(confirmed.get(clause.key) == clause.sha256 for clause in revision.body().clauses)


def carry_over(earlier: Revision, revision: Revision) -> int:
    """Copy the confirmations of the sent revision before to lines with the same key and hash; returns how many."""
    hashes = {clause.key: clause.sha256 for clause in revision.body().clauses}
    carried = [
        Confirmation(
            revision=revision, key=answer.key, clause_sha256=answer.clause_sha256, answer=answer.answer,
            answered_by=answer.answered_by, answered_at=answer.answered_at, submitted_at=answer.submitted_at,
            carried_from_number=answer.carried_from_number or earlier.number,
        )
        for answer in earlier.confirmations.filter(answer="confirm").select_related("answered_by")
        if hashes.get(answer.key) == answer.clause_sha256
    ]  # fmt: skip
    return len(Confirmation.objects.bulk_create(carried))


def _with_vendor(revision: Revision) -> Contract:
    held = lock(revision.contract)
    newest = held.revisions.filter(sent_at__isnull=False).order_by("-number").first()
    if held.state != State.WITH_VENDOR or newest != revision:
        raise ContractError(_NOT_OPEN.fill(revision=f"v{revision.number}", state=STATES[State(held.state)]))
    return held


def _check(revision: Revision, clauses: Mapping[str, Clause], answers: Mapping[str, Given | None]) -> None:
    strangers = sorted(set(answers) - set(clauses))
    if strangers:
        raise ContractError(_NO_CLAUSE.fill(revision=f"v{revision.number}", keys=", ".join(strangers[:5])))
    for key, given in answers.items():
        if given is None:
            continue
        if given.answer not in ANSWERS:
            raise ContractError(_NO_ANSWER.fill(key=key, answer=given.answer[:40]))
        if given.answer == "ask" and not _plain(given.reason):
            raise ContractError(_NO_QUESTION.fill(line=clauses[key].text))
        if len(given.reason) > LONGEST_REASON:
            raise ContractError(_TOO_LONG.fill(line=clauses[key].text, length=len(given.reason), limit=LONGEST_REASON))


def _differs(old: Confirmation | None, given: Given | None) -> bool:
    if old is None or given is None:
        return (old is None) != (given is None)
    return (old.answer, old.reason) != (given.answer, _plain(given.reason))


def _plain(reason: str) -> str:
    """Without the NUL that PostgreSQL refuses."""
    return reason.replace("\x00", "").strip()


def _confirmation(revision: Revision, clause: Clause, given: Given, by: User, now: datetime) -> Confirmation:
    return Confirmation(
        revision=revision, key=clause.key, clause_sha256=clause.sha256, answer=given.answer,
        reason=_plain(given.reason), answered_by=by, answered_at=now,
    )  # fmt: skip


def _said(changed: Mapping[str, Given | None]) -> dict[str, object]:
    def keys(answer: str | None) -> Iterable[str]:
        return sorted(key for key, given in changed.items() if (given.answer if given else None) == answer)

    return {"confirmed": list(keys("confirm")), "asked": list(keys("ask")), "taken_back": list(keys(None))}
