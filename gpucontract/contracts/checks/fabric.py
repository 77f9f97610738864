"""Checks of how the network between machines is kept: loss, separation, and links that fail by halves."""

from __future__ import annotations

from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity
from gpucontract.contracts.terms import Local
from gpucontract.wording import Text


def _no_loss_limit(local: Local, _: Policy) -> Miss | None:
    is_roce = local["inter_fabric_type"] == "rocev2"
    return Miss() if is_roce and not local.is_given("roce_loss_max_ppm") else None


def _mixed(local: Local, _: Policy) -> Miss | None:
    return None if local["fabric_dedicated"] else Miss()


def _no_link_policy(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("link_error_policy") else Miss()


CHECKS = (
    Check(
        "C-NET-18", Severity.HINT, Per.GROUP, ("roce_loss_max_ppm", "inter_fabric_type"),
        Text("RoCE 没有写丢包上限，丢多少算违约说不清。建议填 1 ppm。",
             "RoCE without a limit on lost packets: how many are too many stays open. 1 ppm is a sound limit."),
        _no_loss_limit,
    ),
    Check(
        "C-NET-24", Severity.HINT, Per.GROUP, ("fabric_dedicated",),
        Text("计算网与存储或业务网混用，忙时会互相堵。建议要求分开。",
             "The compute network is shared with storage or other traffic and may congest. Ask for one of its own."),
        _mixed,
    ),
    Check(
        "C-NET-25", Severity.HINT, Per.GROUP, ("link_error_policy",),
        Text("链路降速、误码、闪断没有约定怎么办；慢了却不算宕机。请写明多少次算故障、几小时内修好。",
             "Nothing says what follows link errors, flaps or lost speed, which are not downtime. State how many are "
             "a fault and by when it is mended."),
        _no_link_policy,
    ),
)  # fmt: skip
