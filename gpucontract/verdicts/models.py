"""What the judge keeps: a document per place, a row per clause, every change with its why, waivers over it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import ClassVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Cast
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.accounts.roles import SIDES
from gpucontract.contracts.models import Contract, Revision
from gpucontract.localise import choices, lazy_text
from gpucontract.measurements.models import Run
from gpucontract.verdicts.remedies import BASES, KINDS, STANDINGS, Basis, Found, Kind, Offer, Standing
from gpucontract.verdicts.states import ATTRIBUTION_TEXTS, STATE_TEXTS, State
from gpucontract.wording import Text

WHYS = {
    "evidence": Text("新证据", "new evidence"),
    "parser": Text("解析器更新", "a newer parser"),
    "rules": Text("判定规则更新", "newer rules"),
    "stale": Text("证据过期", "evidence went stale"),
    "waiver": Text("豁免", "a waiver"),
    "revision": Text("合同版本", "the revision"),
}
_STATE_WORDS = {state.value: text for state, text in STATE_TEXTS.items()}
_STATES = list(_STATE_WORDS)
_SIDES = {side.value: text for side, text in ATTRIBUTION_TEXTS.items()}


class JudgeQueue(models.Model):
    """One contract's place in the judging queue: who is at it, and when it is due without new evidence.

    due_at: end of the lease while somebody judges, else when the first evidence goes stale; empty = nothing waits.
    """

    contract = models.OneToOneField(Contract, models.CASCADE, primary_key=True, related_name="judge_queue")
    due_at = models.DateTimeField(null=True, db_index=True)
    lease = models.CharField(max_length=32, blank=True)
    is_in_window = models.BooleanField(default=True)
    rules_version = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.contract_id} {self.due_at or '-'}"


class NodeVerdictQuerySet(models.QuerySet["NodeVerdict"]):
    def documents(self) -> Iterator[tuple[str, str]]:
        """Scope and document as JSON text, in order of scope: papers.read takes them as they are."""
        rows = self.order_by("scope").annotate(document=Cast("body", models.TextField()))
        return rows.values_list("scope", "document").iterator()


class NodeVerdict(models.Model):
    """Every clause's answer at one place (node slot, group, mount or contract); body: see papers.py."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="node_verdicts")
    scope = models.CharField(max_length=40)
    body = models.JSONField(default=dict)
    fresh_until = models.DateTimeField(null=True, db_index=True)
    judged_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager[NodeVerdict]] = NodeVerdictQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["contract", "scope"], name="one_document_per_place")]

    def __str__(self) -> str:
        return f"{self.contract_id} {self.scope}"


class Timing(models.Model):
    """What tells one run's outputs from others', so that a new run is compared without reading the others again.

    parser_version, rules_version: by which it was made; by others it is made anew.
    marks: [[mark, [[kind, figure], ...]], ...] of its outputs.
    """

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="timing")
    contract = models.ForeignKey(Contract, models.CASCADE, related_name="timings")
    lead = models.CharField(max_length=40)
    parser_version = models.PositiveIntegerField()
    rules_version = models.PositiveIntegerField()
    marks = models.TextField()

    def __str__(self) -> str:
        return f"{self.run_id} {self.lead}"


class Likeness(models.Model):
    """A mark that several machines of a contract show, which no two can; slots: theirs, sorted."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="likenesses")
    mark = models.CharField(max_length=64)
    slots = models.JSONField(default=list)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["contract", "mark"], name="one_likeness_per_mark")]

    def __str__(self) -> str:
        return f"{self.mark[:8]} {self.slots}"


class VerdictQuerySet(models.QuerySet["Verdict"]):
    def visible_to(self, user: User | AnonymousUser) -> VerdictQuerySet:
        """Verdicts of contracts this person may see."""
        return self.filter(contract__in=Contract.objects.visible_to(user))

    def failing(self) -> VerdictQuerySet:
        """Those that keep a contract from being accepted without a decision."""
        return self.exclude(state__in=[State.VERIFIED, State.NOT_APPLICABLE])


class Verdict(models.Model):
    """The answer for one clause. value: as measured, in unit, exact text; value_zh and value_en: as spoken.

    counts: {state: scopes}. exceptions: the first failing scopes, each {scope, state, value, zh, en, runs, aside}.
    runs, aside: what the deciding scope rests on, and what did not count: [run id], [[run id, reason]].
    """

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="verdicts")
    key = models.CharField(lazy_text(Text("条款", "clause")), max_length=80)
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="+")
    state = models.CharField(lazy_text(Text("判定", "verdict")), max_length=20, choices=choices(_STATE_WORDS))
    scope = models.TextField()
    value = models.TextField(null=True)
    unit = models.CharField(max_length=20, blank=True)
    value_zh = models.TextField(blank=True)
    value_en = models.TextField(blank=True)
    margin_pct = models.DecimalField(max_digits=18, decimal_places=2, null=True)
    because = models.CharField(max_length=80, blank=True)
    attribution = models.CharField(max_length=20, choices=choices(_SIDES))
    reason = models.CharField(max_length=40)
    zh = models.TextField()
    en = models.TextField()
    counts = models.JSONField(default=dict)
    exceptions = models.JSONField(default=list)
    runs = models.JSONField(default=list)
    aside = models.JSONField(default=list)
    digest = models.CharField(max_length=64)
    finding = models.CharField(max_length=64, blank=True)
    rules_version = models.PositiveIntegerField()
    fresh_until = models.DateTimeField(null=True)
    judged_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager[Verdict]] = VerdictQuerySet.as_manager()

    class Meta:
        verbose_name = lazy_text(Text("判定", "verdict"))
        verbose_name_plural = lazy_text(Text("判定", "verdicts"))
        indexes = [models.Index(fields=["contract", "state"], name="verdict_by_state")]
        constraints = [
            models.UniqueConstraint(fields=["contract", "key"], name="one_verdict_per_clause"),
            models.CheckConstraint(condition=Q(state__in=_STATES), name="verdict_state_known"),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.state}"

    @property
    def sentence(self) -> Text:
        """The explanation in both languages."""
        return Text(self.zh, self.en)

    @property
    def found(self) -> Found:
        """What a remedy is agreed for: another state, value or set of failing places is another question."""
        return Found(self.state, self.value, self.finding)


class VerdictChange(models.Model):
    """One change of a clause's state or failing scopes: appended, never changed. body: {state, failing, waived}."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="verdict_changes")
    key = models.CharField(max_length=80)
    number = models.PositiveIntegerField()
    body = models.JSONField()
    why = models.CharField(max_length=20, choices=choices(WHYS))
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["contract", "key", "number"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "key", "number"], name="one_change_per_number"),
            models.CheckConstraint(condition=Q(why__in=list(WHYS)), name="verdict_change_why_known"),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.number}"


