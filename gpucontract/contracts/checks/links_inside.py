"""Checks of the links inside a machine: NVLink as the model has it, a bus bandwidth neither impossible nor useless."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_FLOOR, Decimal

from gpucontract.catalogue import bandwidth, proposals
from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity, is_training, known, shown
from gpucontract.contracts.checks.nodes import gpu_of
from gpucontract.contracts.sections.interconnect import MESSAGE_SIZES
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.terms import Local
from gpucontract.wording import Text

_ONLY_BRIDGED = Text(
    "{gpu} 是 PCIe 卡，只能用桥接器成对连接，接不了 NVSwitch。请改互联类型或型号。",
    "{gpu} is a PCIe card: a bridge may join it in pairs, no NVSwitch can. Change the link type or the model.",
)
_CEILING = Text(
    "机内 busbw 门槛 {floor} GB/s 高于物理上限 {ceiling} GB/s，任何机器都达不到。",
    "The busbw floor of {floor} GB/s inside a machine exceeds the physical ceiling of {ceiling} GB/s: no machine can "
    "reach it.",
)
_TWO_WAY = Text(
    "{gpu} 的 NVLink 单向为 {one_way} GB/s，{two_way} GB/s 是双向之和。",
    "NVLink of {gpu} carries {one_way} GB/s one way; {two_way} GB/s is the two-way sum.",
)
_ONE_WAY = Text("{gpu} 每卡单向为 {one_way} GB/s。", "{gpu} carries {one_way} GB/s one way.")
_HEALTHY = Text(
    "健康机器公开实测 {low}–{high} GB/s。", "Healthy machines reach {low} to {high} GB/s in public measurements."
)
_MARK = Text("建议门槛 {mark} GB/s。", "{mark} GB/s is a sound floor.")
_UNSAID = Text("未注明", "not stated")
_HUNDREDTH = Decimal("0.01")
_LOWER = Text("请改低。", "Lower it.")


def _no_nvlink(local: Local, _: Policy) -> Miss | None:
    gpu = gpu_of(local)
    kind = known(None if gpu.nvlink == "unknown" else gpu.nvlink, "catalogue/nvlink")
    if kind == "bridge" and local["intra_link_type"] == "nvlink_nvswitch":
        return Miss(text=_ONLY_BRIDGED.fill(gpu=gpu.name))
    return Miss({"gpu": gpu.name}) if _is_nvlink(local) and kind == "none" else None


def _no_generation(local: Local, _: Policy) -> Miss | None:
    return Miss() if _is_nvlink(local) and not local.is_given("nvlink_generation") else None


def _wrong_rate(local: Local, _: Policy) -> Miss | None:
    gpu, rate = gpu_of(local), Decimal(local["nvlink_bw_gbs"])
    two_way = known(gpu.two_way_gbs, "catalogue/two_way_gbs")
    one_way = known(gpu.one_way_gbs, "catalogue/one_way_gbs")
    if rate in (two_way, one_way):
        right = {"bidirectional_sum": two_way, "per_direction": one_way}[local["nvlink_bw_convention"]]
        if rate == right:
            return None
    return Miss({"rate": shown(rate), "gpu": gpu.name, "two_way": shown(two_way), "one_way": shown(one_way)})


def _no_convention(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["nvlink_bw_gbs"] and not local.is_given("nvlink_bw_convention") else None


def _bridge(local: Local, _: Policy) -> Miss | None:
    if local["intra_link_type"] != "nvlink_bridge":
        return None
    gpus = int(local["gpus_per_node"])
    return Miss({"gpus": gpus}) if local["nvlink_all_pairs"] and gpus > 2 else None


def _above_ceiling(local: Local, _: Policy) -> Miss | None:
    floor, ceiling = Decimal(local["intra_busbw_min"]), _ceiling(local)
    return Miss(text=_ceiling_text(local, floor, ceiling)) if floor > ceiling else None


def _like_pcie(local: Local, _: Policy) -> Miss | None:
    """Whether a machine without NVLink would pass too; more cards than a bridge joins meet over PCIe anyway."""
    is_bridged = local["intra_link_type"] == "nvlink_bridge" and int(local["gpus_per_node"]) > 2
    if not _is_nvlink(local) or is_bridged:
        return None
    floor, generation = Decimal(local["intra_busbw_min"]), _pcie_generation(local)
    rate = known(bandwidth.PCIE_ONE_WAY_GBS.get(generation), "catalogue/pcie")
    return Miss({"floor": shown(floor), "rate": shown(rate), "generation": generation}) if floor <= rate else None


def _below_mark(local: Local, _: Policy) -> Miss | None:
    floor = Decimal(local["intra_busbw_min"])
    mark = known(_mark(local), "catalogue/bandwidth")
    return (
        Miss({"floor": shown(floor), "mark": shown(mark.value), "reason": mark.reason}) if floor < mark.value else None
    )


def _no_floor(local: Local, _: Policy) -> Miss | None:
    return Miss() if int(local["gpus_per_node"]) >= 2 and not local.is_given("intra_busbw_min") else None


def _small_message(local: Local, policy: Policy) -> Miss | None:
    if not local["intra_busbw_min"]:
        return None
    size = local.get("intra_busbw_msg_size")
    is_small = size is None or bandwidth.MESSAGE_BYTES[size] < policy.least_message_mib * 2**20
    return Miss({"size": MESSAGE_SIZES[size] if size else _UNSAID}) if is_small else None


def _no_p2p(local: Local, _: Policy) -> Miss | None:
    return Miss() if not local["p2p_enabled"] and int(local["gpus_per_node"]) >= 2 and is_training(local) else None


def _above_best(local: Local, _: Policy) -> Miss | None:
    floor, gpus = Decimal(local["intra_busbw_min"]), int(local["gpus_per_node"])
    best = known(bandwidth.best_ever(gpu_of(local), gpus), "catalogue/bandwidth").busbw_gbs
    most = bandwidth.ceiling(gpu_of(local), *_link(local), "all_reduce", _typed_generation(local))
    if floor <= best or (most is not None and floor > most):
        return None
    return Miss({"floor": shown(floor), "best": shown(best), "gpus": gpus})


def _is_nvlink(local: Local) -> bool:
    return str(local["intra_link_type"]).startswith("nvlink")


def _pcie_generation(local: Local) -> int:
    generation = local.get("pcie_gen") or known(gpu_of(local).pcie_gen, "catalogue/pcie_gen")
    return int(generation)


def _ceiling(local: Local) -> Decimal:
    found = bandwidth.ceiling(gpu_of(local), *_link(local), "all_reduce", _typed_generation(local))
    return known(found, "catalogue/one_way_gbs")


def _one_way(local: Local) -> Decimal:
    return known(bandwidth.one_way_gbs(gpu_of(local), *_link(local), _typed_generation(local)), "catalogue/one_way_gbs")


def _link(local: Local) -> tuple[str, int]:
    return local["intra_link_type"], int(local["gpus_per_node"])


def _typed_generation(local: Local) -> int | None:
    generation = local.get("pcie_gen")
    return int(generation) if generation else None


def _mark(local: Local) -> proposals.Proposal | None:
    if not _is_nvlink(local):
        return None
    size = local.get("intra_busbw_msg_size", TERMS["intra_busbw_msg_size"].default)
    return proposals.intra_busbw(gpu_of(local), int(local["gpus_per_node"]), size)


def _ceiling_text(local: Local, floor: Decimal, ceiling: Decimal) -> Text:
    """Why the floor is out of reach, what healthy machines reach and which floor that supports, as far as known."""
    most = ceiling.quantize(_HUNDREDTH, ROUND_FLOOR)
    parts = [_CEILING.fill(floor=shown(floor), ceiling=shown(most)), _why(local), *_advice(local), _LOWER]
    return Text("".join(part.zh for part in parts), " ".join(part.en for part in parts))


def _why(local: Local) -> Text:
    gpu, one_way = gpu_of(local), _one_way(local)
    if one_way == gpu.one_way_gbs and gpu.two_way_gbs is not None:
        return _TWO_WAY.fill(gpu=gpu.name, one_way=shown(one_way), two_way=shown(gpu.two_way_gbs))
    return _ONE_WAY.fill(gpu=gpu.name, one_way=shown(one_way))


def _advice(local: Local) -> Iterator[Text]:
    mark, found = _mark(local), bandwidth.healthy_range(gpu_of(local), int(local["gpus_per_node"]))
    if mark is not None and found is not None:
        yield _HEALTHY.fill(low=round(found[0]), high=round(found[1]))
    if mark is not None:
        yield _MARK.fill(mark=shown(mark.value))


CHECKS = (
    Check(
        "C-NET-01", Severity.BLOCKER, Per.GROUP, ("intra_link_type", "gpu_model"),
        Text("{gpu} 没有 NVLink。请改互联类型或型号。", "{gpu} has no NVLink. Change the link type or the model."),
        _no_nvlink,
    ),
    Check(
        "C-NET-02", Severity.WARNING, Per.GROUP, ("nvlink_generation", "intra_link_type"),
        Text("没有写 NVLink 代际；各代带宽相差数倍。请填写。",
             "The NVLink generation is missing; generations differ several times in bandwidth. State it."),
        _no_generation,
    ),
    Check(
        "C-NET-03", Severity.BLOCKER, Per.GROUP, ("nvlink_bw_gbs", "nvlink_bw_convention", "gpu_model"),
        Text("{gpu} 的 NVLink 双向之和为 {two_way} GB/s、单向 {one_way} GB/s，与所填 {rate} GB/s 不符。"
             "请核对型号、带宽和口径。",
             "NVLink of {gpu} is {two_way} GB/s both ways together, {one_way} GB/s one way; {rate} GB/s fits neither. "
             "Check model, figure and convention."),
        _wrong_rate,
    ),
    Check(
        "C-NET-04", Severity.WARNING, Per.GROUP, ("nvlink_bw_convention", "nvlink_bw_gbs"),
        Text("没有写明 NVLink 带宽是双向之和还是单向，相差一倍。请选择。",
             "It is not stated whether the NVLink figure counts one direction or both: a factor of two. Choose."),
        _no_convention,
    ),
    Check(
        "C-NET-05", Severity.BLOCKER, Per.GROUP, ("nvlink_all_pairs", "intra_link_type", "gpus_per_node"),
        Text("NVLink 桥接只连成对的卡，{gpus} 张卡不可能两两直达。请改互联类型，或改为“否”。",
             "A bridge joins pairs of cards, so {gpus} GPUs cannot all be linked to each other. Change the link type, "
             "or answer no."),
        _bridge,
    ),
    Check(
        "C-NET-06", Severity.BLOCKER, Per.GROUP,
        ("intra_busbw_min", "gpu_model", "gpus_per_node", "intra_link_type"), _CEILING, _above_ceiling,
        is_waivable=False,
    ),
    Check(
        "C-NET-07", Severity.WARNING, Per.GROUP, ("intra_busbw_min", "pcie_gen", "intra_link_type"),
        Text("机内 busbw 门槛 {floor} GB/s 不高于 PCIe {generation}.0 的单向 {rate} GB/s，"
             "没有 NVLink 的机器也能通过。请提高。",
             "A busbw floor of {floor} GB/s is no more than PCIe {generation}.0 carries one way ({rate} GB/s): a "
             "machine without NVLink passes. Raise it."),
        _like_pcie,
    ),
    Check(
        "C-NET-08", Severity.WARNING, Per.GROUP, ("intra_busbw_min", "intra_busbw_msg_size", "gpu_model"),
        Text("机内 busbw 门槛 {floor} GB/s 低于建议的 {mark} GB/s（{reason}），带病的机器也能通过。请提高。",
             "A busbw floor of {floor} GB/s is below the {mark} GB/s proposed ({reason}): a faulty machine may pass. "
             "Raise it."),
        _below_mark,
    ),
    Check(
        "C-NET-09", Severity.WARNING, Per.GROUP, ("intra_busbw_min", "gpus_per_node"),
        Text("没有约定机内通信门槛，互联好坏无从验收。请填写。",
             "No floor for communication inside a machine, so its links cannot be accepted or refused. Set one."),
        _no_floor,
    ),
    Check(
        "C-NET-10", Severity.HINT, Per.GROUP, ("intra_busbw_msg_size", "intra_busbw_min"),
        Text("测试消息大小：{size}。1 GiB 以上带宽才稳定，建议 8 GiB。",
             "Message size: {size}. Bandwidth settles from 1 GiB on; 8 GiB is a good choice."),
        _small_message,
    ),
    Check(
        "C-NET-11", Severity.WARNING, Per.GROUP, ("p2p_enabled", "workload_profile", "gpus_per_node"),
        Text("GPU 之间的 P2P 关闭，训练数据要绕经主机内存。请要求开启。",
             "P2P between GPUs is off: training traffic detours through host memory. Ask for it to be on."),
        _no_p2p,
    ),
    Check(
        "C-NET-26", Severity.BLOCKER, Per.GROUP, ("intra_busbw_min", "gpu_model", "gpus_per_node"),
        Text("机内 busbw 门槛 {floor} GB/s 高于公开的最好成绩 {best} GB/s（{gpus} 张卡），健康机器也达不到。请改低。",
             "A busbw floor of {floor} GB/s is above the best ever published, {best} GB/s on {gpus} GPUs: healthy "
             "machines miss it too. Lower it."),
        _above_best,
    ),
)  # fmt: skip
