"""Reading and moving the lines of an organisation's policy."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.journal import lock, record
from gpucontract.accounts.models import Organisation, User
from gpucontract.accounts.roles import Side, may
from gpucontract.contracts.checks.check import DEFAULT, Policy
from gpucontract.contracts.checks.lines import LINES
from gpucontract.contracts.errors import NotAllowed, TermsRefused
from gpucontract.contracts.models import OrganisationPolicy
from gpucontract.contracts.sections.values import TermRefused, read
from gpucontract.units import shown
from gpucontract.wording import Text

_NO_RIGHT = Text(
    "{person} 没有修改{organisation}检查标准的权限。请找审批人或组织管理员。",
    "{person} may not change the limits of {organisation}. Ask an approver or the organisation's admin.",
)


def policy_of(organisation: Organisation, today: date | None = None) -> Policy:
    """The organisation's own numbers, the defaults where it set none. today: the local day by default."""
    return Policy(**own_values(organisation), today=today or timezone.localdate())


def own_values(organisation: Organisation) -> dict[str, Any]:
    """The numbers that the organisation set itself, by name."""
    row = OrganisationPolicy.objects.filter(organisation=organisation).first()
    return {name: getattr(row, name) for name in LINES if row and getattr(row, name) is not None}


def default_of(name: str) -> Any:
    """What a number is while nobody sets it."""
    return getattr(DEFAULT, name)


@transaction.atomic
def set_policy(organisation: Organisation, *, values: Mapping[str, object], by: User) -> tuple[str, ...]:
    """Set numbers by name, as typed; empty goes back to the default. Returns the names that changed.

    Raises NotAllowed, and TermsRefused with every refusal by name; then nothing is written.
    """
    if not may_on(organisation, by, "set_policy"):
        raise NotAllowed(_NO_RIGHT.fill(person=by, organisation=organisation))
    wanted = _read(values)
    row, _ = OrganisationPolicy.objects.get_or_create(organisation=lock(organisation))
    changed = {name: value for name, value in wanted.items() if getattr(row, name) != value}
    for name, value in changed.items():
        said = {"line": name, "from": _said(name, getattr(row, name)), "to": _said(name, value)}
        record(organisation, "policy_changed", by=by, body=said)
        setattr(row, name, value)
    row.save(update_fields=[*changed])
    return tuple(changed)


def may_on(organisation: Organisation, user: User, action: str) -> bool:
    """Whether somebody may do an action of roles.ACTIONS for an organisation that buys, apart from any contract."""
    membership = user.memberships.filter(organisation=organisation, organisation__is_active=True).first()
    return user.is_active and membership is not None and may(Side.BUYER, membership.roles, action)


def _said(name: str, value: Any) -> str:
    """48 h; the default where none is set."""
    return shown(default_of(name) if value is None else value, LINES[name].info.unit)


def _read(values: Mapping[str, object]) -> dict[str, Any]:
    wanted: dict[str, Any] = {}
    refusals: dict[str, Text] = {}
    for name, raw in values.items():
        try:
            wanted[name] = read(LINES[name].info, raw)
        except TermRefused as refusal:
            refusals[name] = refusal.text
    if refusals:
        raise TermsRefused(refusals)
    return wanted
