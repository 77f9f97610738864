"""Checks of the network between machines."""

from __future__ import annotations

from decimal import Decimal

from gpucontract.catalogue import bandwidth, proposals
from gpucontract.catalogue.gpus import find
from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity, is_training, shown
from gpucontract.contracts.sections.interconnect import COLLECTIVES, FABRICS, LOSSLESS, OVERSUBSCRIPTIONS
from gpucontract.contracts.terms import Local
from gpucontract.units import grouped
from gpucontract.wording import Text

_TCP = Text(
    "多机训练用以太网 TCP（{gbps} Gb/s），没有 RDMA，效率会明显下降。请考虑 RoCE 或 InfiniBand。",
    "Training on several machines over Ethernet with TCP ({gbps} Gb/s), without RDMA, loses much efficiency. Consider "
    "RoCE or InfiniBand.",
)
_NO_NETWORK = Text(
    "多机训练却没有机间网络。请选 InfiniBand 或 RoCE，或拆成单机合同。",
    "Training on several machines without a network between them. Choose InfiniBand or RoCE, or contract each machine "
    "by itself.",
)


def _slow(local: Local, policy: Policy) -> Miss | None:
    if not is_training(local) or not _has_several(local):
        return None
    fabric = local["inter_fabric_type"]
    if fabric == "none":
        return Miss(text=_NO_NETWORK)
    if fabric == "infiniband":
        return None
    rate = int(local["inter_port_gbps"])
    if rate <= policy.slow_ethernet_gbps:
        return Miss({"fabric": FABRICS[fabric], "gbps": rate})
    return Miss(text=_TCP.fill(gbps=rate), severity=Severity.WARNING) if fabric == "ethernet_tcp" else None


def _no_fabric(local: Local, _: Policy) -> Miss | None:
    return (
        Miss({"nodes": local["node_count"]})
        if _has_several(local) and not local.is_given("inter_fabric_type")
        else None
    )


def _total(local: Local, _: Policy) -> Miss | None:
    stated, ports, rate = (int(local[term]) for term in ("inter_node_gbps_stated", "nics_per_node", "inter_port_gbps"))
    if stated == ports * rate:
        return None
    return Miss({"stated": stated, "ports": ports, "rate": rate, "total": ports * rate})


def _few_nics(local: Local, policy: Policy) -> Miss | None:
    if not is_training(local) or not _has_several(local):
        return None
    nics, gpus = int(local["nics_per_node"]), int(local["gpus_per_node"])
    pct = policy.nics_per_gpu_pct
    return Miss({"nics": nics, "gpus": gpus, "pct": pct}) if 100 * nics < pct * gpus else None


def _oversubscribed(local: Local, _: Policy) -> Miss | None:
    ratio = local["oversubscription"]
    if ratio == "1:1" or local["workload_profile"] != "training_critical":
        return None
    return Miss({"ratio": OVERSUBSCRIPTIONS[ratio]})


def _lossy(local: Local, _: Policy) -> Miss | None:
    if local["inter_fabric_type"] != "rocev2":
        return None
    missing = [name for name in ("PFC", "ECN") if name not in local.get("roce_lossless", ())]
    return Miss({"missing": " + ".join(LOSSLESS[name].en for name in missing)}) if missing else None


def _no_gdr(local: Local, _: Policy) -> Miss | None:
    has_rdma = local["inter_fabric_type"] in ("infiniband", "rocev2")
    return Miss() if has_rdma and not local["gpudirect_rdma"] else None


def _impossible(local: Local, _: Policy) -> Miss | None:
    floor, most = Decimal(local["inter_busbw_min"]), _most(local)
    if floor <= most:
        return None
    return Miss({"floor": shown(floor), "limit": grouped(most), "what": COLLECTIVES[_collective(local)]})


def _above_line(local: Local, _: Policy) -> Miss | None:
    floor, total = _floor_and_nics(local)
    has_few = int(local["inter_test_nodes"]) < 3
    if has_few or local.get("ib_sharp", False) or floor <= total or floor > _most(local):
        return None
    return Miss({"floor": shown(floor), "limit": grouped(total)})


