"""A contract's rows as plain Terms: the only reader of the section tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from django.db import models
from django.db.models import F, Value
from django.db.models.functions import Cast, JSONObject

from gpucontract.contracts.models import Contract, NodeGroup, NotApplicableTerm, SharedMount
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.tables import CHILD_TABLES, ONE_PER_CONTRACT, ONE_PER_GROUP, terms_in
from gpucontract.contracts.terms import NotApplicable, Terms

Values = dict[str, Any]


def terms_of(contract: Contract) -> Terms:
    """All drafted values by row code and term id; empty ones are left out."""
    return terms_by_contract([contract])[contract.pk]


def terms_by_contract(contracts: Collection[Contract]) -> dict[int, Terms]:
    """The terms of each contract by its key. Six questions, however many contracts and rows."""
    found = {row.pk: {"c": values} for row, values in _contract_values(contracts)}
    for group, values in _group_values(contracts):
        found[group.contract_id][group.code] = values
    for mount in _mounts(contracts):
        found[mount.contract_id][mount.code] = _mount_values(mount)
    for key, code, term, row in _child_rows(contracts):
        found[key][code][term] = (*found[key][code].get(term, ()), row)
    for key, code, term, reason in _reasons(contracts):
        if code in found[key]:
            found[key][code].setdefault(term, NotApplicable(reason))
    return {key: Terms(rows) for key, rows in found.items()}


def reasons_of(contract: Contract) -> dict[str, str]:
    """Why terms are not applicable, by path."""
    return {f"{code}/{term}": reason for _, code, term, reason in _reasons([contract])}


def _reasons(contracts: Collection[Contract]) -> Iterable[tuple[int, str, str, str]]:
    excused = NotApplicableTerm.objects.filter(contract__in=contracts)
    return excused.values_list("contract", "code", "term", "reason")


def _contract_values(contracts: Collection[Contract]) -> list[tuple[Any, Values]]:
    return _with(Contract.objects.filter(pk__in=[contract.pk for contract in contracts]), ONE_PER_CONTRACT)


def _group_values(contracts: Collection[Contract]) -> list[tuple[Any, Values]]:
    groups = _with(NodeGroup.objects.filter(contract__in=contracts), ONE_PER_GROUP)
    return [(group, _columns(group) | values) for group, values in groups]


def _with(rows: Any, tables: Iterable[type[models.Model]]) -> list[tuple[Any, Values]]:
    """Each row with the terms that these tables hold for it; a table without a line for it says its defaults."""
    names = {table: str(table._meta.model_name) for table in tables}
    found = []
    for row in rows.select_related(*names.values()):
        values: Values = {}
        for table, name in names.items():
            values |= _columns(getattr(row, name, None) or table())
        found.append((row, values))
    return found


def _mounts(contracts: Collection[Contract]) -> Iterable[SharedMount]:
    return SharedMount.objects.filter(contract__in=contracts).prefetch_related("groups")


def _mount_values(mount: SharedMount) -> Values:
    groups = tuple(group.code for group in mount.groups.all())
    return _columns(mount) | ({"groups": groups} if groups else {})


def _child_rows(contracts: Collection[Contract]) -> list[tuple[int, str, str, Values]]:
    """The child rows of all tables in one question, in their order: contract, row code, term, columns.

    The columns come as one JSON object, since one question gives all its lines the same columns.
    """
    parts = [_as_text(contracts, term) for term in CHILD_TABLES]
    lines = sorted(parts[0].union(*parts[1:], all=True), key=lambda line: line[2:5])
    return [(key, code, term, _read(term, columns)) for key, code, term, _position, _pk, columns in lines]


def _as_text(contracts: Collection[Contract], term: str) -> Any:
    table, parent, _ = CHILD_TABLES[term]
    is_of_mount = parent == "mount"
    owner = "mount__contract" if is_of_mount else "contract"
    columns = {name: _in_json(table, name) for name in ("code", *_names(term))}
    return (
        table._default_manager.filter(**{f"{owner}__in": contracts})
        .order_by()
        .annotate(
            owner=F(owner), holder=F("mount__code") if is_of_mount else Value("c"),
            term=Value(term), place=F("position"), key=F("pk"), columns=JSONObject(**columns),
        )
        .values_list("owner", "holder", "term", "place", "key", "columns")
    )  # fmt: skip


def _in_json(table: type[models.Model], name: str) -> Any:
    # JSON knows no decimals, so they come as text; what a database writes for true it reads itself.
    is_flag = isinstance(table._meta.get_field(name), models.BooleanField)
    return F(name) if is_flag else Cast(name, models.TextField())


def _read(term: str, columns: Values) -> Values:
    fields = {field.name: field for field in CHILD_TABLES[term][0]._meta.concrete_fields}
    found = {name: fields[name].to_python(columns[name]) for name in _names(term)}
    return {"code": columns["code"]} | _given(found)


def _names(term: str) -> list[str]:
    return [info.id for info in TERMS[term].columns]


def _columns(row: models.Model) -> Values:
    return _given({name: getattr(row, name) for name in terms_in(type(row))})


def _given(values: Values) -> Values:
    return {name: value for name, value in values.items() if value not in (None, "", ())}
