"""The judging stage: find contracts with new evidence, judge the touched places, then write all verdicts at once.

Reading and ruling happen outside any transaction, under a lease; writing is one short transaction under the contract's
row. A run is marked judged in that same transaction, so killed anywhere nothing is lost and nothing is written twice.
"""

import logging
import secrets
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Min, Q
from django.utils import timezone

from gpucontract.contracts.body import Body
from gpucontract.contracts.journal import lock
from gpucontract.contracts.lifecycle import State as ContractState
from gpucontract.contracts.models import ClausePaper, Contract, Revision
from gpucontract.contracts.papers import Paper
from gpucontract.contracts.succession import SIGNED, amended_by, successor
from gpucontract.measurements.history import records_of
from gpucontract.measurements.models import Finding, Node, Run
from gpucontract.measurements.records import RunRecord
from gpucontract.measurements.services import in_force
from gpucontract.verdicts import papers, timings, writing
from gpucontract.verdicts.admission import COPIED, Context, base_context
from gpucontract.verdicts.answers import PlaceVerdict
from gpucontract.verdicts.exchanges import renewed
from gpucontract.verdicts.fabric import PORTS_JOB
from gpucontract.verdicts.inheriting import inherited
from gpucontract.verdicts.models import JudgeQueue, NodeVerdict
from gpucontract.verdicts.rules import RULES_VERSION
from gpucontract.verdicts.scopes import all_places, clauses_at, nodes_of
from gpucontract.verdicts.sitting import Sitting

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=5)
BUDGET_S = 20.0
NODES_AT_ONCE = 100
OUT_OF_WINDOW = (ContractState.ACTIVE, ContractState.ENDED, ContractState.TERMINATED, ContractState.SUPERSEDED)
MEASURED = (ContractState.DELIVERED, ContractState.ACCEPTING, ContractState.ACTIVE)


@dataclass(frozen=True, slots=True)
class Task:
    """What one judging of a contract covers: places to judge again, (run, parsed version) that will then be judged.

    copied: the runs that were known as copies when judging began. alike: mark -> slots that show the same timings.
    papers: (paper, clause key, change) that will then be judged. parents: the contracts that this one amends.
    """

    contract: Contract
    revision: Revision
    places: tuple[str, ...]
    runs: tuple[tuple[int, int], ...]
    copied: frozenset[int]
    alike: Mapping[str, tuple[str, ...]]
    why: str
    lease: str
    papers: tuple[tuple[int, str, int], ...] = ()
    parents: tuple[Contract, ...] = ()
    hosts: Mapping[str, str] = field(default_factory=dict)

    def records(self, nodes: Collection[str], jobs: Collection[str] | None = None) -> list[RunRecord]:
        """The runs on these slots, with those of the contracts that this one amends."""
        own = records_of(self.contract, nodes=nodes, jobs=jobs)
        return own + inherited(self.parents, self.hosts, nodes=nodes, jobs=jobs)


def judge_due(budget_s: float = BUDGET_S) -> int:
    """Judge every contract that is due, as long as the budget lasts; the number of contracts judged."""
    deadline = time.monotonic() + budget_s
    judged = 0
    for contract in _due(timezone.now()):
        if time.monotonic() > deadline:
            break
        judged += _try(contract)
    return judged


def judge_contract(contract_id: int, now: datetime | None = None) -> bool:
    """Judge one contract if nobody is at it; False when somebody is, or when there was nothing to do."""
    moment = now or timezone.now()
    contract = Contract.objects.get(pk=contract_id)
    # What was judged before an amendment was signed stays as it was.
    lease = "" if successor(contract) else _claim(contract_id, moment)
    if not lease:
        return False
    task = _task(contract, lease, moment)
    if task is None:
        _finish(contract, lease)
        return False
    body = task.revision.body()
    answers = _answers(task, body, moment)
    return _write(task, body, answers, moment)


