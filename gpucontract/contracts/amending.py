"""An amendment: a new contract with the signed one's terms and codes, so that the two compare line by line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import models, transaction

from gpucontract.accounts.models import User
from gpucontract.contracts.creating import create_contract
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.groups import add_group, add_mount, remove_row
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import IN_FORCE, STATES, State
from gpucontract.contracts.models import Contract
from gpucontract.contracts.rights import must
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.succession import amended_by, must_stand
from gpucontract.contracts.tables import CHILD_TABLES
from gpucontract.contracts.writing import write_terms
from gpucontract.wording import Text

# An amendment that is still being worked on; there is one at a time.
UNDER_WAY = (State.DRAFT, State.WITH_VENDOR, State.ANSWERED, State.AGREED, State.EXPIRED_OFFER)

_NOT_IN_FORCE = Text(
    "合同 {number} 处于“{state}”，只有已签署、仍然有效的合同才能签补充协议。",
    "Contract {number} is “{state}”; only a signed contract in force can be amended.",
)
_ONE_AT_A_TIME = Text(
    "补充协议 {other} 还在进行中。请先签署或撤回它。",
    "Amendment {other} is still under way. Sign or withdraw it first.",
)
# How an amendment is called after what it amends; the second one counts on.
_CALLED = re.compile(r"（补充协议(?: \d+)?）$")


@transaction.atomic
def amend_contract(parent: Contract, *, by: User, now: datetime | None = None) -> Contract:
    """A draft that amends a signed contract, holding its terms under the same codes. Raises ContractError."""
    must(parent, by, "draft")
    held = lock(parent)
    must_stand(held)
    if held.state not in IN_FORCE:
        raise ContractError(_NOT_IN_FORCE.fill(number=held.number, state=STATES[held.state]))
    other = held.amendments.filter(state__in=UNDER_WAY).first()
    if other is not None:
        raise ContractError(_ONE_AT_A_TIME.fill(other=other.number))
    amendment = create_contract(held.buyer, by=by, title=_title(held), demo=held.demo, now=now)
    amendment.amends = held
    amendment.save(update_fields=["amends"])
    terms = terms_of(held)
    _make_rows(amendment, (*terms.groups, *terms.mounts), by)
    values: Mapping[str, Mapping[str, Any]] = terms.rows
    write_terms(amendment, values=values, by=by)
    _same_child_codes(held, amendment)
    record(held, "amendment_started", by=by, at=now, body={"amendment": amendment.number})
    amendment.refresh_from_db()
    return amendment


def _title(parent: Contract) -> str:
    """The first contract's title and which amendment in the line this is."""
    place = len(amended_by(parent)) + 1
    called = f"（补充协议 {place}）" if place > 1 else "（补充协议）"
    return f"{_CALLED.sub('', parent.title)[: 200 - len(called)]}{called}"


def _same_child_codes(parent: Contract, amendment: Contract) -> None:
    """Rows of tables keep the codes they have in the signed contract; the copy holds them in the same order."""
    for table, column, _letter in CHILD_TABLES.values():
        old, new = _children(table, column, parent), _children(table, column, amendment)
        for place, row in enumerate(new):
            table._default_manager.filter(pk=row.pk).update(code=f"~{place}")
        for was, row in zip(old, new, strict=True):
            table._default_manager.filter(pk=row.pk).update(code=was.code)
    Contract.objects.filter(pk=amendment.pk).update(rows_given=parent.rows_given)


def _children(table: type[models.Model], column: str, contract: Contract) -> list[Any]:
    if column == "contract":
        return list(table._default_manager.filter(contract=contract).order_by("position", "pk"))
    of = {f"{column}__contract": contract}
    return list(table._default_manager.filter(**of).order_by(f"{column}__code", "position", "pk"))


def _make_rows(amendment: Contract, codes: tuple[str, ...], by: User) -> None:
    """Groups and mounts with exactly these codes; the draft comes with an empty g1."""
    for code in codes:
        letter, number = code[0], int(code[1:])
        if code == "g1":
            continue
        given = "groups_given" if letter == "g" else "mounts_given"
        Contract.objects.filter(pk=amendment.pk).update(**{given: number - 1})
        (add_group if letter == "g" else add_mount)(amendment, by=by)
    if "g1" not in codes:
        remove_row(amendment, code="g1", by=by)
