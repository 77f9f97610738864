"""Where a draft came from, with the values it was given then; and the templates an organisation keeps for itself."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.auth.models import AnonymousUser
from django.core.validators import ProhibitNullCharactersValidator
from django.db import models
from django.db.models import Q

from gpucontract.accounts.models import Organisation, User
from gpucontract.contracts.models.contract import Contract, label
from gpucontract.localise import choices
from gpucontract.wording import Text

ORIGINS = {
    "template": Text("模板", "template"),
    "own_template": Text("本组织的模板", "own template"),
    "copy": Text("合同副本", "copy of a contract"),
    "file": Text("导入的文件", "imported file"),
}


class DraftOrigin(models.Model):
    """What a draft was started from. values: the terms it was given, as interchange writes them, in its own codes.

    reference: the template's id or uuid, the copied contract's number, the file's name.
    """

    contract = models.OneToOneField(Contract, models.CASCADE, related_name="origin")
    kind = models.CharField(max_length=20, choices=choices(ORIGINS))
    reference = models.CharField(max_length=200)
    title_zh = models.CharField(max_length=200)
    title_en = models.CharField(max_length=200)
    values = models.TextField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(kind__in=list(ORIGINS)), name="origin_kind_known")]

    def __str__(self) -> str:
        return f"{self.contract} from {self.reference}"

    @property
    def title(self) -> Text:
        """What the draft was started from, by name."""
        return Text(self.title_zh, self.title_en)


class OwnTemplateQuerySet(models.QuerySet["OwnTemplate"]):
    def visible_to(self, user: User | AnonymousUser) -> OwnTemplateQuerySet:
        """Those of the person's own organisations."""
        return self.filter(organisation__in=Organisation.objects.of(user).values("pk"))


class OwnTemplate(models.Model):
    """A contract's terms that an organisation keeps to start from again; nobody else ever sees it."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    organisation = models.ForeignKey(Organisation, models.CASCADE, related_name="templates")
    name = models.CharField(
        label("模板名称", "template name"), max_length=80, validators=[ProhibitNullCharactersValidator()]
    )
    values = models.TextField()
    made_from = models.CharField(max_length=20)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[models.Manager[OwnTemplate]] = OwnTemplateQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["organisation", "name"], name="template_name_once"),
            models.CheckConstraint(condition=~Q(name=""), name="template_has_name"),
        ]

    def __str__(self) -> str:
        return self.name
