"""The only place in web that turns an address into an object: strangers get 404, members without the right 403."""

from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.shortcuts import get_object_or_404

from gpucontract.accounts.models import User
from gpucontract.contracts.models import Contract
from gpucontract.contracts.rights import must_be_editable


def contract_for(user: User | AnonymousUser, uuid: UUID, action: str) -> Contract:
    """The contract, when the person may do this action of roles.ACTIONS on it."""
    contract = get_object_or_404(Contract.objects.visible_to(user).select_related("buyer", "vendor"), uuid=uuid)
    if not contract.may(user, action):
        raise PermissionDenied
    return contract


def draft_for(user: User | AnonymousUser, uuid: UUID) -> Contract:
    """The contract for somebody who may draft it, while its terms may be changed. Raises ContractError when not."""
    contract = contract_for(user, uuid, "draft")
    must_be_editable(contract)
    return contract
