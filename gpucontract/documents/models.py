"""Rendered documents and the sign-offs of both sides."""

import uuid

from django.conf import settings
from django.db import models

from gpucontract.accounts.models import Mandate, User
from gpucontract.accounts.second_factor import METHODS
from gpucontract.contracts.models import Revision
from gpucontract.localise import choices
from gpucontract.wording import Text

KINDS = {"appendix": Text("配置附件", "Configuration appendix")}
SIDES = {"buyer": Text("甲方", "Buyer"), "vendor": Text("乙方", "Vendor")}
STATES = {
    "queued": Text("排队中", "queued"),
    "done": Text("已生成", "ready"),
    "failed": Text("生成失败", "failed"),
}


class DocumentQuerySet(models.QuerySet["Document"]):
    def visible_to(self, user: User) -> "DocumentQuerySet":
        """Documents of revisions the user may see."""
        return self.filter(revision__in=Revision.objects.visible_to(user))

    def due(self, now: object) -> "DocumentQuerySet":
        """Documents waiting to be rendered, or whose renderer died and let its lease run out."""
        return self.filter(due_at__lte=now).order_by("due_at")


class Document(models.Model):
    """One rendering of frozen facts; asking twice gives the same row, and a done one is never rewritten."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="documents")
    kind = models.CharField(max_length=20, choices=choices(KINDS))
    context = models.TextField()
    content_sha256 = models.CharField(max_length=64)
    template_version = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=choices(STATES), default="queued")
    due_at = models.DateTimeField(null=True, db_index=True)
    lease = models.UUIDField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    size_bytes = models.PositiveIntegerField(null=True)
    requested_at = models.DateTimeField()
    rendered_at = models.DateTimeField(null=True)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=("revision", "kind", "content_sha256", "template_version"), name="document_rendered_once"
            ),
            models.CheckConstraint(
                condition=~models.Q(state="done") | (~models.Q(sha256="") & models.Q(due_at=None)),
                name="document_done_has_bytes",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.revision}"


class SignOff(models.Model):
    """One side's approval of one exact revision hash."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="sign_offs")
    side = models.CharField(max_length=10, choices=choices(SIDES))
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    typed_name = models.CharField(max_length=100)
    revision_sha256 = models.CharField(max_length=64)
    at = models.DateTimeField()
    factor = models.CharField(max_length=20, choices=choices(METHODS), blank=True, default="")
    mandate = models.ForeignKey(Mandate, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    factor_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("revision", "side"), name="sign_off_once_per_side")]

    def __str__(self) -> str:
        return f"{self.side} signed off {self.revision_sha256[:12]}"
