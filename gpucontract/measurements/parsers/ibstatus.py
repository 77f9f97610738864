"""ibstatus: one block a port; the rate line carries number, unit and lanes ('400 Gb/sec (4X NDR)')."""

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
from gpucontract.measurements.parsers.sizes import decimal

ERRORS = (("ibstatus_failed", re.compile(r"Fatal error:.*", re.IGNORECASE)),)
HEADING = re.compile(r"^Infiniband device '([^'\n]{1,60})' port ([0-9]{1,3}) status:[ \t]*$", re.MULTILINE)
STATES = {"ACTIVE": "Active", "DOWN": "Down", "INIT": "Initializing", "ARMED": "Armed"}
NUMBERED = re.compile(r"[0-9]{1,2}: (\S{1,40})\Z")
RATE = re.compile(r"([0-9]{1,5}(?:\.[0-9])?) Gb/sec(?: \([^)]{1,20}\))?\Z")


def parse(capture: Capture) -> Parsed:
    """The same readings as ibstat."""
    text = cleaned(capture.stdout)
    ports = [_port(found[1], int(found[2]), body) for found, body in sections(HEADING, text)]
    error = known_error(printed(capture), ERRORS) or run_error(capture)
    if not error and is_repeated(ports):
        error = "two_outputs: a port stands there more than once; keep one run per capture"
    if not error and not ports:
        error = "ibstatus_unknown: no line Infiniband device '...' port 1 status:"
    if error:
        return failed(error, *COUNT_NAMES, *RATE_NAMES)
    return Parsed((*summary(ports), *per_port(ports)), findings(ports))


def _port(device: str, number: int, body: str) -> Port:
    values = {line.key: line.value for line in keyed_lines(body)}
    printed_state, physical = (NUMBERED.match(values.get(key, "")) for key in ("state", "phys state"))
    state = STATES.get(printed_state[1], printed_state[1]) if printed_state and physical else ""
    rate = RATE.match(values.get("rate", ""))
    layer = values.get("link_layer", "")
    link = physical[1] if physical else ""
    line = f"{device} port {number}: state {state}, {link}, rate {values.get('rate', '?')}, {layer}"
    return Port(device, number, state, link, layer, decimal(rate[1]) if rate else None, line[:200])
