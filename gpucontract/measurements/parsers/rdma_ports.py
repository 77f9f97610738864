"""What ibstat, ibstatus and ibv_devinfo have in common: one port, and the counts over a machine's ports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Finding, Reading
from gpucontract.measurements.parsers.outcomes import absent, value_or
from gpucontract.wording import Text

INFINIBAND, ETHERNET = "InfiniBand", "Ethernet"
# What a cloud's own transport (EFA) calls itself: a port that is neither of the two.
NEITHER = "Unspecified"
COUNT_NAMES = (
    "ib_ports_active", "ib_ports_total", "ib_ports_down", "ib_ports_initializing", "ethernet_rdma_ports",
)  # fmt: skip
RATE_NAMES = ("ib_rate_min_active", "ib_rate_max", "ethernet_rdma_rate_min_active")
GUID = re.compile(r"(?:0x)?([0-9a-f]{16})\Z", re.IGNORECASE)
# What the maker calls a virtual function, from ConnectX-3 to BlueField; all newer ones are 4126. Source: pci.ids, 15b3.
VIRTUAL = frozenset({4100, 4114, 4116, 4118, 4120, 4122, 4124, 4126, 41683})
# rxe and siw are made by the kernel out of an ordinary network card.
SOFTWARE = re.compile(r"(?:rxe|siw)_?[0-9]")
NO_MANAGER = Text(
    "端口 {port} 处于 Initializing：链路通了但没有子网管理器。请供应方启动后复测。",
    "Port {port} is Initializing: the link is up but there is no subnet manager. Ask the vendor to start one, "
    "then run again.",
)
SOFTWARE_DEVICE = Text(
    "{port} 是软件 RDMA 设备（rxe/siw），不计入端口。",
    "{port} is an RDMA device made in software (rxe/siw); it is not counted.",
)


@dataclass(frozen=True, slots=True)
class Port:
    """One port. state and physical as ibstat spells them ('' not printed); rate in Gb/s; line: what it said.

    guids: reading -> the GUID as printed, of those the tool prints. part: the maker's number of the device, if known.
    """

    device: str
    number: int
    state: str
    physical: str
    layer: str
    rate: Decimal | None
    line: str
    guids: Mapping[str, str] = field(default_factory=dict)
    part: int | None = None

    @property
    def scope(self) -> str:
        return port_scope(self.device, self.number)

    @property
    def is_active(self) -> bool:
        """Active, and LinkUp where the tool prints a physical state."""
        return self.state == "Active" and self.physical in ("LinkUp", "")

    @property
    def is_software(self) -> bool:
        return bool(SOFTWARE.match(self.device))


def port_scope(device: str, number: int) -> str:
    """port:mlx5_0 for a device's first port, port:mlx5_0/2 for a second one."""
    return f"port:{device}" if number == 1 else f"port:{device}/{number}"


def per_port(ports: Iterable[Port], has_rates: bool = True) -> tuple[Reading, ...]:
    """State, link layer, rate and GUIDs of every hardware port; the rate of one that is not up is stale."""
    readings: list[Reading] = []
    for port in (port for port in ports if not port.is_software):
        scope, line = port.scope, port.line
        readings.append(value_or("port_state", port.state or None, "not_printed", "", scope, line))
        readings.append(value_or("port_link_layer", port.layer or None, "not_printed", "", scope, line))
        if has_rates:
            readings.append(_rate(port))
        readings.extend(_guids(port))
        if port.part is not None:
            readings.append(Reading("port_is_virtual", port.part in VIRTUAL, scope=scope, line=line))
    return tuple(readings)


def _guids(port: Port) -> Iterable[Reading]:
    """Written alike whichever tool printed them: 0x and sixteen digits."""
    for name, printed in port.guids.items():
        found = GUID.match(printed.replace(":", ""))
        value = f"0x{found[1].lower()}" if found else None
        yield value_or(name, value, "unreadable", "", port.scope, f"{port.device} {name} {printed}"[:200])