def _due(now: datetime) -> list[int]:
    """Contracts with runs not judged by these rules, with stale evidence or an expired lease, or never judged.

    What comes in late for a contract is a matter of the amendment that took its place, once its machines are there.
    The verdicts of a contract that has ended stay as they were.
    """
    unjudged = Run.objects.delivered().filter(parsed_version__gt=0, judged_version__lt=RULES_VERSION)
    waiting = JudgeQueue.objects.filter(Q(due_at__lte=now) | Q(is_in_window=True, contract__state__in=OUT_OF_WINDOW))
    fresh = Contract.objects.filter(state__in=MEASURED).filter(
        Q(judge_queue=None) | Q(judge_queue__rules_version__lt=RULES_VERSION)
    )
    papers = ClausePaper.objects.unjudged().filter(contract__state__in=MEASURED)
    news = {*unjudged.values_list("contract", flat=True), *papers.values_list("contract", flat=True)}
    others = {*waiting.values_list("pk", flat=True), *fresh.values_list("pk", flat=True)}
    signed = Contract.objects.filter(state__in=SIGNED).values_list("amends", "pk")
    amended = {parent: heir for parent, heir in signed.filter(amends__isnull=False) if parent is not None}
    heirs = {_in_charge(contract, amended) for contract in news & amended.keys()}
    due = Contract.objects.filter(pk__in=heirs | ((news | others) - amended.keys()), state__in=MEASURED)
    return list(due.order_by("pk").values_list("pk", flat=True))


def _in_charge(contract_id: int, amended: Mapping[int, int]) -> int:
    """The contract itself, or the amendment that took its place; amended: contract -> amendment."""
    while contract_id in amended:
        contract_id = amended[contract_id]
    return contract_id


def _try(contract_id: int) -> bool:
    """A contract that cannot be judged is reported and due again after its lease; the others go on."""
    try:
        return judge_contract(contract_id)
    except Exception:
        logger.exception("contract %s cannot be judged", contract_id)
        return False


def _claim(contract_id: int, now: datetime) -> str:
    """Take the contract for one lease; '' when somebody holds it."""
    JudgeQueue.objects.get_or_create(contract_id=contract_id)
    token = secrets.token_hex(16)
    free = JudgeQueue.objects.filter(contract_id=contract_id).filter(Q(lease="") | Q(due_at__lte=now))
    return token if free.update(due_at=now + LEASE, lease=token) else ""


def _task(contract: Contract, lease: str, now: datetime) -> Task | None:
    """What is to be judged: the places of new runs and stale documents; everything on first sight or new rules."""
    revision = in_force(contract)
    body, queue = revision.body(), JudgeQueue.objects.get(contract=contract)
    parents = tuple(amended_by(contract))
    runs = Run.objects.delivered().filter(
        contract__in=[contract, *parents], parsed_version__gt=0, judged_version__lt=RULES_VERSION
    )
    due = list(runs.values_list("pk", "parsed_version", "judged_version"))
    is_new = queue.rules_version < RULES_VERSION or queue.is_in_window != _in_window(contract)
    unseen = ClausePaper.objects.unjudged().filter(contract__in=[contract, *parents])
    papers = tuple(unseen.values_list("pk", "key", "change"))
    stale = set(NodeVerdict.objects.filter(contract=contract, fresh_until__lte=now).values_list("scope", flat=True))
    alike = timings.likenesses(contract) if due or stale or is_new else {}
    if is_new:
        places = all_places(body)
    else:
        touched = {code for code in runs.values_list("places__node__code", flat=True) if code} | stale
        # The machine that was there first is judged again too: a copy speaks against both.
        touched |= {slot for slots in alike.values() for slot in slots} if due else set()
        touched |= {key.partition("/")[0] for _, key, _ in papers}
        places = _touched(touched, body)
    if not places:
        return None
    why = _why(due, is_new and bool(queue.rules_version), bool(stale), bool(papers))
    done = tuple((pk, parsed) for pk, parsed, _ in due)
    hosts = dict(Node.objects.of(contract).exclude(hostname="").values_list("code", "hostname"))
    copied = _copies([pk for pk, _ in done])
    return Task(contract, revision, places, done, copied, alike, why, lease, papers, parents, hosts)


def _touched(touched: Set[str], body: Body) -> tuple[str, ...]:
    """The touched nodes and every group, mount and contract-wide place that rests on them."""
    if not touched:
        return ()
    return tuple(p for p in all_places(body) if p in touched or not touched.isdisjoint(nodes_of(p, body)))


def _why(due: Collection[tuple[int, int, int]], is_new_rules: bool, is_stale: bool, has_papers: bool) -> str:
    runs = [pk for pk, _, _ in due]
    if is_new_rules or any(0 < judged < RULES_VERSION for _, _, judged in due):
        return "rules"
    if Run.objects.filter(pk__in=runs).annotate(times=Count("parses")).filter(times__gt=1).exists():
        return "parser"
    if runs or has_papers:
        return "evidence"
    return "stale" if is_stale else "revision"


def _in_window(contract: Contract) -> bool:
    return contract.state not in OUT_OF_WINDOW


