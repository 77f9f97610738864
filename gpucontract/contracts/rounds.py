"""The conversation about each clause over the revisions, as far as one side may read it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from gpucontract.accounts.models import User
from gpucontract.accounts.roles import Side
from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.comparing import Change, changes
from gpucontract.contracts.countering import counter_words
from gpucontract.contracts.models import Attachment, Confirmation, Contract, Decision, Revision
from gpucontract.contracts.price_effects import CHANGED, NOT_YET, SETTLED, price_of
from gpucontract.contracts.printing import stated_value
from gpucontract.wording import Text


@dataclass(frozen=True, slots=True)
class Said:
    """What was said about one line on one revision. answer: confirm, counter, ask, or "" while it is open.

    offered: the value of that revision. change: how the line differs from the revision before.
    decision, reply: the buyer's word, where this side may read it; price_note, is_settled: on the price effect.
    """

    number: int
    offered: Text
    change: Change | None = None
    answer: str = ""
    counter: Text | None = None
    price: Text | None = None
    reason: str = ""
    by: User | None = None
    at: datetime | None = None
    is_submitted: bool = False
    attachment: Attachment | None = None
    decision: str = ""
    reply: str = ""
    decided_by: User | None = None
    decided_at: datetime | None = None
    price_note: Text | None = None
    is_settled: bool = False

    @property
    def is_waiting(self) -> bool:
        """Whether the buyer owes a word on it."""
        return self.answer in ("counter", "ask") and self.is_submitted and not self.decision

    @property
    def is_talk(self) -> bool:
        """Whether there is more to tell than that the line was confirmed as it was."""
        return bool(self.change or self.decision or self.answer in ("counter", "ask"))


@dataclass(slots=True)
class _Read:
    """What one side may read of one revision."""

    revision: Revision
    body: Body
    answers: Mapping[str, Confirmation] = field(default_factory=dict)
    files: Mapping[str, Attachment] = field(default_factory=dict)
    changed: Mapping[str, Change] = field(default_factory=dict)


def rounds_of(contract: Contract, side: Side | None) -> dict[str, tuple[Said, ...]]:
    """Clause key -> what was said on each sent revision, oldest first; only lines that were talked about."""
    reads = [_read(revision, side) for revision in contract.revisions.sent().order_by("number")]
    for earlier, later in itertools.pairwise(reads):
        later.changed = {change.key: change for change in changes(earlier.body, later.body)}
    found: dict[str, list[Said]] = {}
    for each in reads:
        for clause in each.body.clauses:
            found.setdefault(clause.key, []).append(_said(each, clause, side))
    return {key: tuple(all_said) for key, all_said in found.items() if any(said.is_talk for said in all_said)}


def _read(revision: Revision, side: Side | None) -> _Read:
    answers = revision.confirmations.select_related("answered_by", "decision__decided_by")
    if side != Side.VENDOR:
        answers = answers.filter(submitted_at__isnull=False)
    kept = {answer.key: answer for answer in answers}
    files = {file.key: file for file in revision.attachments.all() if file.key in kept}
    return _Read(revision, revision.body(), kept, files)


def _said(read: _Read, clause: Clause, side: Side | None) -> Said:
    number, offered, change = read.revision.number, stated_value(clause), read.changed.get(clause.key)
    answer = read.answers.get(clause.key)
    if answer is None:
        return Said(number, offered, change)
    decision = _decision(answer, side)
    return Said(
        number, offered, change, answer=answer.answer, reason=answer.reason, by=answer.answered_by,
        at=answer.answered_at, is_submitted=answer.submitted_at is not None, attachment=read.files.get(clause.key),
        counter=counter_words(clause, answer.value) if answer.value else None, price=price_of(answer),
        decision=decision.answer if decision else "", reply=decision.text if decision else "",
        decided_by=decision.decided_by if decision else None, decided_at=decision.decided_at if decision else None,
        price_note=_price_note(answer, decision), is_settled=bool(decision and decision.price_settled),
    )  # fmt: skip


def _price_note(answer: Confirmation, decision: Decision | None) -> Text | None:
    """What became of an accepted counter's price effect; nothing is sent while it is open."""
    if decision is None or decision.answer != "accepted" or answer.price_amount is None:
        return None
    return SETTLED if decision.price_settled else CHANGED if decision.told_at else NOT_YET


def _decision(answer: Confirmation, side: Side | None) -> Decision | None:
    decision: Decision | None = getattr(answer, "decision", None)
    hidden = side == Side.VENDOR and (decision is None or decision.told_at is None)
    return None if hidden else decision