class Waiver(models.Model):
    """An approver lets a clause be, with a reason; the measured state stays beside it."""

    contract = models.ForeignKey(Contract, models.PROTECT, related_name="waivers")
    key = models.CharField(max_length=80)
    reason = models.CharField(lazy_text(Text("理由", "reason")), max_length=1000)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contract", "key"], name="one_waiver_per_clause"),
            models.CheckConstraint(condition=~Q(reason=""), name="waiver_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.contract_id} {self.key}"


class RemedyQuerySet(models.QuerySet["Remedy"]):
    def visible_to(self, user: User | AnonymousUser) -> RemedyQuerySet:
        """Remedies of contracts this person may see; both sides read all of them."""
        return self.filter(contract__in=Contract.objects.visible_to(user))


class Remedy(models.Model):
    """What one side offers for a clause that falls short, and the other's answer; it binds once both agreed.

    found: the verdict that it is for, {"state", "value", "finding", "zh", "en"}. amount, basis, slots, from_on: see
    remedies.Offer. final_at: when acceptance was given on it.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    contract = models.ForeignKey(Contract, models.PROTECT, related_name="remedies")
    key = models.CharField(max_length=80)
    kind = models.CharField(lazy_text(Text("处理办法", "remedy")), max_length=20, choices=choices(KINDS))
    basis = models.CharField(max_length=10, blank=True, choices=choices(BASES))
    amount = models.DecimalField(max_digits=17, decimal_places=2, null=True)
    slots = models.JSONField(default=list)
    from_on = models.DateField()
    reason = models.CharField(lazy_text(Text("理由", "reason")), max_length=1000)
    found = models.JSONField()
    side = models.CharField(max_length=10, choices=choices(SIDES))
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    standing = models.CharField(max_length=10, choices=choices(STANDINGS), default=Standing.OPEN.value)
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    final_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager[Remedy]] = RemedyQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["contract", "key"], condition=Q(standing="open"), name="one_open_remedy_per_clause"
            ),
            models.CheckConstraint(condition=Q(standing__in=list(STANDINGS)), name="remedy_standing_known"),
            models.CheckConstraint(
                condition=Q(kind="price_cut", basis__in=list(BASES), amount__gt=0)
                | Q(kind="partial_reject", basis="", amount=None)
                | Q(kind="partial_reject", basis="", amount__gt=0),
                name="remedy_says_how_much",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="remedy_has_reason"),
            models.CheckConstraint(
                condition=Q(standing="open", decided_by=None, decided_at=None)
                | (~Q(standing="open") & Q(decided_by__isnull=False, decided_at__isnull=False)),
                name="an_answered_remedy_says_by_whom",
            ),
            models.CheckConstraint(
                condition=Q(final_at=None) | Q(standing="agreed"), name="only_an_agreed_remedy_is_final"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.contract_id} {self.key} {self.kind}"

    @property
    def offer(self) -> Offer:
        """What is offered, for the rules."""
        basis = Basis(self.basis) if self.basis else None
        return Offer(self.key, Kind(self.kind), self.from_on, self.amount, basis, tuple(self.slots))

    @property
    def was_found(self) -> Found:
        """The verdict that it was offered for."""
        return Found(self.found["state"], self.found["value"], self.found["finding"])
