"""What administrators do with people: give someone an account and roles in an organisation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from stdnum.cn import uscc as uscc_numbers

from gpucontract.accounts import journal
from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.leaving import end_mandates
from gpucontract.accounts.models import ROLES, Membership, Organisation, User
from gpucontract.accounts.roles import may_ever_sign
from gpucontract.wording import Text

_NO_EMAIL = Text("“{email}”不是邮箱地址。", "“{email}” is not an e-mail address.")
_NO_USCC = Text(
    "“{uscc}”不是有效的统一社会信用代码：应为 18 位，并通过校验。",
    "“{uscc}” is not a valid unified social credit code: 18 characters that pass their own check.",
)
_NO_ROLE = Text("没有角色 {roles}。可选：{known}。", "There is no role {roles}. Known roles: {known}.")
_NO_ROLES = Text("至少给一个角色。可选：{known}。", "Give at least one role out of {known}.")


@dataclass(frozen=True, slots=True)
class Place:
    """An organisation by name and USCC; the USCC decides whether it is one we know."""

    name: str
    uscc: str


@transaction.atomic
def add_person(email: str, *, password: str | None, place: Place, roles: Collection[str], name: str = "") -> Membership:
    """Give someone an account and exactly these roles in an organisation, making both where they do not exist.

    An account that exists keeps its password. Raises AccountError.
    """
    _check(email, place, roles)
    organisation, _ = Organisation.objects.get_or_create(uscc=place.uscc, defaults={"name": place.name})
    user = User.objects.filter(email=User.objects.normalize_email(email)).first()
    user = user or User.objects.create_user(email, password, name=name)
    verify_email(user)
    before = Membership.objects.filter(user=user, organisation=organisation).first()
    membership, _ = Membership.objects.update_or_create(
        user=user, organisation=organisation, defaults={"roles": ",".join(roles)}
    )
    membership.refresh_from_db()
    if before is None or before.roles != membership.roles:
        said = {"person": user.email, "from": before.roles if before else None, "to": membership.roles}
        journal.record(organisation, "member_added", by=None, body=said)
    if not may_ever_sign(membership.roles):
        end_mandates(organisation, user, by=None)
    return membership


def ask_factor_at_sign_in(user: User, *, wanted: bool) -> None:
    """Ask this person's second factor at every sign-in, or at signing alone; signing asks always."""
    user.asks_factor = wanted
    user.save(update_fields=["asks_factor"])


def verify_email(user: User) -> None:
    """Hold the address for the person's own: an administrator vouches for it, or a mail sent there came back."""
    EmailAddress.objects.update_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})


def _check(email: str, place: Place, roles: Collection[str]) -> None:
    try:
        validate_email(email)
    except ValidationError as fault:
        raise AccountError(_NO_EMAIL.fill(email=email)) from fault
    if not uscc_numbers.is_valid(place.uscc):
        raise AccountError(_NO_USCC.fill(uscc=place.uscc))
    unknown = sorted(set(roles) - set(ROLES))
    if unknown:
        raise AccountError(_NO_ROLE.fill(roles=", ".join(unknown), known=", ".join(ROLES)))
    if not roles:
        raise AccountError(_NO_ROLES.fill(known=", ".join(ROLES)))
