"""Can the printed number be true: bus bandwidth worked out again from size, time and ranks; ceilings of physics."""

from __future__ import annotations

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


def busbw_ceiling(clause: Clause, body: Body, hosts: int, collective: str, algorithm: str = "") -> Decimal | None:
    """The most that links or ports allow, in GB/s; None where the contract or the catalogue does not say."""
    group = body.group(clause.code)
    if hosts == 1:
        gpu, kind = find(group.gpu_model), _value(body, clause.code, "kind")
        return bandwidth.ceiling(gpu, str(kind), group.gpus_per_node, collective) if gpu and kind else None
    rate = _value(body, clause.code, "port_rate")
    if not isinstance(rate, Decimal) or not group.nics_per_node:
        return None
    return bandwidth.inter_ceiling(group.nics_per_node, rate, collective, algorithm)


def client_ceiling(body: Body, group: Group) -> Decimal | None:
    """The most one machine can read over its contracted ports, in GB/s; None where they are not contracted."""
    rate = _value(body, group.code, "port_rate")
    if not isinstance(rate, Decimal) or not group.nics_per_node:
        return None
    return bandwidth.nic_total_gbs(group.nics_per_node, rate)


def disks_ceiling(group: Group, disks: int) -> Decimal:
    """The most that so many local NVMe drives can read, in GB/s: their lanes at the PCIe generation of the machine.

    Machines whose GPUs are of an older generation may still have drives of the fifth.
    """
    gpu = find(group.gpu_model)
    generation = max(gpu.pcie_gen if gpu and gpu.pcie_gen else 0, LEAST_DISK_GENERATION)
    lane = bandwidth.PCIE_ONE_WAY_GBS[generation] / LIMITS["pcie_lanes"].most
    return lane * LIMITS["disk_lanes"].most * disks


def _value(body: Body, code: str, name: str) -> object:
    return next((clause.value for clause in body.clauses if clause.code == code and clause.name == name), None)


def _half_digit(printed: Decimal) -> Decimal:
    exponent = printed.as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0) / 2
