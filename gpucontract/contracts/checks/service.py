"""Checks of security, service level, acceptance, money and exit."""

from __future__ import annotations

import math
from decimal import Decimal

from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity, shown
from gpucontract.contracts.terms import Local
from gpucontract.wording import Text

_NO_BURN_IN = Text(
    "没有约定压测，早期故障露不出来。请填时长。",
    "No burn-in is agreed, so early failures stay hidden. Enter its hours.",
)


def _no_deletion(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("data_deletion_days") and local.is_given("data_deletion_method") else Miss()


def _no_isolation(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["tenant_isolation"] == "none" else None


def _no_availability(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("sla_availability_pct") else Miss()


def _slow_response(local: Local, policy: Policy) -> Miss | None:
    minutes = int(local["p1_response_min"])
    is_slow = local["workload_profile"] == "training_critical" and minutes >= policy.critical_response_min
    return Miss({"minutes": minutes, "limit": policy.critical_response_min}) if is_slow else None


def _no_window(local: Local, _: Policy) -> Miss | None:
    return None if local.get("acceptance_window_days", 0) >= 1 else Miss()


def _short_window(local: Local, policy: Policy) -> Miss | None:
    window, hours = int(local["acceptance_window_days"]), int(local["acceptance_burnin_hours"])
    needed = math.ceil((hours + policy.test_hours) / 24) + policy.spare_days
    return Miss({"window": window, "hours": hours, "needed": needed}) if window < needed else None


def _no_remedy(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("acceptance_fail_remedy") else Miss()


def _samples(local: Local, _: Policy) -> Miss | None:
    coverage = Decimal(local["acceptance_coverage_pct"])
    return Miss({"coverage": shown(coverage)}) if coverage < 100 else None


def _short_burn_in(local: Local, policy: Policy) -> Miss | None:
    if not local.is_given("acceptance_burnin_hours"):
        return Miss(text=_NO_BURN_IN)
    hours = int(local["acceptance_burnin_hours"])
    return Miss({"hours": hours, "limit": policy.least_burn_in_hours}) if hours < policy.least_burn_in_hours else None


def _no_month_basis(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["pricing_unit"] != "package" and not local.is_given("month_basis") else None


def _no_export(local: Local, _: Policy) -> Miss | None:
    return None if local.get("data_export_days", 0) else Miss()


def _early_deletion(local: Local, _: Policy) -> Miss | None:
    deletion, export = int(local["data_deletion_days"]), int(local["data_export_days"])
    return Miss({"deletion": deletion, "export": export}) if deletion < export else None


CHECKS = (
    Check(
        "C-SEC-01", Severity.BLOCKER, Per.CONTRACT, ("data_deletion_days", "data_deletion_method"),
        Text("没有约定数据删除的期限或方式，模型和数据可能一直留在对方磁盘上。请两项都填。",
             "No deadline or method for erasing data: weights and data may stay on the vendor's disks. State both."),
        _no_deletion,
    ),
    Check(
        "C-SEC-05", Severity.BLOCKER, Per.CONTRACT, ("tenant_isolation",),
        Text("没有租户隔离，别的租户可能看到你的数据。请选一种隔离方式。",
             "No separation from other tenants, who might see your data. Choose a kind of isolation."),
        _no_isolation,
    ),
    Check(
        "C-SLA-01", Severity.BLOCKER, Per.CONTRACT, ("sla_availability_pct",),
        Text("没有可量化的月可用性。请填百分数，例如 99.5。",
             "Monthly availability has no number. Enter a percentage such as 99.5."),
        _no_availability,
    ),
    Check(
        "C-SLA-10", Severity.WARNING, Per.CONTRACT, ("p1_response_min", "workload_profile"),
        Text("关键训练的 P1 响应为 {minutes} 分钟。请要求 {limit} 分钟以内。",
             "P1 faults of critical training are answered within {minutes} minutes. Ask for less than {limit}."),
        _slow_response,
    ),
    Check(
        "C-ACC-01", Severity.BLOCKER, Per.CONTRACT, ("acceptance_window_days",),
        Text("没有验收期限。请至少填 1 天。", "No acceptance window. Enter at least one day."),
        _no_window,
    ),
    Check(
        "C-ACC-02", Severity.WARNING, Per.CONTRACT, ("acceptance_window_days", "acceptance_burnin_hours"),
        Text("验收期 {window} 天做不完 {hours} 小时压测和其余测试，至少要 {needed} 天。请延长。",
             "{window} days are too short for {hours} h of burn-in and the other tests; {needed} are needed. Lengthen "
             "the window."),
        _short_window,
    ),
    Check(
        "C-ACC-05", Severity.BLOCKER, Per.CONTRACT, ("acceptance_fail_remedy",),
        Text("没有写验收不合格怎么办。请至少选一种处理办法。",
             "Nothing says what follows when acceptance fails. Choose at least one remedy."),
        _no_remedy,
    ),
    Check(
        "C-ACC-07", Severity.WARNING, Per.CONTRACT, ("acceptance_coverage_pct",),
        Text("验收只覆盖 {coverage} %，抽检会漏掉坏卡。请填 100 %。",
             "Acceptance covers only {coverage} %: samples miss bad cards. Enter 100 %."),
        _samples,
    ),
    Check(
        "C-ACC-08", Severity.WARNING, Per.CONTRACT, ("acceptance_burnin_hours",),
        Text("压测 {hours} 小时，不足 {limit} 小时，早期故障露不出来。请加长。",
             "A burn-in of {hours} h is under {limit} h: early failures stay hidden. Lengthen it."),
        _short_burn_in,
    ),
    Check(
        "C-COM-03", Severity.WARNING, Per.CONTRACT, ("month_basis", "pricing_unit"),
        Text("没有约定月与小时怎么折算，720 与 744 小时差 3.3 %。请选择。",
             "How a month counts in hours is not agreed: 720 and 744 differ by 3.3 %. Choose."),
        _no_month_basis,
    ),
    Check(
        "C-EXT-03", Severity.BLOCKER, Per.CONTRACT, ("data_export_days",),
        Text("没有数据导出期。请至少填 1 天，按数据量估算。",
             "No time to take the data out. Enter at least one day; reckon with how much there is."),
        _no_export,
    ),
    Check(
        "C-EXT-06", Severity.BLOCKER, Per.CONTRACT, ("data_deletion_days", "data_export_days"),
        Text("数据 {deletion} 天后删除，早于 {export} 天的导出期结束。请把删除放到导出之后。",
             "Data are erased after {deletion} days, before the {export} days for taking them out are over. Erase "
             "later."),
        _early_deletion,
    ),
)  # fmt: skip
