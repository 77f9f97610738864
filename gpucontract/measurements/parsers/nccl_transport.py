"""Which network, interface and algorithm NCCL said it used, from its own lines, per host."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gpucontract.measurements.parsers.capture import Finding, Reading
from gpucontract.measurements.parsers.gpu_remarks import remark

HEAD = re.compile(r"(?:^|\s|\])([^\s:\[\]]+):[0-9]+:[0-9]+ \[[0-9]+\]\s*$")
# NCCL 2.21 and 2.22 join ports of one card in braces: [0]={[0] mlx5_0:1/RoCE, [1] mlx5_1:1/RoCE}.
USING_IB = re.compile(r"\[[0-9]+\] ?([^\s:\]{}]+:[0-9]+)/(IB|RoCE)")
USING_SOCKET = re.compile(r"\[[0-9]+\]([^\s:\]]+):")
VIA = re.compile(r" via NET/([^/]+)/")
VERSION = re.compile(r"NCCL version ([0-9]+(?:\.[0-9]+){1,3})")
ALGORITHM = re.compile(r"([A-Z][A-Za-z]+): ([0-9]+) Bytes -> Algo (\S+) proto (\S+)")
SETTING = re.compile(r"(NCCL_[A-Z0-9_]+) set (?:by environment )?to ")
FORCED = re.compile(r"NCCL_ALGO set by environment to (\S+)")
GDR = re.compile(r"GPU Direct RDMA (Enabled|Disabled) for GPU")
# NCCL up to 2.23 printed the position in this list instead of the name.
ALGORITHMS = ("TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT")
SOCKET, INFINIBAND, MIXED = "Socket", "IB", "mixed"


@dataclass(slots=True)
class Host:
    """What the ranks on one host said."""

    networks: set[str] = field(default_factory=set)
    channels: set[str] = field(default_factory=set)
    interfaces: set[str] = field(default_factory=set)
    ib_ports: int = 0
    link_layers: set[str] = field(default_factory=set)
    gdr: set[bool] = field(default_factory=set)
    gdr_claims: set[bool] = field(default_factory=set)
    line: str = ""

    @property
    def network(self) -> str:
        """The network of the channels where they are known, else the one NCCL chose; '' when it said neither."""
        seen = self.channels or self.networks
        return "" if not seen else seen.copy().pop() if len(seen) == 1 else MIXED

    @property
    def uses_gdr(self) -> bool | None:
        """True only when every network channel (or, without those, every choice) goes straight to GPU memory."""
        seen = self.gdr or self.gdr_claims
        return None if not seen else seen == {True}


@dataclass(slots=True)
class Transport:
    """Everything NCCL's lines said, by host."""

    hosts: dict[str, Host] = field(default_factory=dict)
    version: str = ""
    algorithms: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    forced: str = ""
    settings: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)
    warning_count: int = 0


def transport(notes: Iterable[str]) -> Transport:
    """Read NCCL's lines; heads repeat, so each is taken apart once."""
    found = Transport()
    heads: dict[str, Host] = {}
    for line in notes:
        head, mark, message = line.partition(" NCCL INFO ")
        if not mark:
            _other(line, found)
            continue
        host = heads.get(head)
        if host is None:
            named = HEAD.search(head)
            name = named[1].partition(".")[0] if named else ""
            host = heads[head] = found.hosts.setdefault(name, Host())
        if message.startswith("Channel"):
            _channel(message, host, line)
        else:
            _message(message, host, line, found)
    return found


def _channel(message: str, host: Host, line: str) -> None:
    via = VIA.search(message)
    if via:
        host.channels.add(network_name(via[1]))
        host.gdr.add("/GDRDMA" in message)
        host.line = host.line or line.strip()


def _message(message: str, host: Host, line: str, found: Transport) -> None:
    if message.startswith("Using network "):
        host.networks.add(network_name(message[len("Using network ") :].strip()))
        host.line = line.strip()
    elif message.startswith("NET/IB : Using "):
        ports = USING_IB.findall(message)
        host.ib_ports = max(host.ib_ports, len(set(ports)))
        host.link_layers.update(layer for _, layer in ports)
    elif message.startswith("NET/Socket : Using "):
        host.interfaces.update(USING_SOCKET.findall(message))
    elif " Algo " in message:
        _algorithm(message, found)
    elif message.startswith("NCCL_"):
        _setting(message, found)
    elif "GPU Direct RDMA" in message:
        claim = GDR.search(message)
        host.gdr_claims |= {claim[1] == "Enabled"} if claim else set()
    elif "NCCL version" in message:
        _other(message, found)


def _setting(message: str, found: Transport) -> None:
    """A variable NCCL says it obeys, from the shell or from its own nccl.conf."""
    told, forced = SETTING.match(message), FORCED.match(message)
    found.settings |= {told[1]} if told else set()
    found.forced = forced[1].upper() if forced else found.forced


def _algorithm(message: str, found: Transport) -> None:
    told = ALGORITHM.search(message)
    if told:
        name = told[3].upper()
        name = ALGORITHMS[int(name)] if name.isdigit() and int(name) < len(ALGORITHMS) else name
        found.algorithms.setdefault((told[1], int(told[2][:18])), set()).add(name)


