"""Can the printed number be true: bus bandwidth worked out again from size, time and ranks; ceilings of physics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.catalogue import bandwidth
from gpucontract.catalogue.gpus import find
from gpucontract.catalogue.limits import LIMITS
from gpucontract.contracts.body import Body, Group
from gpucontract.contracts.clauses import Clause

# Half a per cent, or half a last digit of each printed number, whichever is more.
_SHARE = Decimal("0.005")
_REDUCING = ("all_reduce",)
LEAST_DISK_GENERATION = 5
_GATHERING = ("all_gather", "reduce_scatter", "alltoall", "all_to_all")


def bus_factor(collective: str, ranks: int) -> Decimal | None:
    """What turns size over time into bus bandwidth: 2(n-1)/n, (n-1)/n or 1; None for a collective not known.

    Source: nccl-tests, doc/PERFORMANCE.md.
    """
    if collective in _REDUCING:
        return Decimal(2 * (ranks - 1)) / ranks
    if collective in _GATHERING:
        return Decimal(ranks - 1) / ranks
    return Decimal(1) if collective in ("broadcast", "reduce", "sendrecv") else None


def recomputed(collective: str, ranks: int, size_bytes: int, time_us: Decimal) -> Decimal | None:
    """Bus bandwidth in GB/s (10^9 bytes) from a size in bytes and a time in microseconds."""
    factor = bus_factor(collective, ranks)
    return None if factor is None or not time_us else Decimal(size_bytes) / time_us / 1000 * factor


def agrees(printed: Decimal, worked_out: Decimal, time_us: Decimal) -> bool:
    """Whether a printed bus bandwidth is the one its own size and time give, within rounding."""
    rounding = _half_digit(printed) + worked_out * _half_digit(time_us) / time_us
    return abs(printed - worked_out) <= max(worked_out * _SHARE, rounding)


@dataclass(frozen=True, slots=True)
class Most:
    """The most that physics allows, in GB/s; why: the sentence's key for a figure above it."""

    gbs: Decimal
    why: str


@dataclass(frozen=True, slots=True)
class Wires:
    """The network ports of the machines of one run. measured: slot -> Gb/s of each port that a machine showed."""

    body: Body
    slots: tuple[str, ...]
    measured: Mapping[str, tuple[Decimal, ...]]

    def slowest(self, group: Group) -> Most | None:
        """What each machine moves at most in an RDMA run: its ports as measured, else as contracted; the least of all.

        None where one machine's ports are neither.
        """
        contracted = _contracted_gbps(self.body, group)
        shown = {slot: self._together(slot, group) for slot in self.slots if slot in self.measured}
        found = [shown.get(slot, contracted) for slot in self.slots]
        known = [gbps for gbps in found if gbps is not None]
        if not known or len(known) < len(found):
            return None
        least = min(known)
        return _wire(least, least in shown.values())

    def fastest(self, group: Group) -> Most | None:
        """What one machine moves at most by any protocol, maybe over ports that no RDMA tool lists."""
        contracted = _contracted_gbps(self.body, group)
        measured = max((self._together(slot, group) for slot in self.slots if slot in self.measured), default=None)
        if contracted is None:
            return None
        is_more = measured is not None and measured >= contracted
        return _wire(measured if is_more and measured is not None else contracted, measured is not None)

    def _together(self, slot: str, group: Group) -> Decimal:
        """Gb/s of a machine's ports, of which no more count than one for each GPU or as many as are contracted.

        Many slow ones may add up to what is contracted, however many they are.
        """
        rates = sorted(self.measured[slot], reverse=True)
        most = sum(rates[: max(group.nics_per_node, group.gpus_per_node)], Decimal(0))
        return min(sum(rates, Decimal(0)), max(most, _contracted_gbps(self.body, group) or most))


def _wire(gbps: Decimal, is_measured: bool) -> Most:
    return Most(gbps / 8, "over_ports" if is_measured else "over_contracted_ports")


def busbw_ceiling(clause: Clause, wires: Wires, hosts: int, collective: str, algorithm: str = "") -> Most | None:
    """The most that links or ports allow; None where neither contract, catalogue nor machines say."""
    body, group = wires.body, wires.body.group(clause.code)
    gpu, kind, gpus = find(group.gpu_model), str(_value(body, clause.code, "kind") or ""), group.gpus_per_node
    if hosts == 1:
        most = bandwidth.ceiling(gpu, kind, gpus, collective) if gpu and kind else None
        return None if most is None else Most(most, "over_ceiling")
    is_rdma = clause.conditions.get("transport") == "IB"
    wire = wires.slowest(group) if is_rdma else wires.fastest(group)
    most = bandwidth.joint_ceiling(gpu, kind, gpus, collective, algorithm) if gpu else None
    between = wire and Most(bandwidth.inter_ceiling(1, wire.gbs * 8, collective, algorithm), wire.why)
    inside = None if most is None else Most(most, "over_ceiling")
    return min((each for each in (between, inside) if each), key=lambda each: each.gbs, default=None)


def disks_ceiling(group: Group, disks: int) -> Decimal:
    """The most that so many local NVMe drives can read, in GB/s: their lanes at the PCIe generation of the machine.

    Machines whose GPUs are of an older generation may still have drives of the fifth.
    """
    gpu = find(group.gpu_model)
    generation = max(gpu.pcie_gen if gpu and gpu.pcie_gen else 0, LEAST_DISK_GENERATION)
    lane = bandwidth.PCIE_ONE_WAY_GBS[generation] / LIMITS["pcie_lanes"].most
    return lane * LIMITS["disk_lanes"].most * disks


def contracted_disks(body: Body, group: Group) -> int:
    """How many local data disks each machine has by contract; 0 where it does not say."""
    count = _value(body, group.code, "local_disks")
    return int(count) if isinstance(count, Decimal) else 0


def _contracted_gbps(body: Body, group: Group) -> Decimal | None:
    """Gb/s of all ports of a machine as contracted; None where they are not."""
    rate = _value(body, group.code, "port_rate")
    return group.nics_per_node * rate if isinstance(rate, Decimal) and group.nics_per_node else None


def _value(body: Body, code: str, name: str) -> object:
    return next((clause.value for clause in body.clauses if clause.code == code and clause.name == name), None)


def _half_digit(printed: Decimal) -> Decimal:
    exponent = printed.as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0) / 2
