"""What people do with nodes, agents and runs: deliver, enrol, order, retry, cancel."""

from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from uuid import uuid4

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.journal import record
from gpucontract.contracts.lifecycle import IN_FORCE, STATES, State
from gpucontract.contracts.models import Contract, Revision
from gpucontract.contracts.moving import move
from gpucontract.contracts.rights import must, must_be_in_force
from gpucontract.contracts.succession import must_stand
from gpucontract.measurements import claims, encryption
from gpucontract.measurements.addresses import WrongAddress, agent_address
from gpucontract.measurements.errors import MeasurementError
from gpucontract.measurements.history import records_of
from gpucontract.measurements.models import Agent, Node, Run, RunNode
from gpucontract.measurements.plan import PlannedJob, PlannedRun, by_hand, jobs_for
from gpucontract.measurements.slots import ROWS_AT_ONCE, make_slots
from gpucontract.measurements.states import STATE_TEXTS, RunState
from gpucontract.wording import Text

__all__ = [
    "as_signed", "cancel_run", "deliver", "enrol_agent", "in_force", "next_round", "order_pair",
    "order_runs", "records_of", "retry_run", "revoke_agent",
]  # fmt: skip

SHORTEST_SECRET = 16

LONGEST_RECEIVER = 80

_NOT_SIGNED = Text(
    "合同处于“{state}”，签署之后才能登记交付和测试", 'The contract is "{state}"; delivery and tests come after signing'
)
_NOT_YET = Text(
    "交付日 {day} 还没有到（今天是 {today}）。请在交付之后登记。",
    "{day} has not come yet (today is {today}). Record the delivery once it has happened.",
)
_NOT_DELIVERED = Text("合同还没有登记交付：请先登记交付", "Nothing has been delivered yet: record the delivery first")
_SHORT_SECRET = Text(
    "密钥只有 {length} 个字符，至少需要 {least} 个", "The secret has {length} characters; at least {least} are needed"
)
_RETIRED = Text("节点 {node} 已停用，不能登记采集程序", "Node {node} is retired; no agent can be enrolled on it")
_NOT_FAILED = Text(
    "只有失败的运行才能重试，这次运行是“{state}”", 'Only a failed run can be tried again; this one is "{state}"'
)
_NOT_OPEN = Text("这次运行已结束（{state}），不能取消", 'This run has ended ("{state}") and cannot be cancelled')
_NO_PAIR_TEST = Text(
    "{one} 和 {other} 不能成对测试：两台须属于同一组，且合同约定了多机带宽",
    "{one} and {other} cannot be tested as a pair: both must stand in one group that has a bandwidth across machines",
)
_NO_SUCH_JOB = Text("计划中没有测试项：{jobs}", "The plan has no such job: {jobs}")


def in_force(contract: Contract) -> Revision:
    """The revision both sides signed: the newest that was sent. Raises MeasurementError before signing."""
    if contract.state not in IN_FORCE:
        raise MeasurementError(_NOT_SIGNED.fill(state=STATES[contract.state]))
    return as_signed(contract)


def as_signed(contract: Contract) -> Revision:
    """The same for what is only read: also once the contract has ended."""
    return contract.revisions.filter(sent_at__isnull=False).latest("number")


@transaction.atomic
def deliver(
    contract: Contract, *, by: User, now: datetime, on: date | None = None, received_by: str = ""
) -> list[Node]:
    """Create the slots of the revision in force and mark the contract delivered; slots that exist stay as they are.

    on: the day the machines were handed over, today by default. received_by: who took them over, for the journal.
    """
    must(contract, by, "deliver")
    today = timezone.localdate(now)
    if (on or today) > today:
        raise MeasurementError(_NOT_YET.fill(day=str(on), today=today.isoformat()))
    claims.lock_contracts([contract.pk, *([contract.amends_id] if contract.amends_id else [])])
    contract.refresh_from_db()
    revision = in_force(contract)
    if contract.state == State.SIGNED:
        said = {"on": (on or today).isoformat(), "received_by": received_by.strip()[:LONGEST_RECEIVER]}
        move(contract, "deliver", by=by, now=now, body=said)
    make_slots(contract, revision, by=by, now=now)
    return list(Node.objects.of(contract))


