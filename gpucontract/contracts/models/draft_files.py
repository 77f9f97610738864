"""Files that a drafter lays beside a step or a term; the vendor sees those of the revisions that were sent."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from gpucontract.accounts.models import Organisation, User
from gpucontract.contracts.models.contract import Contract, label
from gpucontract.contracts.models.revision import Revision
from gpucontract.filing import KINDS, LONGEST_NAME
from gpucontract.localise import choices


class DraftFileQuerySet(models.QuerySet["DraftFile"]):
    def visible_to(self, user: User | AnonymousUser) -> DraftFileQuerySet:
        """What belongs to a revision the person may see; the buyer also sees what lies beside the draft."""
        revisions = Revision.objects.visible_to(user)
        own = Organisation.objects.of(user).values("pk")
        return self.filter(Q(revisions__in=revisions) | Q(contract__buyer__in=own)).distinct()

    def in_draft(self) -> DraftFileQuerySet:
        """Those that the next revision will carry."""
        return self.filter(is_removed=False)


class DraftFile(models.Model):
    """One file. term: the path it belongs to, such as g1/pcie_topology_map; "" for the step as a whole."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    contract = models.ForeignKey(Contract, models.PROTECT, related_name="draft_files")
    revisions = models.ManyToManyField(Revision, related_name="draft_files", blank=True)
    step = models.CharField(label("步骤", "step"), max_length=20)
    term = models.CharField(max_length=80, blank=True)
    name = models.CharField(max_length=LONGEST_NAME)
    kind = models.CharField(max_length=10, choices=choices(KINDS))
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveIntegerField()
    uploaded_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField()
    is_removed = models.BooleanField(default=False)

    objects: ClassVar[models.Manager[DraftFile]] = DraftFileQuerySet.as_manager()

    class Meta:
        ordering = ["contract", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contract", "step", "term", "sha256"], condition=Q(is_removed=False), name="draft_file_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.name}"
