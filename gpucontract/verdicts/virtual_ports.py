"""Virtual functions of a NIC look like ports: which of them are none, and which may share a link with another one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts.sightings import Seen, plain


def sharing(record: RunRecord, scopes: Sequence[str]) -> Mapping[str, Seen | None]:
    """Scope -> None for a virtual function beside its own card's real port, whose link it uses; else what is open.

    In a virtual machine only functions are seen: the first of a card is a port, a second one may be its other port or
    share the first one's link, and no tool says which. scopes: of all ports, in the order of their names.
    """
    virtual, cards = plain(record, "port_is_virtual", "port:"), plain(record, "sys_image_guid", "port:")
    of_card: dict[object, list[str]] = defaultdict(list)
    for scope in scopes:
        card = cards[scope].value if scope in cards else None
        if isinstance(card, str) and card.strip("0x"):
            of_card[card].append(scope)
    found: dict[str, Seen | None] = {}
    for here in of_card.values():
        functions = [scope for scope in here if scope in virtual and virtual[scope].value is True]
        has_real = any(scope in virtual and virtual[scope].value is False for scope in here)
        found |= dict.fromkeys(functions) if has_real else {scope: _open(scope, here[0]) for scope in functions[1:]}
    return found


def _open(scope: str, other: str) -> Seen:
    facts = {"port": scope.removeprefix("port:"), "other": other.removeprefix("port:")}
    return Seen(scope, None, why="virtual_port", facts=facts)
