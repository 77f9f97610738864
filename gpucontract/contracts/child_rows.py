"""Terms that are sets of rows: test profiles, delivery documents, and the groups that see a mount."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpucontract.contracts.models import Contract
from gpucontract.contracts.sections.term import TermInfo
from gpucontract.contracts.sections.values import TermRefused
from gpucontract.contracts.tables import CHILD_TABLES, MOUNT_GROUPS, Holder
from gpucontract.wording import Text

_NO_GROUP = Text(
    "{term}：没有代号为 {codes} 的组，可选：{known}。", "{term}: there is no group {codes}; choose from {known}."
)


def check(contract: Contract, info: TermInfo, value: Any) -> None:
    """Raise TermRefused where a mount names a group the contract has not."""
    if info.id != MOUNT_GROUPS:
        return
    known = set(contract.node_groups.values_list("code", flat=True))
    strangers = sorted(set(value) - known)
    if strangers:
        said = _NO_GROUP.fill(term=info.label, codes=", ".join(strangers), known=", ".join(sorted(known)))
        raise TermRefused(said)


def current(holder: Holder, info: TermInfo) -> Any:
    """What stands in the tables now, in the form that `comparable` gives a new value."""
    if info.id == MOUNT_GROUPS:
        return set(holder.groups.values_list("code", flat=True))  # type: ignore[union-attr]
    table, parent, _ = CHILD_TABLES[info.id]
    rows = table._default_manager.filter(**{parent: holder})
    return [(row.code, _columns(info, vars(row))) for row in rows]  # type: ignore[attr-defined]


def comparable(info: TermInfo, value: Iterable[Any]) -> Any:
    """A new value in the form of `current`: a set of codes, or rows in order with their codes."""
    if info.id == MOUNT_GROUPS:
        return set(value)
    return [(row.get("code", ""), _columns(info, row)) for row in value]


def replace(contract: Contract, holder: Holder, info: TermInfo, value: Sequence[Any]) -> None:
    """Make the rows of the term exactly these: known codes keep their row, new rows get a code never used before."""
    if info.id == MOUNT_GROUPS:
        holder.groups.set(contract.node_groups.filter(code__in=value))  # type: ignore[union-attr]
        return
    table, parent, letter = CHILD_TABLES[info.id]
    known = {row.code: row for row in table._default_manager.filter(**{parent: holder})}  # type: ignore[attr-defined]
    kept = {row["code"] for row in value if row.get("code") in known}
    table._default_manager.filter(**{parent: holder}).exclude(code__in=kept).delete()
    for position, row in enumerate(value):
        code = row["code"] if row.get("code") in kept else _next_code(contract, letter)
        columns = _columns(info, row) | {"position": position}
        place: dict[str, Any] = {parent: holder, "code": code}
        table._default_manager.update_or_create(**place, defaults=columns)
        kept.discard(code)


def _next_code(contract: Contract, letter: str) -> str:
    contract.rows_given += 1
    contract.save(update_fields=["rows_given"])
    return f"{letter}{contract.rows_given}"


def _columns(info: TermInfo, row: Mapping[str, Any]) -> dict[str, Any]:
    """The row's columns; an empty text is stored as "", an empty number as NULL."""
    empty = {"choice": "", "text": ""}
    return {
        column.id: empty.get(column.kind) if row.get(column.id) is None else row[column.id] for column in info.columns
    }
