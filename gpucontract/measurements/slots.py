"""The slots of a contract's machines: made when they are handed over, or when an amendment takes them over."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from gpucontract.accounts.models import User
from gpucontract.contracts.journal import record
from gpucontract.contracts.models import Contract, Revision
from gpucontract.measurements.models import Node, Replacement
from gpucontract.measurements.states import RunState

ROWS_AT_ONCE = 1000


def make_slots(contract: Contract, revision: Revision, *, by: User | None, now: datetime) -> None:
    """Create the slots of a revision; those that exist stay as they are. The caller holds the contract.

    The machines of the contract that this one amends keep their slots, names and agents; the old slots stay.
    """
    groups = {group.code: group for group in contract.node_groups.all()}
    wanted = [
        Node(group=groups[group.code], ordinal=ordinal, code=code)
        for group in revision.body().groups
        for ordinal, code in enumerate(group.node_codes, start=1)
    ]
    known = set(Node.objects.of(contract).values_list("code", flat=True))
    made = Node.objects.bulk_create([node for node in wanted if node.code not in known], batch_size=ROWS_AT_ONCE)
    if made:
        moved = _take_over(contract, {node.code for node in made})
        record(contract, "nodes_delivered", by=by, at=now, body={"nodes": len(wanted), **moved})


def give_up_runs(parent: Contract) -> int:
    """Cancel what a contract that was replaced still has ordered: a run of each would disturb the other."""
    return parent.runs.open().update(state=RunState.FAILED, error="superseded", due_at=None, lease="")


def _take_over(contract: Contract, codes: Collection[str]) -> Mapping[str, Any]:
    """With the machines come replacements that wait for the buyer's word."""
    if contract.amends is None:
        return {}
    before = {node.code: node for node in Node.objects.of(contract.amends).filter(retired_at=None, code__in=codes)}
    for node in Node.objects.of(contract).filter(code__in=before):
        Node.objects.filter(pk=node.pk).update(hostname=before[node.code].hostname)
        before[node.code].agents.live().update(node=node)
        Replacement.objects.filter(node=before[node.code], is_agreed=None).update(node=node)
    return {"from": contract.amends.number, "taken_over": len(before), "cancelled": give_up_runs(contract.amends)}
