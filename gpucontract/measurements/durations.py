"""How long a test plan takes and what it costs in GPU time; and what a soak of a given size can and cannot show."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from gpucontract.contracts import chance
from gpucontract.contracts.body import Body
from gpucontract.contracts.clause_rows.conditions import GOOD_NODE_HOURS, SELLERS_RISK
from gpucontract.measurements.plan import PlannedJob, jobs_for
from gpucontract.wording import Text

# Minutes of one run, with starting and ending; from public run times, scaled to the sizes and repeats ordered here.
MINUTES = {
    "inventory": 1, "software": 1, "topology": 1, "health": 1, "storage": 2, "shared_load": 12, "fabric": 1,
    "rdma_pairs": 5, "nccl_intra": 3, "gemm": 3, "nccl_pairs": 4, "nccl_inter": 5, "training": 5, "burn_in": 3,
}  # fmt: skip
FIO_FILES_MINUTES = 2
BAD_NODE_HOURS = 1500

_PROVES_NOTHING = Text(
    "{nodes} 台 × {hours} 小时的压测证明不了可靠性：故障是正常四倍的集群也有 {buyer} % 的机会通过。"
    "应靠租期内的中断次数、有效时间和同一故障退出条款来约束。",
    "A soak of {nodes} × {hours} h does not prove reliability: a cluster that fails four times too often still passes "
    "with {buyer} %. Rely on the clauses for the term: interrupts, useful time, exit on repeated faults.",
)
_ZERO_IS_UNFAIR = Text(
    "要求零中断不公平：{nodes} 台 × {hours} 小时里，好集群也有 {seller} % 的机会至少中断一次，"
    "因此允许 {permitted} 次。",
    "Demanding no interrupt would be unfair: over {nodes} × {hours} h even a good cluster has one or more with "
    "{seller} %; {permitted} are permitted.",
)


@dataclass(frozen=True, slots=True)
class Duration:
    """What one job takes. in_a_row: minutes that its machines are busy, all repeats; machines work side by side."""

    job: PlannedJob
    minutes_each: Fraction
    gpus_per_node: int

    @property
    def in_a_row(self) -> Fraction:
        """Minutes from the first run to the end of the last."""
        return self.minutes_each * self.job.repeats

    @property
    def gpu_hours(self) -> Fraction:
        """Hours times GPUs that cannot do anything else meanwhile."""
        return self.in_a_row * len(self.job.nodes) * self.gpus_per_node / 60


@dataclass(frozen=True, slots=True)
class Suite:
    """The acceptance suite for a size of cluster: soak hours, calendar days with two retests, spare machines."""

    nodes: int
    soak_hours: int
    window_days: int
    spare_nodes: int

    def soak_gpu_hours(self, nodes: int, gpus_per_node: int) -> int:
        """GPU-hours of the soak alone; somebody pays for them."""
        return nodes * gpus_per_node * self.soak_hours


SUITES = (Suite(1, 24, 5, 0), Suite(4, 48, 8, 0), Suite(32, 72, 15, 1), Suite(256, 168, 30, 5))


@dataclass(frozen=True, slots=True)
class Soak:
    """So many machines for so many hours, with so many interrupts permitted."""

    nodes: int
    hours: int
    permitted: int = 0

    @property
    def seller_risk(self) -> float:
        """How likely a good cluster is rejected by chance, 0 to 1 (Poisson)."""
        return 1 - chance.at_most(self.permitted, self.nodes * self.hours / GOOD_NODE_HOURS)

    @property
    def buyer_risk(self) -> float:
        """How likely a cluster that fails four times too often is accepted, 0 to 1."""
        return chance.at_most(self.permitted, self.nodes * self.hours / BAD_NODE_HOURS)

    @property
    def remarks(self) -> tuple[Text, ...]:
        """What whoever signs should know about this soak."""
        strict = Soak(self.nodes, self.hours)
        found = []
        if self.buyer_risk > 0.5:
            found.append(_PROVES_NOTHING.fill(nodes=self.nodes, hours=self.hours, buyer=_percent(self.buyer_risk)))
        if strict.seller_risk > SELLERS_RISK:
            found.append(
                _ZERO_IS_UNFAIR.fill(
                    nodes=self.nodes, hours=self.hours, seller=_percent(strict.seller_risk), permitted=self.permitted
                )
            )
        return tuple(found)


def suite_for(nodes: int) -> Suite:
    """The suite whose size is nearest by ratio: 2 to 11 machines take the one for 4, and so on."""
    return min(reversed(SUITES), key=lambda suite: abs(math.log(nodes / suite.nodes)))


def durations(body: Body) -> tuple[Duration, ...]:
    """What each job of the plan takes, in its order."""
    return tuple(Duration(job, minutes_of(job), body.group(job.group).gpus_per_node) for job in jobs_for(body))


def minutes_of(job: PlannedJob) -> Fraction:
    """Minutes of one run of a job; reading local disks adds writing the files, a burn-in its hours."""
    extra = FIO_FILES_MINUTES + Fraction(job.params["runtime_s"], 60) if job.params.get("local_path") else 0
    return Fraction(MINUTES[job.job]) + extra + 60 * int(job.params.get("hours", 0))


def hours_in_total(known: Iterable[Duration]) -> Decimal:
    """Hours until all is measured, to a tenth: jobs of a group follow each other, groups work side by side."""
    by_group: dict[str, Fraction] = {}
    for each in known:
        by_group[each.job.group] = by_group.get(each.job.group, Fraction(0)) + each.in_a_row
    return _tenths(max(by_group.values(), default=Fraction(0)) / 60)


def gpu_hours_in_total(known: Iterable[Duration]) -> Decimal:
    """GPU-hours of all jobs together, to a tenth."""
    return _tenths(sum((each.gpu_hours for each in known), Fraction(0)))


def soaks(body: Body) -> dict[str, Soak]:
    """Group code -> the soak that the contract asks for there, as its clauses say."""
    found = {}
    for group in body.groups:
        hours = _value(body, group.code, "burn_in_hours")
        if hours:
            found[group.code] = Soak(group.node_count, hours, _value(body, group.code, "burn_in_interrupts") or 0)
    return found


def _value(body: Body, code: str, name: str) -> int | None:
    values = (clause.value for clause in body.clauses if (clause.code, clause.name) == (code, name))
    return next((int(value) for value in values if isinstance(value, Decimal)), None)


def _percent(share: float) -> str:
    return f"{share * 100:.0f}" if share >= 0.01 else f"{share * 100:.1f}"


def _tenths(hours: Fraction) -> Decimal:
    return Decimal(round(hours * 10)) / 10
