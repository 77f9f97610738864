"""How many files a vendor has still to hand in, and how many wait for the buyer's word, for many contracts at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.utils import timezone

from gpucontract.contracts.body import load
from gpucontract.contracts.clause_table import CLAUSE_TABLE
from gpucontract.contracts.clauses import Clause, VerifiedBy
from gpucontract.contracts.lifecycle import IN_FORCE
from gpucontract.contracts.models import ClausePaper, Contract, Revision, RevisionSection
from gpucontract.contracts.papers import Paper
from gpucontract.contracts.succession import amended_by
from gpucontract.verdicts.documents_rule import judge_document
from gpucontract.verdicts.states import State

_SECTIONS = {row.section for row in CLAUSE_TABLE if row.verified_by is VerifiedBy.DOCUMENT}


@dataclass(frozen=True, slots=True)
class Owed:
    """Document clauses of one contract that lack a file, and those whose file the buyer has not looked at."""

    to_hand_in: int
    to_confirm: int


def owed(contracts: Collection[Contract]) -> dict[int, Owed]:
    """By contract key, for contracts in force with anything open; three queries, and one more for each amendment."""
    standing = [contract for contract in contracts if contract.state in IN_FORCE]
    if not standing:
        return {}
    lines = {contract.pk: {contract.pk, *(each.pk for each in amended_by(contract))} for contract in standing}
    papers: dict[int, list[Paper]] = {}
    for kept in ClausePaper.objects.filter(contract__in=set().union(*lines.values())).select_related("decided_by"):
        papers.setdefault(kept.contract_id, []).append(kept.fact())
    found = {}
    for key, clauses in _clauses(standing):
        own = [paper for each in lines[key] for paper in papers.get(each, ())]
        counts = Counter(kind for clause in clauses if (kind := _lacks(clause, own)))
        if counts:
            found[key] = Owed(counts["file"], counts["word"])
    return found


def _lacks(clause: Clause, papers: list[Paper]) -> str:
    """What a document clause lacks: the file, the buyer's word on it, or nothing."""
    said = judge_document(clause, papers, timezone.now())
    if said.state is State.VERIFIED:
        return ""
    return "word" if said.reason == "paper_waits" else "file"


def _clauses(contracts: Collection[Contract]) -> Iterator[tuple[int, list[Clause]]]:
    """The document clauses of the newest sent revision of each contract."""
    newest = {
        each.contract_id: each for each in Revision.objects.sent().filter(contract__in=contracts).order_by("number")
    }
    kept: dict[int, dict[str, bytes]] = {}
    for part in RevisionSection.objects.filter(revision__in=newest.values(), name__in=_SECTIONS):
        kept.setdefault(part.revision_id, {})[part.name] = bytes(part.document)
    for key, revision in newest.items():
        body = load(bytes(revision.head), kept.get(revision.pk, {}))
        yield key, [clause for clause in body.judged if clause.verified_by is VerifiedBy.DOCUMENT]
