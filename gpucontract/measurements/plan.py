"""The test plan of a frozen revision: which job runs on which nodes, how often, and which clauses it settles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from itertools import cycle, islice, pairwise
from typing import Any

from gpucontract.catalogue.bandwidth import MESSAGE_BYTES
from gpucontract.contracts.body import Body, Group
from gpucontract.contracts.clause_rows.conditions import WRITE_BYTES
from gpucontract.contracts.clauses import Clause, VerifiedBy
from gpucontract.measurements.pairing import pairings, rounds_for
from gpucontract.measurements.parsers.probe_errors import DTYPES
from gpucontract.measurements.shared_load import SHARED, load_test, why_not
from gpucontract.wording import Text

SMALLEST_MESSAGE_BYTES = min(MESSAGE_BYTES.values())
LARGEST_MESSAGE_BYTES = max(MESSAGE_BYTES.values())
# An agent takes no more hosts in one order; larger groups are measured in teams that together cover every node.
MOST_HOSTS = 128
# Of two machines there is one pair, which the test across machines measures anyway.
FEWEST_FOR_PAIRS = 3
ITERATIONS = 20
STORAGE_RUNTIME_S = 60
LOAD_S = 60
WRITE_S = 10

# The order of the acceptance suite: what is there, what it says about its health, links, storage, ports, then load.
JOB_NOTES: Mapping[str, Text] = {
    "inventory": Text(
        "列出 GPU、CPU、内存和 PCIe 链路，约 1 分钟", "Lists GPUs, CPUs, memory and PCIe links; about a minute"
    ),
    "software": Text(
        "读取驱动、CUDA、NCCL、容器和系统版本，约 1 分钟",
        "Reads driver, CUDA, NCCL, container and system versions; about a minute",
    ),
    "topology": Text("读取 GPU 之间、GPU 与网卡之间的连接", "Reads how GPUs are linked to each other and to NICs"),
    "health": Text("读取 ECC、行重映射和 Xid 错误", "Reads ECC, row remapping and Xid errors"),
    "storage": Text(
        "检查本地盘和共享挂载，并用 fio 读写", "Checks local disks and shared mounts, then reads and writes with fio"
    ),
    "shared_load": Text(
        "全部机器同时在共享存储上各写 32 GiB 以上，再同时读；其余机器由主节点经 SSH 启动",
        "All machines write 32 GiB or more each on the shared storage, then read at the same time; the lead node "
        "starts the others over SSH",
    ),
    "fabric": Text("读取网卡端口的状态和速率", "Reads the state and rate of every NIC port"),
    "rdma_pairs": Text(
        "每两台机器一对，每个可用端口轮流用 ib_write_bw 写对方的同名端口，双向各测；"
        "主节点经 SSH 启动另一台，需要 perftest",
        "Machines two by two: every active port writes to the other machine's port of the same name with ib_write_bw, "
        "both ways in turn; the lead node starts the other over SSH; needs perftest",
    ),
    "gemm": Text(
        "全部 GPU 同时做矩阵乘，约 2 分钟，需要 PyTorch",
        "All GPUs multiply matrices at the same time for about two minutes; needs PyTorch",
    ),
    "nccl_intra": Text(
        "单机内 NCCL 集合通信测试，占用全部 GPU", "NCCL collective inside one machine; occupies every GPU"
    ),
    "nccl_pairs": Text(
        "每两台机器一对，逐对做 NCCL 集合通信测试：找出各慢对共有的机器，不判定条款",
        "NCCL collective between machines two by two: shows which machine the slow pairs share, and settles no clause",
    ),
    "nccl_inter": Text(
        "多机 NCCL 集合通信测试：主节点用 mpirun 经 SSH 启动其余节点",
        "NCCL collective across machines: the lead node starts the others with mpirun over SSH",
    ),
    "burn_in": Text(
        "全部 GPU 连续满载并核对每次结果；卡出错就重新开始，并逐次记下中断；需要 PyTorch",
        "All GPUs work under load with their results compared; a card that fails is started again and each interrupt "
        "noted; needs PyTorch",
    ),
}
JOBS = tuple(JOB_NOTES)
# What no clause depends on: ordered only by name, as a health check of the machines beside each other.
HAND_NOTES: Mapping[str, Text] = {
    "training": Text(
        "参考训练：单机全部 GPU 训练一个小型模型，约 5 分钟，不判定条款，用来比较各台机器；需要 PyTorch。",
        "Reference training: all GPUs of a machine train a small model for about five minutes; it settles no clause "
        "and compares the machines; needs PyTorch.",
    ),
}
BY_HAND = tuple(HAND_NOTES)
# Whatever these find, no verdict changes.
SETTLING_NOTHING = ("nccl_pairs", *BY_HAND)
TRAINING_STEPS = 150

_NO_JOB_YET = Text(
    "测试项“{job}”在此版本中还不能下达，该条款保持“未测”",
    'The job "{job}" cannot be ordered yet; the clause stays pending',
)
_NEEDS_TWO = Text(
    "节点组 {group} 只有一台机器，多机测试无法进行",
    "Group {group} has one machine; a multi-node run needs at least two",
)
_FROZEN_BEFORE = Text(
    "该条款冻结时还没有测它的测试项，保持“未测”；用补充协议重新约定后即可测",
    "No job measured it when this clause was frozen, so it stays pending; agreed anew in an amendment, it is measured",
)
# A promise in one of these, or of these terms, looks as if it were tested; where nothing tests it, the plan says so.
_SPEEDS = frozenset({"GB/s", "Gb/s", "Mb/s", "IOPS", "ops/s", "TFLOPS", "µs"})
_LOOK_TESTED = frozenset({
    "gpu_condition", "gpu_exclusive", "gpu_modified", "pcie_gen", "node_variance_max_pct", "nvlink_generation",
    "nvlink_all_pairs", "nic_model", "oversubscription", "roce_lossless", "roce_loss_max_ppm",
})  # fmt: skip
_NOT_MEASURED = Text(
    "没有测试项测量它：它约束双方，但系统不测、不判定",
    "No job measures it: it binds both sides, but is neither tested nor judged here",
)
_OF_NOTHING_NAMED = Text(
    "没有写明是哪一项性能、怎么测，不能判定；机器交付后，“机器对比”页列出每项速率在机器之间的差距",
    "It does not say of which rate or how to test it, so it cannot be judged; once machines are delivered, the page "
    '"Machines compared" shows how far they are apart in each rate',
)
_MORE_IS_NEEDED = {
    "rdma_bw": Text(
        "合同约定机器之间走以太网 TCP：没有 RDMA 可测，该条款保持“未测”。请改约定的网络，或去掉这一条",
        "The machines are agreed to talk over TCP: there is no RDMA to test, and the clause stays pending; agree on "
        "another network or drop the clause",
    ),
    "local_read": Text(
        "需要在下达测试时写明本地盘上的测试目录，在此之前该条款保持“未测”",
        "Needs the folder on the local disks where to read: name it when the runs are ordered; until then the clause "
        "stays pending",
    ),
    "gemm": Text(
        "探测程序只能测 {types}，该条款保持“未测”", "The probe measures {types} only; the clause stays pending"
    ).fill(types=[each.upper() for each in DTYPES]),
}


class Meet(StrEnum):
    """Which machines of a group are in one run: each alone, all together, or two by two."""

    ALONE = "alone"
    TOGETHER = "together"
    PAIRS = "pairs"


_MEETING = {
    "shared_load": Meet.TOGETHER, "rdma_pairs": Meet.PAIRS, "nccl_pairs": Meet.PAIRS, "nccl_inter": Meet.TOGETHER,
}  # fmt: skip
# What is left undone where there is only one machine.
_OF_SEVERAL = ("rdma_pairs", "nccl_inter")


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One execution of a planned job: the slots it runs on, lead first, and which repeat it is (1..n)."""

    nodes: tuple[str, ...]
    repeat: int
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """A job on a group's nodes; meet says which of them are in one run. settles: keys of the clauses it decides."""

    job: str
    group: str
    nodes: tuple[str, ...]
    repeats: int
    note: Text
    meet: Meet = Meet.ALONE
    params: Mapping[str, Any] = field(default_factory=dict)
    settles: tuple[str, ...] = ()

    @property
    def is_joint(self) -> bool:
        """Whether several machines are in one run."""
        return self.meet is not Meet.ALONE

    @property
    def teams(self) -> tuple[tuple[str, ...], ...]:
        """The nodes of each run, lead first: every node alone, or teams of nearly equal size."""
        count = -(-len(self.nodes) // MOST_HOSTS) if self.meet is Meet.TOGETHER else len(self.nodes)
        marks = [len(self.nodes) * part // count for part in range(count + 1)]
        return tuple(self.nodes[start:end] for start, end in pairwise(marks))

    def runs(self) -> Iterator[PlannedRun]:
        """Every execution, repeat by repeat; of pairs, each repeat has other ones."""
        rounds = pairings(self.nodes) if self.meet is Meet.PAIRS else (self.teams,)
        for repeat, teams in enumerate(islice(cycle(rounds), self.repeats), start=1):
            params = {**self.params, "repeat": repeat} if self.params else {}
            for nodes in teams:
                yield PlannedRun(nodes, repeat, params)


@dataclass(frozen=True, slots=True)
class NotSettled:
    """A clause that no job of this plan can decide, or a promised speed that none measures, and why."""

    key: str
    reason: Text


def jobs_for(body: Body, local_path: str = "") -> tuple[PlannedJob, ...]:
    """The jobs a revision needs, in the order in which each machine does them; inventory always.

    local_path: the folder on the local disks where fio may write and read, named when the runs are ordered.
    """
    asked = ((job, group, _settled_by(job, body, group, local_path)) for job in JOBS for group in body.groups)
    return tuple(
        _pairs(group, clauses) if job == "nccl_pairs" else _planned(job, body, group, clauses, local_path)
        for job, group, clauses in asked
        if clauses or job == "inventory"
    )


def by_hand(body: Body) -> tuple[PlannedJob, ...]:
    """The jobs that nothing in a revision needs and that may be ordered by name."""
    return tuple(
        PlannedJob(job, group.code, group.node_codes, 1, HAND_NOTES[job], params={"steps": TRAINING_STEPS})
        for job in BY_HAND
        for group in body.groups
    )


def not_settled(body: Body) -> tuple[NotSettled, ...]:
    """The measurement clauses that stay pending under this plan and the promises it never tests, with the reason."""
    settled = {key for job in jobs_for(body) for key in job.settles}
    return tuple(
        NotSettled(clause.key, _reason(clause, body))
        for clause in body.clauses
        if (clause.verified_by is VerifiedBy.MEASUREMENT and clause.key not in settled) or _looks_tested(clause)
    )


def _looks_tested(clause: Clause) -> bool:
    is_plain = clause.verified_by is VerifiedBy.NONE and "not_applicable" not in clause.conditions
    return is_plain and (clause.unit in _SPEEDS or clause.name in _LOOK_TESTED)


def _planned(job: str, body: Body, group: Group, clauses: tuple[Clause, ...], local_path: str) -> PlannedJob:
    params = _params(job, body, group, clauses)
    if job == "storage" and local_path:
        params["local_path"] = local_path
    repeats = max((clause.repeats for clause in clauses), default=1)
    return PlannedJob(
        job=job, group=group.code, nodes=group.node_codes, meet=_MEETING.get(job, Meet.ALONE), note=JOB_NOTES[job],
        repeats=rounds_for(group.node_codes, repeats) if job == "rdma_pairs" else repeats, params=params,
        settles=tuple(clause.key for clause in clauses),
    )  # fmt: skip


def _pairs(group: Group, clauses: tuple[Clause, ...]) -> PlannedJob:
    """The collective of the group's clauses, two machines at a time; as a ring, since a pair's tree overstates."""
    params = _collective_params(group, clauses)
    if params["collective"] == "all_reduce":
        params["collective"] = "all_reduce_ring"
    return PlannedJob(
        job="nccl_pairs", group=group.code, nodes=group.node_codes, meet=Meet.PAIRS, note=JOB_NOTES["nccl_pairs"],
        repeats=len(pairings(group.node_codes)), params=params,
    )  # fmt: skip


def _settled_by(job: str, body: Body, group: Group, local_path: str) -> tuple[Clause, ...]:
    """The clauses that the job decides on a group; of pairs, those whose test across machines they help to explain."""
    if job == "nccl_pairs":
        found = _settled_by("nccl_inter", body, group, local_path) if group.node_count >= FEWEST_FOR_PAIRS else ()
        return tuple(clause for clause in found if clause.kind == "rate")
    if job in _OF_SEVERAL and group.node_count < 2:
        return ()
    return tuple(
        clause
        for clause in body.clauses
        if clause.verified_by is VerifiedBy.MEASUREMENT
        and job in clause.jobs
        and not _needs_more(clause, body, local_path)
        and not (job == "storage" and clause.name in SHARED)
        and not (job == "fabric" and clause.name == "rdma_bw")
        and _concerns(clause, body, group)
    )


def _needs_more(clause: Clause, body: Body, local_path: str = "") -> bool:
    if clause.name in SHARED:
        return not load_test(clause, body)
    if clause.name == "gemm":
        return clause.conditions.get("dtype", "bf16") not in DTYPES
    if clause.name == "rdma_bw":
        return _is_tcp(clause.code, body)
    if clause.name == "local_read":
        return not local_path and "path" not in clause.conditions
    return clause.name in _MORE_IS_NEEDED and "path" not in clause.conditions


def _is_tcp(code: str, body: Body) -> bool:
    """Whether the machines of a group are agreed to talk over TCP."""
    fabrics = (clause for clause in body.clauses if (clause.code, clause.name) == (code, "fabric_type"))
    return any(clause.conditions.get("transport") == "Socket" for clause in fabrics)


def _concerns(clause: Clause, body: Body, group: Group) -> bool:
    if clause.code.startswith("m"):
        return any(mount.code == clause.code and group.code in mount.groups for mount in body.mounts)
    return clause.code in ("c", group.code)


def _params(job: str, body: Body, group: Group, clauses: tuple[Clause, ...]) -> dict[str, Any]:
    if job.startswith("nccl_"):
        return _collective_params(group, clauses)
    if job == "storage":
        paths = [mount.path for mount in body.mounts if group.code in mount.groups]
        return {"paths": paths, "local_path": _condition(clauses, "path", ""), "runtime_s": STORAGE_RUNTIME_S}
    if job == "shared_load":
        return {"tests": [load_test(clause, body) for clause in clauses]}
    if job == "rdma_pairs":
        return _write_params(clauses)
    if job == "gemm":
        return {"dtype": _condition(clauses, "dtype", "bf16"), "runtime_s": LOAD_S}
    if job == "burn_in":
        return {"hours": _burn_in_hours(clauses)}
    return {}


def _burn_in_hours(clauses: tuple[Clause, ...]) -> int:
    promised = (
        clause.value for clause in clauses if clause.name == "burn_in_hours" and isinstance(clause.value, Decimal)
    )
    return int(next(promised, None) or _condition(clauses, "hours", 0))


def _write_params(clauses: tuple[Clause, ...]) -> dict[str, Any]:
    layer, both_ways = _condition(clauses, "link_layer", ""), _condition(clauses, "bidirectional", False)
    return {
        "size_bytes": int(_condition(clauses, "size_bytes", WRITE_BYTES)), "runtime_s": WRITE_S,
        **({"link_layer": layer} if layer else {}), **({"bidirectional": True} if both_ways is True else {}),
    }  # fmt: skip


def _collective_params(group: Group, clauses: tuple[Clause, ...]) -> dict[str, Any]:
    is_ring = _condition(clauses, "algorithm", "") == "Ring"
    return {
        "collective": _condition(clauses, "collective", "all_reduce") + ("_ring" if is_ring else ""),
        "min_bytes": SMALLEST_MESSAGE_BYTES,
        "max_bytes": int(_condition(clauses, "size_bytes", LARGEST_MESSAGE_BYTES)),
        "gpus_per_node": group.gpus_per_node,
        "iterations": ITERATIONS,
    }


def _condition(clauses: tuple[Clause, ...], name: str, default: Any) -> Any:
    return next((clause.conditions[name] for clause in clauses if name in clause.conditions), default)


def _reason(clause: Clause, body: Body) -> Text:
    if clause.verified_by is VerifiedBy.NONE:
        return _OF_NOTHING_NAMED if clause.name == "node_variance_max_pct" else _NOT_MEASURED
    if clause.name in SHARED and _needs_more(clause, body):
        return why_not(clause, body)
    if _needs_more(clause, body):
        return _MORE_IS_NEEDED[clause.name]
    if clause.name == "rdma_bw" and "rdma_pairs" not in clause.jobs:
        return _FROZEN_BEFORE
    if not {*_OF_SEVERAL}.isdisjoint(clause.jobs):
        return _NEEDS_TWO.fill(group=clause.code)
    missing = [job for job in clause.jobs if job not in JOBS]
    return _NO_JOB_YET.fill(job=tuple(missing or clause.jobs) or clause.name)