def _toothless(local: Local, policy: Policy) -> Miss | None:
    floor, total = _floor_and_nics(local)
    pct = policy.inter_low_pct
    if 100 * floor >= pct * total or _is_proposed(local, floor):
        return None
    return Miss({"floor": shown(floor), "limit": grouped(total), "pct": pct})


def _is_proposed(local: Local, floor: Decimal) -> bool:
    """Whether healthy machines of the model support no higher floor: slow links inside hold back the fastest ports."""
    gpu, fabric = find(local.get("gpu_model", "")), local.get("inter_fabric_type", "none")
    if gpu is None or not local.is_given("gpus_per_node"):
        return False
    nics, rate = int(local["nics_per_node"]), int(local["inter_port_gbps"])
    mark = proposals.inter_busbw(gpu, int(local["gpus_per_node"]), fabric, nics, rate)
    return mark is not None and floor >= mark.value


def _uncovered(local: Local, _: Policy) -> Miss | None:
    tested, nodes = int(local["inter_test_nodes"]), int(local["node_count"])
    coverage = Decimal(local["acceptance_coverage_pct"])
    if tested >= nodes or coverage >= 100:
        return None
    return Miss({"tested": tested, "nodes": nodes, "coverage": shown(coverage)})


def _too_many(local: Local, _: Policy) -> Miss | None:
    tested, nodes = int(local["inter_test_nodes"]), int(local["node_count"])
    return Miss({"tested": tested, "nodes": nodes}) if tested > nodes else None


def _has_several(local: Local) -> bool:
    return int(local["node_count"]) > 1


def _most(local: Local) -> Decimal:
    """What the contracted collective may show at most over the contracted ports, in GB/s."""
    name, _, algorithm = _collective(local).partition("_ring")
    is_ring = name != _collective(local)
    nics, rate = int(local["nics_per_node"]), int(local["inter_port_gbps"])
    return bandwidth.inter_ceiling(nics, rate, name, "Ring" if is_ring else algorithm)


def _collective(local: Local) -> str:
    """The collective of the test, the one it is proposed with where none is chosen."""
    return str(local.get("inter_test_collective", proposals.inter_collective(int(local["node_count"]))))


def _floor_and_nics(local: Local) -> tuple[Decimal, Decimal]:
    """The contracted floor and all network ports of a machine together, both in GB/s."""
    total = bandwidth.nic_total_gbs(int(local["nics_per_node"]), int(local["inter_port_gbps"]))
    return Decimal(local["inter_busbw_min"]), total


