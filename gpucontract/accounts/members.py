"""Members of an organisation: their roles, handing over its administration, and leaving it."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.db.models import F

from gpucontract.accounts import journal
from gpucontract.accounts.errors import AccountError, NotAdmin
from gpucontract.accounts.leaving import end_invitations, end_mandates
from gpucontract.accounts.models import ROLES, Membership, Organisation, User
from gpucontract.accounts.roles import Role, may_ever_sign
from gpucontract.wording import Text

LONGEST_REASON = 300

_NOT_ADMIN = Text("只有{organisation}的组织管理员可以这样做。", "Only an admin of {organisation} may do this.")
_LAST_ADMIN = Text(
    "{person} 是{organisation}唯一的组织管理员。请先把另一位成员设为组织管理员。",
    "{person} is the only admin of {organisation}. Make another member its admin first.",
)
_NO_ROLES = Text(
    "至少选择一个角色；要让其离开，请移除成员。", "Choose at least one role; to let somebody go, remove them."
)
_NO_ROLE = Text("没有角色 {roles}。可选：{known}。", "There is no role {roles}. Known roles: {known}.")
_GONE = Text("{person} 已不是{organisation}的成员。", "{person} is no longer a member of {organisation}.")
_SELF = Text("您已经是组织管理员，请选择另一位成员。", "You are the admin already; choose another member.")


def administers(user: User, organisation: Organisation) -> bool:
    """Whether the person is an admin of the organisation."""
    held = Membership.objects.filter(user=user, organisation=organisation, organisation__is_active=True).first()
    return user.is_active and held is not None and Role.ADMIN in held.roles


def must_administer(user: User, organisation: Organisation) -> None:
    """Raise NotAdmin unless the person is an admin of the organisation."""
    if not administers(user, organisation):
        raise NotAdmin(_NOT_ADMIN.fill(organisation=organisation))


def checked_roles(roles: Collection[str]) -> tuple[str, ...]:
    """The roles in their order. Raises AccountError for none and for unknown ones."""
    unknown = sorted(set(roles) - set(ROLES))
    if unknown:
        raise AccountError(_NO_ROLE.fill(roles=", ".join(unknown), known=", ".join(ROLES)))
    if not roles:
        raise AccountError(_NO_ROLES)
    return tuple(role for role in ROLES if role in roles)


@transaction.atomic
def change_roles(membership: Membership, roles: Collection[str], *, by: User, reason: str = "") -> Membership:
    """Give a member exactly these roles; invitations they may no longer make end, and mandates they no longer use.

    Raises AccountError for the last admin's admin role.
    """
    held = _held(membership, by)
    wanted = checked_roles(roles)
    if held.roles == wanted:
        return held
    if Role.ADMIN not in wanted:
        _must_not_be_last(held)
    said = {"person": held.user.email, "from": held.roles, "to": wanted, "reason": reason[:LONGEST_REASON]}
    held.roles = wanted
    held.save(update_fields=["roles"])
    journal.record(held.organisation, "roles_changed", by=by, body=said)
    end_invitations(held.organisation, held.user, by=by)
    if not may_ever_sign(wanted):
        end_mandates(held.organisation, held.user, by=by)
    return held


@transaction.atomic
def remove_member(membership: Membership, *, by: User, reason: str = "") -> User:
    """End a membership with the person's sessions, mandates and open invitations; one may leave.

    Raises AccountError for the last admin.
    """
    held = _held(membership, None if membership.user_id == by.pk else by)
    _must_not_be_last(held)
    said = {"person": held.user.email, "from": held.roles, "reason": reason[:LONGEST_REASON]}
    journal.record(held.organisation, "member_left" if held.user_id == by.pk else "member_removed", by=by, body=said)
    held.delete()
    end_invitations(held.organisation, held.user, by=by)
    end_mandates(held.organisation, held.user, by=by)
    end_sessions(held.user)
    return held.user


@transaction.atomic
def hand_over(membership: Membership, *, by: User, reason: str = "") -> Membership:
    """Make a member the admin in one's own place; one keeps one's other roles, at least to read."""
    held = _held(membership, by)
    if held.user_id == by.pk:
        raise AccountError(_SELF)
    own = Membership.objects.get(user=by, organisation=held.organisation)
    kept = [role for role in own.roles if role != Role.ADMIN] or [Role.VIEWER.value]
    change_roles(held, {*held.roles, Role.ADMIN.value}, by=by, reason=reason)
    journal.record(
        held.organisation, "administration_handed_over", by=by, body={"from": by.email, "to": held.user.email}
    )
    change_roles(own, kept, by=by, reason=reason)
    held.refresh_from_db()
    return held


def end_sessions(user: User) -> None:
    """Sign a person out everywhere."""
    User.objects.filter(pk=user.pk).update(sign_out_round=F("sign_out_round") + 1)


def _held(membership: Membership, by: User | None) -> Membership:
    """The membership read under the organisation's lock; by None: whoever acts needs not be an admin."""
    organisation = journal.lock(membership.organisation)
    if by is not None:
        must_administer(by, organisation)
    held = Membership.objects.select_related("user", "organisation").filter(pk=membership.pk).first()
    if held is None:
        raise AccountError(_GONE.fill(person=membership.user, organisation=organisation))
    return held


def _must_not_be_last(membership: Membership) -> None:
    if Role.ADMIN not in membership.roles:
        return
    others = Membership.objects.filter(organisation=membership.organisation, user__is_active=True).exclude(
        pk=membership.pk
    )
    if not any(Role.ADMIN in other.roles for other in others):
        raise AccountError(_LAST_ADMIN.fill(person=membership.user, organisation=membership.organisation))
