"""What is known of each GPU model, with its source; what is not known is None and never guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.catalogue import tables

_NEAR = Decimal("0.1")
# US export controls (15 CFR part 774, 3A090.a) start at a total processing performance of 4800: dense TFLOPS × bits.
_CONTROLLED_PERFORMANCE = 4800
_BF16_BITS = 16
_US_VENDORS = ("NVIDIA", "AMD")
# Architectures whose GPUs cannot be split into slices; GeForce boards of any architecture cannot either.
_WITHOUT_MIG = ("7.0", "7.5", "8.6", "8.9")


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU as sold. printed_names: what the driver prints, exactly. memory_mib: totals seen, by driver branch.

    memory_gb: the figures it is sold under. nvlink: switch, bridge, mesh, none or unknown.
    two_way_gbs and one_way_gbs: NVLink of one GPU over all its links, both directions together and each.
    memory_gbs: the rate of its own memory.
    """

    name: str
    printed_names: tuple[str, ...]
    memory_gb: tuple[int, ...]
    memory_mib: tuple[int, ...]
    form_factor: str
    pcie_gen: int | None
    nvlink: str
    nvlink_generation: int | None
    links: int | None
    two_way_gbs: Decimal | None
    one_way_gbs: Decimal | None
    memory_gbs: Decimal | None
    bf16_tflops: Decimal | None
    tdp_w: int | None
    compute_capability: str
    vendor: str
    is_china_variant: bool
    source: str

    @property
    def smallest_mib(self) -> int | None:
        """The least total memory this model is known to report, in MiB."""
        return min(self.memory_mib, default=None)

    @property
    def package(self) -> str:
        """SXM, OAM, PCIe or superchip as a contract names it; "" where the catalogue does not say."""
        for known in ("SXM", "OAM", "PCIe", "superchip"):
            if self.form_factor.startswith(known):
                return known
        return ""

    @property
    def is_modified(self) -> bool:
        """Whether no maker sells it so: somebody else changed its memory."""
        return "aftermarket" in self.form_factor

    @property
    def is_export_sensitive(self) -> bool:
        """Whether the model is known to fall under US export controls, or was made to stay just below them."""
        performance = (self.bf16_tflops or 0) * _BF16_BITS
        return self.vendor in _US_VENDORS and (self.is_china_variant or performance >= _CONTROLLED_PERFORMANCE)

    @property
    def is_geforce(self) -> bool:
        """Whether it is a consumer board, which has neither ECC nor MIG."""
        return any("GeForce" in name for name in self.printed_names)

    @property
    def may_have_mig(self) -> bool:
        """Whether it can be split into slices (MIG), or the catalogue does not say that it cannot."""
        return not self.is_geforce and self.compute_capability not in _WITHOUT_MIG

    @property
    def has_nvls(self) -> bool:
        """Whether the NVLink switch can reduce in the network, which lifts all_reduce above the one-way rate."""
        return self.nvlink == "switch" and (self.nvlink_generation or 0) >= 4


def _gpu(row: Mapping[str, str]) -> Gpu:
    return Gpu(
        name=row["name"], printed_names=tables.several(row["printed_names"]),
        memory_gb=tuple(int(size) for size in tables.several(row["memory_gb"])),
        memory_mib=tuple(int(size) for size in tables.several(row["memory_mib"])),
        form_factor=row["form_factor"], pcie_gen=tables.whole(row["pcie_gen"]), nvlink=row["nvlink"],
        nvlink_generation=tables.whole(row["nvlink_generation"]), links=tables.whole(row["links"]),
        two_way_gbs=tables.number(row["two_way_gbs"]), one_way_gbs=tables.number(row["one_way_gbs"]),
        memory_gbs=tables.number(row["memory_gbs"]), bf16_tflops=tables.number(row["bf16_tflops"]),
        tdp_w=tables.whole(row["tdp_w"]), compute_capability=row["compute_capability"], vendor=row["vendor"],
        is_china_variant=row["is_china_variant"] == "yes", source=row["source"],
    )  # fmt: skip


# What the names of superchips ended in before; contracts keep it.
_PER_GPU = " (per GPU)"
GPUS: Mapping[str, Gpu] = {row["name"]: _gpu(row) for row in tables.rows("gpus")}


def all_printing(name: str) -> tuple[Gpu, ...]:
    """Every model whose driver prints exactly this name."""
    return tuple(gpu for gpu in GPUS.values() if name in gpu.printed_names)


def find(model: str) -> Gpu | None:
    """The model of that catalogue name, or of that printed name where only one model prints it; never by prefix."""
    model = model.replace(_PER_GPU, "")
    if model in GPUS:
        return GPUS[model]
    printing = all_printing(model)
    return printing[0] if len(printing) == 1 else None


def printed(name: str, memory_mib: int) -> Gpu | None:
    """The model behind a printed name and its reported memory; None when no model, or more than one, fits both.

    A memory total that is listed decides. Where none is listed, a total within a tenth of the size sold fits.
    """
    printing = all_printing(name)
    listed = [gpu for gpu in printing if memory_mib in gpu.memory_mib]
    fitting = listed or [gpu for gpu in printing if any(_is_near(size, memory_mib) for size in gpu.memory_gb)]
    return fitting[0] if len(fitting) == 1 else None


def _is_near(memory_gb: int, memory_mib: int) -> bool:
    return abs(Decimal(memory_mib) / 1024 / memory_gb - 1) <= _NEAR