def _answers(task: Task, body: Body, now: datetime) -> dict[str, Mapping[str, PlaceVerdict]]:
    """Place -> clause key -> answer, judged in batches of nodes so that memory stays flat."""
    known = replace(base_context(body, now, _in_window(task.contract)), hosts=task.hosts, copied=task.alike)
    known = replace(known, renewed=renewed([task.contract, *task.parents], body), is_amendment=bool(task.parents))
    context = replace(known, papers=_papers(task))
    sitting, nodes = Sitting(context), set(nodes_of("c", body))
    here = [place for place in task.places if place in nodes]
    answers: dict[str, Mapping[str, PlaceVerdict]] = {}
    for start in range(0, len(here), NODES_AT_ONCE):
        answers |= _of_nodes(task, sitting, here[start : start + NODES_AT_ONCE])
    for place in task.places:
        if place not in nodes:
            answers[place] = sitting.at(place, _records_of_wide_place(task, place, context))
    return answers


def _papers(task: Task) -> dict[str, tuple[Paper, ...]]:
    """Clause key -> every version handed in for it, also for the same text in a contract that this one amends."""
    papers: dict[str, tuple[Paper, ...]] = {}
    rows = ClausePaper.objects.filter(contract__in=[task.contract, *task.parents])
    for row in rows.select_related("decided_by").order_by("uploaded_at", "number"):
        papers[row.key] = (*papers.get(row.key, ()), row.fact())
    return papers


def _of_nodes(task: Task, sitting: Sitting, places: list[str]) -> dict[str, Mapping[str, PlaceVerdict]]:
    touching: dict[str, list[RunRecord]] = defaultdict(list)
    for record in task.records(places):
        for node in set(record.nodes):
            touching[node].append(record)
    return {place: sitting.at(place, touching[place]) for place in places}


def _records_of_wide_place(task: Task, place: str, context: Context) -> list[RunRecord]:
    """What the own clauses of a group, mount or contract rest on: the runs of their jobs on its nodes."""
    clauses = clauses_at(place, context.body)
    settled = [clause for clause in clauses if clause.key not in context.unsettled]
    jobs = {job for clause in settled for job in clause.jobs}
    jobs |= {PORTS_JOB for clause in settled if clause.kind == "rate"}
    return task.records(nodes_of(place, context.body), jobs) if jobs else []


def _write(task: Task, body: Body, answers: dict[str, Mapping[str, PlaceVerdict]], now: datetime) -> bool:
    """Documents, verdicts, changes and marks in one transaction, unless the lease was lost meanwhile."""
    documents = [writing.document(task.contract, place, given, now) for place, given in answers.items()]
    with transaction.atomic():
        lock(task.contract)
        if not JudgeQueue.objects.filter(contract=task.contract, lease=task.lease).exists():
            return False
        writing.keep_documents(documents)
        writing.write_verdicts(task.revision, body, _known(task.contract), task.why, now)
        _mark(task)
        _finish(task.contract, task.lease, is_in_window=_in_window(task.contract), rules_version=RULES_VERSION)
    return True


def _known(contract: Contract) -> dict[str, list[PlaceVerdict]]:
    """Clause key -> every place's answer, as kept."""
    return papers.read(NodeVerdict.objects.filter(contract=contract).documents())


def _copies(runs: Collection[int]) -> frozenset[int]:
    """Those runs of which measuring noted that their bytes came from elsewhere."""
    noted = Finding.objects.filter(run__in=runs, code=COPIED, parser_version=F("run__parsed_version"))
    return frozenset(noted.values_list("run", flat=True))


def _mark(task: Task) -> None:
    """Mark the runs that were judged, but not one that was parsed again or found to be a copy meanwhile."""
    news = _copies([pk for pk, _ in task.runs]) - task.copied
    for version in {parsed for _, parsed in task.runs}:
        judged = [pk for pk, parsed in task.runs if parsed == version and pk not in news]
        Run.objects.filter(pk__in=judged, parsed_version=version).update(judged_version=RULES_VERSION)
    for paper, _key, change in task.papers:
        ClausePaper.objects.filter(pk=paper, change=change).update(judged_change=change)


def _finish(contract: Contract, lease: str, **fields: Any) -> None:
    """Give the lease back; the contract is due again when its first evidence goes stale."""
    until = NodeVerdict.objects.filter(contract=contract).aggregate(first=Min("fresh_until"))["first"]
    JudgeQueue.objects.filter(contract=contract, lease=lease).update(due_at=until, lease="", **fields)
