"""show_gids: the GID table; an entry for RoCE v2 with an IPv4 address is usually index 3, but not always."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading, ReadingValue
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, one_of, run_error, value_or
from gpucontract.measurements.parsers.rdma_ports import port_scope

NAMES = ("gids", "roce_devices", "roce_v2_ipv4_gid_index", "netdev")
ROW = re.compile(
    r"^(\S{1,40})\s+([0-9]{1,3})\s+([0-9]{1,4})\s+((?:[0-9a-f]{4}:){7}[0-9a-f]{4})"
    r"(?:\s+([0-9]{1,3}(?:\.[0-9]{1,3}){3}))?\s+(v[12])(?:[ \t]+(\S{1,40}))?[ \t]*$",
    re.MULTILINE,
)
HEADER = re.compile(r"^DEV\s+PORT\s+INDEX\s+GID\b", re.MULTILINE)
TOTAL = re.compile(r"^n_gids_found=([0-9]{1,6})\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Gid:
    """One entry of the table; address '' for a link-local GID."""

    device: str
    port: int
    index: int
    address: str
    version: str
    netdev: str
    line: str

    @property
    def is_roce_v2_ipv4(self) -> bool:
        return self.version == "v2" and bool(self.address)


def parse(capture: Capture) -> Parsed:
    """gids, roce_devices; the GID index of RoCE v2 over IPv4 and the network device, each port's and the common one."""
    text = cleaned(capture.stdout)
    gids = [
        Gid(row[1], int(row[2]), int(row[3]), row[5] or "", row[6], row[7] or "", row[0].strip())
        for row in ROW.finditer(text)
    ]
    error = run_error(capture) or _layout_error(text, gids)
    if error:
        return failed(error, *NAMES)
    found = TOTAL.search(text)
    if not found or int(found[1]) != len(gids):
        line = f"{found[0].strip() if found else 'no n_gids_found'}; rows read: {len(gids)}"
        return Parsed(absent("rows_missing", *NAMES, line=line))
    return Parsed((*_summary(gids, found[0].strip()), *_per_port(gids)))


def _layout_error(text: str, gids: list[Gid]) -> str:
    keys = [(gid.device, gid.port, gid.index) for gid in gids]
    if len(set(keys)) < len(keys) or len(HEADER.findall(text)) > 1:
        return "two_outputs: a GID stands there more than once; keep one run per capture"
    if not HEADER.search(text):
        return "show_gids_unknown: no header line 'DEV PORT INDEX GID'"
    return ""


def _by_port(gids: list[Gid]) -> dict[str, list[Gid]]:
    ports: dict[str, list[Gid]] = {}
    for gid in gids:
        ports.setdefault(port_scope(gid.device, gid.port), []).append(gid)
    return ports


def _index(gids: list[Gid]) -> int | None:
    """The lowest index that is RoCE v2 with an IPv4 address, which NCCL would take."""
    return min((gid.index for gid in gids if gid.is_roce_v2_ipv4), default=None)


def _summary(gids: list[Gid], total: str) -> tuple[Reading, ...]:
    ports = _by_port(gids)
    return (
        Reading("gids", len(gids), line=total),
        Reading("roce_devices", len({gid.device for gid in gids if gid.netdev or gid.version == "v2"}), line=total),
        _common("roce_v2_ipv4_gid_index", [_index(own) for own in ports.values()], _why_no_index(gids)),
        _common("netdev", [one_of([gid.netdev for gid in own]) or None for own in ports.values()], "not_printed"),
    )


def _common(name: str, values: list[ReadingValue | None] | list[int | None], why: str) -> Reading:
    return value_or(name, one_of(values), "differs" if len(set(values)) > 1 else why)


def _why_no_index(gids: list[Gid]) -> str:
    """An InfiniBand port has no RoCE v2 GID by nature; one of RoCE may lack only its address."""
    return "no_ipv4" if any(gid.version == "v2" for gid in gids) else "no_roce_gid"


def _per_port(gids: list[Gid]) -> tuple[Reading, ...]:
    readings = []
    for scope, own in _by_port(gids).items():
        line = next((gid.line for gid in own if gid.is_roce_v2_ipv4), own[0].line)
        netdev = one_of([gid.netdev for gid in own]) or None
        readings += [
            value_or("roce_v2_ipv4_gid_index", _index(own), _why_no_index(own), "", scope, line),
            value_or("netdev", netdev, "not_printed", "", scope, line),
        ]
    return tuple(readings)