def _other(line: str, found: Transport) -> None:
    if " NCCL WARN " in line:
        found.warning_count += 1
        if len(found.warnings) < 3:
            found.warnings.append(line.partition(" NCCL WARN ")[2].strip()[:200])
    elif not found.version:
        told = VERSION.search(line)
        found.version = told[1] if told else ""


def network_name(printed: str) -> str:
    """IB for every InfiniBand and RoCE plugin (IB, IBext, IBext_v8), Socket, or the name as printed."""
    name = printed.strip().rstrip(".")
    return INFINIBAND if name.startswith("IB") else name


def transport_readings(found: Transport, hosts: Sequence[str], collective: str) -> Iterator[Reading]:
    """network, network_interface, ib_ports, gdr for the run and per host of the run; the algorithm; settings obeyed."""
    # A line cut into another may bear a mangled name: the device list knows better.
    names = tuple(hosts) or tuple(name for name in found.hosts if name)
    yield from _networks(found, names)
    yield from _cards(found, names)
    yield from _gdr(found, names)
    yield _algorithm_reading(found, collective)
    if found.settings:
        yield Reading("nccl_settings", tuple(sorted(found.settings)))


def _networks(found: Transport, names: Sequence[str]) -> Iterator[Reading]:
    told = {name: host for name in names if (host := found.hosts.get(name)) and host.network}
    seen = {host.network for host in found.hosts.values() if host.network}
    line = next((host.line for host in told.values()), "")
    if seen:
        yield Reading("network", seen.pop() if len(seen) == 1 else MIXED, line=line)
    else:
        yield Reading("network", None, why="nccl_said_nothing")
    for name in names:
        if name in told:
            yield Reading("network", told[name].network, scope=f"@{name}", line=told[name].line)
        else:
            yield Reading("network", None, scope=f"@{name}", why="nccl_said_nothing")


def _cards(found: Transport, names: Sequence[str]) -> Iterator[Reading]:
    """The interface matters where sockets carried the data, the ports and their layer where IB did."""
    interfaces: dict[str, str] = {}
    ports: dict[str, int] = {}
    layers: set[str] = set()
    for name, host in found.hosts.items():
        if host.network in (SOCKET, MIXED) and host.interfaces:
            interfaces[name] = ",".join(sorted(host.interfaces))
        elif host.ib_ports and host.network in ("", INFINIBAND):
            ports[name] = host.ib_ports
            layers |= host.link_layers
    if interfaces:
        yield Reading("network_interface", ",".join(sorted(set(interfaces.values()))))
    if ports:
        yield Reading("ib_ports", min(ports.values()))
        yield Reading("network_link_layer", layers.pop() if len(layers) == 1 else MIXED)
    for name in names:
        if name in interfaces:
            yield Reading("network_interface", interfaces[name], scope=f"@{name}")
        if name in ports:
            yield Reading("ib_ports", ports[name], scope=f"@{name}")


def _gdr(found: Transport, names: Sequence[str]) -> Iterator[Reading]:
    told = {name: host.uses_gdr for name, host in found.hosts.items() if name in names and host.uses_gdr is not None}
    yield from (Reading("gdr", value, scope=f"@{name}") for name, value in told.items())
    if told:
        yield Reading("gdr", all(told.values()))


def _algorithm_reading(found: Transport, collective: str) -> Reading:
    """The algorithm of this collective's largest call; else the one the environment forced, as NCCL repeated it."""
    wanted = collective.replace("_", "")
    sizes = [size for name, size in found.algorithms if name.lower() == wanted]
    if sizes:
        name = next(name for name, size in found.algorithms if name.lower() == wanted and size == max(sizes))
        seen = found.algorithms[name, max(sizes)]
        line = f"{name}: {max(sizes)} Bytes -> Algo {'/'.join(sorted(seen))}"
        return Reading("algorithm", seen.copy().pop() if len(seen) == 1 else MIXED, line=line)
    if found.forced and found.forced in ALGORITHMS:
        return Reading("algorithm", found.forced, line=f"NCCL_ALGO set by environment to {found.forced}")
    return Reading("algorithm", None, why="nccl_said_nothing")


def transport_remarks(found: Transport, hosts: Sequence[str]) -> Iterator[Finding]:
    """Sockets between machines, ranks that differ, NCCL's warnings."""
    seen = {name: host.network for name, host in found.hosts.items() if host.network}
    fallen = [name for name, network in seen.items() if network in (SOCKET, MIXED)]
    if fallen and len(hosts) > 1:
        interfaces = sorted({interface for name in fallen for interface in found.hosts[name].interfaces})
        yield remark("transport_fallback", hosts=fallen[:8], interface=interfaces or "?")
    if len(set(seen.values())) > 1 or MIXED in seen.values():
        yield remark("transport_mixed", seen=[f"{name} {network}" for name, network in list(seen.items())[:8]])
    if found.warning_count:
        yield remark("nccl_warning", count=found.warning_count, line=found.warnings[0])
