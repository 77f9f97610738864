"""Whether all machines of a group can read a shared mount together as agreed, and if not, what exactly differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpucontract.contracts.body import Body, Group
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.values import joined, measure
from gpucontract.wording import Text

SHARED = ("read", "read_iops")
# What an agent takes for the load on shared storage: machines times tests, fio jobs of a machine, seconds.
MOST_CLIENTS = 190
MOST_FIO_JOBS = 64
LONGEST_LOAD_S = 600
_OF_A_LOAD = {"iodepth": 4096, "numjobs": MOST_FIO_JOBS, "runtime_s": LONGEST_LOAD_S}
_COLUMNS = {column.id: column for column in TERMS["io_test_profile"].columns}

_GROUPS = Text(
    "挂载 {mount} 有 {count} 个节点组能看到，只能由一个组来测",
    "{count} groups see the mount {mount}, and only one can measure it",
)
_LACKING = Text("没有约定{label}", "“{label}” is not agreed")
_CACHED = Text("“{label}”须为“是”", "“{label}” must be “yes”")
_TOO_MUCH = Text("“{label}”是 {value}，最多 {most}", "“{label}” is {value}, and {most} is the most")
_CLIENTS = Text("“{label}”是 {value}，该组却有 {machines} 台", "“{label}” is {value}, but the group has {machines}")
_TOO_MANY = Text(
    "{machines} 台机器 × {tests} 项测试超过 {most}", "{machines} machines × {tests} tests are more than {most}"
)
_STAYS = Text(
    "不能由全部机器同时读来测：{what}。该条款保持“未测”；在“{section}”的“{group_term}”和“{profile}”中修改",
    "Cannot be measured by all machines reading at the same time: {what}. The clause stays pending; mend it in "
    "“{section}”, under “{group_term}” and “{profile}”",
)


def load_test(clause: Clause, body: Body) -> dict[str, Any]:
    """How the machines of the one group that sees a mount read it together, as agreed; empty where that cannot be."""
    if any(_hindrances(clause, body)):
        return {}
    agreed = clause.conditions
    numbers = {name: int(agreed[name]) for name in _OF_A_LOAD}
    return {"path": agreed["mount"], "rw": agreed["rw"], "block_size": agreed["block_size"], **numbers}


def why_not(clause: Clause, body: Body) -> Text:
    """What stands in the way of the load test, each thing by its name and value, and where it is agreed."""
    return _STAYS.fill(
        what=joined(list(_hindrances(clause, body))),
        section=Text("共享与本地存储", "Shared and local storage"),
        group_term=TERMS["groups"].label,
        profile=TERMS["io_test_profile"].label,
    )


def _hindrances(clause: Clause, body: Body) -> Iterator[Text]:
    yield from _of_the_profile(clause)
    groups = _readers(clause, body)
    if len(groups) != 1:
        yield _GROUPS.fill(mount=clause.conditions.get("mount", clause.code), count=len(groups))
        return
    machines = groups[0].node_count
    agreed = int(clause.conditions.get("clients", machines))
    if agreed != machines:
        yield _CLIENTS.fill(label=_label("clients"), value=agreed, machines=machines)
    tests = sum(each.name in SHARED and groups[0] in _readers(each, body) for each in body.clauses)
    if machines * tests > MOST_CLIENTS:
        yield _TOO_MANY.fill(machines=machines, tests=tests, most=MOST_CLIENTS)


def _of_the_profile(clause: Clause) -> Iterator[Text]:
    agreed = clause.conditions
    yield from (_LACKING.fill(label=_label(name)) for name in ("block_size", *_OF_A_LOAD) if name not in agreed)
    if agreed.get("direct") is not True:
        yield _CACHED.fill(label=_label("direct"))
    for name, most in _OF_A_LOAD.items():
        if name in agreed and int(agreed[name]) > most:
            value, limit = (measure(number, _COLUMNS[name].unit) for number in (int(agreed[name]), most))
            yield _TOO_MUCH.fill(label=_label(name), value=value, most=limit)


def _readers(clause: Clause, body: Body) -> list[Group]:
    """The groups that see the mount of a clause."""
    mounts = [mount for mount in body.mounts if mount.code == clause.code]
    return [group for group in body.groups if any(group.code in mount.groups for mount in mounts)]


def _label(name: str) -> Text:
    return _COLUMNS[name].label
