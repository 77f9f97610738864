"""Checks of the machines: counts that must agree, models that exist, marks that mean something."""

from __future__ import annotations

import re
from decimal import Decimal

from gpucontract.catalogue.gpus import Gpu, find
from gpucontract.contracts.checks.check import (
    Check,
    Miss,
    Per,
    Policy,
    Severity,
    is_training,
    known,
    shown,
    some_groups,
)
from gpucontract.contracts.terms import Local
from gpucontract.wording import Text

_VAGUE_MODEL = re.compile(r"级|系列|同等|等效")
_PEAK_DTYPES = ("bf16", "fp16")

_NOT_LISTED = Text(
    "型号目录中没有“{model}”。请从目录中选一个确切的型号，或请审批人写明理由豁免。",
    "“{model}” is not in the catalogue. Choose an exact model there, or have an approver waive this with a reason.",
)


def gpu_of(local: Local) -> Gpu:
    """The catalogue's entry for the group's model; NotGiven where there is none."""
    return known(find(local["gpu_model"]), "catalogue/gpu_model")


def _total(local: Local, _: Policy) -> Miss | None:
    groups = [local.terms.at(code) for code in some_groups(local)]
    parts = [(int(group["node_count"]), int(group["gpus_per_node"])) for group in groups]
    total, stated = sum(nodes * gpus for nodes, gpus in parts), int(local["total_gpu_count_stated"])
    sum_text = " + ".join(f"{shown(nodes)} × {gpus}" for nodes, gpus in parts)
    return Miss({"stated": stated, "sum": sum_text, "total": total}) if total != stated else None


def _one_machine(local: Local, _: Policy) -> Miss | None:
    promised, gpus = int(local["gpus_promised_in_one_machine"]), int(local["gpus_per_node"])
    return Miss({"promised": promised, "gpus": gpus}) if promised > gpus else None


def _model(local: Local, _: Policy) -> Miss | None:
    model = local["gpu_model"]
    if find(model) is not None:
        return None
    return Miss({"model": model}, text=None if _VAGUE_MODEL.search(model) else _NOT_LISTED.fill(model=model))


def _form_factor(local: Local, _: Policy) -> Miss | None:
    gpu, chosen = gpu_of(local), local["gpu_form_factor"]
    offered = known(gpu.package or None, "catalogue/form_factor")
    return Miss({"gpu": gpu.name, "chosen": chosen, "offered": offered}) if chosen != offered else None


def _memory(local: Local, _: Policy) -> Miss | None:
    gpu, size = gpu_of(local), int(local["gpu_memory_gb"])
    sizes = known(gpu.memory_gb or None, "catalogue/memory_gb")
    if size in sizes or local.get("gpu_modified", False):
        return None
    return Miss({"gpu": gpu.name, "size": size, "sizes": " / ".join(str(each) for each in sizes)})


def _shared(local: Local, _: Policy) -> Miss | None:
    if not is_training(local):
        return None
    if local.get("delivery_form") == "vgpu_mig":
        return Miss(term="delivery_form")
    return Miss() if not local["gpu_exclusive"] or not local["delivery_form"] else None


def _power(local: Local, policy: Policy) -> Miss | None:
    gpu, limit = gpu_of(local), int(local["gpu_power_limit_w"])
    rated = known(gpu.tdp_w, "catalogue/tdp_w")
    return (
        Miss({"limit": limit, "rated": rated, "pct": policy.power_pct})
        if 100 * limit < policy.power_pct * rated
        else None
    )


