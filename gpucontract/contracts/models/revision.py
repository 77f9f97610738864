"""Revisions: the frozen bytes both sides speak about, the vendor's answers, and the buyer's checks beside them."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from gpucontract.accounts.models import Organisation, User
from gpucontract.contracts.body import Body, load
from gpucontract.contracts.countering import PRICE_BASES
from gpucontract.contracts.models.contract import Contract, label
from gpucontract.contracts.sections.commercial import CURRENCIES
from gpucontract.localise import choices
from gpucontract.wording import Text

ANSWERS = {"confirm": Text("确认", "confirmed"), "counter": Text("提出修改", "countered"), "ask": Text("提问", "asked")}


class RevisionQuerySet(models.QuerySet["Revision"]):
    def visible_to(self, user: User | AnonymousUser) -> RevisionQuerySet:
        """The buyer sees every revision of its contracts, the vendor only sent ones."""
        own = Organisation.objects.of(user).values("pk")
        return self.filter(Q(contract__buyer__in=own) | Q(contract__vendor__in=own, sent_at__isnull=False))

    def sent(self) -> RevisionQuerySet:
        """Revisions the vendor has been shown."""
        return self.filter(sent_at__isnull=False)


class Revision(models.Model):
    """One immutable version: the canonical head, whose sha256 both sides sign. Only sending updates it."""

    contract = models.ForeignKey(Contract, models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField(label("版本号", "number"))
    head = models.BinaryField()
    sha256 = models.CharField(max_length=64, db_index=True)
    compiler = models.CharField(max_length=20)
    frozen_at = models.DateTimeField()
    frozen_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    sent_at = models.DateTimeField(null=True, blank=True)
    sent_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")

    objects: ClassVar[models.Manager[Revision]] = RevisionQuerySet.as_manager()

    class Meta:
        ordering = ["contract", "number"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "number"], name="revision_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="revision_number_from_one"),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True, sent_by__isnull=True)
                | Q(sent_at__isnull=False, sent_by__isnull=False),
                name="revision_sent_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.contract} v{self.number}"

    def body(self) -> Body:
        """The frozen content, every section hash checked. Raises BodyError when bytes were changed."""
        return load(bytes(self.head), {part.name: bytes(part.document) for part in self.sections.all()})


class RevisionSection(models.Model):
    """One section's canonical document, salted, so that it can be handed out or kept back by itself."""

    revision = models.ForeignKey(Revision, models.PROTECT, related_name="sections")
    name = models.CharField(max_length=20)
    sha256 = models.CharField(max_length=64)
    document = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["revision", "name"], name="revision_section_once")]

    def __str__(self) -> str:
        return f"{self.revision} {self.name}"


class Confirmation(models.Model):
    """The vendor's answer to one clause of one revision; the buyer sees it once it is submitted.

    value: a counter's value as typed for the clause's term. price_*: what the counter does to the price, if it says so.
    carried_from_number: the earlier revision it was given on, when the clause came through unchanged.
    """

    revision = models.ForeignKey(Revision, models.PROTECT, related_name="confirmations")
    key = models.CharField(max_length=80)
    clause_sha256 = models.CharField(max_length=64)
    answer = models.CharField(label("答复", "answer"), max_length=10, choices=choices(ANSWERS))
    reason = models.CharField(label("问题或理由", "question or reason"), max_length=1000, blank=True)
    value = models.TextField(label("修改后的值", "counter"), blank=True)
    price_amount = models.DecimalField(max_digits=18, decimal_places=2, null=True, blank=True)
    price_currency = models.CharField(max_length=3, blank=True, choices=choices(CURRENCIES))
    price_basis = models.CharField(max_length=20, blank=True, choices=choices(PRICE_BASES))
    answered_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    answered_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    carried_from_number = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["revision", "key"], name="confirmation_once"),
            models.CheckConstraint(condition=Q(answer__in=list(ANSWERS)), name="confirmation_answer_known"),
            models.CheckConstraint(condition=Q(answer="confirm") | ~Q(reason=""), name="confirmation_asks_something"),
            models.CheckConstraint(
                condition=Q(answer="counter") & ~Q(value="") | ~Q(answer="counter") & Q(value="", price_amount=None),
                name="confirmation_counter_has_value",
            ),
            models.CheckConstraint(
                condition=Q(price_amount=None, price_currency="", price_basis="")
                | Q(price_amount__isnull=False) & ~Q(price_currency="") & ~Q(price_basis=""),
                name="confirmation_price_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.revision} {self.key}: {self.answer}"


class CheckRecord(models.Model):
    """What the risk checks said when a revision was sent; the buyer's eyes only, never in bytes, PDF or export."""

    revision = models.OneToOneField(Revision, models.CASCADE, related_name="check_record")
    rules = models.CharField(max_length=20)
    results = models.JSONField(default=list)
    recorded_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.revision} checks"


class CheckWaiver(models.Model):
    """An approver's reason to send although a check blocks. It holds only while the check says the same sentence."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="check_waivers")
    check_id = models.CharField(max_length=20)
    code = models.CharField(max_length=8)
    sentence = models.CharField(max_length=1000)
    reason = models.CharField(label("理由", "reason"), max_length=1000)
    waived_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    waived_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contract", "check_id", "code"], name="check_waiver_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="check_waiver_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.check_id} {self.code}"
