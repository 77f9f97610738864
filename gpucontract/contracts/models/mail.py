"""Letters waiting to be sent, one per person and occasion."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from gpucontract.accounts.models import User
from gpucontract.contracts.models.contract import Contract


class Mail(models.Model):
    """A letter as it goes out. occasion: why it is sent; the same occasion never makes two letters to one person."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    contract = models.ForeignKey(Contract, models.CASCADE, related_name="mails")
    to = models.ForeignKey(User, models.CASCADE, related_name="+")
    occasion = models.CharField(max_length=80)
    subject = models.CharField(max_length=300)
    body = models.TextField()
    due_at = models.DateTimeField(null=True, db_index=True)
    lease = models.UUIDField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contract", "to", "occasion"], name="mail_once_per_occasion"),
            models.CheckConstraint(condition=Q(sent_at=None) | Q(due_at=None), name="mail_sent_is_not_due"),
        ]

    def __str__(self) -> str:
        return f"{self.occasion} to {self.to}"
