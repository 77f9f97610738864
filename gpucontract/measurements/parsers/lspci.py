"""lspci -vvv: PCI bridges whose access control (ACS) sends GPU-to-GPU traffic through the CPU."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error
from gpucontract.wording import Text

NAMES = ("acs_enabled_bridges", "bridges")
ERRORS = (("lspci_no_access", re.compile(r"^(?:pcilib|lspci): Cannot (?:open|find)", re.MULTILINE)),)
DEVICE = re.compile(r"((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) ([^:\n]{1,80}): (.*)")
CONTROL = re.compile(r"\bACSCtl:")
REDIRECTS = re.compile(r"\b(?:SrcValid|ReqRedir)\+")
ACS_ON = Text(
    "{count} 个 PCI 桥开着 ACS（{bridges}），GPU 之间的数据绕经 CPU，带宽可能减半。"
    "裸机上请供应方关闭后复测；虚拟机里关不掉。",
    "ACS is on in {count} PCI bridges ({bridges}): data between GPUs takes the way through the CPU, at maybe half the "
    "rate. On bare metal ask the vendor to turn it off and run again; in a virtual machine it cannot be.",
)


@dataclass(slots=True)
class Bridge:
    """One PCI bridge and the ACS control lines printed under it."""

    address: str
    line: str
    controls: list[str] = field(default_factory=list)
    is_denied: bool = False


def parse(capture: Capture) -> Parsed:
    """bridges, and acs_enabled_bridges: those with SrcValid+ or ReqRedir+; not measured where lspci may not look."""
    bridges = _bridges(cleaned(capture.stdout))
    error = known_error(printed(capture), ERRORS) or run_error(capture)
    if not error and len({bridge.address for bridge in bridges}) < len(bridges):
        error = "two_outputs: a bridge stands there twice; keep one run per capture"
    if not error and not bridges:
        error = "lspci_unknown: no line 'PCI bridge'; run lspci -vvv as root"
    if error:
        return failed(error, *NAMES)
    counted = Reading("bridges", len(bridges), line=bridges[0].line)
    enabled = [bridge for bridge in bridges if any(REDIRECTS.search(control) for control in bridge.controls)]
    return Parsed((_enabled(bridges, enabled), counted), _acs_on(enabled))


def _bridges(text: str) -> list[Bridge]:
    bridges: list[Bridge] = []
    current: Bridge | None = None
    for line in text.splitlines():
        device = DEVICE.match(line)
        if device:
            current = Bridge(device[1], line.strip()[:200]) if device[2] == "PCI bridge" else None
            bridges += [current] if current else []
        elif current and CONTROL.search(line):
            current.controls.append(line.strip())
        elif current and "<access denied>" in line:
            current.is_denied = True
    return bridges


def _enabled(bridges: list[Bridge], enabled: list[Bridge]) -> Reading:
    if any(bridge.is_denied for bridge in bridges):
        return absent("access_denied", "acs_enabled_bridges")[0]
    if not any(bridge.controls for bridge in bridges):
        return absent("no_acs_lines", "acs_enabled_bridges", line=bridges[0].line)[0]
    return Reading("acs_enabled_bridges", len(enabled), line=enabled[0].line if enabled else "")


def _acs_on(enabled: list[Bridge]) -> tuple[Finding, ...]:
    if not enabled:
        return ()
    addresses = [bridge.address for bridge in enabled[:8]]
    return (Finding("acs_on", ACS_ON.fill(count=len(enabled), bridges=addresses)),)
