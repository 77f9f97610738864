"""Checks of what the machines are worth over the term: their age, spares, swaps, and what is on file about them."""

from __future__ import annotations

from gpucontract.catalogue.gpus import find
from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity, first_empty
from gpucontract.contracts.terms import Local
from gpucontract.wording import Text


def _modified(local: Local, _: Policy) -> Miss | None:
    """A model that the catalogue knows as modified is that, whatever was ticked."""
    lacking = first_empty(local, "gpu_modified_warranty", "gpu_replace_hours")
    gpu = find(local.get("gpu_model", ""))
    is_modified = (gpu is not None and gpu.is_modified) or local["gpu_modified"]
    return Miss(term=lacking) if is_modified and lacking else None


def _no_map(local: Local, _: Policy) -> Miss | None:
    gpus = int(local["gpus_per_node"])
    return Miss({"gpus": gpus}) if gpus >= 4 and not local.is_given("pcie_topology_map") else None


def _used(local: Local, policy: Policy) -> Miss | None:
    hours, least = int(local["acceptance_burnin_hours"]), policy.used_burn_in_hours
    is_worn = local["gpu_condition"] in ("used", "refurbished")
    return Miss({"hours": hours, "limit": least}) if is_worn and hours < least else None


def _swaps(local: Local, _: Policy) -> Miss | None:
    is_free = local.get("substitution_policy", "equivalent_without_consent") == "equivalent_without_consent"
    return Miss() if is_free else None


def _no_spare(local: Local, _: Policy) -> Miss | None:
    is_critical = local["workload_profile"] == "training_critical"
    return Miss() if is_critical and int(local["spare_node_count"]) == 0 else None


def _spread(local: Local, _: Policy) -> Miss | None:
    nodes = int(local["node_count"])
    return Miss({"nodes": nodes}) if nodes > 1 and not local.is_given("node_variance_max_pct") else None


def _new_at_second_hand(local: Local, _: Policy) -> Miss | None:
    is_new, source = local["gpu_condition"] == "new", local["export_control_statement"]
    return Miss() if is_new and source == "resold_in_country" else None


CHECKS = (
    Check(
        "C-NOD-06", Severity.WARNING, Per.GROUP, ("gpu_modified_warranty", "gpu_modified", "gpu_replace_hours"),
        Text("改装卡没有原厂质保，而更换时限和保修责任没有都写。请两项都填。",
             "Modified cards have no maker's warranty, and replacement time and repair are not both agreed. State "
             "both."),
        _modified,
    ),
    Check(
        "C-NOD-13", Severity.HINT, Per.GROUP, ("pcie_topology_map", "gpus_per_node"),
        Text("单机 {gpus} 张 GPU，没有附 PCIe/NUMA 拓扑图，卡与网口的对应日后说不清。请附 nvidia-smi topo -m 的输出。",
             "{gpus} GPUs in a machine without a PCIe and NUMA map: which card serves which port stays open. Attach "
             "the output of nvidia-smi topo -m."),
        _no_map,
    ),
    Check(
        "C-NOD-14", Severity.WARNING, Per.GROUP, ("gpu_condition", "acceptance_burnin_hours"),
        Text("旧设备或翻新设备只压测 {hours} 小时，不足 {limit} 小时，隐患露不出来。请加长。",
             "A burn-in of {hours} h for used or refurbished machines is under {limit} h: hidden faults stay hidden. "
             "Lengthen it."),
        _used,
    ),
    Check(
        "C-NOD-15", Severity.WARNING, Per.CONTRACT, ("substitution_policy",),
        Text("没有限制替换机型，交付的可能不是约定的型号。请选“不得替换”“同一型号”或“经书面同意”。",
             "Nothing limits substitution, so another model may be delivered. Choose none, the same model, or written "
             "consent."),
        _swaps,
    ),
    Check(
        "C-NOD-17", Severity.WARNING, Per.GROUP, ("spare_node_count", "workload_profile"),
        Text("关键训练没有热备机器，坏一台就要等维修。请至少约定一台。",
             "Critical training without a hot spare: one failure waits for repair. Agree on at least one."),
        _no_spare,
    ),
    Check(
        "C-NOD-18", Severity.HINT, Per.GROUP, ("node_variance_max_pct", "node_count"),
        Text("{nodes} 台机器没有约定性能差的上限，最慢的一台会拖住全部。建议 5 %。",
             "No limit on the spread between {nodes} machines: the slowest holds up all others. 5 % is usual."),
        _spread,
    ),
    Check(
        "C-NOD-19", Severity.WARNING, Per.GROUP, ("gpu_condition", "export_control_statement"),
        Text("设备写“全新”，来源却写“境内二手购入”，两处矛盾，验收时无从对照。请核实后改其中一处。",
             "The machines are said to be new, their source to be a used purchase: one contradicts the other, and "
             "acceptance has nothing to go by. Find out which is true and mend the other."),
        _new_at_second_hand,
    ),
)  # fmt: skip
