"""ibstat: the ports of every channel adapter; 'Rate' of a port that is down is a leftover."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.keyed_lines import keyed_lines, sections
from gpucontract.measurements.parsers.outcomes import failed, known_error, printed, run_error
from gpucontract.measurements.parsers.rdma_ports import (
    COUNT_NAMES,
    RATE_NAMES,
    Port,
    findings,
    is_repeated,
    per_port,
    summary,
)  # fmt: skip
from gpucontract.measurements.parsers.sizes import decimal, whole

ERRORS = (
    ("ibstat_failed", re.compile(r"ibpanic:|ibwarn: .{0,200}(?:failed|cannot)|can't (?:list|open)", re.IGNORECASE)),
)
DEVICE = re.compile(r"^CA '([^'\n]{1,60})'[ \t]*$", re.MULTILINE)
# What the tool calls them -> reading.
GUIDS = {"Node GUID": "node_guid", "System image GUID": "sys_image_guid", "Port GUID": "port_guid"}
TYPE = re.compile(r"MT([0-9]{4,5})\Z")
PORT = re.compile(r"^[ \t]*Port ([0-9]{1,3}):[ \t]*$", re.MULTILINE)


def parse(capture: Capture) -> Parsed:
    """State, link layer, rate and GUIDs per port; counts and rates of InfiniBand and Ethernet ports apart."""
    text = cleaned(capture.stdout)
    devices = sections(DEVICE, text)
    ports = [port for found, body in devices for port in _ports(found[1], body)]
    error = known_error(printed(capture), ERRORS) or run_error(capture)
    if not error and (is_repeated(ports) or len({found[1] for found, _ in devices}) < len(devices)):
        error = "two_outputs: a port stands there more than once; keep one run per capture"
    if not error and not ports:
        error = "ibstat_unknown: no line CA '...' with a port under it"
    if error:
        return failed(error, *COUNT_NAMES, *RATE_NAMES)
    return Parsed((*summary(ports), *per_port(ports)), findings(ports))


def _ports(device: str, body: str) -> list[Port]:
    """The device's ports; one that 'Number of ports' promises and that is not there is a port that cannot be read."""
    first = PORT.search(body)
    head = body[: first.start()] if first else body
    ports = [_port(device, int(found[1]), part, head) for found, part in sections(PORT, body)]
    promised = next((whole(line.value) for line in keyed_lines(body) if line.key == "Number of ports"), None)
    missing = range(len(ports) + 1, (min(promised or 1, 64)) + 1)
    return ports + [
        Port(device, number, "", "", "", None, f"{device} port {number}: not printed") for number in missing
    ]


def _port(device: str, number: int, part: str, head: str) -> Port:
    values = {line.key: line.value for line in keyed_lines(part)}
    of_device = {line.key: line.value for line in keyed_lines(head)}
    maker = TYPE.match(of_device.get("CA type", ""))
    guids = {GUIDS[key]: value for key, value in (of_device | values).items() if key in GUIDS}
    state, physical, layer = (values.get(key, "") for key in ("State", "Physical state", "Link layer"))
    # Without a physical state the port is not known to be up: a cut output must not count it.
    state = state if physical or state == "Down" else ""
    line = f"{device} port {number}: State {state}, {physical}, Rate {values.get('Rate', '?')}, {layer}"
    return Port(
        device,
        number,
        state,
        physical,
        layer,
        decimal(values.get("Rate")),
        line[:200],
        guids,
        int(maker[1]) if maker else None,
    )
