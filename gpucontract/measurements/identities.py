"""Which serials, UUIDs and GUIDs no second machine in the world can show, by their form: clouds print generic ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from gpucontract.measurements.parsers.capture import ReadingValue

# Fillers: 0123456789, 123456, 0011223344556677, deadbeef.
_FILLER = re.compile(r"012345|123456|001122|112233|deadbeef|cafebabe", re.IGNORECASE)
_SERIAL = re.compile(r"[0-9A-Za-z._-]{10,40}")
_GUID = re.compile(r"[0-9a-f]{16}")
FEWEST_DIGITS = 4
# 000001, 1000000000 and 0000:0000:0000:0001 have fewer different characters.
FEWEST_KINDS = 4
# The two lowest bits of a GUID's first octet: for a group of machines, and given by a local administrator.
_GROUP_BIT, _LOCAL_BIT = 1, 2
_FROM_MAC = slice(6, 10)


class Shown(Protocol):
    """One reading, whole or as kept."""

    @property
    def value(self) -> ReadingValue | None: ...
    @property
    def scope(self) -> str: ...


def unique(name: str, told: Mapping[str, Iterable[Shown]]) -> list[str]:
    """The values of one identity in an output that only one machine can show. told: its readings by name."""
    is_unique = _FORMS[name]
    return [
        str(each.value)
        for each in told.get(name, ())
        if each.value is not None and is_unique(str(each.value)) and not _is_shared_drive(name, each, told)
    ]


def _is_shared_drive(name: str, each: Shown, told: Mapping[str, Iterable[Shown]]) -> bool:
    """A volume that several machines may mount, or a drive that gives its model for a serial."""
    if name != "nvme_serial":
        return False
    here = {key: next((one.value for one in told.get(key, ()) if one.scope == each.scope), None) for key in _OF_DRIVE}
    return here["nvme_is_local"] is False or str(each.value) in str(here["nvme_model"] or "")


_OF_DRIVE = ("nvme_is_local", "nvme_model")


def _is_uuid(value: str) -> bool:
    return bool(value.strip("GPUMI-0"))


def _is_serial(value: str) -> bool:
    kinds, digits = len(set(value.lower())), sum(letter.isdigit() for letter in value)
    is_long = _SERIAL.fullmatch(value) is not None
    return is_long and kinds >= FEWEST_KINDS and digits >= FEWEST_DIGITS and not _FILLER.search(value)


def _is_guid(value: str) -> bool:
    """Given by IEEE to the maker; one made from a MAC address (ff:fe in the middle) has its local bit turned round."""
    digits = value.lower().removeprefix("0x").replace(":", "")
    if not _GUID.fullmatch(digits) or len(set(digits)) < FEWEST_KINDS or _FILLER.search(digits):
        return False
    first = int(digits[:2], 16)
    is_local = bool(first & _LOCAL_BIT) is not (digits[_FROM_MAC] == "fffe")
    return not first & _GROUP_BIT and not is_local


# sys_image_guid is none of them: a card's virtual functions, and the hosts that share a card, all show the card's.
_FORMS: Mapping[str, Callable[[str], bool]] = {
    "gpu_uuid": _is_uuid, "gpu_serial": _is_serial, "nvme_serial": _is_serial, "node_guid": _is_guid,
    "port_guid": _is_guid,
}  # fmt: skip
NAMES = tuple(_FORMS)
GUIDS = ("node_guid", "port_guid")


def any_unique(told: Mapping[str, Iterable[Shown]]) -> bool:
    """Whether an output holds an identity that only one machine can show."""
    return any(unique(name, told) for name in NAMES)