def _no_gemm(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("gemm_tflops_min") else Miss()


def _gemm_high(local: Local, _: Policy) -> Miss | None:
    floor, peak = local["gemm_tflops_min"], _peak(local)
    return Miss({"floor": shown(floor), "peak": shown(peak)}) if floor > peak else None


def _gemm_low(local: Local, policy: Policy) -> Miss | None:
    floor, peak = local["gemm_tflops_min"], _peak(local)
    pct = policy.gemm_low_pct
    return Miss({"floor": shown(floor), "peak": shown(peak), "pct": pct}) if 100 * floor < pct * peak else None


def _ram(local: Local, _: Policy) -> Miss | None:
    ram, vram = int(local["ram_gb_per_node"]), int(local["gpus_per_node"]) * int(local["gpu_memory_gb"])
    return Miss({"ram": ram, "vram": vram}) if ram < vram else None


def _serials(local: Local, _: Policy) -> Miss | None:
    return None if local["gpu_serials_listed"] else Miss()


def _peak(local: Local) -> Decimal:
    dtype = local["gemm_dtype"]
    return known(gpu_of(local).bf16_tflops if dtype in _PEAK_DTYPES else None, f"catalogue/{dtype}")


CHECKS = (
    Check(
        "C-NOD-01", Severity.BLOCKER, Per.CONTRACT, ("total_gpu_count_stated", "node_count", "gpus_per_node"),
        Text("合同写明 {stated} 张 GPU，各组合计 {sum} = {total} 张，两者不符。请改正其中一处。",
             "The paper states {stated} GPUs, the groups add up to {sum} = {total}. Correct one of them."),
        _total, is_waivable=False,
    ),
    Check(
        "C-NOD-02", Severity.BLOCKER, Per.GROUP, ("gpus_promised_in_one_machine", "gpus_per_node"),
        Text("承诺单机 {promised} 张 GPU，而每台只有 {gpus} 张：实际会被拆到多台机器、经网络相连。请改成一致。",
             "{promised} GPUs are promised in one machine, but a machine has {gpus}: they would be spread over "
             "several, joined by a network. Make the two agree."),
        _one_machine,
    ),
    Check(
        "C-NOD-03", Severity.BLOCKER, Per.GROUP, ("gpu_model",),
        Text("GPU 型号“{model}”含糊。请写目录中的确切型号，不写“系列”“同等”“级”。",
             "The GPU model “{model}” is vague. Name one exact model of the catalogue, not a series or an equivalent."),
        _model,
    ),
    Check(
        "C-NOD-04", Severity.BLOCKER, Per.GROUP, ("gpu_form_factor", "gpu_model"),
        Text("{gpu} 没有 {chosen} 封装，只有 {offered}。请改型号或封装。",
             "{gpu} does not come as {chosen}, only as {offered}. Change the model or the form factor."),
        _form_factor,
    ),
    Check(
        "C-NOD-05", Severity.BLOCKER, Per.GROUP, ("gpu_memory_gb", "gpu_model", "gpu_modified"),
        Text("{gpu} 的显存是 {sizes} GB，不是 {size} GB，疑似改装卡。请核对；若确为改装卡，请如实勾选。",
             "{gpu} has {sizes} GB of memory, not {size} GB: a modified card? Correct it, or say that it is modified."),
        _memory,
    ),
    Check(
        "C-NOD-07", Severity.WARNING, Per.GROUP, ("gpu_exclusive", "delivery_form", "workload_profile"),
        Text("训练负载用的是共享或切分的 GPU，吞吐和卡间直连都会受限。请要求整卡独占。",
             "Training on shared or sliced GPUs: throughput and peer access suffer. Ask for whole, exclusive cards."),
        _shared,
    ),
    Check(
        "C-NOD-08", Severity.WARNING, Per.GROUP, ("gpu_power_limit_w", "gpu_model"),
        Text("功耗上限 {limit} W 低于标称 {rated} W 的 {pct} %，性能会随之下降。请提高，或按降低后的性能议价。",
             "A power limit of {limit} W is under {pct} % of the rated {rated} W and costs speed. Raise it, or "
             "price the lower speed."),
        _power,
    ),
    Check(
        "C-NOD-09", Severity.WARNING, Per.GROUP, ("gemm_tflops_min",),
        Text("没有约定单卡矩阵乘下限，降频卡查不出来。请填一个下限。",
             "No GEMM floor is agreed, so a throttled card goes unnoticed. Set one."),
        _no_gemm,
    ),
    Check(
        "C-NOD-10", Severity.BLOCKER, Per.GROUP, ("gemm_tflops_min", "gemm_dtype", "gpu_model"),
        Text("矩阵乘下限 {floor} TFLOPS 高于理论稠密峰值 {peak} TFLOPS，可能抄了稀疏口径。请改低。",
             "The GEMM floor of {floor} TFLOPS exceeds the dense peak of {peak} TFLOPS, perhaps copied from a sparse "
             "figure. Lower it."),
        _gemm_high,
    ),
    Check(
        "C-NOD-11", Severity.WARNING, Per.GROUP, ("gemm_tflops_min", "gemm_dtype", "gpu_model"),
        Text("矩阵乘下限 {floor} TFLOPS 不到峰值 {peak} TFLOPS 的 {pct} %，慢卡也能通过。请提高。",
             "The GEMM floor of {floor} TFLOPS is under {pct} % of the peak of {peak} TFLOPS: a slow card passes. "
             "Raise it."),
        _gemm_low,
    ),
    Check(
        "C-NOD-12", Severity.WARNING, Per.GROUP, ("ram_gb_per_node", "gpus_per_node", "gpu_memory_gb"),
        Text("单机内存 {ram} GiB 小于显存合计 {vram} GB，加载数据和检查点会吃紧。建议不少于显存合计。",
             "{ram} GiB of RAM per machine is less than its {vram} GB of GPU memory: loading and checkpoints will "
             "suffer. Ask for at least as much."),
        _ram,
    ),
    Check(
        "C-NOD-16", Severity.WARNING, Per.GROUP, ("gpu_serials_listed",),
        Text("没有序列号清单，验收后换卡无从发现。请要求交付时提供。",
             "Without a list of serial numbers a swap after acceptance goes unseen. Ask for one at delivery."),
        _serials,
    ),
)  # fmt: skip