def _rate(port: Port) -> Reading:
    if not port.is_active:
        return absent("port_down", "port_rate", scope=port.scope, line=port.line)[0]
    return value_or("port_rate", port.rate, "unreadable", "Gb/s", port.scope, port.line)


def summary(ports: list[Port], has_rates: bool = True) -> tuple[Reading, ...]:
    """Counts and rates by link layer. One port that cannot be read leaves all of them unmeasured: it might be any."""
    hardware = [port for port in ports if not port.is_software]
    unread = [port for port in hardware if not port.state or port.layer not in (INFINIBAND, ETHERNET, NEITHER)]
    names = (*COUNT_NAMES, *(RATE_NAMES if has_rates else ()))
    if unread:
        return absent("port_unreadable", *names, line=unread[0].line)
    return (*_counts(hardware), *(_rates(hardware) if has_rates else ()))


def _counts(ports: list[Port]) -> tuple[Reading, ...]:
    infiniband = [port for port in ports if port.layer == INFINIBAND]
    ethernet = [port for port in ports if port.layer == ETHERNET]
    counted = {
        "ib_ports_active": [port for port in infiniband if port.is_active],
        "ib_ports_total": infiniband,
        "ib_ports_down": [port for port in infiniband if port.state == "Down"],
        "ib_ports_initializing": [port for port in infiniband if port.state == "Initializing"],
        "ethernet_rdma_ports": [port for port in ethernet if port.is_active],
    }
    return tuple(Reading(name, len(found), line=_names(found)) for name, found in counted.items())


def _names(ports: list[Port]) -> str:
    return " ".join(port.scope.removeprefix("port:") for port in ports)[:200]


def _rates(ports: list[Port]) -> tuple[Reading, ...]:
    return (
        _lowest("ib_rate_min_active", ports, INFINIBAND),
        _highest("ib_rate_max", ports, INFINIBAND),
        _lowest("ethernet_rdma_rate_min_active", ports, ETHERNET),
    )


def _known(name: str, ports: list[Port], layer: str) -> tuple[list[tuple[Decimal, Port]], tuple[Reading, ...]]:
    of_layer = [port for port in ports if port.layer == layer]
    active = [port for port in of_layer if port.is_active]
    if not active:
        return [], absent(_why_none(of_layer, layer), name)
    rates = [(port.rate, port) for port in active if port.rate is not None]
    return rates, absent("unreadable", name) if len(rates) < len(active) else ()


def _why_none(of_layer: list[Port], layer: str) -> str:
    """Ports that are all down are another thing than a machine without any port of the kind."""
    if of_layer:
        return "no_active_port"
    return "no_infiniband_port" if layer == INFINIBAND else "no_ethernet_port"


def _lowest(name: str, ports: list[Port], layer: str) -> Reading:
    rates, missing = _known(name, ports, layer)
    if missing:
        return missing[0]
    rate, port = min(rates, key=lambda pair: pair[0])
    return Reading(name, rate, "Gb/s", line=port.line)


def _highest(name: str, ports: list[Port], layer: str) -> Reading:
    rates, missing = _known(name, ports, layer)
    if missing:
        return missing[0]
    rate, port = max(rates, key=lambda pair: pair[0])
    return Reading(name, rate, "Gb/s", line=port.line)


def findings(ports: Iterable[Port]) -> tuple[Finding, ...]:
    """Ports without a subnet manager, and devices that are software."""
    found = []
    for port in ports:
        if port.is_software:
            found.append(Finding("software_rdma", SOFTWARE_DEVICE.fill(port=port.device), port.scope))
        elif port.layer == INFINIBAND and port.state == "Initializing":
            found.append(Finding("no_subnet_manager", NO_MANAGER.fill(port=port.device), port.scope))
    return tuple(found)


def is_repeated(ports: list[Port]) -> bool:
    """Whether a port stands there twice: two outputs in one capture."""
    return len({port.scope for port in ports}) < len(ports)
