"""What ends with a right: open invitations of who may no longer invite, mandates of who is no member any more."""

from __future__ import annotations

from django.utils import timezone

from gpucontract.accounts import journal
from gpucontract.accounts.models import Invitation, Mandate, Membership, Organisation, User
from gpucontract.accounts.roles import Role, Side, may


def may_invite(user: User, host: Organisation, *, own_members: bool) -> bool:
    """Whether the person may now call somebody in: an admin colleagues, a drafter the first person of a vendor."""
    held = Membership.objects.filter(user=user, organisation=host, organisation__is_active=True).first()
    if held is None or not user.is_active:
        return False
    return Role.ADMIN in held.roles if own_members else may(Side.BUYER, held.roles, "draft")


def is_still_good(invitation: Invitation) -> bool:
    """Whether its maker may still make such an invitation; a link outlives nobody's right."""
    own_members = invitation.organisation_id is not None
    return may_invite(invitation.created_by, invitation.host, own_members=own_members)


def end_invitations(organisation: Organisation, user: User, *, by: User) -> None:
    """Revoke the open invitations that the person made and might no longer make. The organisation is locked."""
    made = organisation.invitations.filter(created_by=user, accepted_at=None, revoked_at=None)
    for invitation in made.select_related("host", "created_by"):
        if is_still_good(invitation):
            continue
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])
        body = {"email": invitation.email}
        journal.record(organisation, "invitation_revoked", by=by, at=invitation.revoked_at, body=body)


def end_mandates(organisation: Organisation, user: User, *, by: User | None) -> None:
    """Revoke the person's mandates, so that none revives when they come back. The organisation is locked."""
    for mandate in Mandate.objects.filter(organisation=organisation, user=user, revoked_at=None):
        mandate.revoked_at = timezone.now()
        mandate.save(update_fields=["revoked_at"])
        journal.record(organisation, "mandate_revoked", by=by, at=mandate.revoked_at, body=mandate.facts())
