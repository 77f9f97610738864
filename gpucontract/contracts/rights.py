"""May this person do this on this contract now: the question every service asks first."""

from __future__ import annotations

from gpucontract.accounts.models import User
from gpucontract.accounts.roles import ACTIONS
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.lifecycle import IN_FORCE, STATES, State
from gpucontract.contracts.models import Contract
from gpucontract.contracts.succession import must_stand
from gpucontract.wording import Text

# While the vendor's answers are being worked in, the state stays "answered" and the terms are open.
EDITABLE = (State.DRAFT, State.ANSWERED)

_NO_RIGHT = Text(
    "{person} 没有在合同 {number} 上“{action}”的权限。请找本方的审批人或组织管理员。",
    "{person} may not do this on contract {number}: {action}. Ask an approver or admin of your own side.",
)
_NOT_EDITABLE = Text(
    "合同 {number} 处于“{state}”，条款不能修改。请先撤回或重新打开。",
    "Contract {number} is “{state}”; its terms cannot be changed. Withdraw or reopen it first.",
)

_NOT_IN_FORCE = Text(
    "合同 {number} 处于“{state}”，这一步只能在签署之后、结束之前进行。",
    "Contract {number} is “{state}”; this is done from signing on, until the contract ends.",
)


def must(contract: Contract, by: User, action: str) -> None:
    """Raise NotAllowed unless the person may do the action of roles.ACTIONS."""
    if not contract.may(by, action):
        raise NotAllowed(_NO_RIGHT.fill(person=by, number=contract.number, action=ACTIONS[action]))


def must_be_editable(contract: Contract) -> None:
    """Raise ContractError unless the terms may be changed in the contract's state."""
    if contract.state not in EDITABLE:
        raise ContractError(_NOT_EDITABLE.fill(number=contract.number, state=STATES[State(contract.state)]))


def must_be_in_force(contract: Contract) -> None:
    """Raise ContractError unless the contract is signed and has not ended; of one replaced, naming its successor."""
    must_stand(contract)
    if contract.state not in IN_FORCE:
        raise ContractError(_NOT_IN_FORCE.fill(number=contract.number, state=STATES[State(contract.state)]))
