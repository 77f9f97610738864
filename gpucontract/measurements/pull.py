"""The pulling stage: claim due runs, exchange orders for results, check them, keep the evidence, write the rows."""

import logging
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from gpucontract.measurements import claims, encryption
from gpucontract.measurements.addresses import networks
from gpucontract.measurements.faults import Fault, tries, wait
from gpucontract.measurements.fetching import WINDOW, Answer, Target, Window
from gpucontract.measurements.models import Run
from gpucontract.measurements.receiving import Received, examine
from gpucontract.measurements.states import RunState
from gpucontract.measurements.storing import store

logger = logging.getLogger(__name__)

BUDGET_S = 20.0
FLUSH_AT_MOST = 100
PATIENCE_S = 0.2
# A run that will be due this soon is waited for: short jobs follow one another without a tick in between.
LINGER = timedelta(seconds=1)
ACCEPTED = 202
# Beside the hours that a burn-in is ordered for.
LONGEST_JOB = timedelta(hours=2)
# How long to wait before asking again, by how long the job has been running.
POLLS = (
    (timedelta(seconds=10), timedelta(seconds=0.5)),
    (timedelta(minutes=2), timedelta(seconds=5)),
    (timedelta.max, timedelta(seconds=20)),
)


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A claimed run and what came of its order: a result, a fault, or None while the job is still running."""

    run: Run
    outcome: Received | Fault | None


def pull_due(budget_s: float = BUDGET_S) -> int:
    """Pull every due run, as long as the budget lasts; the number of results stored."""
    first = claims.claim(WINDOW, timezone.now())
    if not first:
        return 0
    with Window(networks(settings.AGENT_NETWORKS)) as window:
        return _drain(window, first, time.monotonic() + budget_s)


def _drain(window: Window, claimed: list[Run], deadline: float) -> int:
    flights: dict[str, tuple[Run, Target]] = {}
    stored = 0
    while True:
        settle(_start(window, claimed, flights))
        answers = window.collect(PATIENCE_S, FLUSH_AT_MOST) if window.pending else []
        stored += settle([_landed(*flights.pop(answer.key), answer) for answer in answers])
        has_time = time.monotonic() < deadline
        claimed = claims.claim(WINDOW - window.pending, timezone.now()) if has_time else []
        if claimed or window.pending:
            continue
        if not has_time or not claims.is_due_by(timezone.now() + LINGER):
            return stored
        time.sleep(PATIENCE_S)


def _start(window: Window, runs: Iterable[Run], flights: dict[str, tuple[Run, Target]]) -> list[Exchanged]:
    """Hand the orders to the window; runs that cannot be ordered come back with their fault."""
    stopped = []
    targets = []
    for run in runs:
        target = _target(run)
        if isinstance(target, Fault):
            stopped.append(Exchanged(run, target))
        else:
            flights[target.key] = run, target
            targets.append(target)
    window.submit(targets)
    return stopped


def _target(run: Run) -> Target | Fault:
    agent = run.agent
    if agent is None:
        return Fault("no_agent")
    if not _knows_hosts(run):
        return Fault("hosts_unknown")
    try:
        secret = encryption.unseal(agent.secret)
    except encryption.WrongKey:
        return Fault("wrong_key")
    return Target(
        key=str(run.uuid), url=agent.url, agent=str(agent.uuid), node=run.lead.hostname, secret=secret,
        run=str(run.uuid), job=run.job, params=run.params, nonce=encryption.order_nonce(run.lease, str(run.uuid)),
    )  # fmt: skip


def _knows_hosts(run: Run) -> bool:
    """Fill in a joint run's host names at its first order; they are kept, since the agent holds a run to its params."""
    places = run.places.all()
    if len(places) < 2 or run.params.get("hosts"):
        return True
    hosts = [place.node.hostname for place in places]
    if not all(hosts):
        return False
    run.params = {**run.params, "hosts": hosts}
    Run.objects.filter(pk=run.pk, lease=run.lease).update(params=run.params)
    return True


def _landed(run: Run, target: Target, answer: Answer) -> Exchanged:
    if answer.fault:
        return Exchanged(run, answer.fault)
    if answer.status == ACCEPTED:
        longest = LONGEST_JOB + timedelta(hours=run.params.get("hours", 0))
        is_late = run.started_at and timezone.now() - run.started_at > longest
        return Exchanged(run, Fault("too_long", str(longest)) if is_late else None)
    return Exchanged(run, _examined(target, answer))


def _examined(target: Target, answer: Answer) -> Received | Fault:
    """What an answer is worth; one on which the checks themselves break costs its own run, never the others."""
    try:
        return examine(target, answer)
    except Exception as fault:
        logger.exception("the answer to run %s cannot be examined", target.run)
        return Fault("garbage", f"{type(fault).__name__}: {fault}"[:200])


def settle(exchanged: list[Exchanged]) -> int:
    """Write down what came of each exchange; the number of results stored."""
    received = {one.run: one.outcome for one in exchanged if isinstance(one.outcome, Received)}
    poison = _store(received)
    faults = {one.run: one.outcome for one in exchanged if isinstance(one.outcome, Fault)} | poison
    _postpone([one.run for one in exchanged if one.outcome is None])
    _fail(faults)
    return len(received) - len(poison)


def _store(received: dict[Run, Received]) -> dict[Run, Fault]:
    """Store all at once; when the database refuses the batch, one by one, so that one bad result harms no other."""
    now = timezone.now()
    try:
        store(received, now)
        return {}
    except DatabaseError:
        logger.exception("a batch of %d results was refused, storing them one by one", len(received))
    poison = {}
    for run, result in received.items():
        try:
            store({run: result}, now)
        except DatabaseError as fault:
            poison[run] = Fault("not_storable", str(fault)[:200])
    return poison


def _postpone(runs: list[Run]) -> None:
    now = timezone.now()
    waits: dict[timedelta, list[Run]] = defaultdict(list)
    for run in runs:
        elapsed = now - (run.started_at or now)
        waits[next(pause for limit, pause in POLLS if elapsed < limit)].append(run)
    for pause, group in waits.items():
        mine = Run.objects.filter(pk__in=[run.pk for run in group], lease__in={run.lease for run in group})
        mine.filter(started_at=None).update(started_at=now)
        mine.update(state=RunState.RUNNING, due_at=now + pause, attempts=0, error="")


def _fail(faults: dict[Run, Fault]) -> None:
    now = timezone.now()
    groups: dict[tuple[Fault, int], list[Run]] = defaultdict(list)
    for run, fault in faults.items():
        groups[fault, run.attempts + 1].append(run)
    for (fault, attempts), runs in groups.items():
        is_final = attempts >= tries(fault.code)
        logger.warning("%d runs: %s (attempt %d%s)", len(runs), fault, attempts, ", given up" if is_final else "")
        with transaction.atomic():
            claims.lock_contracts({run.contract_id for run in runs})
            mine = claims.held(runs)
            rows = Run.objects.filter(pk__in=mine)
            if not is_final:
                rows.update(error=str(fault), attempts=attempts, due_at=now + wait(attempts))
                continue
            rows.update(error=str(fault), attempts=attempts, due_at=None, state=RunState.FAILED, lease="")
            claims.release(claims.nodes_of(mine), now)
