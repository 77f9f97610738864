"""Moving a contract from state to state: the one place that writes Contract.state."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from gpucontract.accounts.models import User
from gpucontract.contracts.errors import NotAllowed
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import MOVES, State, may_make, next_state
from gpucontract.contracts.models import Contract, Revision
from gpucontract.wording import Text

_NOT_A_PERSONS = Text("“{move}”由系统自动进行，不由人操作。", "Nobody makes this move by hand: {move}.")
_NOT_YOURS = Text(
    "{person} 不能在合同 {number} 上{move}：没有相应的角色。请找有权限的同事。",
    "{person} may not {move} (contract {number}): the role is missing. Ask a colleague who has it.",
)


@transaction.atomic
def move(
    contract: Contract,
    name: str,
    *,
    by: User | None,
    facts: Collection[str] = (),
    now: datetime | None = None,
    body: Mapping[str, Any] | None = None,
    revision: Revision | None = None,
) -> Contract:
    """Make a move of lifecycle.MOVES and journal it. facts: names of Fact that hold.

    by None: time or the system, for exactly those moves that no side makes.

    Raises NotAllowed for the wrong person, LifecycleError for the wrong state or a missing fact.
    """
    held = lock(contract)
    _must(held, name, by)
    state = next_state(held.state, name, facts)
    said = {"from": held.state, "to": state.value, **(body or {})}
    _set_state(held, contract, state)
    record(held, f"move_{name}", by=by, at=now, body=said, revision=revision)
    return held


def _must(contract: Contract, name: str, by: User | None) -> None:
    wanted = MOVES[name]
    if bool(wanted.sides) != (by is not None):
        raise NotAllowed(_NOT_A_PERSONS.fill(move=wanted.text))
    if by is None:
        return
    side, held = contract.standing_of(by)
    if not may_make(wanted, side, held):
        raise NotAllowed(_NOT_YOURS.fill(person=by, number=contract.number, move=wanted.text))


def _set_state(held: Contract, given: Contract, state: State) -> None:
    held.state = given.state = state.value
    held.save(update_fields=["state"])
