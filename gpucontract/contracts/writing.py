"""Writing terms: every value through its term and its model field, all or nothing, refusals named by path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction

from gpucontract.accounts.models import User
from gpucontract.contracts import child_rows
from gpucontract.contracts.errors import TermsRefused
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.models import Contract, NotApplicableTerm
from gpucontract.contracts.rights import must, must_be_editable
from gpucontract.contracts.sections.steps import TERMS, terms_of
from gpucontract.contracts.sections.term import Kind, TermInfo
from gpucontract.contracts.sections.values import TermRefused, read
from gpucontract.contracts.snapshot import reasons_of
from gpucontract.contracts.tables import MOUNT_GROUPS, ONE_PER_CONTRACT, TABLE_OF, Holder, row_object
from gpucontract.contracts.terms import NotApplicable
from gpucontract.wording import Text

Values = Mapping[str, Mapping[str, object]]
Place = tuple[str, type[models.Model]]

_NO_ROW = Text(
    "合同 {number} 没有“{code}”这一组或挂载。它可能刚被删除，请刷新页面。",
    "Contract {number} has no group or mount {code}. It may have just been removed; reload the page.",
)
_NO_TERM = Text("“{path}”不是这里的约定项，没有写入。", "{path} is not a term here; nothing was written.")
_DOES_NOT_FIT = Text("{term}：{fault}", "{term}: {fault}")
_EMPTY: dict[Kind, Any] = {Kind.TEXT: "", Kind.CHOICE: "", Kind.MULTI: (), Kind.ROWS: ()}


@dataclass(slots=True)
class _Batch:
    """One call: the loaded rows, the columns that differ, whole sets of rows to replace, refusals by path.

    reasons: why terms are not applicable, by path; excused: the ones that differ from it, "" where that ends.
    """

    contract: Contract
    rows: dict[Place, models.Model] = field(default_factory=dict)
    changed: dict[Place, list[str]] = field(default_factory=dict)
    sets: list[tuple[Holder, TermInfo, Any]] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    excused: dict[str, str] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    refusals: dict[str, Text] = field(default_factory=dict)


@transaction.atomic
def write_terms(contract: Contract, *, values: Values, by: User) -> tuple[str, ...]:
    """Write {code: {term: value}}, typed or as text, or NotApplicable; returns the paths that changed.

    None and "" empty a term. Raises TermsRefused with every refusal by path; then nothing is written.
    """
    must(contract, by, "draft")
    held = lock(contract)
    must_be_editable(held)
    paths = put_terms(held, values)
    if paths:
        record(held, "terms_written", by=by, body={"paths": sorted(paths)})
    return paths


def put_terms(held: Contract, values: Values) -> tuple[str, ...]:
    """The writing alone, for callers that lock the contract, ask for the right and journal it by themselves."""
    batch = _checked(held, values)
    _save(batch)
    return tuple(batch.paths)


def check_terms(contract: Contract, values: Values) -> None:
    """Raise TermsRefused with every value that could not be written; nothing is written."""
    _checked(contract, values)


def _checked(contract: Contract, values: Values) -> _Batch:
    batch = _Batch(contract)
    batch.reasons = reasons_of(contract)
    for code, terms in values.items():
        _take_row(batch, code, terms)
    for place in batch.changed:
        _check(batch, place)
    if batch.refusals:
        raise TermsRefused(batch.refusals)
    return batch


def _take_row(batch: _Batch, code: str, terms: Mapping[str, object]) -> None:
    holder = row_object(batch.contract, code)
    if holder is None:
        batch.refusals[code] = _NO_ROW.fill(number=batch.contract.number, code=code)
        return
    known = {info.id: info for info in terms_of(code)}
    for name, raw in terms.items():
        path = f"{code}/{name}"
        try:
            if name not in known:
                raise TermRefused(_NO_TERM.fill(path=path))
            value = read(known[name], raw)
            reason = value.reason if isinstance(value, NotApplicable) else ""
            is_new = _take(batch, code, holder, known[name], None if reason else value)
            if batch.reasons.get(path, "") != reason:
                batch.excused[path] = reason
            if is_new or path in batch.excused:
                batch.paths.append(path)
        except TermRefused as refusal:
            batch.refusals[path] = refusal.text


def _take(batch: _Batch, code: str, holder: Holder, info: TermInfo, value: Any) -> bool:
    """Note a value for writing; False when it is there already."""
    new: Any = _EMPTY.get(info.kind) if value is None else value
    if info.id == MOUNT_GROUPS or info.kind is Kind.ROWS:
        child_rows.check(batch.contract, info, new)
        if child_rows.current(holder, info) == child_rows.comparable(info, new):
            return False
        batch.sets.append((holder, info, new))
        return True
    place = (code, TABLE_OF[info.id])
    row = batch.rows.get(place) or batch.rows.setdefault(place, _load(place[1], holder))
    if getattr(row, info.id) == new:
        return False
    setattr(row, info.id, new)
    batch.changed.setdefault(place, []).append(info.id)
    return True


def _load(table: type[models.Model], holder: Holder) -> models.Model:
    if isinstance(holder, table):
        return holder
    parent = "contract" if table in ONE_PER_CONTRACT else "group"
    return table._default_manager.filter(**{parent: holder}).first() or table(**{parent: holder})


def _check(batch: _Batch, place: Place) -> None:
    """The model's own validators, as the last word; its check constraints say the same and would each cost a query."""
    code, names = place[0], batch.changed[place]
    try:
        others = {column.name for column in place[1]._meta.fields} - set(names)
        batch.rows[place].full_clean(exclude=others, validate_unique=False, validate_constraints=False)
    except ValidationError as fault:
        for name, sentences in fault.message_dict.items():
            said = _DOES_NOT_FIT.fill(term=TERMS[name].label, fault=" ".join(sentences))
            batch.refusals.setdefault(f"{code}/{name}", said)


def _save(batch: _Batch) -> None:
    for place, names in batch.changed.items():
        row = batch.rows[place]
        row.save(update_fields=names if row.pk else None)
    for holder, info, value in batch.sets:
        child_rows.replace(batch.contract, holder, info, value)
    for path, reason in batch.excused.items():
        code, _slash, term = path.partition("/")
        if reason:
            NotApplicableTerm.objects.update_or_create(
                contract=batch.contract, code=code, term=term, defaults={"reason": reason}
            )
        else:
            NotApplicableTerm.objects.filter(contract=batch.contract, code=code, term=term).delete()
