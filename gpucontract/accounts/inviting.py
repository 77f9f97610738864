"""Invitations: made by an admin, sent by mail, known here by the hash of their link, used once by whom they are for."""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone
from stdnum.cn import uscc as uscc_numbers

from gpucontract.accounts import journal
from gpucontract.accounts.errors import AccountError, NotAdmin
from gpucontract.accounts.leaving import is_still_good, may_invite
from gpucontract.accounts.members import checked_roles, must_administer
from gpucontract.accounts.models import Invitation, Membership, Organisation, OrganisationEvent, User
from gpucontract.accounts.roles import ROLES as ROLE_TEXTS
from gpucontract.accounts.roles import Role
from gpucontract.accounts.services import Place, verify_email
from gpucontract.wording import Text

log = logging.getLogger(__name__)
GOOD_FOR = timedelta(days=7)
MOST_OPEN = 100
# Mails that one person may have sent to others within an hour.
MOST_AN_HOUR = 30
MAILING = ("member_invited", "vendor_invited", "invitation_sent_again")
# Whoever opens an account for a company has to be able to answer, to sign and to call in colleagues.
FOUNDER = (Role.CONFIRMER.value, Role.SIGNER.value, Role.ADMIN.value)


class Standing(StrEnum):
    """What an invitation is good for now."""

    OPEN = "open"
    USED = "used"
    EXPIRED = "expired"
    REVOKED = "revoked"


_NO_EMAIL = Text("“{email}”不是邮箱地址。", "“{email}” is not an e-mail address.")
_MEMBER = Text(
    "{email} 已经是{organisation}的成员；请在成员列表中修改角色。",
    "{email} is a member of {organisation} already; change their roles in the list of members.",
)
_TOO_MANY = Text(
    "还有 {count} 份邀请没有被接受，最多 {limit} 份。请先撤回不需要的。",
    "{count} invitations are open, at most {limit} may be; revoke those nobody needs.",
)
_TOO_FAST = Text(
    "一小时内您已发出 {count} 封邀请邮件，最多 {limit} 封。请稍后再试。",
    "You had {count} invitations sent within an hour; the limit is {limit}. Try again later.",
)
_NO_USCC = Text("“{uscc}”不是有效的统一社会信用代码。", "“{uscc}” is not a valid unified social credit code.")
_KNOWN = Text(
    "{organisation}（{uscc}）已在本系统开户，无须邀请；发送后其成员就能看到合同。要增加成员，请联系其组织管理员。",
    "{organisation} ({uscc}) has an account here and needs no invitation; its members see what is sent. Whoever is to "
    "join them is invited by its own admins.",
)
_NOT_DRAFTER = Text(
    "{person} 没有为{organisation}起草合同的权限，不能邀请乙方。",
    "{person} may not draft contracts for {organisation}, so they cannot invite a vendor.",
)
_CLOSED = Text("这份邀请已不能使用。", "This invitation can no longer be used.")
_OTHER_PERSON = Text(
    "这份邀请是给 {email} 的，您登录的是 {own}。", "This invitation is for {email}; you are signed in as {own}."
)
_HAS_ACCOUNT = Text("{email} 已有账号，请先登录。", "{email} has an account; sign in first.")

_SUBJECT = Text("邀请您加入{organisation}", "You are invited to {organisation}")
_MAIL = Text(
    "您好！\n\n{person}（{host}）邀请您以“{roles}”的身份加入 gpucontract 上的{organisation}。\n\n"
    "请在 {until} 前打开下面的链接接受邀请：\n{link}\n\n"
    "链接只对 {email} 有效，只能使用一次，请不要转发。如果您不认识邀请人，忽略这封邮件即可。",
    "Hello,\n\n{person} ({host}) invites you to {organisation} on gpucontract, as {roles}.\n\n"
    "Open this link before {until} to accept:\n{link}\n\n"
    "It is good for {email} only and works once; do not forward it. If you do not know the sender, ignore this mail.",
)


@transaction.atomic
def invite(organisation: Organisation, *, email: str, roles: Collection[str], by: User) -> Invitation:
    """Invite somebody into one's organisation; an open invitation of the same address is replaced."""
    held = journal.lock(organisation)
    must_administer(by, held)
    address = checked_address(email)
    if Membership.objects.filter(organisation=held, user__email=address).exists():
        raise AccountError(_MEMBER.fill(email=address, organisation=held))
    return _make(held, held, Place(held.name, held.uscc), address, checked_roles(roles), by)


