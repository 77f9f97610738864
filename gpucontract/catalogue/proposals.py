"""Pass marks proposed from public figures, each with its reason and where it comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from gpucontract.canonical import decimal_text
from gpucontract.catalogue import bandwidth
from gpucontract.catalogue.gpus import Gpu
from gpucontract.wording import Text

REFERENCE_SHARE = Decimal("0.95")
ESTIMATED_SHARE = Decimal("0.70")
NIC_SHARE = Decimal("0.90")
SLOW_ROCE_GBPS = 100
FABRIC_SHARE = {"infiniband": Decimal("0.85"), "rocev2": Decimal("0.80")}
_OVER_PCIE = ("none", "bridge")
SLOW_ROCE_SHARE = Decimal("0.75")

_REFERENCE = Text(
    "公开的健康机器最好成绩 {best} GB/s（{size}）× {share}",
    "{share} of the best public result of healthy machines, {best} GB/s at {size}",
)
_ESTIMATED = Text(
    "没有公开数据，按 NVLink 单向速率 {one_way} GB/s × {share} 估算",
    "Nobody has published a figure; estimated as {share} of the one-way NVLink rate, {one_way} GB/s",
)
_INTER = Text(
    "网卡合计 {nics} GB/s 与单机环形 {ring} GB/s 中较小的一个 × {share}",
    "{share} of the lesser of all NICs, {nics} GB/s, and the ring inside one machine, {ring} GB/s",
)
_LINE_RATE = Text("线速 {rate} Gb/s × {share}", "{share} of the line rate, {rate} Gb/s")
_LARGE = Text("大消息", "a large message")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed mark. source: public_reference or estimated; reference: where the figure was published."""

    value: Decimal
    unit: str
    source: str
    reason: Text
    reference: str = ""


def intra_busbw(gpu: Gpu, gpus: int, size: str, collective: str = "all_reduce") -> Proposal | None:
    """The mark for one machine, in GB/s; None where neither a public figure nor an estimate holds.

    Machines whose GPUs meet over PCIe, some in bridged pairs, have no formula: the host decides, and one published
    figure says nothing of another. Nor have messages under 1 GiB.
    """
    if gpu.nvlink in _OVER_PCIE:
        return None
    best = bandwidth.best_at(gpu, gpus, collective, size)
    if best is not None:
        reason = _REFERENCE.fill(
            best=decimal_text(best.busbw_gbs), size=_spaced(best.size) or _LARGE, share=REFERENCE_SHARE
        )
        return Proposal(_rounded(best.busbw_gbs * REFERENCE_SHARE), "GB/s", "public_reference", reason, best.source)
    if gpu.nvlink not in ("switch", "mesh") or not gpu.one_way_gbs or gpus < 2:
        return None
    if bandwidth.MESSAGE_BYTES[size] < bandwidth.LARGE_BYTES:
        return None
    reason = _ESTIMATED.fill(one_way=decimal_text(gpu.one_way_gbs), share=ESTIMATED_SHARE)
    return Proposal(_rounded(gpu.one_way_gbs * ESTIMATED_SHARE), "GB/s", "estimated", reason, gpu.source)


def _spaced(size: str) -> str:
    """A message size as people write it: 8 GiB for 8GiB."""
    return re.sub(r"(?<=[0-9])(?=[A-Z])", " ", size)


def inter_busbw(gpu: Gpu, gpus: int, fabric: str, nics: int, gbps: int) -> Proposal | None:
    """The mark between machines for large messages, in GB/s; None for a fabric without RDMA or an unknown ring.

    Where the GPUs of a machine meet over PCIe the host bounds the ring, and no formula holds.
    """
    share = SLOW_ROCE_SHARE if fabric == "rocev2" and gbps <= SLOW_ROCE_GBPS else FABRIC_SHARE.get(fabric)
    known = bandwidth.ring(gpu, gpus) if gpu.nvlink not in _OVER_PCIE else None
    inside = known.busbw_gbs if known else _estimated_ring(gpu, gpus)
    if share is None or inside is None:
        return None
    total = bandwidth.nic_total_gbs(nics, gbps)
    reason = _INTER.fill(share=share, nics=decimal_text(total), ring=decimal_text(inside))
    return Proposal(
        _rounded(share * min(total, inside)), "GB/s", "public_reference" if known else "estimated", reason,
        known.source if known else gpu.source,
    )  # fmt: skip


def inter_collective(nodes: int) -> str:
    """The collective to contract: on fewer than four machines all_reduce overstates, so all_gather."""
    return "all_gather" if nodes < 4 else "all_reduce"


def rdma_write(gbps: int) -> Proposal:
    """The mark for one network port, in Gb/s: the fraction of line rate that healthy ports reach."""
    reason = _LINE_RATE.fill(rate=gbps, share=NIC_SHARE)
    return Proposal(gbps * NIC_SHARE, "Gb/s", "public_reference", reason)


def _estimated_ring(gpu: Gpu, gpus: int) -> Decimal | None:
    if gpu.nvlink not in ("switch", "mesh") or not gpu.one_way_gbs or gpus < 2:
        return None
    return gpu.one_way_gbs * ESTIMATED_SHARE


def _rounded(value: Decimal) -> Decimal:
    """Whole GB/s, one decimal below 100: a mark is not more exact than the figure it comes from."""
    return value.quantize(Decimal(1) if value >= 100 else Decimal("0.1"), ROUND_HALF_EVEN)
