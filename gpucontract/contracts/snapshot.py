"""A contract's rows as plain Terms: the only reader of the section tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import models

from gpucontract.contracts.models import Contract, NodeGroup, NotApplicableTerm, SharedMount
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.tables import CHILD_TABLES, ONE_PER_CONTRACT, ONE_PER_GROUP, terms_in
from gpucontract.contracts.terms import NotApplicable, Terms

Values = dict[str, Any]


def terms_of(contract: Contract) -> Terms:
    """All drafted values by row code and term id; empty ones are left out."""
    rows: dict[str, Values] = {"c": _contract_values(contract)}
    rows |= _group_values(contract)
    rows |= {mount.code: _mount_values(mount) for mount in _mounts(contract)}
    for path, reason in reasons_of(contract).items():
        code, _, term = path.partition("/")
        if code in rows:
            rows[code].setdefault(term, NotApplicable(reason))
    return Terms(rows)


def reasons_of(contract: Contract) -> dict[str, str]:
    """Why terms are not applicable, by path."""
    found = NotApplicableTerm.objects.filter(contract=contract).values_list("code", "term", "reason")
    return {f"{code}/{term}": reason for code, term, reason in found}


def _contract_values(contract: Contract) -> Values:
    values: Values = {}
    for table in ONE_PER_CONTRACT:
        values |= _columns(table._default_manager.filter(contract=contract).first() or table())
    for term, (table, parent, _) in CHILD_TABLES.items():
        if parent == "contract":
            values |= _child_rows(term, table._default_manager.filter(contract=contract))
    return values


def _group_values(contract: Contract) -> dict[str, Values]:
    groups = list(NodeGroup.objects.filter(contract=contract))
    values = {group.code: _columns(group) for group in groups}
    codes = {group.pk: group.code for group in groups}
    for table in ONE_PER_GROUP:
        found = {row.group_id: row for row in table._default_manager.filter(group__in=codes)}  # type: ignore[attr-defined]
        for key, code in codes.items():
            values[code] |= _columns(found.get(key) or table())
    return values


def _mounts(contract: Contract) -> Iterable[SharedMount]:
    return SharedMount.objects.filter(contract=contract).prefetch_related("groups", "test_profiles")


def _mount_values(mount: SharedMount) -> Values:
    values = _columns(mount)
    groups = tuple(group.code for group in mount.groups.all())
    if groups:
        values["groups"] = groups
    return values | _child_rows("io_test_profile", mount.test_profiles.all())


def _columns(row: models.Model) -> Values:
    return _given(row, terms_in(type(row)))


def _child_rows(term: str, rows: Iterable[Any]) -> Values:
    columns = [info.id for info in TERMS[term].columns]
    found = tuple({"code": row.code} | _given(row, columns) for row in rows)
    return {term: found} if found else {}


def _given(row: models.Model, names: Iterable[str]) -> Values:
    values = {name: getattr(row, name) for name in names}
    return {name: value for name, value in values.items() if value not in (None, "", ())}
