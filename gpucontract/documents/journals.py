"""How far the journals had come when a revision was sent or signed last; printed, so that a cut tail shows on paper."""

from __future__ import annotations

from datetime import datetime

from gpucontract.accounts.models import Organisation
from gpucontract.contracts.models import Revision
from gpucontract.documents.context import ChainHead
from gpucontract.wording import Text

# The events that say when; later ones, such as asking for this very document, must not change what it prints.
MILESTONES = ("move_send", "signed_off", "move_sign")

_CONTRACT = Text("合同日志", "Journal of the contract")
_ORGANISATION = Text("{name}的日志", "Journal of {name}")


def heads_of(revision: Revision) -> tuple[ChainHead, ...]:
    """The contract's head, and those of both organisations at that moment; none for what was never sent."""
    contract = revision.contract
    reached = contract.events.filter(revision_sha256=revision.sha256, kind__in=MILESTONES).order_by("-number").first()
    if reached is None:
        return ()
    found = [ChainHead(_CONTRACT, reached.number, reached.sha256)]
    for organisation in (contract.buyer, contract.vendor):
        head = organisation and _head(organisation, reached.at)
        found += [head] if head else []
    return tuple(found)


def _head(organisation: Organisation, at: datetime) -> ChainHead | None:
    event = organisation.events.filter(at__lte=at).order_by("-number").first()
    if event is None:
        return None
    return ChainHead(_ORGANISATION.fill(name=organisation.name), event.number, event.sha256)
