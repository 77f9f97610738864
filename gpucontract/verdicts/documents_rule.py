"""Document clauses: verified by a paper that is there, that the buyer confirmed, and that has not expired.

A refusal is one side's word, so it leaves the clause open with the reason; nothing is verified without the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.papers import Decision, Paper
from gpucontract.verdicts.states import ScopeVerdict, State

SHOWN_DIGITS = 12


def judge_document(
    clause: Clause, papers: Iterable[Paper], now: datetime, *, accept_unsigned: bool = False
) -> ScopeVerdict:
    """The verdict of one document clause from every version handed in for it, in any order."""
    # By time first: an amendment numbers its papers anew, beside those of the contract that it amends.
    own = sorted((each for each in papers if each.key == clause.key), key=_age, reverse=True)
    current = [paper for paper in own if paper.clause_sha256 == clause.sha256]
    confirmed = [paper for paper in current if paper.decision is Decision.CONFIRMED]
    standing = [paper for paper in confirmed if not paper.has_expired(now)]
    if standing:
        return _standing(clause, standing[0], accept_unsigned)
    if not current:
        return _say(clause, State.PENDING, "paper_of_other_text" if own else "no_file", own)
    waiting = [paper for paper in current if paper.decision is Decision.OPEN and not paper.has_expired(now)]
    if waiting:
        return _say(clause, State.PENDING, "paper_waits", waiting)
    newest = current[0]
    return _say(clause, State.INCONCLUSIVE, "paper_expired" if newest.has_expired(now) else "paper_refused", current)


def _age(paper: Paper) -> tuple[datetime, int]:
    return paper.uploaded_at, paper.number


def _standing(clause: Clause, paper: Paper, accept_unsigned: bool) -> ScopeVerdict:
    if not paper.is_signed and not accept_unsigned:
        return _say(clause, State.INCONCLUSIVE, "paper_unsigned", [paper])
    return _say(clause, State.VERIFIED, "paper_confirmed", [paper], until=paper.expires_at)


def _say(clause: Clause, state: State, reason: str, papers: list[Paper], until: datetime | None = None) -> ScopeVerdict:
    facts = _facts(papers[0]) if papers else {}
    value = True if state is State.VERIFIED and isinstance(clause.value, bool) else None
    return ScopeVerdict(clause.code, state, reason, value=value, facts=facts, fresh_until=until)


def _facts(paper: Paper) -> dict[str, Any]:
    return {
        "file": paper.name, "version": str(paper.number), "sha256": paper.sha256,
        "digits": paper.sha256[:SHOWN_DIGITS], "uploaded_on": paper.uploaded_at.date().isoformat(),
        "decided_by": paper.decided_by or "—", "why": paper.reason or "—",
        "decided_on": paper.decided_at.date().isoformat() if paper.decided_at else "—",
        "valid_on": paper.valid_on.isoformat() if paper.valid_on else "—",
    }  # fmt: skip
