"""What is said about a clause beside the vendor's answer: the buyer's decision, files, comments."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Exists, OuterRef, Q

from gpucontract.accounts.models import Organisation, User
from gpucontract.accounts.roles import SIDES
from gpucontract.contracts.models.contract import Contract, label
from gpucontract.contracts.models.revision import Confirmation, Revision
from gpucontract.localise import choices
from gpucontract.wording import Text

DECISIONS = {
    "accepted": Text("已接受", "accepted"),
    "declined": Text("未接受", "declined"),
    "replied": Text("已答复", "replied"),
}
AUDIENCES = {
    "shared": Text("双方可见", "both sides read it"),
    "internal": Text("仅本方可见", "only your own side reads it"),
}


class Decision(models.Model):
    """The buyer's word on one counter or question; the vendor reads it once the next revision is sent.

    replaced, excuse: what the term held before an accepted counter was written, or why it did not apply, so that it
    can be put back. price_settled: the price effect of the accepted counter needs no change of the price.
    """

    confirmation = models.OneToOneField(Confirmation, models.CASCADE, related_name="decision")
    answer = models.CharField(max_length=10, choices=choices(DECISIONS))
    text = models.CharField(label("答复", "reply"), max_length=1000, blank=True)
    replaced = models.TextField(blank=True)
    excuse = models.CharField(max_length=1000, blank=True)
    price_settled = models.BooleanField(default=False)
    decided_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()
    told_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(answer__in=list(DECISIONS)), name="decision_answer_known"),
            models.CheckConstraint(condition=Q(answer="accepted") | ~Q(text=""), name="decision_says_why"),
        ]

    def __str__(self) -> str:
        return f"{self.confirmation}: {self.answer}"


class AttachmentQuerySet(models.QuerySet["Attachment"]):
    def visible_to(self, user: User | AnonymousUser) -> AttachmentQuerySet:
        """The vendor's own at once, the buyer's once the answer they lie beside is submitted."""
        own = Organisation.objects.of(user).values("pk")
        answers = Confirmation.objects.filter(revision=OuterRef("revision"), key=OuterRef("key"))
        submitted = Q(revision__contract__buyer__in=own) & Exists(answers.filter(submitted_at__isnull=False))
        return self.filter(Q(revision__contract__vendor__in=own) | submitted)


class Attachment(models.Model):
    """The file the vendor puts beside its answer to a line; the buyer reads it with the answer."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="attachments")
    key = models.CharField(max_length=80)
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveIntegerField()
    added_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    added_at = models.DateTimeField()

    objects: ClassVar[models.Manager[Attachment]] = AttachmentQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["revision", "key"], name="attachment_once_per_line")]

    def __str__(self) -> str:
        return f"{self.revision} {self.key}: {self.name}"


class CommentQuerySet(models.QuerySet["Comment"]):
    def visible_to(self, user: User | AnonymousUser, contract: Contract) -> CommentQuerySet:
        """Comments to both sides, and those internal to the person's own side."""
        side = contract.side_of(user)
        if side is None:
            return self.none()
        return self.filter(Q(audience="shared") | Q(side=side.value), contract=contract)


class Comment(models.Model):
    """A remark on a clause, to both sides or to one's own only; never changed once written."""

    contract = models.ForeignKey(Contract, models.PROTECT, related_name="comments")
    key = models.CharField(max_length=80)
    side = models.CharField(max_length=10, choices=choices(SIDES))
    audience = models.CharField(max_length=10, choices=choices(AUDIENCES))
    text = models.CharField(label("评论", "comment"), max_length=2000)
    written_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    written_at = models.DateTimeField()

    objects: ClassVar[models.Manager[Comment]] = CommentQuerySet.as_manager()

    class Meta:
        ordering = ["written_at", "id"]
        constraints = [
            models.CheckConstraint(condition=Q(audience__in=list(AUDIENCES)), name="comment_audience_known"),
            models.CheckConstraint(condition=Q(side__in=list(SIDES)), name="comment_side_known"),
            models.CheckConstraint(condition=~Q(text=""), name="comment_says_something"),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.key} {self.audience} #{self.pk}"
