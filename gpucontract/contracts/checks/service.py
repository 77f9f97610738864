"""Checks of the service level's promise: what is counted, what is left out, how soon somebody comes."""

from __future__ import annotations

import re
from decimal import Decimal

from gpucontract.canonical import decimal_text
from gpucontract.catalogue import xid
from gpucontract.contracts.checks.check import (
    Check,
    Miss,
    Per,
    Policy,
    Severity,
    are_joined,
    for_any_group,
    has_lines,
    shown,
    some_groups,
)
from gpucontract.contracts.sections.sla import PERIODS, SCOPE_UNITS
from gpucontract.contracts.terms import Local
from gpucontract.wording import Text

# Numbers that follow the word Xid: "Xid 48、79 出现一次" names two codes, not three.
_XIDS = re.compile(
    r"(?<![a-z])xids?(?:[ :：]|代码|报错|错误|codes?|errors?){0,4}"
    r"((?:[0-9]{1,3}(?:[、，,/和及或 ]|and|or){1,5})*[0-9]{1,3})",
    re.IGNORECASE,
)

_NO_CAP = Text(
    "计划维护没有上限，等于没有可用性承诺。请填每月小时数，建议不超过 {limit} 小时。",
    "Planned maintenance has no cap, which leaves no promise. Enter hours per month; {limit} at most is advised.",
)
_NO_REPLACEMENT = Text(
    "没有约定坏卡多久更换。请填写，建议 {limit} 小时以内。",
    "Nothing says how soon a failed GPU is replaced. Enter it; {limit} hours or less is advised.",
)


