"""Nodes, their agents, ordered runs and the evidence runs brought; a run's contract is the only way to evidence."""

import uuid

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.models import Contract
from gpucontract.contracts.models.contract import label
from gpucontract.localise import choices
from gpucontract.measurements.states import OPEN, ORIGIN_TEXTS, STATE_TEXTS, RunState

Person = User | AnonymousUser


class NodeQuerySet(models.QuerySet["Node"]):
    def visible_to(self, user: Person) -> "NodeQuerySet":
        """Nodes of contracts this person may see."""
        return self.filter(group__contract__in=Contract.objects.visible_to(user))

    def of(self, contract: Contract) -> "NodeQuerySet":
        """All slots of a contract, by group and ordinal."""
        return self.filter(group__contract=contract).order_by("group__code", "ordinal")


class Node(models.Model):
    """A contracted slot; the machine in it, known by its host name, may be replaced."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    group = models.ForeignKey(
        "contracts.NodeGroup",
        models.PROTECT,
        related_name="nodes",
        verbose_name=label("节点组", "node group"),
    )
    ordinal = models.PositiveIntegerField(label("序号", "ordinal"))
    code = models.CharField(label("节点编号", "node code"), max_length=40)
    hostname = models.CharField(label("主机名", "host name"), max_length=255, blank=True)
    retired_at = models.DateTimeField(label("停用时间", "retired at"), null=True, blank=True)

    objects = NodeQuerySet.as_manager()

    class Meta:
        verbose_name = label("节点", "node")
        verbose_name_plural = label("节点", "nodes")
        constraints = [
            models.UniqueConstraint(fields=["group", "ordinal"], name="one_node_per_slot"),
            models.CheckConstraint(condition=Q(ordinal__gte=1), name="node_ordinal_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.code} ({self.hostname})" if self.hostname else self.code


class ReplacementQuerySet(models.QuerySet["Replacement"]):
    def visible_to(self, user: Person) -> "ReplacementQuerySet":
        """Replacements in slots of contracts this person may see."""
        return self.filter(node__in=Node.objects.visible_to(user))


class Replacement(models.Model):
    """Parts of a slot that the vendor says it replaced, and the buyer's answer; is_agreed is empty until then.

    names: serial numbers or UUIDs of the new parts.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    node = models.ForeignKey(Node, models.PROTECT, related_name="replacements", verbose_name=label("节点", "node"))
    names = models.JSONField(label("新部件的序列号或 UUID", "serial numbers or UUIDs of the new parts"))
    reason = models.CharField(label("更换原因", "reason"), max_length=300)
    declared_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    declared_at = models.DateTimeField(label("登记时间", "declared at"))
    is_agreed = models.BooleanField(label("是否同意", "agreed"), null=True)
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(label("答复时间", "answered at"), null=True)

    objects = ReplacementQuerySet.as_manager()

    class Meta:
        verbose_name = label("更换", "replacement")
        verbose_name_plural = label("更换", "replacements")
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(is_agreed=None, decided_by=None, decided_at=None)
                | Q(is_agreed__isnull=False, decided_by__isnull=False, decided_at__isnull=False),
                name="an_answered_replacement_says_by_whom",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="replacement_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.node_id} {self.declared_at:%Y-%m-%d}"


class AgentQuerySet(models.QuerySet["Agent"]):
    def visible_to(self, user: Person) -> "AgentQuerySet":
        """Agents on nodes of contracts this person may see."""
        return self.filter(node__in=Node.objects.visible_to(user))

    def live(self) -> "AgentQuerySet":
        """Agents that have not been revoked."""
        return self.filter(revoked_at=None)


