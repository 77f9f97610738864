"""Node groups and shared mounts of a draft: add, copy, remove, put in order. A code is given once and never reused."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import models, transaction

from gpucontract.accounts.models import User
from gpucontract.contracts import snapshot
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.models import Contract, NodeGroup, SharedMount
from gpucontract.contracts.rights import must, must_be_editable
from gpucontract.contracts.tables import CHILD_TABLES, row_object
from gpucontract.contracts.terms import NotApplicable
from gpucontract.contracts.writing import write_terms
from gpucontract.wording import Text

MOST_ROWS = 100

_NO_ROW = Text(
    "合同 {number} 没有“{code}”这一组或挂载。它可能刚被删除，请刷新页面。",
    "Contract {number} has no group or mount {code}. It may have just been removed; reload the page.",
)
_LAST_GROUP = Text(
    "这是最后一组节点，不能删除：合同至少要有一组。请先添加另一组。",
    "This is the last node group and cannot be removed: a contract needs one. Add another first.",
)
_TOO_MANY = Text("已有 {count} 个，最多 {most} 个。", "There are {count} already; at most {most} fit.")
_WRONG_ORDER = Text(
    "顺序中应当正好是 {known}，收到的是 {given}。请刷新页面后重试。",
    "The order must name exactly {known}, but names {given}. Reload the page and try again.",
)


@transaction.atomic
def add_group(contract: Contract, *, by: User) -> NodeGroup:
    """A new empty node group at the end."""
    held = _open(contract, by)
    _check_count(held.node_groups.count())
    held.groups_given += 1
    held.save(update_fields=["groups_given"])
    code = f"g{held.groups_given}"
    group = NodeGroup.objects.create(contract=held, code=code, position=held.groups_given)
    record(held, "group_added", by=by, body={"code": code})
    return group


@transaction.atomic
def add_mount(contract: Contract, *, by: User) -> SharedMount:
    """A new shared mount at the end, seen by every group there is."""
    held = _open(contract, by)
    _check_count(held.shared_mounts.count())
    held.mounts_given += 1
    held.save(update_fields=["mounts_given"])
    code = f"m{held.mounts_given}"
    mount = SharedMount.objects.create(contract=held, code=code, position=held.mounts_given)
    mount.groups.set(held.node_groups.all())
    record(held, "mount_added", by=by, body={"code": code})
    return mount


@transaction.atomic
def duplicate_row(contract: Contract, *, code: str, by: User) -> str:
    """A copy of a node group or mount with all its terms, under a new code, which is returned."""
    held = _open(contract, by)
    _row(held, code)
    values = dict(snapshot.terms_of(held).rows[code])
    for term in CHILD_TABLES.keys() & values.keys():
        if not isinstance(values[term], NotApplicable):
            values[term] = [{**row, "code": ""} for row in values[term]]
    copy = add_group(held, by=by) if code.startswith("g") else add_mount(held, by=by)
    write_terms(held, values={copy.code: values}, by=by)
    return copy.code


@transaction.atomic
def remove_row(contract: Contract, *, code: str, by: User) -> None:
    """Delete a node group or mount and its terms; the last group stays."""
    held = _open(contract, by)
    row = _row(held, code)
    if isinstance(row, NodeGroup) and held.node_groups.count() == 1:
        raise ContractError(_LAST_GROUP)
    row.delete()
    held.not_applicable.filter(code=code).delete()
    record(held, "row_removed", by=by, body={"code": code})


@transaction.atomic
def order_rows(contract: Contract, *, codes: Sequence[str], by: User) -> None:
    """Put all groups, or all mounts, into this order; codes and clause keys stay as they are."""
    held = _open(contract, by)
    rows: models.QuerySet[NodeGroup] | models.QuerySet[SharedMount]
    rows = held.node_groups.all() if codes and codes[0].startswith("g") else held.shared_mounts.all()
    known = {row.code: row for row in rows}
    if sorted(known) != sorted(codes):
        raise ContractError(_WRONG_ORDER.fill(known=", ".join(sorted(known)), given=", ".join(codes)))
    for position, code in enumerate(codes, start=1):
        rows.filter(code=code).update(position=position)
    record(held, "rows_ordered", by=by, body={"codes": list(codes)})


def _open(contract: Contract, by: User) -> Contract:
    must(contract, by, "draft")
    held = lock(contract)
    must_be_editable(held)
    return held


def _row(contract: Contract, code: str) -> NodeGroup | SharedMount:
    row = row_object(contract, code)
    if row is None or isinstance(row, Contract):
        raise ContractError(_NO_ROW.fill(number=contract.number, code=code))
    return row


def _check_count(count: int) -> None:
    if count >= MOST_ROWS:
        raise ContractError(_TOO_MANY.fill(count=count, most=MOST_ROWS))
