"""dmidecode: installed memory, slot by slot (its GB are binary), and the server's product name; needs root."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.keyed_lines import keyed_lines, sections
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, one_of, printed, run_error
from gpucontract.measurements.parsers.sizes import total, whole

MEMORY_NAMES = (
    "dimms_populated", "dimm_slots", "memory_installed", "memory_type",
    "memory_speed_configured_min", "memory_speed_rated_min",
)  # fmt: skip
ERRORS = (
    ("dmidecode_permission", re.compile(r"Permission denied|Operation not permitted|must be root", re.IGNORECASE)),
    ("dmidecode_no_smbios", re.compile(r"No SMBIOS nor DMI entry point found|/dev/mem: No such file")),
)
HANDLE = re.compile(r"^Handle (0x[0-9A-Fa-f]{1,8}), DMI type ([0-9]{1,3}), ", re.MULTILINE)
MODULE_SIZE = re.compile(r"([0-9]{1,9}) ([kMGT])i?B\Z")
SPEED = re.compile(r"([0-9]{1,6}) (?:MT/s|MHz)\Z")
SYSTEM, MEMORY_ARRAY, MEMORY_DEVICE = 1, 16, 17


@dataclass(frozen=True, slots=True)
class Block:
    """One structure: its handle, its DMI type and its 'key: value' lines."""

    handle: str
    type: int
    values: dict[str, str]


def parse(capture: Capture) -> Parsed:
    """Slots, populated slots, installed memory in GiB, type and lowest speeds; server_model where it was asked for."""
    blocks = _blocks(cleaned(capture.stdout))
    error = known_error(printed(capture), ERRORS) or run_error(capture) or _layout_error(blocks)
    if error:
        return failed(error, *MEMORY_NAMES)
    slots = [block for block in blocks if block.type == MEMORY_DEVICE]
    return Parsed((*(_memory(slots, _promised(blocks)) if slots else ()), *_server(blocks)))


def _blocks(text: str) -> list[Block]:
    return [
        Block(start[1], int(start[2]), {line.key: line.value for line in keyed_lines(body)})
        for start, body in sections(HANDLE, text)
    ]


def _layout_error(blocks: list[Block]) -> str:
    handles = [block.handle for block in blocks]
    if len(set(handles)) < len(handles):
        return "two_outputs: a handle stands there twice; keep one run per capture"
    if not any(block.type in (SYSTEM, MEMORY_DEVICE) for block in blocks):
        return "dmidecode_unknown: no structure of type 17 (memory device) or 1 (system); run dmidecode -t 17 as root"
    return ""


def _promised(blocks: list[Block]) -> int | None:
    """How many slots the memory arrays (type 16, printed by -t memory) say there are; None without them."""
    numbers = [whole(block.values.get("Number Of Devices")) for block in blocks if block.type == MEMORY_ARRAY]
    counted = [number for number in numbers if number is not None]
    return sum(counted) if counted and len(counted) == len(numbers) else None


def _memory(slots: list[Block], promised: int | None) -> tuple[Reading, ...]:
    if promised is not None and promised != len(slots):
        line = f"Number Of Devices: {promised}, slots printed: {len(slots)}"
        return absent("slots_missing", *MEMORY_NAMES, line=line)
    filled = [slot for slot in slots if slot.values.get("Size") != "No Module Installed"]
    return (*_counted(slots, filled), Reading("dimm_slots", len(slots)), _type(filled), *_speeds(filled))


def _counted(slots: list[Block], filled: list[Block]) -> tuple[Reading, ...]:
    """Populated slots and the sum of their modules; one unreadable size leaves both unmeasured."""
    modules = {size: _module(size) for size in (slot.values.get("Size", "") for slot in filled)}
    unread = [size for size, module in modules.items() if module is None]
    if unread:
        return absent("unreadable", "dimms_populated", "memory_installed", line=f"Size: {unread[0]}")
    sizes = [module for slot in filled if (module := modules[slot.values.get("Size", "")])]
    line = Reading("dimms_populated", len(filled))
    return (line, _installed(sizes, [slot.values.get("Size", "") for slot in slots]))


def _module(size: str) -> tuple[Decimal, str] | None:
    found = MODULE_SIZE.match(size)
    return (Decimal(found[1]), f"{found[2].upper()}iB") if found else None


def _installed(modules: list[tuple[Decimal, str]], sizes: list[str]) -> Reading:
    number, unit = total([*modules, (Decimal(0), "GiB")])
    line = " + ".join(f"{sizes.count(size)} x {size}" for size in dict.fromkeys(sizes))
    return Reading("memory_installed", number, unit, line=line[:200])


def _type(filled: list[Block]) -> Reading:
    kinds = [slot.values.get("Type", "") for slot in filled]
    kind = one_of(kinds)
    if kind in (None, "", "Unknown", "Other"):
        return absent("differs" if len(set(kinds)) > 1 else "not_printed", "memory_type")[0]
    return Reading("memory_type", kind, line=f"Type: {kind}")


def _speeds(filled: list[Block]) -> tuple[Reading, ...]:
    return (
        _lowest("memory_speed_configured_min", filled, ("Configured Memory Speed", "Configured Clock Speed")),
        _lowest("memory_speed_rated_min", filled, ("Speed",)),
    )


def _lowest(name: str, filled: list[Block], keys: tuple[str, ...]) -> Reading:
    printed_speeds = [next((slot.values[key] for key in keys if key in slot.values), "") for slot in filled]
    found = [SPEED.match(speed) for speed in printed_speeds]
    speeds = [int(match[1]) for match in found if match]
    if not speeds or len(speeds) < len(printed_speeds):
        return absent("not_printed" if not any(printed_speeds) else "unreadable", name)[0]
    return Reading(name, min(speeds), "MT/s", line=f"{keys[0]}: {min(speeds)} MT/s")


def _server(blocks: list[Block]) -> tuple[Reading, ...]:
    systems = [block.values for block in blocks if block.type == SYSTEM]
    names = [values["Product Name"] for values in systems if values.get("Product Name")]
    makers = [values.get("Manufacturer", "") for values in systems]
    if len(names) != 1:
        return ()
    return (Reading("server_model", names[0], line=f"Manufacturer: {makers[0]}; Product Name: {names[0]}"),)