class Agent(models.Model):
    """The program on the machine in a slot; its secret is stored encrypted, because checking an HMAC needs it."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    node = models.ForeignKey(Node, models.PROTECT, related_name="agents", verbose_name=label("节点", "node"))
    url = models.URLField(label("地址", "address"), max_length=300)
    secret = models.BinaryField(label("密钥（加密）", "secret (encrypted)"), editable=False)
    enrolled_at = models.DateTimeField(label("登记时间", "enrolled at"), default=timezone.now)
    revoked_at = models.DateTimeField(label("撤销时间", "revoked at"), null=True, blank=True)

    objects = AgentQuerySet.as_manager()

    class Meta:
        verbose_name = label("采集程序", "agent")
        verbose_name_plural = label("采集程序", "agents")
        constraints = [
            models.UniqueConstraint(fields=["node"], condition=Q(revoked_at=None), name="one_live_agent_per_node"),
        ]

    def __str__(self) -> str:
        return self.url


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, user: Person) -> "RunQuerySet":
        """Runs of contracts this person may see."""
        return self.filter(contract__in=Contract.objects.visible_to(user))

    def open(self) -> "RunQuerySet":
        """Runs that may still bring a result."""
        return self.filter(state__in=OPEN)

    def delivered(self) -> "RunQuerySet":
        """Runs whose result is here."""
        return self.filter(state=RunState.DONE)


class Run(models.Model):
    """One ordered execution of one job. due_at: when somebody must look at it again; empty = nothing to do.

    A claim pushes due_at on by the lease and sets the lease token; an expired lease is simply due again.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    contract = models.ForeignKey(Contract, models.PROTECT, related_name="runs", verbose_name=label("合同", "contract"))
    revision = models.ForeignKey(
        "contracts.Revision", models.PROTECT, related_name="runs", verbose_name=label("版本", "revision")
    )
    agent = models.ForeignKey(
        Agent,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="runs",
        verbose_name=label("采集程序", "agent"),
    )
    lead = models.ForeignKey(Node, models.PROTECT, related_name="led_runs", verbose_name=label("主节点", "lead node"))
    nodes: "models.ManyToManyField[Node, RunNode]" = models.ManyToManyField(
        Node, through="RunNode", related_name="runs", verbose_name=label("节点", "nodes")
    )
    group_code = models.CharField(label("节点组编号", "group code"), max_length=20)
    job = models.CharField(label("测试项", "job"), max_length=20)
    round = models.PositiveIntegerField(label("轮次", "round"), default=1)
    repeat = models.PositiveIntegerField(label("第几次", "repeat"), default=1)
    params = models.JSONField(label("参数", "parameters"), default=dict)
    state = models.CharField(
        label("状态", "state"),
        max_length=10,
        choices=choices({state.value: text for state, text in STATE_TEXTS.items()}),
        default=RunState.QUEUED.value,
    )
    due_at = models.DateTimeField(label("下次处理时间", "next due at"), null=True, blank=True, db_index=True)
    lease = models.CharField(label("租约", "lease"), max_length=32, blank=True, db_index=True)
    ordered_at = models.DateTimeField(label("下达时间", "ordered at"), default=timezone.now)
    started_at = models.DateTimeField(label("开始时间", "started at"), null=True, blank=True)
    attempts = models.PositiveIntegerField(label("尝试次数", "attempts"), default=0)
    error = models.TextField(label("错误", "error"), blank=True)
    parsed_version = models.PositiveIntegerField(label("解析版本", "parsed version"), default=0)
    judged_version = models.PositiveIntegerField(label("判定版本", "judged version"), default=0)

    objects = RunQuerySet.as_manager()

    class Meta:
        verbose_name = label("测试运行", "run")
        verbose_name_plural = label("测试运行", "runs")
        constraints = [
            models.UniqueConstraint(
                fields=["contract", "round", "group_code", "job", "lead", "repeat"], name="a_run_is_ordered_once"
            ),
            models.CheckConstraint(
                condition=Q(state__in=[state.value for state in RunState]), name="run_state_is_known"
            ),
            models.CheckConstraint(condition=Q(repeat__gte=1, round__gte=1), name="run_counts_from_one"),
        ]
        indexes = [
            models.Index(fields=["state", "parsed_version"], name="run_to_parse"),
            models.Index(fields=["contract", "judged_version"], name="run_to_judge"),
        ]

    def __str__(self) -> str:
        return f"{self.job} {self.uuid}"


class RunNode(models.Model):
    """A node's place in a run; position 0 is the lead."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="places")
    node = models.ForeignKey(Node, models.PROTECT, related_name="places")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["run", "position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "node"], name="a_node_stands_once_in_a_run"),
            models.UniqueConstraint(fields=["run", "position"], name="one_node_per_place_in_a_run"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}:{self.position}"


class Evidence(models.Model):
    """A raw result's bytes, kept compressed under their sha256; never reached by it, only through a delivery's run."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    size_bytes = models.PositiveBigIntegerField()
    stored_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = label("证据", "evidence")
        verbose_name_plural = label("证据", "evidence")

    def __str__(self) -> str:
        return self.sha256


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def visible_to(self, user: Person) -> "DeliveryQuerySet":
        """Deliveries of runs of contracts this person may see."""
        return self.filter(run__in=Run.objects.visible_to(user))


