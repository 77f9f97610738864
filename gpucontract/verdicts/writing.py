"""Putting verdicts into the tables: documents per place, a row per clause, a change where the digest differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Max

from gpucontract.canonical import decimal_text, digest
from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.models import Contract, Revision
from gpucontract.verdicts import papers, sentences
from gpucontract.verdicts.answers import PlaceVerdict
from gpucontract.verdicts.explaining import explain
from gpucontract.verdicts.lapsing import lapse
from gpucontract.verdicts.models import NodeVerdict, Verdict, VerdictChange
from gpucontract.verdicts.rules import RULES_VERSION, decide
from gpucontract.verdicts.states import ClauseVerdict, Measured, Shortfall

DOCUMENTS_AT_ONCE = 200
_WRITTEN = [
    "revision", "state", "scope", "value", "unit", "value_zh", "value_en", "margin_pct", "because", "attribution",
    "reason", "zh", "en", "counts", "exceptions", "runs", "aside", "digest", "finding", "rules_version", "fresh_until",
    "judged_at",
]  # fmt: skip
_COMPARED = [name for name in _WRITTEN if name not in ("revision", "judged_at")] + ["revision_id"]


def document(contract: Contract, place: str, answers: Mapping[str, PlaceVerdict], now: datetime) -> NodeVerdict:
    """The row of one place, not yet saved."""
    moments = [answer.fresh_until for answer in answers.values() if answer.fresh_until]
    return NodeVerdict(
        contract=contract, scope=place, body=papers.written(answers), fresh_until=min(moments, default=None),
        judged_at=now,
    )  # fmt: skip


def keep_documents(documents: Iterable[NodeVerdict]) -> None:
    """Insert or replace the documents of these places."""
    NodeVerdict.objects.bulk_create(
        documents, batch_size=DOCUMENTS_AT_ONCE, update_conflicts=True, unique_fields=["contract", "scope"],
        update_fields=["body", "fresh_until", "judged_at"],
    )  # fmt: skip


def write_verdicts(
    revision: Revision, body: Body, answers: Mapping[str, Sequence[PlaceVerdict]], why: str, now: datetime
) -> None:
    """Decide every clause, write the rows that differ, append a change where state or failing scopes differ.

    Call it inside the transaction that holds the contract's row.
    """
    contract = revision.contract
    decided = {clause.key: decide(clause, answers.get(clause.key, ()), body) for clause in body.judged}
    verdicts = explain(body, decided)
    known = {row.key: row for row in Verdict.objects.filter(contract=contract)}
    rows = [_row(revision, clause, verdicts[clause.key], now) for clause in body.judged]
    changed = [row for row in rows if row.key not in known or _differs(row, known[row.key])]
    moved = [row for row in changed if row.key not in known or row.digest != known[row.key].digest]
    Verdict.objects.filter(contract=contract).exclude(key__in=verdicts).delete()
    Verdict.objects.bulk_create(
        changed, update_conflicts=True, unique_fields=["contract", "key"], update_fields=_WRITTEN
    )
    append_changes(contract, {row.key: _said(verdicts[row.key]) for row in moved}, why, now)
    lapse(contract, body, {row.key: row.found for row in rows}, now)


def append_changes(contract: Contract, bodies: Mapping[str, Mapping[str, Any]], why: str, now: datetime) -> None:
    """Append one change per clause key, numbered on from the last."""
    known = VerdictChange.objects.filter(contract=contract, key__in=bodies).order_by()
    last = dict(known.values_list("key").annotate(last=Max("number")))
    VerdictChange.objects.bulk_create(
        VerdictChange(contract=contract, key=key, number=last.get(key, 0) + 1, body=dict(said), why=why, at=now)
        for key, said in bodies.items()
    )


def _row(revision: Revision, clause: Clause, verdict: ClauseVerdict, now: datetime) -> Verdict:
    plain = plain_verdict(clause, verdict)
    plain["margin_pct"] = verdict.margin_pct
    plain["fresh_until"] = verdict.fresh_until
    return Verdict(
        contract=revision.contract, revision=revision, digest=digest(_said(verdict)), finding=verdict.finding,
        rules_version=RULES_VERSION, judged_at=now, **plain,
    )  # fmt: skip


def plain_verdict(clause: Clause, verdict: ClauseVerdict) -> dict[str, Any]:
    """A verdict as plain values by the row's column names, ready for JSON."""
    shown = sentences.shown_value(clause, verdict.value)
    return {
        "key": verdict.key, "state": verdict.state.value, "scope": verdict.scope,
        "value": None if verdict.value is None else _exact(verdict.value), "unit": verdict.unit,
        "value_zh": shown.zh, "value_en": shown.en,
        "margin_pct": None if verdict.margin_pct is None else decimal_text(verdict.margin_pct),
        "because": verdict.because, "attribution": verdict.attribution.value, "reason": verdict.reason,
        "zh": verdict.sentence.zh, "en": verdict.sentence.en,
        "counts": {state.value: count for state, count in verdict.counts.items()},
        "exceptions": [_exception(each) for each in verdict.exceptions], "runs": list(verdict.runs),
        "aside": [list(pair) for pair in verdict.aside],
        "fresh_until": verdict.fresh_until.isoformat() if verdict.fresh_until else None,
    }  # fmt: skip


def _exact(value: Measured) -> str:
    if isinstance(value, Decimal):
        return decimal_text(value)
    return ("yes" if value else "no") if isinstance(value, bool) else value


def _exception(each: Shortfall) -> dict[str, Any]:
    return {
        "scope": each.scope, "state": each.state.value, "reason": each.reason, "value": each.value,
        "zh": each.sentence.zh, "en": each.sentence.en, "runs": list(each.runs),
        "aside": [list(pair) for pair in each.aside],
    }  # fmt: skip


def _said(verdict: ClauseVerdict) -> dict[str, Any]:
    """What makes a change: the state and the failing scopes, not the numbers."""
    return {"state": verdict.state.value, "failing": [[scope, state.value] for scope, state in verdict.failing]}


def _differs(row: Verdict, known: Verdict) -> bool:
    return any(getattr(row, name) != getattr(known, name) for name in _COMPARED)