CHECKS = (
    Check(
        "C-NET-12", Severity.BLOCKER, Per.GROUP,
        ("inter_fabric_type", "inter_port_gbps", "node_count", "workload_profile"),
        Text("多机训练只有 {gbps} Gb/s 的{fabric}，比机内互联慢两个数量级。请改用 100 Gb/s 以上的 RDMA 网络。",
             "Training on several machines over {gbps} Gb/s {fabric}: orders of magnitude slower than the links "
             "inside. Ask for an RDMA network of 100 Gb/s or more."),
        _slow,
    ),
    Check(
        "C-NET-13", Severity.WARNING, Per.GROUP, ("inter_fabric_type", "node_count"),
        Text("有 {nodes} 台机器，却没有写机间网络。请填写。",
             "There are {nodes} machines, but the network between them is not stated. State it."),
        _no_fabric,
    ),
    Check(
        "C-NET-14", Severity.BLOCKER, Per.GROUP, ("inter_node_gbps_stated", "nics_per_node", "inter_port_gbps"),
        Text("合同写明单机 {stated} Gb/s，而 {ports} 口 × {rate} Gb/s = {total} Gb/s，两者不符。请改正其中一处。",
             "The paper states {stated} Gb/s per machine, but {ports} ports × {rate} Gb/s = {total} Gb/s. Correct one "
             "of them."),
        _total, is_waivable=False,
    ),
    Check(
        "C-NET-15", Severity.WARNING, Per.GROUP, ("nics_per_node", "gpus_per_node", "workload_profile"),
        Text("{gpus} 张 GPU 只有 {nics} 个计算网口，不到 GPU 数的 {pct} %，网络会成为瓶颈。建议一卡一口。",
             "{nics} ports for {gpus} GPUs is fewer than {pct} % of them: the network becomes the bottleneck. One port "
             "per GPU is usual."),
        _few_nics,
    ),
    Check(
        "C-NET-16", Severity.WARNING, Per.GROUP, ("oversubscription", "workload_profile"),
        Text("关键训练的网络收敛比为“{ratio}”，全部机器同时通信时速率会降。请要求 1:1。",
             "Critical training on a network oversubscribed {ratio}: rates fall when all machines talk. Ask for 1:1."),
        _oversubscribed,
    ),
    Check(
        "C-NET-17", Severity.BLOCKER, Per.GROUP, ("roce_lossless", "inter_fabric_type"),
        Text("RoCE 没有约定 {missing}。丢包会重传整窗，带宽骤降。请勾选 PFC 和 ECN。",
             "RoCE without {missing}: a lost packet replays a whole window and bandwidth collapses. Tick PFC and ECN."),
        _lossy,
    ),
    Check(
        "C-NET-19", Severity.WARNING, Per.GROUP, ("gpudirect_rdma", "inter_fabric_type"),
        Text("没有启用 GPUDirect RDMA，数据要多经主机内存拷贝。请要求启用。",
             "GPUDirect RDMA is off: data are copied through host memory. Ask for it."),
        _no_gdr,
    ),
    Check(
        "C-NET-20", Severity.BLOCKER, Per.GROUP, ("inter_busbw_min", "nics_per_node", "inter_port_gbps"),
        Text("机间 busbw 门槛 {floor} GB/s 超过全部网卡的上限 {limit} GB/s（按“{what}”计），没有机器达得到。请改低。",
             "A busbw floor of {floor} GB/s between machines exceeds what {what} can show over all NICs, {limit} GB/s: "
             "no machine reaches it. Lower it."),
        _impossible,
    ),
    Check(
        "C-NET-21", Severity.WARNING, Per.GROUP,
        ("inter_busbw_min", "nics_per_node", "inter_port_gbps", "inter_test_nodes", "ib_sharp"),
        Text("机间 busbw 门槛 {floor} GB/s 高于网卡合计 {limit} GB/s，没有在网计算时达不到。请改低，或约定 SHARP。",
             "A busbw floor of {floor} GB/s between machines is above all NICs, {limit} GB/s, out of reach without "
             "in-network reduction. Lower it, or agree SHARP."),
        _above_line,
    ),
    Check(
        "C-NET-22", Severity.WARNING, Per.GROUP, ("inter_busbw_min", "nics_per_node", "inter_port_gbps"),
        Text("机间 busbw 门槛 {floor} GB/s 不到网卡合计 {limit} GB/s 的 {pct} %，坏口也能通过。请提高。",
             "A busbw floor of {floor} GB/s between machines is under {pct} % of all NICs, {limit} GB/s: bad ports "
             "pass. Raise it."),
        _toothless,
    ),
    Check(
        "C-NET-23", Severity.WARNING, Per.GROUP, ("inter_test_nodes", "node_count", "acceptance_coverage_pct"),
        Text("机间测试只用 {tested} 台，共 {nodes} 台，验收覆盖 {coverage} %：一部分达标不等于全部达标。请全部覆盖。",
             "The test between machines takes {tested} of {nodes}, and acceptance covers {coverage} %: some good ones "
             "do not stand for all. Cover every machine."),
        _uncovered,
    ),
    Check(
        "C-NET-27", Severity.BLOCKER, Per.GROUP, ("inter_test_nodes", "node_count"),
        Text("机间测试写明 {tested} 台，本组只有 {nodes} 台：测试做不了，条款不会有结论。请改为不超过 {nodes} 台。",
             "The test between machines takes {tested}, but the group has {nodes}: it cannot be run and its clause is "
             "never decided. Take {nodes} at most."),
        _too_many,
    ),
)  # fmt: skip