def _no_availability(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("sla_availability_pct") else Miss()


def _long_period(local: Local, _: Policy) -> Miss | None:
    period = local["sla_period"]
    return Miss({"period": PERIODS[period]}) if period in ("quarter", "year") else None


def _average(local: Local, policy: Policy) -> Miss | None:
    if local["sla_scope_unit"] != "fleet_average":
        return None
    nodes = sum(int(local.terms[f"{code}/node_count"]) for code in some_groups(local))
    return Miss({"nodes": nodes}) if nodes >= policy.fleet_average_nodes else None


def _only_unreachable(local: Local, _: Policy) -> Miss | None:
    return Miss() if tuple(local["downtime_definition"]) == ("unreachable",) else None


def _fabric_uncounted(local: Local, _: Policy) -> Miss | None:
    is_counted = "fabric_down" in local["downtime_definition"]
    return Miss() if are_joined(local) and not is_counted else None


def _flaps_uncounted(local: Local, policy: Policy) -> Miss | None:
    minutes, limit = int(local["min_countable_minutes"]), policy.countable_minutes
    return Miss({"minutes": minutes, "limit": limit}) if minutes > limit else None


def _much_maintenance(local: Local, policy: Policy) -> Miss | None:
    limit = policy.maintenance_hours
    if not local.is_given("maintenance_hours_cap"):
        return Miss(text=_NO_CAP.fill(limit=limit))
    hours = Decimal(local["maintenance_hours_cap"])
    return Miss({"hours": shown(hours), "limit": limit}) if hours > limit else None


def _catch_all(local: Local, _: Policy) -> Miss | None:
    return Miss() if "catch_all" in local["sla_exclusions"] else None


def _slow_response(local: Local, policy: Policy) -> Miss | None:
    minutes = int(local["p1_response_min"])
    is_slow = local["workload_profile"] == "training_critical" and minutes >= policy.critical_response_min
    return Miss({"minutes": minutes, "limit": policy.critical_response_min}) if is_slow else None


def _no_restoration(local: Local, _: Policy) -> Miss | None:
    minutes = int(local["p1_response_min"])
    return None if local.is_given("p1_restore_hours") else Miss({"minutes": minutes})


def _slow_replacement(local: Local, policy: Policy) -> Miss | None:
    limit = policy.gpu_replace_hours
    if not local.is_given("gpu_replace_hours"):
        return Miss(text=_NO_REPLACEMENT.fill(limit=limit))
    hours = int(local["gpu_replace_hours"])
    return Miss({"hours": hours, "limit": limit}) if hours > limit else None


def _no_spares(local: Local, _: Policy) -> Miss | None:
    has_spares = any(row.get("quantity") for row in local.get("onsite_spares", ()))
    return Miss() if local["workload_profile"] == "training_critical" and not has_spares else None


def _vendor_data(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["measurement_source"] == "vendor_probe" else None


def _no_way_out(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("chronic_failure_rule") else Miss()


def _no_criteria(local: Local, _: Policy) -> Miss | None:
    return None if has_lines(local, "hw_fault_definition") else Miss()


def _incredible(local: Local, policy: Policy) -> Miss | None:
    promise, limit = Decimal(local["sla_availability_pct"]), policy.spareless_availability_pct
    if promise < limit or local["sla_scope_unit"] not in ("per_node", "per_gpu"):
        return None
    unit = SCOPE_UNITS[local["sla_scope_unit"]]
    return Miss({"promise": decimal_text(promise), "unit": unit}) if int(local["spare_node_count"]) == 0 else None


def _perfect(local: Local, _: Policy) -> Miss | None:
    return Miss() if Decimal(local["sla_availability_pct"]) == 100 else None


def _other_xids(local: Local, _: Policy) -> Miss | None:
    """The codes named as hardware faults against those that the clause of acceptance counts."""
    said = " ".join(row.get("criterion") or "" for row in local["hw_fault_definition"] if row.get("kind") == "xid")
    named = {int(code) for found in _XIDS.finditer(said) for code in re.findall("[0-9]+", found[1])}
    if not named or named == set(xid.FATAL):
        return None
    return Miss({"named": _codes(named), "counted": _codes(set(xid.FATAL))})


def _codes(codes: set[int]) -> Text:
    said = [str(code) for code in sorted(codes)]
    return Text("、".join(said), ", ".join(said))


CHECKS = (
    Check(
        "C-SLA-01", Severity.BLOCKER, Per.CONTRACT, ("sla_availability_pct",),
        Text("没有可量化的月可用性。请填百分数，例如 99.5。",
             "Monthly availability has no number. Enter a percentage such as 99.5."),
        _no_availability,
    ),
    Check(
        "C-SLA-03", Severity.WARNING, Per.CONTRACT, ("sla_period",),
        Text("可用性按{period}统计，一次长停机会被摊薄：按年 99.9 % 允许一次停 8.76 小时。请改为按月。",
             "Availability is counted by the {period}, which spreads a long outage thin: 99.9 % of a year allows 8.76 "
             "hours "
             "at once. Count by the month."),
        _long_period,
    ),
    Check(
        "C-SLA-04", Severity.WARNING, Per.CONTRACT, ("sla_scope_unit",),
        Text("{nodes} 台机器按全部平均计算，一台停机会被其余的盖住。请改为逐台或逐卡。",
             "Over {nodes} machines an average hides one dead machine. Count per machine or per GPU."),
        _average,
    ),
    Check(
        "C-SLA-05", Severity.WARNING, Per.CONTRACT, ("downtime_definition",),
        Text("只有连不上才算宕机，掉卡和变慢都不赔。请加上掉卡、GPU 报错和性能低于门槛。",
             "Only the unreachable counts as down: lost or slow GPUs earn nothing. Add missing GPUs, GPU errors and "
             "low "
             "performance."),
        _only_unreachable,
    ),
    Check(
        "C-SLA-06", Severity.WARNING, Per.CONTRACT, ("downtime_definition",),
        Text("多台机器之间的网络中断不算宕机，训练停了也不赔。请加上“机间网络中断”。",
             "A broken network between machines does not count as down, though training stops. Add it."),
        _fabric_uncounted,
    ),
    Check(
        "C-SLA-07", Severity.WARNING, Per.CONTRACT, ("min_countable_minutes",),
        Text("停机满 {minutes} 分钟才起算，超过 {limit} 分钟，反复闪断一次也不算。请缩短。",
             "Outages count from {minutes} minutes on, more than {limit}: flapping never counts. Shorten it."),
        _flaps_uncounted,
    ),
    Check(
        "C-SLA-08", Severity.WARNING, Per.CONTRACT, ("maintenance_hours_cap",),
        Text("每月计划维护可达 {hours} 小时，超过 {limit} 小时。请降低上限。",
             "Planned maintenance may take {hours} hours a month, more than {limit}. Lower the cap."),
        _much_maintenance,
    ),
    Check(
        "C-SLA-09", Severity.BLOCKER, Per.CONTRACT, ("sla_exclusions",),
        Text("不计入的情形里有“等其他情形”这样的兜底，任何停机都能被排除。请去掉它，只留列明的情形。",
             "The exclusions hold a catch-all, by which any outage can be left out. Remove it and keep a closed list."),
        _catch_all,
    ),
    Check(
        "C-SLA-10", Severity.WARNING, Per.CONTRACT, ("p1_response_min", "workload_profile"),
        Text("关键训练的 P1 响应为 {minutes} 分钟。请要求短于 {limit} 分钟。",
             "P1 faults of critical training are answered within {minutes} minutes. Ask for less than {limit}."),
        _slow_response,
    ),
    Check(
        "C-SLA-11", Severity.BLOCKER, Per.CONTRACT, ("p1_restore_hours", "p1_response_min"),
        Text("P1 故障 {minutes} 分钟内响应，却没有恢复时限：有人接电话不等于修好。请填写恢复时限。",
             "P1 faults are answered within {minutes} minutes, but nothing says when they are mended. Enter the time "
             "to "
             "restore."),
        _no_restoration,
    ),
    Check(
        "C-SLA-12", Severity.WARNING, Per.CONTRACT, ("gpu_replace_hours",),
        Text("坏卡 {hours} 小时内更换，超过 {limit} 小时。请缩短，或约定现场备件。",
             "A failed GPU is replaced within {hours} hours, more than {limit}. Shorten it, or agree spares on site."),
        _slow_replacement,
    ),
    Check(
        "C-SLA-13", Severity.WARNING, Per.CONTRACT, ("onsite_spares", "workload_profile"),
        Text("关键训练没有现场备件，坏了要等返厂。请列出备件和数量。",
             "Critical training without spares on site waits for the maker. List parts and numbers."),
        _no_spares,
    ),
    Check(
        "C-SLA-17", Severity.WARNING, Per.CONTRACT, ("measurement_source",),
        Text("可用性只以乙方监控为准，甲方无法举证。请改为双方或第三方。",
             "The vendor's data alone decide, so no claim can be proven. Choose both sides or a third party."),
        _vendor_data,
    ),
    Check(
        "C-SLA-18", Severity.WARNING, Per.CONTRACT, ("chronic_failure_rule",),
        Text("没有频发故障的解约权，赔付抵不过停工。请写明几次或连续几个月后可以解约。",
             "Nothing lets you leave after repeated failures, and credits do not pay for idle teams. Say after how "
             "many."),
        _no_way_out,
    ),
    Check(
        "C-SLA-20", Severity.HINT, Per.CONTRACT, ("hw_fault_definition",),
        Text("没有硬件故障的判据，报修时可能被说成“未能复现”。请列出 Xid、ECC、温度或链路的判据。",
             "Without criteria for hardware faults a report may end in “could not reproduce”. List Xid, ECC, "
             "temperature "
             "or link signs."),
        _no_criteria,
    ),
    Check(
        "C-SLA-21", Severity.WARNING, Per.CONTRACT, ("sla_availability_pct", "sla_scope_unit", "spare_node_count"),
        Text("{unit}承诺 {promise} % 却没有热备机，换一次硬件就会违约，这个承诺不可信。请要求热备，或降低承诺。",
             "{promise} % {unit} without a hot spare is not credible: one swap of hardware breaks it. Ask for "
             "spares, "
             "or for less."),
        for_any_group(_incredible),
    ),
    Check(
        "C-SLA-22", Severity.HINT, Per.CONTRACT, ("sla_availability_pct",),
        Text("可用性 100 % 意味着每月一分钟也不能停，没有机器做得到，争议时反而难以主张。请填能兑现的数，例如 99.9。",
             "100 % allows not one minute of a month, which no machine keeps and which is hard to enforce. Enter what "
             "can "
             "be kept, such as 99.9."),
        _perfect,
    ),
    Check(
        "C-SLA-24", Severity.WARNING, Per.CONTRACT, ("hw_fault_definition",),
        Text("硬件故障的判据列了 Xid {named}，验收条款计入的致命 Xid 却是 {counted}，出事时说不清以哪一份为准。"
             "请写成同一份代码，或写“与验收条款相同”。",
             "The criteria of hardware faults name Xid {named}, while the clause of acceptance counts {counted}: in a "
             "dispute nobody knows which list governs. Name the same codes, or write “as in the acceptance clause”."),
        _other_xids,
    ),
)  # fmt: skip