@transaction.atomic
def invite_vendor(host: Organisation, *, place: Place, email: str, by: User) -> Invitation:
    """Invite the first person of a company that has no account yet; whoever accepts becomes its admin."""
    held = journal.lock(host)
    if not may_invite(by, held, own_members=False):
        raise NotAdmin(_NOT_DRAFTER.fill(person=by, organisation=held))
    if not uscc_numbers.is_valid(place.uscc):
        raise AccountError(_NO_USCC.fill(uscc=place.uscc))
    known = Organisation.objects.filter(uscc=place.uscc).first()
    if known is not None:
        raise AccountError(_KNOWN.fill(organisation=known, uscc=known.uscc))
    return _make(held, None, place, checked_address(email), FOUNDER, by)


@transaction.atomic
def send_again(invitation: Invitation, *, by: User) -> Invitation:
    """A new link and a new term; the old link is worth nothing from now on."""
    held = _held(invitation)
    _must_tend(held, by)
    _must_be_slow(by, timezone.now())
    token, now = secrets.token_urlsafe(32), timezone.now()
    held.token_sha256, held.expires_at, held.mailed_at = token_hash(token), now + GOOD_FOR, None
    held.save(update_fields=["token_sha256", "expires_at", "mailed_at"])
    journal.record(held.host, "invitation_sent_again", by=by, at=now, body={"email": held.email})
    transaction.on_commit(lambda: mail(held, token), robust=True)
    return held


@transaction.atomic
def revoke(invitation: Invitation, *, by: User) -> Invitation:
    """Take an invitation back before it is used."""
    held = _held(invitation)
    _must_tend(held, by)
    held.revoked_at = timezone.now()
    held.save(update_fields=["revoked_at"])
    journal.record(held.host, "invitation_revoked", by=by, at=held.revoked_at, body={"email": held.email})
    return held


def by_token(token: str) -> Invitation | None:
    """The invitation whose link this is; looking never uses it."""
    found = Invitation.objects.select_related("host", "organisation", "created_by")
    return found.filter(token_sha256=token_hash(token)).first()


def standing(invitation: Invitation, now: datetime) -> Standing:
    """What it is good for now; it is revoked too when its maker lost the right to make it."""
    if invitation.accepted_at is not None:
        return Standing.USED
    if invitation.revoked_at is not None:
        return Standing.REVOKED
    if now >= invitation.expires_at:
        return Standing.EXPIRED
    return Standing.OPEN if is_still_good(invitation) else Standing.REVOKED


@transaction.atomic
def accept(invitation: Invitation, *, by: User) -> Organisation:
    """Take the place that was held; founds the company where it is its first person. Raises AccountError."""
    held = _held(invitation)
    now = timezone.now()
    if standing(held, now) is not Standing.OPEN:
        raise AccountError(_CLOSED)
    if by.email != held.email:
        raise AccountError(_OTHER_PERSON.fill(email=held.email, own=by.email))
    organisation = held.organisation or _found(held, by)
    _join(organisation, by, held.roles)
    held.organisation, held.accepted_at, held.accepted_by = organisation, now, by
    held.save(update_fields=["organisation", "accepted_at", "accepted_by"])
    body = {"person": by.email, "roles": held.roles, "invited_by": held.created_by.email}
    journal.record(organisation, "member_joined", by=by, at=now, body=body)
    if organisation != held.host:
        journal.record(held.host, "vendor_joined", by=by, at=now, body={"organisation": organisation.name})
    return organisation


def founding(organisation: Organisation) -> Invitation | None:
    """The invitation that founded a company here, by a name nobody has checked; None where an operator opened it."""
    invited = Invitation.objects.filter(organisation=organisation).exclude(accepted_at=None)
    return invited.exclude(host=organisation).select_related("host").order_by("accepted_at").first()


@transaction.atomic
def accept_as_new(invitation: Invitation, *, name: str, password: str) -> User:
    """Open the account the invitation is for; its mail proved the address. Raises AccountError, ValidationError."""
    if User.objects.filter(email=invitation.email).exists():
        raise AccountError(_HAS_ACCOUNT.fill(email=invitation.email))
    user = User(email=invitation.email, name=name.strip())
    validate_password(password, user)
    user = User.objects.create_user(invitation.email, password, name=name.strip())
    verify_email(user)
    accept(invitation, by=user)
    return user


def token_hash(token: str) -> str:
    """How a link is known here."""
    return hashlib.sha256(token.encode()).hexdigest()


def link_of(token: str) -> str:
    """The address a mail carries."""
    return f"{settings.BASE_URL}/invitations/{token}/"