@transaction.atomic
def enrol_agent(node: Node, *, url: str, secret: str, by: User, now: datetime) -> Agent:
    """Put an agent on a slot in place of the one before; runs that wait for the slot go to it."""
    contract = node.group.contract
    must(contract, by, "enrol_agent")
    must_be_in_force(contract)
    if node.retired_at:
        raise MeasurementError(_RETIRED.fill(node=node.code))
    if len(secret) < SHORTEST_SECRET:
        raise MeasurementError(_SHORT_SECRET.fill(length=len(secret), least=SHORTEST_SECRET))
    try:
        address = agent_address(url)
    except WrongAddress as fault:
        raise MeasurementError(fault.text) from fault
    claims.lock_contracts([contract.pk])
    node.agents.live().update(revoked_at=now)
    agent = Agent.objects.create(node=node, url=address, secret=encryption.seal(secret), enrolled_at=now)
    # Another machine may stand in the slot now; its first result names it.
    Node.objects.filter(pk=node.pk).update(hostname="")
    # Without its lease, an answer that is still on its way from the machine before is not taken.
    waiting = node.led_runs.open()
    waiting.update(agent=agent, state=RunState.QUEUED, lease="", started_at=None, attempts=0, error="")
    waiting.exclude(due_at=None).update(due_at=now)
    said = {"node": node.code, "agent": str(agent.uuid), "url": address}
    record(contract, "agent_enrolled", by=by, at=now, body=said)
    return agent


@transaction.atomic
def revoke_agent(agent: Agent, *, by: User, now: datetime) -> None:
    """Take an agent out of service; its open runs wait for the next one on the slot."""
    contract = agent.node.group.contract
    must(contract, by, "enrol_agent")
    if not Agent.objects.live().filter(pk=agent.pk).update(revoked_at=now):
        return
    Run.objects.open().filter(agent=agent).update(agent=None, lease="")
    said = {"node": agent.node.code, "agent": str(agent.uuid)}
    record(contract, "agent_revoked", by=by, at=now, body=said)


def next_round(contract: Contract) -> int:
    """The round a retest would be: one after the newest ordered."""
    newest = contract.runs.aggregate(newest=Max("round"))["newest"]
    return (newest or 0) + 1


@transaction.atomic
def order_runs(
    contract: Contract,
    *,
    round: int,
    by: User,
    now: datetime,
    jobs: Collection[str] | None = None,
    local_path: str = "",
) -> list[Run]:
    """Order the plan's runs of a round, or only those of some jobs, those by hand among them; none is ordered twice.

    local_path: the folder on the machines' local disks where fio may write and read; without it they are not loaded.
    The first order after delivery starts the acceptance.
    """
    must(contract, by, "order_runs")
    claims.lock_contracts([contract.pk])
    contract.refresh_from_db()
    must_stand(contract)
    revision = in_force(contract)
    nodes = {node.code: node for node in Node.objects.of(contract).filter(retired_at=None)}
    if not nodes:
        raise MeasurementError(_NOT_DELIVERED)
    head = Run(contract=contract, revision=revision, round=round, ordered_at=now)
    made = _insert(_unordered(head, jobs, local_path), head, nodes)
    claims.release([node.pk for node in nodes.values()], now)
    if contract.state == State.DELIVERED:
        move(contract, "start_acceptance", by=by, now=now)
    if made:
        said = {"round": round, "runs": len(made), "jobs": sorted({run.job for run in made})}
        said |= {"local_path": local_path} if local_path else {}
        record(contract, "runs_ordered", by=by, at=now, body=said)
    return made


@transaction.atomic
def order_pair(contract: Contract, *, one: str, other: str, by: User, now: datetime) -> Run:
    """Order the test of these two machines alone, as a round of its own; while it is open it is not ordered again."""
    must(contract, by, "order_runs")
    claims.lock_contracts([contract.pk])
    must_stand(contract)
    revision, pair = in_force(contract), tuple(sorted((one, other)))
    job = next(
        (each for each in jobs_for(revision.body()) if each.job == "nccl_pairs" and {*pair} <= {*each.nodes}), None
    )
    nodes = {node.code: node for node in Node.objects.of(contract).filter(retired_at=None, code__in=pair)}
    if job is None or len(nodes) != 2:
        raise MeasurementError(_NO_PAIR_TEST.fill(one=one, other=other))
    same = contract.runs.open().filter(job=job.job, lead__code=pair[0], places__node__code=pair[1]).first()
    if same is not None:
        return same
    head = Run(contract=contract, revision=revision, round=next_round(contract), ordered_at=now)
    (run,) = _insert([(job, PlannedRun(pair, 1, {**job.params, "repeat": 1}))], head, nodes)
    claims.release([node.pk for node in nodes.values()], now)
    said = {"round": run.round, "runs": 1, "jobs": [run.job], "nodes": list(pair)}
    record(contract, "runs_ordered", by=by, at=now, body=said)
    return run


