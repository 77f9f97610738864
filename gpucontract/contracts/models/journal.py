"""What happened to a contract, in a chain that shows tampering; and what somebody is typing just now."""

from __future__ import annotations

import json
from typing import Any

from django.db import models
from django.db.models import Q

from gpucontract.accounts.models import User
from gpucontract.accounts.presence import LONGEST_STRENGTH
from gpucontract.canonical import Link, encode
from gpucontract.contracts.models.contract import Contract, label


class Event(models.Model):
    """One link of a contract's journal: append-only, hashed over everything it says and the link before."""

    contract = models.ForeignKey(Contract, models.PROTECT, related_name="events")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    actor = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    actor_email = models.CharField(max_length=254, blank=True)
    role = models.CharField(max_length=40, blank=True)
    strength = models.CharField(max_length=LONGEST_STRENGTH, blank=True, default="")
    address = models.CharField(max_length=45, blank=True, default="")
    kind = models.CharField(max_length=40)
    revision_sha256 = models.CharField(max_length=64, blank=True)
    key = models.CharField(max_length=80, blank=True)
    body = models.TextField()
    prev_sha256 = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["contract", "number"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "number"], name="event_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="event_number_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.contract} #{self.number} {self.kind}"

    def canonical(self) -> bytes:
        """The bytes the chain hashes: every column but the two hashes."""
        said = {"kind": self.kind, "revision": self.revision_sha256, "key": self.key, "body": self.body}
        # None is left out, so that events from before these two were kept have the hash they had.
        here = {"strength": self.strength or None, "address": self.address or None}
        who = {"actor": self.actor_email, "role": self.role, "at": self.at, **here}
        return encode({"contract": str(self.contract.uuid), "number": self.number, **who, **said})

    def link(self) -> Link:
        """Its place in the chain, as stored."""
        return Link(self.number, self.prev_sha256, self.sha256, self.canonical())


class ChainHead(models.Model):
    """How far a chain had come on a day, signed; a tail that is cut later shows against it.

    chain: contract:<uuid> or organisation:<uuid>.
    """

    chain = models.CharField(max_length=60)
    day = models.DateField()
    number = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    kept_at = models.DateTimeField()
    signature = models.CharField(max_length=128)

    class Meta:
        ordering = ["chain", "day"]
        constraints = [models.UniqueConstraint(fields=["chain", "day"], name="chain_head_once_a_day")]

    def __str__(self) -> str:
        return f"{self.chain} #{self.number} on {self.day}"


class StepBuffer(models.Model):
    """What was typed into one wizard step, valid or not, so that it is never lost. `raw` is JSON text.

    Text rather than JSON column: PostgreSQL's jsonb refuses some characters people paste.
    """

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="step_buffers")
    step = models.CharField(label("步骤", "step"), max_length=20)
    raw = models.TextField(default="{}")
    revision = models.PositiveIntegerField(default=0)
    tab = models.CharField(max_length=40, blank=True)
    saved_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["contract", "step"], name="step_buffer_once")]

    def __str__(self) -> str:
        return f"{self.contract} {self.step} r{self.revision}"

    def values(self) -> dict[str, Any]:
        """The raw fields as they were posted."""
        values: dict[str, Any] = json.loads(self.raw)
        return values
