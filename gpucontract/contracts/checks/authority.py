"""C-SIG-04, looked at after the vendor has answered: did somebody confirm who may not bind the vendor?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpucontract.accounts.roles import Role
from gpucontract.contracts.values import joined, same
from gpucontract.wording import Text

_UNAUTHORISED = Text(
    "有条款由{people}确认，其在乙方没有签署权限，也没有登记授权。请等乙方有权的人签署后再执行，或请乙方登记授权。",
    "Lines were confirmed by {people}, who may not sign for the vendor and has no mandate on record. Rely "
    "on "
    "them only once somebody with authority has signed, or ask the vendor to record a mandate.",
)


@dataclass(frozen=True, slots=True)
class Confirmer:
    """Somebody who confirmed a line for the vendor, with the roles they hold there now."""

    name: str
    roles: tuple[str, ...]
    has_mandate: bool


def unauthorised(confirmers: Iterable[Confirmer]) -> Text | None:
    """A warning that names those without authority; None where everybody had it."""
    names = sorted({each.name for each in confirmers if not each.has_mandate and Role.SIGNER not in each.roles})
    return _UNAUTHORISED.fill(people=joined([same(name) for name in names])) if names else None
