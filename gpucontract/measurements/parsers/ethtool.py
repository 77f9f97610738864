"""ethtool: speed and link of one interface; netlink complaints in the middle only mean that it was not root."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.keyed_lines import KeyedLine, by_key
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error
from gpucontract.wording import Text

NAMES = ("speed", "link_detected", "duplex", "interface")
ERRORS = (("no_such_interface", re.compile(r"No such device|no device matches name|No data available", re.IGNORECASE)),)
HEADING = re.compile(r"^Settings for (\S{1,40}?):[ \t]*$", re.MULTILINE)
NOT_ROOT = re.compile(r"Operation not permitted")
SPEED = re.compile(r"([0-9]{1,7})Mb/s\Z")
SEVERAL_PORTS = re.compile(r"(?:bond|team)")
BOND = Text(
    "{name} 是聚合口，速率是成员之和，单条流只走一个成员。判定端口速率请逐个查看成员。",
    "{name} is a bond: its speed is the sum of its members, and one flow uses one of them. Judge port rates by the "
    "members.",
)


def parse(capture: Capture) -> Parsed:
    """speed in Mb/s, absent while the link is down or the driver says Unknown; link_detected, duplex, interface."""
    text = cleaned(capture.stdout)
    names = HEADING.findall(text)
    error = "" if names else known_error(printed(capture), ERRORS)
    error = error or run_error(capture, (capture.exit_status or 0,) if names and _is_not_root(capture) else ())
    if not error and len(names) > 1:
        error = "two_outputs: more than one interface in one capture; ask for one at a time"
    if not error and not names:
        error = "ethtool_unknown: no line 'Settings for ...:'"
    if error:
        return failed(error, *NAMES)
    lines = by_key(text)
    link = _link(lines.get("Link detected", []))
    readings = (_speed(lines.get("Speed", []), link), link, _duplex(lines.get("Duplex", [])), _name(names[0]))
    is_bond = bool(SEVERAL_PORTS.match(names[0]))
    return Parsed(readings, (Finding("bond_speed_is_sum", BOND.fill(name=names[0])),) if is_bond else ())


def _is_not_root(capture: Capture) -> bool:
    return bool(NOT_ROOT.search(printed(capture)))


def _name(interface: str) -> Reading:
    return Reading("interface", interface, line=f"Settings for {interface}:")


def _link(lines: list[KeyedLine]) -> Reading:
    value = {"yes": True, "no": False}.get(lines[0].value.partition(" ")[0]) if len(lines) == 1 else None
    if value is None:
        return absent("not_printed", "link_detected")[0]
    return Reading("link_detected", value, line=lines[0].line)


def _speed(lines: list[KeyedLine], link: Reading) -> Reading:
    if len(lines) != 1:
        return absent("not_printed", "speed")[0]
    found = SPEED.match(lines[0].value)
    if link.value is False:
        return absent("link_down", "speed", line=link.line)[0]
    if not found:
        return absent("unknown_speed" if "Unknown" in lines[0].value else "unreadable", "speed", line=lines[0].line)[0]
    return Reading("speed", int(found[1]), "Mb/s", line=lines[0].line)


def _duplex(lines: list[KeyedLine]) -> Reading:
    if len(lines) != 1 or lines[0].value not in ("Full", "Half"):
        return absent("not_printed" if not lines else "unknown_duplex", "duplex")[0]
    return Reading("duplex", lines[0].value, line=lines[0].line)
