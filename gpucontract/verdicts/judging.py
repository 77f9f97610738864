"""Judge the contracts that are due: compute outside, then one short transaction; safe to run twice and to be killed."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from gpucontract.canonical import decimal_text, digest
from gpucontract.contracts.body import Body
from gpucontract.contracts.journal import lock
from gpucontract.contracts.lifecycle import State as ContractState
from gpucontract.contracts.models import Contract, Revision
from gpucontract.measurements.models import Run, RunNode
from gpucontract.measurements.records import RunRecord
from gpucontract.measurements.services import in_force, records_of
from gpucontract.measurements.states import RunState
from gpucontract.verdicts.admission import Context, context_for
from gpucontract.verdicts.explaining import explain
from gpucontract.verdicts.models import JudgeQueue, NodeVerdict, Verdict, VerdictChange
from gpucontract.verdicts.rules import RULES_VERSION, condense, decide, judge_scopes
from gpucontract.verdicts.scopes import all_places, clauses_at, nodes_of
from gpucontract.verdicts.states import ClauseVerdict, Measured, PlaceVerdict
from gpucontract.verdicts.stored import place_document, place_verdict

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=5)
PAUSE_AFTER_FAULT = timedelta(minutes=1)
# While machines are being accepted every run is fresh, however long it takes.
IN_WINDOW = (ContractState.SIGNED, ContractState.DELIVERED, ContractState.ACCEPTING)


@dataclass(frozen=True, slots=True)
class Work:
    """One judging of one contract: whose claim, which revision, which runs are news, and why."""

    contract: Contract
    revision: Revision
    body: Body
    runs: tuple[int, ...]
    places: tuple[str, ...]
    now: datetime
    why: str


def judge_due(now: datetime | None = None) -> int:
    """Judge one contract that has unjudged runs or stale verdicts; returns how many were judged."""
    at = now or timezone.now()
    _queue_news(at)
    claimed = _claim(at)
    if claimed is None:
        return 0
    try:
        judge_contract(claimed.contract, now=at)
    except Exception:
        # One contract that cannot be judged must not keep the others from it.
        JudgeQueue.objects.filter(pk=claimed.pk, lease=claimed.lease).update(due_at=at + PAUSE_AFTER_FAULT, lease="")
        log.exception("judging %s failed; it is due again in a minute", claimed.contract)
        raise
    JudgeQueue.objects.filter(pk=claimed.pk, lease=claimed.lease).update(due_at=None, lease="")
    return 1


def judge_contract(contract: Contract, *, now: datetime) -> None:
    """Judge what is new about a contract and write it in one transaction under its row lock."""
    work = _work(contract, now)
    if work is None:
        return
    fresh = _judge_places(work)
    with transaction.atomic():
        lock(contract)
        _write_places(work, fresh)
        verdicts = _aggregate(work)
        _write_verdicts(work, verdicts)
        Run.objects.filter(pk__in=work.runs).update(judged_version=RULES_VERSION)


def _unjudged() -> Q:
    return Q(state=RunState.DONE, parsed_version__gt=0, judged_version__lt=RULES_VERSION)


def _queue_news(now: datetime) -> None:
    """Contracts with unjudged runs, or verdicts that have gone stale, get a due row; existing claims are left alone."""
    news = set(Run.objects.filter(_unjudged()).values_list("contract", flat=True).distinct())
    news |= set(Verdict.objects.filter(fresh_until__lt=now).values_list("contract", flat=True).distinct())
    if not news:
        return
    waiting = set(JudgeQueue.objects.filter(contract__in=news).values_list("contract", flat=True))
    new_rows = [JudgeQueue(contract_id=contract, due_at=now) for contract in news - waiting]
    JudgeQueue.objects.bulk_create(new_rows, ignore_conflicts=True)
    JudgeQueue.objects.filter(contract__in=news, due_at=None).update(due_at=now)


def _claim(now: datetime) -> JudgeQueue | None:
    """Take the contract that waits longest by pushing its due time on; None when another worker was faster."""
    waiting = JudgeQueue.objects.filter(due_at__lte=now).order_by("due_at").select_related("contract").first()
    if waiting is None:
        return None
    token = uuid4().hex
    mine = JudgeQueue.objects.filter(pk=waiting.pk, due_at=waiting.due_at, lease=waiting.lease)
    if not mine.update(due_at=now + LEASE, lease=token):
        return None
    waiting.lease = token
    return waiting


def _work(contract: Contract, now: datetime) -> Work | None:
    """What there is to do: every place of unjudged runs, of stale documents, and all of them on the first judging."""
    revision = in_force(contract)
    body = revision.body()
    runs = tuple(Run.objects.filter(_unjudged(), contract=contract).values_list("pk", flat=True))
    known = dict(NodeVerdict.objects.filter(contract=contract).values_list("scope", "fresh_until"))
    stale = {scope for scope, until in known.items() if until is not None and until < now}
    is_new = not Verdict.objects.filter(contract=contract, revision=revision).exists()
    if not (runs or stale or is_new):
        return None
    touched = set(RunNode.objects.filter(run__in=runs).values_list("node__code", flat=True)) | stale
    everywhere = all_places(body)
    slots = set(nodes_of("c", body))
    places = tuple(each for each in everywhere if is_new or each in touched or each not in slots or each not in known)
    why = "evidence" if runs else "stale" if stale else "revision"
    return Work(contract, revision, body, runs, places, now, why)


def _judge_places(work: Work) -> dict[str, dict[str, PlaceVerdict]]:
    """place -> clause key -> its answer there, from all evidence of the contract; outside any transaction."""
    records = records_of(work.contract)
    is_open = work.contract.state in IN_WINDOW
    context = context_for(work.body, records, work.now, in_window=is_open)
    # Copied bytes speak against both machines, so the one that was there before is judged again too.
    copied = {slot for slots in context.copied.values() for slot in slots}
    places = dict.fromkeys([*work.places, *sorted(copied)])
    return {place: _judge_place(place, records, context) for place in places}


def _judge_place(place: str, records: Iterable[RunRecord], context: Context) -> dict[str, PlaceVerdict]:
    here = [record for record in records if _touches(record, place, context.body)]
    return {
        clause.key: condense(place, clause, judge_scopes(clause, here, context.at(place)))
        for clause in clauses_at(place, context.body)
    }


def _touches(record: RunRecord, place: str, body: Body) -> bool:
    return bool({place, *nodes_of(place, body)} & set(record.nodes))


def _write_places(work: Work, fresh: Mapping[str, Mapping[str, PlaceVerdict]]) -> None:
    for place, answers in fresh.items():
        moments = [answer.fresh_until for answer in answers.values() if answer.fresh_until is not None]
        NodeVerdict.objects.update_or_create(
            contract=work.contract, scope=place,
            defaults={
                "body": {key: place_document(answer) for key, answer in answers.items()},
                "fresh_until": min(moments, default=None), "judged_at": work.now,
            },
        )  # fmt: skip


def _aggregate(work: Work) -> dict[str, ClauseVerdict]:
    """Every clause's verdict from the stored documents, the explaining clauses named."""
    documents = dict(NodeVerdict.objects.filter(contract=work.contract).values_list("scope", "body"))
    decided = {clause.key: decide(clause, _answers(clause.key, documents), work.body) for clause in work.body.judged}
    return explain(work.body.judged, decided)


