"""What the catalogue knows of a draft's GPUs: values for terms that nobody should have to look up, and its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpucontract.catalogue import cuda
from gpucontract.catalogue.gpus import Gpu, find
from gpucontract.contracts.clause_table import CLAUSE_TABLE
from gpucontract.contracts.clauses import VerifiedBy
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.suggestions import Suggestion
from gpucontract.contracts.terms import Terms
from gpucontract.contracts.values import words
from gpucontract.wording import Text

_FACT = Text("{gpu}：{value}", "{gpu}: {value}")
_OLDEST_CUDA = Text("{gpu} 从 CUDA {value} 起支持", "{gpu} is supported from CUDA {value} on")
_OLDEST_DRIVER = Text("CUDA {cuda} 至少需要驱动 {value}", "CUDA {cuda} needs driver {value} at least")
_UNKNOWN = Text(
    "目录里没有“{model}”：型号、显存无法与驱动显示的内容核对，也没有建议门槛。请照驱动显示的名称填写，或由乙方提供首日基线。",
    "The catalogue has no “{model}”: its name and memory cannot be checked against the driver, and no mark is "
    "proposed. Write the name as the driver prints it, or ask the vendor for a baseline of the first day.",
)
_NOT_MEASURED = Text(
    "{vendor} 的卡：测试程序读取的是 NVIDIA 的工具，以下内容测不了，请改由文件证明：{terms}。",
    "Cards of {vendor}: the tests read NVIDIA's tools, so these cannot be measured and need papers: {terms}.",
)
_NO_NAME = Text(
    "目录还不知道驱动怎样显示 {gpu} 的名称：型号一项只会得出“无法判定”。请另外约定序列号清单等文件证明。",
    "The catalogue does not know yet what the driver prints for {gpu}: the clause on the model stays inconclusive. "
    "Agree on papers as well, such as a list of serial numbers.",
)
# Metrics that only NVIDIA's driver, CUDA or NCCL tell.
_NVIDIA_ONLY = ("gpu_", "ecc_", "nvlink_", "nccl_", "p2p_", "driver_", "cuda_", "cudnn_", "pcie_", "fabric_manager_")
# A bridge is sold apart: that a card takes one does not mean that it is there.
_LINKS = {"switch": "nvlink_nvswitch", "mesh": "nvlink_mesh"}


def known_value(terms: Terms, path: str) -> Suggestion | None:
    """The catalogue's value for a term of a row, or None where it knows none."""
    code, _, term = path.partition("/")
    if code == "c":
        return _of_all(terms, term)
    gpu = find(terms.get(f"{code}/gpu_model", ""))
    value = _OF_GPU[term](gpu) if gpu and term in _OF_GPU else None
    if gpu is None or value in (None, "") or (TERMS[term].choices and value not in TERMS[term].choices):
        return None
    return Suggestion(value, "catalogue", _FACT.fill(gpu=gpu.name, value=words(TERMS[term], value)), gpu.source)


def limits_of(terms: Terms) -> tuple[Text, ...]:
    """What cannot be proposed or measured for the GPUs that are named."""
    models = dict.fromkeys(
        str(terms[f"{code}/gpu_model"]) for code in terms.groups if terms.is_given(f"{code}/gpu_model")
    )
    found = ((model, find(model)) for model in models)
    return tuple(text for model, gpu in found if (text := _limit(model, gpu)))


def _limit(model: str, gpu: Gpu | None) -> Text | None:
    if gpu is None:
        return _UNKNOWN.fill(model=model)
    if gpu.vendor == "NVIDIA":
        return None if gpu.printed_names else _NO_NAME.fill(gpu=gpu.name)
    labels = dict.fromkeys(
        TERMS[row.terms[0]].label
        for row in CLAUSE_TABLE
        if row.terms and row.verified_by is VerifiedBy.MEASUREMENT and row.metric.startswith(_NVIDIA_ONLY)
    )
    named = Text("、".join(each.zh for each in labels), ", ".join(each.en for each in labels))
    return _NOT_MEASURED.fill(vendor=gpu.vendor, terms=named)


def _of_all(terms: Terms, term: str) -> Suggestion | None:
    """The oldest CUDA that knows every GPU of the draft, and the oldest driver for the CUDA that is agreed."""
    if term == "cuda_version":
        gpus = [gpu for code in terms.groups if (gpu := find(terms.get(f"{code}/gpu_model", "")))]
        known = {first: gpu for gpu in gpus if (first := cuda.first_toolkit(gpu))}
        if not known:
            return None
        newest = max(known, key=lambda each: cuda.version(each) or ())
        return Suggestion(newest, "catalogue", _OLDEST_CUDA.fill(gpu=known[newest].name, value=newest))
    agreed = cuda.version(str(terms.get("c/cuda_version", ""))) if term == "driver_version" else None
    lowest = cuda.lowest_driver(agreed) if agreed else None
    if lowest is None:
        return None
    said = _OLDEST_DRIVER.fill(cuda=terms["c/cuda_version"], value=lowest)
    return Suggestion(lowest, "catalogue", said)


_OF_GPU: Mapping[str, Callable[[Gpu], Any]] = {
    "gpu_memory_gb": lambda gpu: gpu.memory_gb[0] if len(gpu.memory_gb) == 1 else None,
    "gpu_form_factor": lambda gpu: gpu.package,
    "pcie_gen": lambda gpu: gpu.pcie_gen,
    "gpu_power_limit_w": lambda gpu: gpu.tdp_w,
    "gpu_modified": lambda gpu: gpu.is_modified or None,
    "intra_link_type": lambda gpu: _LINKS.get(gpu.nvlink),
    "nvlink_bw_convention": lambda gpu: "bidirectional_sum" if gpu.two_way_gbs else None,
    "nvlink_all_pairs": lambda gpu: True if gpu.nvlink == "switch" else None,
}
