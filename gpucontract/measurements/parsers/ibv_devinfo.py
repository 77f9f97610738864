"""ibv_devinfo (and -v): ports, MTU and, with -v, width and speed; 'transport' says InfiniBand for RoCE too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.keyed_lines import keyed_lines, sections
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error
from gpucontract.measurements.parsers.rdma_ports import (
    COUNT_NAMES,
    ETHERNET,
    NEITHER,
    RATE_NAMES,
    Port,
    findings,
    is_repeated,
    per_port,
    port_scope,
    summary,
)  # fmt: skip
from gpucontract.measurements.parsers.sizes import whole
from gpucontract.wording import Text

MTU_NAMES = ("active_mtu_min", "max_mtu")
NO_DEVICES = re.compile(r"^No IB devices found\s*$", re.MULTILINE)
NO_DEVICES_EXIT = 255
ERRORS = (("rdma_module_missing", re.compile(r"Failed to get IB devices list.*", re.IGNORECASE)),)
DEVICE = re.compile(r"^hca_id:\s*(\S{1,60})[ \t]*$", re.MULTILINE)
PORT = re.compile(r"^[ \t]*port:\s*([0-9]{1,3})[ \t]*$", re.MULTILINE)
GUIDS = ("node_guid", "sys_image_guid")
MAKER, PART = "vendor_id", "vendor_part_id"
MELLANOX = "0x02c9"
UNSPECIFIED = re.compile(r"^[ \t]*transport:\s*unspecified", re.MULTILINE)
STATES = {"PORT_ACTIVE": "Active", "PORT_DOWN": "Down", "PORT_INIT": "Initializing", "PORT_ARMED": "Armed"}
MTU = re.compile(r"([0-9]{3,5}) \([0-9]\)\Z")
WIDTH = re.compile(r"([0-9]{1,2})X \([0-9]{1,3}\)\Z")
SPEED = re.compile(r"([0-9]{1,3}\.[0-9]) Gbps \([0-9]{1,3}\)\Z")
# An Ethernet MTU of 1500 leaves room for no more than this under RoCE.
MTU_OF_1500 = 1024
SMALL_MTU = Text(
    "端口 {port} 的 RoCE MTU 只有 {mtu}，说明以太网 MTU 是 1500。请供应方启用巨型帧（如 9000）后复测带宽。",
    "Port {port} has a RoCE MTU of only {mtu}: the Ethernet MTU is 1500. Ask the vendor for jumbo frames "
    "(such as 9000), then measure bandwidth again.",
)

Mtus = dict[str, tuple[int | None, int | None]]


def parse(capture: Capture) -> Parsed:
    """Ports as ibstat, active_mtu and max_mtu; rates only from -v (width x speed of a lane)."""
    text = printed(capture)
    if NO_DEVICES.search(text) and not DEVICE.search(text):
        return _no_devices(capture)
    blocks = list(_blocks(cleaned(capture.stdout)))
    has_rates = "active_width:" in text
    ports = [_port(device, number, values) for device, number, values in blocks]
    error = known_error(text, ERRORS) or run_error(capture)
    if not error and is_repeated(ports):
        error = "two_outputs: a port stands there more than once; keep one run per capture"
    if not error and not ports:
        error = "ibv_devinfo_unknown: no line hca_id: with a port under it"
    if error:
        return failed(error, *COUNT_NAMES, *RATE_NAMES, *MTU_NAMES)
    mtus: Mtus = {
        port_scope(device, number): (_mtu(v, "active_mtu"), _mtu(v, "max_mtu")) for device, number, v in blocks
    }
    readings = (*summary(ports, has_rates), *_mtus(ports, mtus), *per_port(ports, has_rates))
    return Parsed(readings, findings(ports) + _small(ports, mtus))


def _no_devices(capture: Capture) -> Parsed:
    """No hardware is a measured zero: the tool ran and looked."""
    error = run_error(capture, (NO_DEVICES_EXIT,))
    if error:
        return failed(error, *COUNT_NAMES, *RATE_NAMES, *MTU_NAMES)
    counts = tuple(Reading(name, 0, line="No IB devices found") for name in COUNT_NAMES)
    return Parsed((*counts, *absent("no_rdma_port_listed", *RATE_NAMES, *MTU_NAMES)))


def _blocks(text: str) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Device, port number and lines of every port, GUIDs among them; a device cut off before its first has one."""
    for device, body in sections(DEVICE, text):
        ports = sections(PORT, body)
        if not ports:
            yield device[1], 1, {}
        for port, part in ports:
            head = body[: found.start()] if (found := PORT.search(body)) else ""
            guids = {line.key: line.value for line in keyed_lines(head) if line.key in (*GUIDS, MAKER, PART)}
            values = {line.key: line.value for line in keyed_lines(part)} | guids
            # Until rdma-core 33 such a device called its link layer InfiniBand.
            yield device[1], int(port[1]), values | ({"link_layer": NEITHER} if UNSPECIFIED.search(body) else {})


def _port(device: str, number: int, values: dict[str, str]) -> Port:
    word = values.get("state", "").partition(" ")[0]
    physical = {"LINK_UP": "LinkUp", "": ""}.get(values.get("phys_state", "").partition(" ")[0], "other")
    layer = values.get("link_layer", "")
    guids = {name: values[name] for name in GUIDS if name in values}
    part = whole(values.get(PART)) if values.get(MAKER) == MELLANOX else None
    line = f"{device} port {number}: {values.get('state', '?')}, {layer}, active_mtu {values.get('active_mtu', '?')}"
    return Port(device, number, STATES.get(word, ""), physical, layer, _rate(values), line[:200], guids, part)


def _rate(values: dict[str, str]) -> Decimal | None:
    width, speed = WIDTH.match(values.get("active_width", "")), SPEED.match(values.get("active_speed", ""))
    return Decimal(width[1]) * Decimal(speed[1]) if width and speed else None


def _mtu(values: dict[str, str], key: str) -> int | None:
    found = MTU.match(values.get(key, ""))
    return int(found[1]) if found else None


def _mtus(ports: list[Port], mtus: Mtus) -> tuple[Reading, ...]:
    hardware = [port for port in ports if not port.is_software]
    active = [port for port in hardware if port.is_active]
    if not active:
        return absent("no_active_port" if hardware else "no_rdma_port_listed", *MTU_NAMES)
    own = tuple(
        Reading("active_mtu", mtus[port.scope][0], "B", port.scope, line=port.line)
        for port in active
        if mtus[port.scope][0]
    )
    pairs = [mtus[port.scope] for port in active]
    lowest = min((mtu for mtu, _ in pairs if mtu), default=None)
    highest = max((mtu for _, mtu in pairs if mtu), default=None)
    complete = len(own) == len(active) and all(mtu for _, mtu in pairs)
    if not complete or lowest is None or highest is None:
        return (*absent("unreadable", *MTU_NAMES), *own)
    line = next(port.line for port in active if mtus[port.scope][0] == lowest)
    return (Reading("active_mtu_min", lowest, line=line), Reading("max_mtu", highest, line=line), *own)


def _small(ports: list[Port], mtus: Mtus) -> tuple[Finding, ...]:
    found = []
    for port in ports:
        mtu = mtus[port.scope][0]
        if port.layer == ETHERNET and port.is_active and not port.is_software and mtu and mtu <= MTU_OF_1500:
            found.append(Finding("roce_mtu_small", SMALL_MTU.fill(port=port.device, mtu=mtu), port.scope))
    return tuple(found)
