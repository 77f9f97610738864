"""The contract: one deal between a buyer and a vendor, and who may see and do what on it."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q

from gpucontract.accounts import roles
from gpucontract.accounts.models import Organisation, User
from gpucontract.accounts.roles import Side
from gpucontract.contracts.lifecycle import STATES, State
from gpucontract.contracts.sections.values import LONGEST_REASON
from gpucontract.localise import choices, lazy_text
from gpucontract.wording import Text

_STATE_NAMES = tuple(state.value for state in State)
_STATE_CHOICES = choices({state.value: STATES[state] for state in State})


def label(zh: str, en: str) -> Any:
    """A lazy verbose name in the reader's language."""
    return lazy_text(Text(zh, en))


class ContractQuerySet(models.QuerySet["Contract"]):
    def visible_to(self, user: User | AnonymousUser) -> ContractQuerySet:
        """Buyer members see all of theirs; vendor members exactly those of which a revision was sent."""
        own = Organisation.objects.of(user).values("pk")
        sent = self.model.objects.filter(vendor__in=own, revisions__sent_at__isnull=False).values("pk")
        return self.filter(Q(buyer__in=own) | Q(pk__in=sent))


class Contract(models.Model):
    """The draft and all that follows; its terms lie in the section tables, its agreed text in revisions."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    number = models.CharField(label("合同编号", "number"), max_length=20)
    title = models.CharField(label("名称", "title"), max_length=200, blank=True)
    buyer = models.ForeignKey(
        Organisation, models.PROTECT, related_name="contracts_bought", verbose_name=label("甲方", "buyer")
    )
    vendor = models.ForeignKey(
        Organisation,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="contracts_sold",
        verbose_name=label("乙方", "vendor"),
    )
    state = models.CharField(
        label("状态", "state"), max_length=20, choices=_STATE_CHOICES, default=State.DRAFT.value, db_index=True
    )
    demo = models.BooleanField(label("演示", "demonstration"), default=False)
    amends = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="amendments")
    four_eyes = models.BooleanField(label("四眼原则", "four eyes"), default=False)
    offer_valid_until = models.DateTimeField(label("答复期限", "time to answer"), null=True, blank=True, db_index=True)
    offer_reminded_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    groups_given = models.PositiveIntegerField(default=0)
    mounts_given = models.PositiveIntegerField(default=0)
    rows_given = models.PositiveIntegerField(default=0)

    objects: ClassVar[models.Manager[Contract]] = ContractQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["buyer", "number"], name="contract_number_once_per_buyer"),
            models.CheckConstraint(condition=Q(state__in=list(_STATE_NAMES)), name="contract_state_known"),
            models.CheckConstraint(
                condition=Q(vendor__isnull=True) | ~Q(vendor=F("buyer")), name="contract_has_two_parties"
            ),
        ]

    def __str__(self) -> str:
        return self.number

    def standing_of(self, user: User | AnonymousUser) -> tuple[Side | None, tuple[str, ...]]:
        """The side a person stands on and their roles there; (None, ()) for a stranger. Who is both is the buyer."""
        if not user.is_authenticated or not user.is_active:
            return None, ()
        held = {
            membership.organisation_id: membership.roles
            for membership in user.memberships.filter(
                organisation__in=(self.buyer_id, self.vendor_id), organisation__is_active=True
            )
        }
        if self.buyer_id in held:
            return Side.BUYER, held[self.buyer_id]
        if self.vendor_id in held and self.revisions.filter(sent_at__isnull=False).exists():
            return Side.VENDOR, held[self.vendor_id]
        return None, ()

    def side_of(self, user: User | AnonymousUser) -> Side | None:
        """Which side a person stands on: buyer, vendor, or None."""
        return self.standing_of(user)[0]

    def may(self, user: User | AnonymousUser, action: str) -> bool:
        """Whether a person may do an action of roles.ACTIONS on this contract."""
        side, held = self.standing_of(user)
        return roles.may(side, held, action)


class NotApplicableTerm(models.Model):
    """A required term that has no value in this contract, and why; printed as a line of its own. code: c, g1, m1."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="not_applicable")
    code = models.CharField(max_length=8)
    term = models.CharField(max_length=60)
    reason = models.CharField(label("为何不适用", "why it does not apply"), max_length=LONGEST_REASON)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contract", "code", "term"], name="not_applicable_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="not_applicable_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}/{self.term}"
