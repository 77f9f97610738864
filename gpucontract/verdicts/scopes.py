"""Where a clause must be answered, and how a scope is spoken: joins parsers' local scopes to node slots."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache

from gpucontract.contracts.body import Body, Group
from gpucontract.contracts.clauses import Clause, Scope, VerifiedBy
from gpucontract.measurements.records import RunRecord
from gpucontract.wording import Text

MOST_JOINED = 4
MOST_NAMED = 5
# Judged node by node although they speak about the group or the contract: each machine says what it sees.
_SEEN_FROM_NODES = ("node_count_reachable", "fs_capacity_tb", "fs_free_tb")

_MACHINE = Text("机器 {slot}（{host}）", "machine {slot} ({host})")
_SLOT = Text("机位 {slot}", "slot {slot}")
_PARTS = {
    "gpu": Text("{machine}的 GPU {name}", "GPU {name} of {machine}"),
    "pair": Text("{machine}的 GPU {first} 与 GPU {second}", "GPUs {first} and {second} of {machine}"),
    "port": Text("{machine}的端口 {name}", "port {name} of {machine}"),
    "mount": Text("{machine}的挂载点 {name}", "mount {name} on {machine}"),
    "disk": Text("{machine}的磁盘 {name}", "disk {name} of {machine}"),
}
_GROUP = Text("节点组 {code}", "group {code}")
_MOUNT = Text("共享挂载 {path}", "shared mount {path}")
_CONTRACT = Text("合同", "the contract")
_AND_MORE = Text("等 {count} 台", " and {more} more")


def places(clause: Clause, body: Body) -> tuple[str, ...]:
    """The node slots, or the group, or the contract, that must each answer a clause."""
    return (clause.code,) if _is_wide(clause) else nodes_of(clause.code, body)


@lru_cache(maxsize=32)
def in_order(places: tuple[str, ...]) -> tuple[str, ...]:
    """Places in the order of their names; sixty clauses ask for the same ten thousand."""
    return tuple(sorted(places))


def _is_wide(clause: Clause) -> bool:
    """Whether the clause is answered once for its group, mount or contract, not by each machine."""
    is_wide = clause.scope in (Scope.GROUP, Scope.CONTRACT) and clause.metric not in _SEEN_FROM_NODES
    return is_wide or clause.verified_by is VerifiedBy.DOCUMENT


def nodes_of(code: str, body: Body) -> tuple[str, ...]:
    """The slots a row code speaks about: a group's own, those that see a mount, or all of the contract."""
    groups = _groups_of(code, body)
    return groups[0].node_codes if len(groups) == 1 else tuple(node for group in groups for node in group.node_codes)


def _groups_of(code: str, body: Body) -> list[Group]:
    if code.startswith("m"):
        codes = {group for mount in body.mounts if mount.code == code for group in mount.groups}
        return [group for group in body.groups if group.code in codes]
    return [group for group in body.groups if code in ("c", group.code)]


def clauses_at(place: str, body: Body) -> tuple[Clause, ...]:
    """The judged clauses that a place answers."""
    return tuple(clause for clause in body.judged if _answers(place, clause, body))


def _answers(place: str, clause: Clause, body: Body) -> bool:
    if _is_wide(clause):
        return place == clause.code
    return any(group.has(place) for group in _groups_of(clause.code, body))


def kind_of(place: str, body: Body) -> str:
    """What a place answers the same clauses as: machines of a group are alike in that, any other place is its own."""
    return next((f"{group.code}-" for group in body.groups if group.has(place)), place)


def all_places(body: Body) -> tuple[str, ...]:
    """Every place of a contract, nodes before groups, mounts and the contract itself."""
    codes = [clause.code for clause in body.judged if clause.code in places(clause, body)]
    return tuple(dict.fromkeys([*nodes_of("c", body), *codes]))


def node_of(scope: str) -> str:
    """The part of a scope before the device: g1-002 of g1-002/gpu5."""
    return scope.partition("/")[0]


def joined(nodes: Iterable[str], body: Body) -> str:
    """One scope for several slots: g1-001+g1-002; a whole large group is its code, a large part gets a short hash."""
    slots = sorted(nodes)
    if len(slots) <= MOST_JOINED:
        return "+".join(slots)
    whole = [group.code for group in body.groups if list(group.node_codes) == slots]
    return (
        whole[0] if whole else f"{slots[0]}+{len(slots) - 1}#{hashlib.sha256('+'.join(slots).encode()).hexdigest()[:8]}"
    )


def are_several(scope: str) -> bool:
    """Whether a scope names several machines, as joined() writes them."""
    return "/" not in scope and ("+" in scope or "#" in scope)


def machines(records: Iterable[RunRecord]) -> dict[str, str]:
    """Slot -> host name of the machine that answered there last; a replaced machine takes its evidence along."""
    ordered = sorted(records, key=lambda record: (record.received_at, record.id))
    return {record.lead: host for record in ordered if (host := record.hostnames.get(record.lead, ""))}


def short(host: str) -> str:
    """A host name up to its first dot, which is all that NCCL prints."""
    return host.partition(".")[0]


def spoken(scope: str, hosts: Mapping[str, str], body: Body) -> Text:
    """A scope as people say it, with slot and host name: GPU 5 of machine g1-002 (gpu-node-02)."""
    place, _, local = scope.partition("/")
    if not local:
        return _place(place, hosts, body)
    return _device(local, _place(place, hosts, body))


def named(slots: Iterable[str], hosts: Mapping[str, str]) -> Text:
    """A list of machines by slot and host, the first few in full and the rest counted."""
    ordered = sorted(slots)
    shown = [machine(slot, hosts) for slot in ordered[:MOST_NAMED]]
    text = Text("、".join(each.zh for each in shown), ", ".join(each.en for each in shown))
    if len(ordered) <= MOST_NAMED:
        return text
    tail = _AND_MORE.fill(count=len(ordered), more=len(ordered) - MOST_NAMED)
    return Text(text.zh + tail.zh, text.en + tail.en)


def machine(slot: str, hosts: Mapping[str, str]) -> Text:
    """A slot with the machine in it, or the bare slot while no machine has answered."""
    host = hosts.get(slot, "")
    return _MACHINE.fill(slot=slot, host=host) if host else _SLOT.fill(slot=slot)


def _place(place: str, hosts: Mapping[str, str], body: Body) -> Text:
    if place == "c":
        return _CONTRACT
    if any(group.code == place for group in body.groups):
        return _GROUP.fill(code=place)
    for mount in body.mounts:
        if mount.code == place:
            return _MOUNT.fill(path=mount.path)
    return named(hosts if "#" in place else place.split("+"), hosts)


def _device(local: str, machine: Text) -> Text:
    kind, _, name = local.partition(":")
    if kind in _PARTS and name:
        return _PARTS[kind].fill(machine=machine, name=name)
    if "+" in local:
        first, _, second = local.partition("+")
        return _PARTS["pair"].fill(machine=machine, first=first.removeprefix("gpu"), second=second.removeprefix("gpu"))
    return _PARTS["gpu"].fill(machine=machine, name=local.removeprefix("gpu"))
