"""The clause list of a draft or of a revision, with what its reader may know: the vendor sees sent wordings only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from gpucontract.accounts.roles import SIDES, Side
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.compile import clauses as compiled
from gpucontract.contracts.countering import Price, counter_words, price_words
from gpucontract.contracts.models import Confirmation, Contract, Revision
from gpucontract.contracts.models.revision import ANSWERS
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.values import same
from gpucontract.documents.clause_list import DRAFT, NO_VALUE, ClauseList, Said, listed
from gpucontract.verdicts.states import STATE_TEXTS, State
from gpucontract.wording import Text

_OF_DRAFT = Text("草稿，未发送给乙方", "Draft, not sent to the vendor")
_OF_REVISION = Text("第 {number} 版", "Revision {number}")
_WAIVED = Text("已豁免（实测：{state}）", "waived (measured: {state})")


def draft_list(contract: Contract) -> ClauseList:
    """The clauses that the terms make as they stand now; for the buyer's eyes."""
    terms = terms_of(contract)
    parties = {side: terms.get(f"c/{side}_name", "") for side in SIDES}
    chapters = listed(compiled(terms), {}, Said(DRAFT))
    return ClauseList(contract.number, contract.title, _OF_DRAFT, "", _named(parties), chapters)


def revision_list(revision: Revision, side: Side | None) -> ClauseList:
    """A frozen revision's clauses with its verdicts, and the answers this side may read."""
    body = revision.body()
    answers = revision.confirmations.all()
    if side is not Side.VENDOR:
        answers = answers.filter(submitted_at__isnull=False)
    parties = {name: party["name"] for name, party in body.parties.items()}
    chapters = listed(body.clauses, _said(body.clauses, answers, _statuses(revision, side)), Said())
    stage = _OF_REVISION.fill(number=revision.number)
    return ClauseList(body.contract, body.title, stage, body.sha256, _named(parties), chapters)


def _said(clauses: Iterable[Clause], answers: Iterable[Confirmation], status: Mapping[str, Text]) -> dict[str, Said]:
    given = {answer.key: answer for answer in answers}
    return {
        clause.key: Said(status.get(clause.key, NO_VALUE), *_answered(clause, given.get(clause.key)))
        for clause in clauses
    }


def _answered(clause: Clause, answer: Confirmation | None) -> tuple[Text, tuple[Text, ...]]:
    """What the vendor answered, and in words what it counters and why."""
    if answer is None:
        return NO_VALUE, ()
    remarks = [counter_words(clause, answer.value)] if answer.value else []
    if isinstance(answer.price_amount, Decimal):
        remarks.append(price_words(Price(answer.price_amount, answer.price_currency, answer.price_basis)))
    if answer.reason:
        remarks.append(same(answer.reason))
    return ANSWERS[answer.answer], tuple(remarks)


def _statuses(revision: Revision, side: Side | None) -> dict[str, Text]:
    """The verdicts of this very revision; a waiver over one is the buyer's to see."""
    found = {
        verdict.key: STATE_TEXTS[State(verdict.state)]
        for verdict in revision.contract.verdicts.filter(revision=revision)
    }
    waived = set() if side is Side.VENDOR else set(revision.contract.waivers.values_list("key", flat=True))
    return {key: _WAIVED.fill(state=state) if key in waived else state for key, state in found.items()}


def _named(parties: Mapping[str, str]) -> tuple[tuple[Text, str], ...]:
    return tuple((SIDES[side], name) for side, name in parties.items())