@transaction.atomic
def retry_run(run: Run, *, by: User, now: datetime) -> Run:
    """Order a failed run once more, under a new number: an agent answers for one number always with the same result."""
    must(run.contract, by, "order_runs")
    claims.lock_contracts([run.contract_id])
    run.refresh_from_db()
    must_be_in_force(run.contract)
    must_stand(run.contract)
    if run.state != RunState.FAILED:
        raise MeasurementError(_NOT_FAILED.fill(state=STATE_TEXTS[RunState(run.state)]))
    before = str(run.uuid)
    params = {name: value for name, value in run.params.items() if name != "hosts"}
    Run.objects.filter(pk=run.pk).update(
        uuid=uuid4(), agent=run.lead.agents.live().first(), params=params, state=RunState.QUEUED, due_at=None, lease="",
        ordered_at=now, started_at=None, attempts=0, error="",
    )  # fmt: skip
    claims.release(claims.nodes_of([run.pk]), now)
    run.refresh_from_db()
    said = {"run": str(run.uuid), "before": before, "job": run.job, "node": run.lead.code}
    record(run.contract, "run_retried", by=by, at=now, body=said)
    return run


@transaction.atomic
def cancel_run(run: Run, *, by: User, now: datetime) -> Run:
    """Give up an open run; the machine may still finish it, but nobody will ask for the result."""
    must(run.contract, by, "order_runs")
    claims.lock_contracts([run.contract_id])
    run.refresh_from_db()
    if not RunState(run.state).is_open:
        raise MeasurementError(_NOT_OPEN.fill(state=STATE_TEXTS[RunState(run.state)]))
    Run.objects.filter(pk=run.pk).update(state=RunState.FAILED, error="cancelled", due_at=None, lease="")
    claims.release(claims.nodes_of([run.pk]), now)
    run.refresh_from_db()
    said = {"run": str(run.uuid), "job": run.job, "node": run.lead.code}
    record(run.contract, "run_cancelled", by=by, at=now, body=said)
    return run


def _unordered(head: Run, jobs: Collection[str] | None, local_path: str) -> list[tuple[PlannedJob, PlannedRun]]:
    """The plan's executions that this round does not have yet, in the plan's order."""
    body = head.revision.body()
    plan = [*jobs_for(body, local_path), *(by_hand(body) if jobs is not None else ())]
    unknown = sorted(set(jobs or ()) - {job.job for job in plan})
    if unknown:
        raise MeasurementError(_NO_SUCH_JOB.fill(jobs=unknown))
    known = set(head.contract.runs.filter(round=head.round).values_list("group_code", "job", "lead__code", "repeat"))
    return [
        (job, run)
        for job in plan
        for run in job.runs()
        if (jobs is None or job.job in jobs) and (job.group, job.job, run.nodes[0], run.repeat) not in known
    ]


def _insert(planned: Iterable[tuple[PlannedJob, PlannedRun]], head: Run, nodes: Mapping[str, Node]) -> list[Run]:
    agents = dict(Agent.objects.live().filter(node__in=nodes.values()).values_list("node", "pk"))
    # A run on a slot that is retired or not delivered cannot be done; its clauses stay pending by name.
    able = [(job, run) for job, run in planned if all(code in nodes for code in run.nodes)]
    made = [
        Run(
            contract=head.contract, revision=head.revision, round=head.round, ordered_at=head.ordered_at,
            lead=nodes[run.nodes[0]], agent_id=agents.get(nodes[run.nodes[0]].pk), group_code=job.group, job=job.job,
            repeat=run.repeat, params=dict(run.params),
        )
        for job, run in able
    ]  # fmt: skip
    Run.objects.bulk_create(made, batch_size=ROWS_AT_ONCE)
    places = (
        RunNode(run=row, node=nodes[code], position=position)
        for row, (_, run) in zip(made, able, strict=True)
        for position, code in enumerate(run.nodes)
    )
    RunNode.objects.bulk_create(places, batch_size=ROWS_AT_ONCE)
    return made
