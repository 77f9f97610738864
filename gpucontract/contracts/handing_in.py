"""Papers for document clauses: the vendor hands them in, the buyer confirms or refuses; nothing is ever replaced."""

from __future__ import annotations

from datetime import date, datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.clauses import Clause, VerifiedBy
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.models import ClausePaper, Contract, Revision
from gpucontract.contracts.papers import DECISIONS, LONGEST_REASON, MOST_VERSIONS, Decision
from gpucontract.contracts.rights import must, must_be_in_force
from gpucontract.contracts.succession import in_charge
from gpucontract.filing import file_away
from gpucontract.wording import Text

_NO_CLAUSE = Text("合同里没有由文件证明的条款 {key}。", "The contract has no clause {key} that a paper proves.")
_TOO_MANY = Text(
    "“{line}”已有 {count} 个版本，最多 {limit} 个。", "“{line}” has {count} versions already; at most {limit} are kept."
)
_IN_THE_PAST = Text(
    "有效期 {day} 已经过去。请上传仍然有效的文件，或更正日期。",
    "{day} is over already. Hand in a paper that still holds, or correct the date.",
)
_NO_REASON = Text(
    "不认可文件时须写明理由，最多 {limit} 个字。", "Say why the paper is refused, in at most {limit} characters."
)
_EXPIRED = Text(
    "文件“{name}”已于 {day} 到期，不能确认。", "The paper “{name}” expired on {day} and cannot be confirmed."
)
_DECIDED = Text("文件“{name}”已经是“{decision}”。", "The paper “{name}” is “{decision}” already.")


def hand_in(contract: Contract, key: str, *, name: str, data: bytes, valid_on: date | None, by: User) -> ClausePaper:
    """Keep a file as the next version for one document clause. Raises ContractError, FilingError."""
    must(contract, by, "hand_in")
    clause = document_clause(contract, key)
    must_be_in_force(contract)
    now = timezone.now()
    if valid_on is not None and valid_on < timezone.localdate(now):
        raise ContractError(_IN_THE_PAST.fill(day=valid_on.isoformat()))
    filed = file_away(name, data)
    with transaction.atomic():
        held = lock(contract)
        number = held.papers.filter(key=key).count() + 1
        if number > MOST_VERSIONS:
            raise ContractError(_TOO_MANY.fill(line=clause.text, count=number - 1, limit=MOST_VERSIONS))
        paper = ClausePaper.objects.create(
            contract=held, key=key, clause_sha256=clause.sha256, number=number, name=filed.name, kind=filed.kind,
            sha256=filed.sha256, size_bytes=filed.size_bytes, valid_on=valid_on, uploaded_by=by, uploaded_at=now,
        )  # fmt: skip
        said = {"version": number, "name": filed.name, "sha256": filed.sha256, "valid_on": valid_on}
        record(held, "paper_handed_in", by=by, at=now, key=key, body=said)
    return paper


@transaction.atomic
def decide_paper(paper: ClausePaper, *, confirmed: bool, reason: str = "", by: User) -> ClausePaper:
    """Confirm or refuse one version; the buyer may come back on it as long as the contract lives.

    Where an amendment took the contract's place, the paper is decided, and the decision journalled, under that one.
    """
    must(paper.contract, by, "decide_papers")
    held, now = lock(in_charge(paper.contract)), timezone.now()
    must_be_in_force(held)
    current = ClausePaper.objects.select_for_update().get(pk=paper.pk)
    decision = Decision.CONFIRMED if confirmed else Decision.REFUSED
    said = _reason(current, decision, reason, now)
    ClausePaper.objects.filter(pk=paper.pk).update(
        decision=decision.value, decided_by=by, decided_at=now, reason=said, change=current.change + 1
    )
    body = {
        "version": current.number,
        "sha256": current.sha256,
        "from": current.decision,
        "to": decision,
        "reason": said,
    }
    record(held, "paper_decided", by=by, at=now, key=current.key, body=body)
    paper.refresh_from_db()
    return paper


def document_clause(contract: Contract, key: str) -> Clause:
    """The clause of the newest sent revision that a paper proves. Raises ContractError."""
    revision = newest_sent(contract)
    clauses = {clause.key: clause for clause in revision.body().clauses} if revision else {}
    clause = clauses.get(key)
    if clause is None or clause.verified_by is not VerifiedBy.DOCUMENT:
        raise ContractError(_NO_CLAUSE.fill(key=key[:80]))
    return clause


def newest_sent(contract: Contract) -> Revision | None:
    """The newest revision the vendor was shown."""
    return contract.revisions.filter(sent_at__isnull=False).order_by("-number").first()


def _reason(paper: ClausePaper, decision: Decision, reason: str, now: datetime) -> str:
    said = reason.replace("\x00", "").strip()
    fact = paper.fact()
    if paper.decision == decision:
        raise ContractError(_DECIDED.fill(name=paper.name, decision=DECISIONS[decision]))
    if decision is Decision.REFUSED and not 0 < len(said) <= LONGEST_REASON:
        raise ContractError(_NO_REASON.fill(limit=LONGEST_REASON))
    if decision is Decision.CONFIRMED and fact.has_expired(now):
        raise ContractError(_EXPIRED.fill(name=paper.name, day=str(paper.valid_on)))
    return said if decision is Decision.REFUSED else ""
