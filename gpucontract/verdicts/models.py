"""What the judge keeps: one document per place, one row per clause, and every change with its why."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from gpucontract.accounts.models import User
from gpucontract.contracts.models import Contract, Revision
from gpucontract.localise import choices
from gpucontract.verdicts.states import ATTRIBUTION_TEXTS, STATE_TEXTS
from gpucontract.wording import Text

WHYS = {
    "evidence": Text("新证据", "new evidence"),
    "parser": Text("解析程序更新", "newer parser"),
    "rules": Text("判定规则更新", "newer rules"),
    "stale": Text("证据过期", "stale evidence"),
    "revision": Text("合同新版本", "new revision"),
}
_STATES = [state.value for state in STATE_TEXTS]


class JudgeQueue(models.Model):
    """When a contract is to be judged again, and who is at it; an expired lease is simply due again."""

    contract = models.OneToOneField(Contract, models.CASCADE, related_name="judge_queue")
    due_at = models.DateTimeField(null=True, db_index=True)
    lease = models.CharField(max_length=32, blank=True)

    def __str__(self) -> str:
        return f"{self.contract} due {self.due_at}"


class NodeVerdict(models.Model):
    """All clauses at one place (a slot, a group, a mount, the contract): {key: stored PlaceVerdict}."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="node_verdicts")
    scope = models.CharField(max_length=60)
    body = models.JSONField(default=dict)
    fresh_until = models.DateTimeField(null=True, db_index=True)
    judged_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["contract", "scope"], name="one_verdict_document_per_place")]

    def __str__(self) -> str:
        return f"{self.contract} {self.scope}"


class VerdictQuerySet(models.QuerySet["Verdict"]):
    def visible_to(self, user: User | AnonymousUser) -> VerdictQuerySet:
        """Verdicts of contracts this person may see."""
        return self.filter(contract__in=Contract.objects.visible_to(user))


class Verdict(models.Model):
    """One clause's measured answer; waivers and remedies lie over it and never change it.

    value: exact text of the deciding value. counts: scopes per state. exceptions: the failing scopes in full, the first
    200. digest: over state and failing scopes only, so that an equal month is no change.
    """

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="verdicts")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="+")
    key = models.CharField(max_length=80)
    state = models.CharField(max_length=20, choices=choices({state.value: text for state, text in STATE_TEXTS.items()}))
    scope = models.CharField(max_length=200)
    value = models.CharField(max_length=300, blank=True)
    unit = models.CharField(max_length=20, blank=True)
    margin_pct = models.DecimalField(max_digits=20, decimal_places=2, null=True)
    because = models.CharField(max_length=80, blank=True)
    attribution = models.CharField(
        max_length=20, choices=choices({side.value: text for side, text in ATTRIBUTION_TEXTS.items()})
    )
    reason = models.CharField(max_length=60)
    zh = models.TextField()
    en = models.TextField()
    counts = models.JSONField(default=dict)
    exceptions = models.JSONField(default=list)
    runs = models.JSONField(default=list)
    aside = models.JSONField(default=list)
    digest = models.CharField(max_length=64)
    rules_version = models.PositiveIntegerField()
    fresh_until = models.DateTimeField(null=True, db_index=True)
    judged_at = models.DateTimeField()

    objects: ClassVar[models.Manager[Verdict]] = VerdictQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contract", "key"], name="one_verdict_per_clause"),
            models.CheckConstraint(condition=Q(state__in=_STATES), name="verdict_state_known"),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.key}: {self.state}"

    @property
    def sentence(self) -> Text:
        """Why the verdict is what it is."""
        return Text(self.zh, self.en)


class VerdictChange(models.Model):
    """One change of a clause's state or of the set of its failing scopes; only ever added."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="verdict_changes")
    key = models.CharField(max_length=80)
    number = models.PositiveIntegerField()
    body = models.JSONField()
    why = models.CharField(max_length=20, choices=choices(WHYS))
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contract", "key", "number"], name="verdict_change_number_once"),
            models.CheckConstraint(condition=Q(why__in=list(WHYS)), name="verdict_change_why_known"),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.key} #{self.number}"


class Waiver(models.Model):
    """An approver's decision to do without a clause; the measured state beneath it stays as it is."""

    contract = models.ForeignKey(Contract, models.PROTECT, related_name="waivers")
    key = models.CharField(max_length=80)
    reason = models.CharField(max_length=1000)
    waived_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    waived_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["contract", "key"], condition=Q(withdrawn_at=None), name="one_waiver_in_force_per_clause"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="waiver_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.key} waived"
