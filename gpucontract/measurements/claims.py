"""Who works on which run: a claim pushes due_at on by the lease; a machine gets its runs one after another."""

import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, Min, OuterRef, Q

from gpucontract.contracts.models import Contract
from gpucontract.measurements.models import Run, RunNode, RunQuerySet
from gpucontract.measurements.states import OPEN, RunState

# Longer than an exchange (10 s) and two flushes of the largest bodies: a live puller never loses what it holds.
LEASE = timedelta(seconds=90)
NODES_AT_ONCE = 500


def claim(limit: int, now: datetime) -> list[Run]:
    """Take up to `limit` runs to pull. A killed holder's runs are due again after the lease."""
    return _take(_to_pull(now).order_by("due_at"), limit, now)


def claim_to_parse(limit: int, version: int, now: datetime) -> list[Run]:
    """Take up to `limit` delivered runs that this parser version has not read, unless somebody is at them."""
    unread = Run.objects.delivered().filter(parsed_version__lt=version)
    return _take(unread.filter(Q(due_at=None) | Q(due_at__lte=now)).order_by("pk"), limit, now)


def is_due_by(moment: datetime) -> bool:
    """Whether some run will be ready to pull by then."""
    return _to_pull(moment).exists()


def _to_pull(now: datetime) -> RunQuerySet:
    return Run.objects.open().filter(due_at__lte=now, agent__isnull=False, agent__revoked_at=None)


def _take(ready: RunQuerySet, limit: int, now: datetime) -> list[Run]:
    token = secrets.token_hex(16)
    with transaction.atomic():
        keys = list(ready.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True)[:limit])
        if not keys:
            return []
        Run.objects.filter(pk__in=keys).update(due_at=now + LEASE, lease=token)
    mine = Run.objects.filter(lease=token).select_related("agent", "lead")
    return list(mine.prefetch_related("places__node").order_by("pk"))


def held(runs: Collection[Run]) -> dict[int, Run]:
    """Those runs whose lease is still the one they were claimed with, by key; call it inside the transaction."""
    rows = Run.objects.filter(pk__in=[run.pk for run in runs]).select_for_update().order_by("pk")
    leases = dict(rows.values_list("pk", "lease"))
    return {run.pk: run for run in runs if leases.get(run.pk) == run.lease}


def lock_contracts(contracts: Collection[int]) -> None:
    """Two flushes that end a group's last two runs at once must see each other, or neither releases the joint run."""
    list(Contract.objects.filter(pk__in=contracts).select_for_update().order_by("pk").values_list("pk"))


def nodes_of(runs: Collection[int]) -> set[int]:
    """The nodes these runs stand on, by key."""
    return set(RunNode.objects.filter(run__in=runs).values_list("node", flat=True))


def release(nodes: Collection[int], now: datetime) -> None:
    """Make the next waiting run of each of these nodes due, when nothing earlier or running is left on its nodes."""
    ordered = sorted(nodes)
    for start in range(0, len(ordered), NODES_AT_ONCE):
        _release(ordered[start : start + NODES_AT_ONCE], now)


def _release(nodes: Collection[int], now: datetime) -> None:
    waiting = RunNode.objects.filter(node__in=nodes, run__state=RunState.QUEUED, run__due_at=None)
    first = {row["first"] for row in waiting.values("node").annotate(first=Min("run")).order_by()}
    before = RunNode.objects.filter(node__places__run=OuterRef("pk"), run__state__in=OPEN).exclude(run=OuterRef("pk"))
    busy = before.filter(Q(run__lt=OuterRef("pk")) | Q(run__due_at__isnull=False))
    free = Run.objects.filter(pk__in=first, state=RunState.QUEUED, due_at=None).filter(~Exists(busy))
    Run.objects.filter(pk__in=list(free.values_list("pk", flat=True))).update(due_at=now)