def _answers(key: str, documents: Mapping[str, Mapping[str, object]]) -> Sequence[PlaceVerdict]:
    return [place_verdict(body[key]) for body in documents.values() if key in body]


def _write_verdicts(work: Work, verdicts: Mapping[str, ClauseVerdict]) -> None:
    """Replace the clause rows; a change of state or failing scopes is added to the history."""
    old = dict(Verdict.objects.filter(contract=work.contract).values_list("key", "digest"))
    rows = [_row(work, verdict) for verdict in verdicts.values()]
    changed = [row for row in rows if old.get(row.key) != row.digest]
    Verdict.objects.filter(contract=work.contract).delete()
    Verdict.objects.bulk_create(rows)
    _add_changes(work, changed)


def _add_changes(work: Work, changed: Collection[Verdict]) -> None:
    numbers: dict[str, int] = {}
    history = VerdictChange.objects.filter(contract=work.contract, key__in=[row.key for row in changed])
    for key, number in history.values_list("key", "number"):
        numbers[key] = max(number, numbers.get(key, 0))
    VerdictChange.objects.bulk_create(
        VerdictChange(
            contract=work.contract, key=row.key, number=numbers.get(row.key, 0) + 1, at=work.now, why=work.why,
            body={"state": row.state, "scope": row.scope, "value": row.value, "unit": row.unit, "zh": row.zh,
                  "en": row.en, "revision": row.revision.number, "rules": row.rules_version},
        )
        for row in changed
    )  # fmt: skip


def _row(work: Work, verdict: ClauseVerdict) -> Verdict:
    return Verdict(
        contract=work.contract, revision=work.revision, key=verdict.key, state=verdict.state.value,
        scope=verdict.scope, value=_text(verdict.value), unit=verdict.unit, margin_pct=verdict.margin_pct,
        because=verdict.because, attribution=verdict.attribution.value, reason=verdict.reason,
        zh=verdict.sentence.zh, en=verdict.sentence.en,
        counts={state.value: number for state, number in verdict.counts.items()},
        exceptions=[
            {"scope": each.scope, "state": each.state.value, "reason": each.reason, "value": each.value,
             "zh": each.sentence.zh, "en": each.sentence.en, "runs": list(each.runs), "aside": list(each.aside)}
            for each in verdict.exceptions
        ],
        runs=list(verdict.runs), aside=[list(each) for each in verdict.aside],
        digest=digest([verdict.state, [list(each) for each in verdict.failing]]), rules_version=RULES_VERSION,
        fresh_until=verdict.fresh_until, judged_at=work.now,
    )  # fmt: skip


def _text(value: Measured | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value[:300] if isinstance(value, str) else decimal_text(value)
