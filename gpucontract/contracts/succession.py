"""Which contract stands in the place of which: an amendment that both have signed takes that of its parent."""

from __future__ import annotations

from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.lifecycle import IN_FORCE, STATES, State
from gpucontract.contracts.models import Contract
from gpucontract.wording import Text

# An amendment that both have signed stands in its parent's place, whatever became of it since.
SIGNED = (*IN_FORCE, State.ENDED, State.TERMINATED, State.SUPERSEDED)

_AMENDED = Text(
    "合同 {number} 已由补充协议 {other} 取代：请在补充协议上操作。",
    "Contract {number} was amended by {other}, which took its place: go on there.",
)
_OVER = Text(
    "本补充协议所补充的合同 {number} 已处于“{state}”：补充协议不能再发送或签署，请甲方撤回。",
    "Contract {number}, which this amends, is “{state}” by now: this can be neither sent nor signed any more, and the "
    "buyer withdraws it.",
)


def successor(contract: Contract) -> Contract | None:
    """The signed amendment that took the place of this contract; None while it stands itself."""
    return contract.amendments.filter(state__in=SIGNED).order_by("pk").last()


def in_charge(contract: Contract) -> Contract:
    """The contract itself, or the last of the signed amendments that took its place one after the other."""
    while (heir := successor(contract)) is not None:
        contract = heir
    return contract


def must_stand(contract: Contract) -> None:
    """Raises ContractError where a signed amendment took the place of this contract."""
    other = successor(contract)
    if other is not None:
        raise ContractError(_AMENDED.fill(number=contract.number, other=other.number))


def must_amend_what_binds(contract: Contract) -> None:
    """Raises ContractError where the contract that it amends has ended meanwhile."""
    parent = contract.amends
    if parent is not None and parent.state not in IN_FORCE:
        raise ContractError(_OVER.fill(number=parent.number, state=STATES[parent.state]))


def amended_by(contract: Contract) -> list[Contract]:
    """The contracts that this one amends, its own parent first."""
    line: list[Contract] = []
    while contract.amends is not None:
        contract = contract.amends
        line.append(contract)
    return line
