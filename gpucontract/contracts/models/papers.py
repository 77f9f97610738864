"""Papers handed in against document clauses, version by version, with what the buyer said of each."""

from __future__ import annotations

import uuid
from datetime import date, datetime, time, timedelta
from typing import ClassVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.models.contract import Contract, label
from gpucontract.contracts.papers import DECISIONS, LONGEST_REASON, Decision, Paper
from gpucontract.filing import KINDS, LONGEST_NAME
from gpucontract.localise import choices


class ClausePaperQuerySet(models.QuerySet["ClausePaper"]):
    def visible_to(self, user: User | AnonymousUser) -> ClausePaperQuerySet:
        """Papers of contracts the person may see."""
        return self.filter(contract__in=Contract.objects.visible_to(user))

    def unjudged(self) -> ClausePaperQuerySet:
        """Papers that came or were decided since the judge last looked."""
        return self.exclude(judged_change=F("change"))


class ClausePaper(models.Model):
    """One version of the paper for one clause. change counts what happened to it; the judge keeps what it has seen."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    contract = models.ForeignKey(Contract, models.PROTECT, related_name="papers")
    key = models.CharField(max_length=80)
    clause_sha256 = models.CharField(max_length=64)
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=LONGEST_NAME)
    kind = models.CharField(max_length=10, choices=choices(KINDS))
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveIntegerField()
    valid_on = models.DateField(label("有效期至", "valid until"), null=True, blank=True)
    uploaded_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField()
    decision = models.CharField(max_length=10, choices=choices(DECISIONS), default=Decision.OPEN.value)
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    change = models.PositiveIntegerField(default=1)
    judged_change = models.PositiveIntegerField(default=0, db_index=True)

    objects: ClassVar[models.Manager[ClausePaper]] = ClausePaperQuerySet.as_manager()

    class Meta:
        ordering = ["contract", "key", "number"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "key", "number"], name="clause_paper_number_once"),
            models.CheckConstraint(condition=Q(decision__in=list(DECISIONS)), name="clause_paper_decision_known"),
            models.CheckConstraint(
                condition=Q(decision="open", decided_at=None) | (~Q(decision="open") & Q(decided_at__isnull=False)),
                name="clause_paper_decided_once_said",
            ),
            models.CheckConstraint(condition=~Q(decision="refused") | ~Q(reason=""), name="clause_paper_refusal_said"),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.key} #{self.number}"

    @property
    def expires_at(self) -> datetime | None:
        """The first moment after its last day, in the zone of this installation."""
        if self.valid_on is None or self.valid_on == date.max:
            return None
        return timezone.make_aware(datetime.combine(self.valid_on + timedelta(days=1), time.min))

    def fact(self) -> Paper:
        """What the judge needs to know of it."""
        return Paper(
            key=self.key, clause_sha256=self.clause_sha256, number=self.number, name=self.name, sha256=self.sha256,
            uploaded_at=self.uploaded_at, decision=Decision(self.decision),
            decided_by=str(self.decided_by) if self.decided_by else "", decided_at=self.decided_at, reason=self.reason,
            valid_on=self.valid_on, expires_at=self.expires_at,
        )  # fmt: skip
