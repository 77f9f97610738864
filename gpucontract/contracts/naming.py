"""“I may not sign”: the vendor's people name who does; an admin's naming invites, anybody else's asks the admins to."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.inviting import checked_address, invite
from gpucontract.accounts.members import administers
from gpucontract.accounts.models import Membership, User
from gpucontract.accounts.roles import Role, Side, may
from gpucontract.contracts.body import Body
from gpucontract.contracts.confirming import signers_of
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import STATES, State
from gpucontract.contracts.models import Contract
from gpucontract.contracts.rights import must
from gpucontract.wording import Text

OPEN_STATES = (State.WITH_VENDOR, State.ANSWERED, State.AGREED)

_NOT_NOW = Text("合同处于“{state}”，现在不需要指定签署人。", "The contract is “{state}”; no signer is to be named now.")
_READY = Text("{email} 可以签署。", "{email} may sign.")
_NO_ROLE = Text(
    "{email} 已是成员，还没有签署人角色。请组织管理员在成员页修改角色并登记授权。",
    "{email} is a member without the signer's role: an admin gives it and records a mandate on the members' page.",
)
_NO_MANDATE = Text(
    "{email} 是签署人，还没有有效的授权。请组织管理员在成员页登记授权。",
    "{email} is a signer without a mandate in force: an admin records one on the members' page.",
)
_INVITED = Text(
    "已向 {email} 发出邀请，对方还没有接受。", "{email} is invited and has not accepted the invitation yet."
)
_UNKNOWN = Text(
    "{email} 还不是本组织的成员。请组织管理员在成员页邀请，角色选“签署人”。",
    "{email} is no member of your organisation yet: an admin invites them as signer on the members' page.",
)
_SIGNATORY = "c/buyer_signatory"
_OTHER_SIGNATORY = Text(
    "合同写明的甲方签约人是“{named}”，签署的是“{name}”。请确认其有权代表甲方签署；双方签署之前也可以修改该条。",
    "The contract names “{named}” as the buyer's signatory; “{name}” signs. See that they may bind the buyer; "
    "until both have signed, that clause can be changed, too.",
)
_OTHER_NAMED = Text(
    "乙方指定由 {named} 签署，签署的是 {email}。请确认其有权代表乙方签署。",
    "{named} was named to sign for the vendor; {email} signs. See that they may bind the vendor.",
)


@dataclass(frozen=True, slots=True)
class Named:
    """Who was named to sign, by whom, and what is still missing."""

    email: str
    by: User | None
    standing: Text


@transaction.atomic
def name_signer(contract: Contract, *, email: str, by: User) -> Named:
    """Note who is to sign for the vendor, and tell everybody there, once. Raises ContractError, AccountError.

    Only an admin can call somebody in, and nobody gives by this what they may not give on the members' page.
    """
    must(contract, by, "answer")
    held = lock(contract)
    vendor = held.vendor
    if held.state not in OPEN_STATES or vendor is None:
        raise ContractError(_NOT_NOW.fill(state=STATES[State(held.state)]))
    address = checked_address(email)
    is_member = Membership.objects.filter(organisation=vendor, user__email=address).exists()
    if not is_member and administers(by, vendor):
        invite(vendor, email=address, roles=[Role.SIGNER.value], by=by)
    known = named_signer(held)
    if known is not None and known.email == address:
        return known
    event = record(held, "signer_named", by=by, body={"email": address, "reason": address})
    return Named(address, event.actor, _standing(held, address))


def named_signer(contract: Contract) -> Named | None:
    """Who was named last; None where nobody was."""
    event = contract.events.filter(kind="signer_named").select_related("actor").order_by("-number").first()
    if event is None or contract.vendor is None:
        return None
    email = str(json.loads(event.body)["email"])
    return Named(email, event.actor, _standing(contract, email))


def signatory_of(body: Body) -> str:
    """Whom the contract names as the buyer's signatory, in its own words; "" where it names nobody."""
    return next((str(clause.value) for clause in body.clauses if clause.key == _SIGNATORY), "")


def is_signatory(said: str, name: str) -> bool:
    """Whether a name stands in the contract's words on who signs, however it is spaced and cased."""
    return bool(_folded(name)) and _folded(name) in _folded(said)


def other_than_named(body: Body, named: Named | None, side: Side, *, name: str, email: str) -> Text | None:
    """A caution where somebody else signs than the contract, or for the vendor its own people, named."""
    if side is Side.BUYER and (said := signatory_of(body)) and not is_signatory(said, name):
        return _OTHER_SIGNATORY.fill(named=said, name=name)
    if side is Side.VENDOR and named is not None and named.email != email:
        return _OTHER_NAMED.fill(named=named.email, email=email)
    return None


def _folded(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _standing(contract: Contract, email: str) -> Text:
    vendor = contract.vendor
    assert vendor is not None
    member = vendor.memberships.filter(user__email=email).first()
    if member is not None:
        if not may(Side.VENDOR, member.roles, "sign"):
            return _NO_ROLE.fill(email=email)
        is_ready = any(user.email == email for user in signers_of(vendor, Side.VENDOR))
        return (_READY if is_ready else _NO_MANDATE).fill(email=email)
    is_invited = vendor.invitations.filter(
        email=email, accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    ).exists()
    return (_INVITED if is_invited else _UNKNOWN).fill(email=email)
