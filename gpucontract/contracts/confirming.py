"""Who confirmed a revision for the vendor, and whether they had the authority to."""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone

from gpucontract.accounts.models import Organisation, User
from gpucontract.accounts.roles import Side, may
from gpucontract.contracts.checks.authority import Confirmer, unauthorised
from gpucontract.contracts.models import Revision
from gpucontract.wording import Text


def signers_of(organisation: Organisation, side: Side) -> list[User]:
    """Who may sign for a side: the role, and a mandate in force; its amount is looked at when they sign."""
    in_force = Q(valid_until=None) | Q(valid_until__gte=timezone.localdate())
    mandated = organisation.mandates.filter(in_force, revoked_at=None).values("user")
    members = organisation.memberships.filter(user__in=mandated, user__is_active=True).select_related("user")
    return [each.user for each in members.order_by("pk") if may(side, each.roles, "sign")]


def confirmed_without_authority(revision: Revision) -> Text | None:
    """The warning of C-SIG-04 for the buyer; None where everybody who confirmed may sign for the vendor."""
    vendor = revision.contract.vendor
    if vendor is None:
        return None
    answers = revision.confirmations.filter(answer="confirm", submitted_at__isnull=False)
    people = User.objects.filter(pk__in=answers.values("answered_by"))
    roles = {each.user_id: tuple(each.roles) for each in vendor.memberships.filter(user__in=people)}
    mandated = set(vendor.mandates.filter(user__in=people, revoked_at=None).values_list("user", flat=True))
    return unauthorised(Confirmer(str(each), roles.get(each.pk, ()), each.pk in mandated) for each in people)
