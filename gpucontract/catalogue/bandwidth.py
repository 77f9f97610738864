"""What healthy machines reach in public measurements, and what physics allows: bus bandwidth in GB/s, one direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.catalogue import tables
from gpucontract.catalogue.gpus import Gpu, find

MESSAGE_BYTES: Mapping[str, int] = {
    "32MiB": 2**25, "64MiB": 2**26, "128MiB": 2**27, "256MiB": 2**28, "512MiB": 2**29,
    "1GiB": 2**30, "2GiB": 2**31, "4GiB": 2**32, "8GiB": 2**33, "16GiB": 2**34,
}  # fmt: skip
# Below this size the same healthy machine reads far less, so no general figure holds.
LARGE_BYTES = MESSAGE_BYTES["1GiB"]

PCIE_ONE_WAY_GBS: Mapping[int, Decimal] = {3: Decimal(16), 4: Decimal(32), 5: Decimal(64), 6: Decimal(128)}


@dataclass(frozen=True, slots=True)
class Measurement:
    """A public figure. size is "" where it was only said to be large; algorithm is "" where the library chose.

    nic_total_gbs: all ports of a machine together, one direction; None inside one machine or where it was not said.
    kind: measured, expectation (of the tool's maintainers), midpoint (of a published range) or pass_mark.
    """

    gpus: tuple[str, ...]
    gpus_per_node: int | None
    nodes: int
    fabric: str
    nic_total_gbs: Decimal | None
    collective: str
    algorithm: str
    size: str
    busbw_gbs: Decimal
    kind: str
    is_healthy: bool
    source: str

    @property
    def size_bytes(self) -> int | None:
        """The message size in bytes; None where the source only says it was large."""
        return MESSAGE_BYTES.get(self.size)

    @property
    def is_large(self) -> bool:
        """Whether the message was large enough for the figure to be a plateau."""
        return self.size_bytes is None or self.size_bytes >= LARGE_BYTES


def _measurement(row: Mapping[str, str]) -> Measurement:
    return Measurement(
        gpus=tables.several(row["gpus"]), gpus_per_node=tables.whole(row["gpus_per_node"]), nodes=int(row["nodes"]),
        fabric=row["fabric"], nic_total_gbs=tables.number(row["nic_total_gbs"]), collective=row["collective"],
        algorithm=row["algorithm"], size=row["size"], busbw_gbs=Decimal(row["busbw_gbs"]),
        kind=row["kind"], is_healthy=row["is_healthy"] == "yes", source=row["source"],
    )  # fmt: skip


MEASUREMENTS = tuple(_measurement(row) for row in tables.rows("bandwidth"))


def best_at(gpu: Gpu, gpus: int, collective: str, size: str) -> Measurement | None:
    """The best healthy figure for that model, count, collective and message size, inside one machine.

    Without one at that size, the best at the next smaller large size, which never overstates; then one whose size is
    only said to be large. None for messages under 1 GiB that nobody measured.
    """
    asked = MESSAGE_BYTES[size]
    known = _healthy(gpu, gpus, collective)
    exact = [row for row in known if row.size_bytes == asked]
    if exact or asked < LARGE_BYTES:
        return _best(exact)
    sizes = {row.size_bytes for row in known if row.size_bytes and LARGE_BYTES <= row.size_bytes < asked}
    if sizes:
        return _best([row for row in known if row.size_bytes == max(sizes)])
    return _best([row for row in known if row.size_bytes is None])


def best_ever(gpu: Gpu, gpus: int) -> Measurement | None:
    """The best healthy all_reduce at any size among the models with the same NVLink, inside one machine."""
    alike = [other for name in _names() if (other := find(name)) and _same_links(gpu, other)]
    return _best([row for other in alike or [gpu] for row in _healthy(other, gpus, "all_reduce")])


def healthy_range(gpu: Gpu, gpus: int) -> tuple[Decimal, Decimal] | None:
    """The least and the most that healthy machines of this model reach with large messages, all_reduce."""
    large = [row.busbw_gbs for row in _healthy(gpu, gpus, "all_reduce") if row.is_large and row.algorithm != "ring"]
    return (min(large), max(large)) if large else None


def ring(gpu: Gpu, gpus: int) -> Measurement | None:
    """What a ring reaches inside one machine, which caps any collective that leaves it; without NVLS all are rings."""
    known = [row for row in _healthy(gpu, gpus, "all_reduce", with_midpoints=True) if row.is_large]
    rings = [row for row in known if row.algorithm == "ring" or not gpu.has_nvls]
    midpoints = [row for row in rings if row.kind == "midpoint"]
    return _best(midpoints or rings)


def one_way_gbs(gpu: Gpu, link_type: str, gpus: int, pcie_gen: int | None) -> Decimal | None:
    """The one-way rate of one GPU over the contracted link; None where it is not known.

    A bridge joins pairs only, so more than two GPUs meet over PCIe; there the slower of machine and GPU counts.
    """
    over_pcie = gpu.nvlink == "none" or link_type.startswith("pcie") or (link_type == "nvlink_bridge" and gpus > 2)
    if over_pcie:
        return PCIE_ONE_WAY_GBS.get(min((each for each in (pcie_gen, gpu.pcie_gen) if each), default=0))
    return gpu.one_way_gbs


def ceiling(gpu: Gpu, link_type: str, gpus: int, collective: str, pcie_gen: int | None = None) -> Decimal | None:
    """The most that physics allows inside one machine; None where the link's rate is not known.

    A ring is bound by the one-way rate. With reduction in the switch an all_reduce may show 2(n-1)/(n+1) times that.
    """
    one_way = one_way_gbs(gpu, link_type, gpus, pcie_gen)
    if one_way is None or not (gpu.has_nvls and collective == "all_reduce" and link_type == "nvlink_nvswitch"):
        return one_way
    return max(one_way, one_way * 2 * (gpus - 1) / (gpus + 1))


def joint_ceiling(gpu: Gpu, link_type: str, gpus: int, collective: str, algorithm: str = "") -> Decimal | None:
    """The most that the NVLinks inside machines of so many GPUs let a run across them show, GB/s; None without NVLink.

    Of what a GPU takes in, at most one part in n comes from another machine over its own port. Where switches reduce,
    each GPU sends S and takes in S/n to reduce S: 2n/(n+1) times the link, whatever is outside.
    """
    if link_type not in ("nvlink_nvswitch", "nvlink_mesh") or gpus < 2 or gpu.one_way_gbs is None:
        return None
    reduces = gpu.has_nvls and collective == "all_reduce" and algorithm.lower() != "ring"
    in_turn = gpu.one_way_gbs * gpus / (gpus - 1)
    return max(in_turn, gpu.one_way_gbs * 2 * gpus / (gpus + 1)) if reduces else in_turn


def nic_total_gbs(nics: int, gbps: int | Decimal) -> Decimal:
    """The one-way rate of all network ports of a machine together, in GB/s from Gb/s."""
    return nics * Decimal(gbps) / 8


def inter_ceiling(nics: int, gbps: int | Decimal, collective: str, algorithm: str = "") -> Decimal:
    """The most a multi-node collective may show, GB/s. algorithm: as contracted or as NCCL said, "" when open.

    Two-node trees and in-network sums show up to twice the NICs' rate, and only in all_reduce: a ring, and whatever
    gathers or scatters, sends every byte over the ports. Source: nccl-tests#196, #212, doc/PERFORMANCE.md.
    """
    doubles = collective == "all_reduce" and algorithm.lower() != "ring"
    return nic_total_gbs(nics, gbps) * (2 if doubles else 1)


def _names() -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for row in MEASUREMENTS for name in row.gpus))


def _same_links(gpu: Gpu, other: Gpu) -> bool:
    def links(one: Gpu) -> tuple[object, ...]:
        return one.nvlink, one.nvlink_generation, one.links, one.one_way_gbs

    return gpu.name == other.name or (gpu.nvlink == "switch" and gpu.links is not None and links(gpu) == links(other))


def _healthy(gpu: Gpu, gpus: int, collective: str, with_midpoints: bool = False) -> list[Measurement]:
    kinds = ("measured", "expectation", "midpoint") if with_midpoints else ("measured", "expectation")
    return [
        row
        for row in MEASUREMENTS
        if row.is_healthy and row.nodes == 1 and gpu.name in row.gpus
        and row.gpus_per_node == gpus and row.collective == collective and row.kind in kinds
    ]  # fmt: skip


def _best(rows: list[Measurement]) -> Measurement | None:
    return max(rows, key=lambda row: row.busbw_gbs, default=None)