def mail(invitation: Invitation, token: str) -> None:
    """Send the link; what cannot be sent is logged and shows as not sent, so that it can be sent again."""
    roles = [ROLE_TEXTS[role] for role in invitation.roles]
    until = timezone.localtime(invitation.expires_at).strftime("%Y-%m-%d %H:%M")
    said = _MAIL.fill(
        person=invitation.created_by, host=invitation.host, organisation=invitation.place_name, until=until,
        roles=Text("、".join(role.zh for role in roles), ", ".join(role.en for role in roles)), link=link_of(token),
        email=invitation.email,
    )  # fmt: skip
    subject = _SUBJECT.fill(organisation=invitation.place_name)
    one_line = " ".join(f"{subject.zh} / {subject.en}".split())
    try:
        send_mail(one_line, f"{said.zh}\n\n---\n\n{said.en}", None, [invitation.email])
    except (OSError, ValueError):
        log.exception("the invitation of %s was not sent", invitation.email)
        return
    Invitation.objects.filter(pk=invitation.pk).update(mailed_at=timezone.now())


def _make(
    host: Organisation, organisation: Organisation | None, place: Place, email: str, roles: Collection[str], by: User
) -> Invitation:
    now, token = timezone.now(), secrets.token_urlsafe(32)
    _must_be_slow(by, now)
    current = host.invitations.filter(accepted_at=None, revoked_at=None)
    current.filter(email=email, organisation=organisation, place_uscc=place.uscc).update(revoked_at=now)
    count = current.filter(expires_at__gt=now).count()
    if count >= MOST_OPEN:
        raise AccountError(_TOO_MANY.fill(count=count, limit=MOST_OPEN))
    made = Invitation.objects.create(
        host=host, organisation=organisation, place_name=place.name, place_uscc=place.uscc, email=email,
        roles=",".join(roles), token_sha256=token_hash(token), created_by=by, created_at=now, expires_at=now + GOOD_FOR,
    )  # fmt: skip
    made.refresh_from_db()
    kind = "member_invited" if organisation else "vendor_invited"
    journal.record(host, kind, by=by, at=now, body={"email": email, "roles": tuple(roles), "place": place.name})
    transaction.on_commit(lambda: mail(made, token), robust=True)
    return made


def _held(invitation: Invitation) -> Invitation:
    """The invitation read under its host's lock, so that no right to invite ends meanwhile."""
    journal.lock(invitation.host)
    found = Invitation.objects.select_for_update(of=("self",)).select_related("host", "organisation", "created_by")
    return found.get(pk=invitation.pk)


def checked_address(email: str) -> str:
    """The address in lower case. Raises AccountError for what is none."""
    address = User.objects.normalize_email(email)
    try:
        validate_email(address)
    except ValidationError as fault:
        raise AccountError(_NO_EMAIL.fill(email=email[:100])) from fault
    return address


def _must_be_slow(by: User, now: datetime) -> None:
    """Invitations are mails to strangers: nobody sends them by the hundred. Counted in the journals, over all hosts."""
    lately = OrganisationEvent.objects.filter(actor=by, kind__in=MAILING, at__gt=now - timedelta(hours=1))
    if (count := lately.count()) >= MOST_AN_HOUR:
        raise AccountError(_TOO_FAST.fill(count=count, limit=MOST_AN_HOUR))


def _must_tend(invitation: Invitation, by: User) -> None:
    """An admin of the host, or whoever invited and still belongs to it, and only while it is not over."""
    is_own = invitation.created_by_id == by.pk and by.memberships.filter(organisation=invitation.host).exists()
    if not is_own:
        must_administer(by, invitation.host)
    if invitation.accepted_at is not None or invitation.revoked_at is not None:
        raise AccountError(_CLOSED)


def _found(invitation: Invitation, by: User) -> Organisation:
    """The company the invitation names; another first person may have founded it meanwhile, then nobody is let in."""
    made, is_new = Organisation.objects.get_or_create(
        uscc=invitation.place_uscc, defaults={"name": invitation.place_name}
    )
    if not is_new:
        raise AccountError(_KNOWN.fill(organisation=made, uscc=made.uscc))
    body = {"name": made.name, "uscc": made.uscc, "invited_by": invitation.host.name}
    journal.record(made, "organisation_founded", by=by, body=body)
    return made


def _join(organisation: Organisation, user: User, roles: Collection[str]) -> None:
    journal.lock(organisation)
    held = Membership.objects.filter(organisation=organisation, user=user).first()
    if held is None:
        Membership.objects.create(organisation=organisation, user=user, roles=",".join(roles))
        return
    held.roles = checked_roles({*held.roles, *roles})
    held.save(update_fields=["roles"])
