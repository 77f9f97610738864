"""What the other side knew before a revision: the one sent before it, or the contract that it amends."""

from __future__ import annotations

from gpucontract.contracts.comparing import Change, changes
from gpucontract.contracts.models import Contract, Revision


def before(revision: Revision) -> Revision | None:
    """The revision the other side knew before this one."""
    contract: Contract = revision.contract
    earlier = contract.revisions.sent().filter(number__lt=revision.number).order_by("-number").first()
    return earlier or amended(contract)


def amended(contract: Contract) -> Revision | None:
    """The signed revision that an amendment amends; None where it is no amendment, or not between the same two."""
    parent = contract.amends
    if parent is None or parent.vendor_id != contract.vendor_id:
        return None
    return parent.revisions.sent().order_by("-number").first()


def changes_since(revision: Revision) -> dict[str, Change]:
    """Clause key -> how it differs from what the other side knew before."""
    earlier = before(revision)
    return {change.key: change for change in changes(earlier.body(), revision.body())} if earlier else {}