class Delivery(models.Model):
    """The raw result of a run as it arrived: inserted once, never changed. envelope: the signed header, verbatim."""

    run = models.OneToOneField(Run, models.PROTECT, primary_key=True, related_name="delivery")
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, related_name="deliveries")
    nonce = models.CharField(max_length=64)
    envelope = models.TextField(blank=True)
    signature = models.CharField(max_length=64, blank=True)
    origin = models.CharField(label("来源", "origin"), max_length=10, choices=choices(ORIGIN_TEXTS))
    evidence = models.ForeignKey(Evidence, models.PROTECT, related_name="deliveries")
    hostname = models.CharField(label("主机名", "host name"), max_length=255, blank=True)
    sent_at = models.DateTimeField(label("机器发送时间", "sent at, by the machine's clock"), null=True)
    received_at = models.DateTimeField(label("收到时间", "received at"))
    peer_address = models.CharField(label("对端地址", "peer address"), max_length=64, blank=True)
    receipt = models.TextField(label("回执", "receipt"), blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name = label("结果送达", "delivery")
        verbose_name_plural = label("结果送达", "deliveries")
        constraints = [
            models.UniqueConstraint(fields=["agent", "nonce"], name="a_nonce_is_used_once"),
            models.CheckConstraint(condition=Q(origin__in=list(ORIGIN_TEXTS)), name="delivery_origin_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.evidence_id}"


class Output(models.Model):
    """One captured output of a delivery; sha256 is over its stdout, so the same bytes from two nodes show."""

    delivery = models.ForeignKey(Delivery, models.PROTECT, related_name="outputs")
    name = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64, db_index=True)
    tool = models.CharField(label("工具", "tool"), max_length=80)
    command = models.TextField(label("命令", "command"), blank=True)
    exit_code = models.IntegerField(label("退出码", "exit status"), null=True)
    env = models.JSONField(label("环境变量", "environment"), default=dict)
    started_at = models.DateTimeField(label("开始时间", "started at"), null=True)
    ended_at = models.DateTimeField(label("结束时间", "ended at"), null=True)

    class Meta:
        verbose_name = label("输出", "output")
        verbose_name_plural = label("输出", "outputs")
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["delivery", "name"], name="one_output_per_name")]

    def __str__(self) -> str:
        return self.name


class Parse(models.Model):
    """What one parser version read from a run: [{"name", "readings", "error"}] per output; inserted once."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="parses")
    parser_version = models.PositiveIntegerField()
    outputs = models.JSONField(default=list)
    error = models.TextField(blank=True)
    errors = models.PositiveIntegerField(default=0)
    parsed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = label("解析结果", "parse")
        verbose_name_plural = label("解析结果", "parses")
        constraints = [models.UniqueConstraint(fields=["run", "parser_version"], name="one_parse_per_version")]

    def __str__(self) -> str:
        return f"{self.run_id} v{self.parser_version}"


class FindingQuerySet(models.QuerySet["Finding"]):
    def visible_to(self, user: Person) -> "FindingQuerySet":
        """Findings about runs of contracts this person may see."""
        return self.filter(run__in=Run.objects.visible_to(user))

    def current(self) -> "FindingQuerySet":
        """Those of the newest parser version only."""
        return self.filter(parser_version=F("run__parsed_version"))


class Finding(models.Model):
    """A remark of a parser or a cross-check about a run's output. text: {"zh", "en"}."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="findings")
    parser_version = models.PositiveIntegerField()
    output = models.CharField(max_length=120, blank=True)
    code = models.CharField(max_length=60, db_index=True)
    scope = models.CharField(max_length=120, blank=True)
    text = models.JSONField()

    objects = FindingQuerySet.as_manager()

    class Meta:
        verbose_name = label("发现", "finding")
        verbose_name_plural = label("发现", "findings")
        constraints = [
            models.UniqueConstraint(
                fields=["run", "parser_version", "output", "code", "scope"], name="a_finding_is_noted_once"
            )
        ]

    def __str__(self) -> str:
        return self.code
