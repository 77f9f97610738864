"""Checks of who answers for data, and who may change or watch the machines."""

from __future__ import annotations

from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity
from gpucontract.contracts.terms import Local
from gpucontract.wording import Text


def _no_liability(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("storage_data_loss_liability") else Miss()


def _volatile(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["local_nvme_persist"] == "ephemeral" and local["storage_backup"] == "none" else None


def _free_changes(local: Local, _: Policy) -> Miss | None:
    return Miss() if local.get("change_control", "vendor_discretion") == "vendor_discretion" else None


def _no_telemetry(local: Local, _: Policy) -> Miss | None:
    return Miss() if set(local.get("monitoring_access", ())) <= {"none"} else None


CHECKS = (
    Check(
        "C-STO-06", Severity.BLOCKER, Per.CONTRACT, ("storage_data_loss_liability",),
        Text("没有约定数据丢失由谁赔，不写多半就是不赔。请选择。",
             "Nothing says who pays for lost data; unsaid, mostly nobody. Choose."),
        _no_liability,
    ),
    Check(
        "C-STO-07", Severity.WARNING, Per.GROUP, ("local_nvme_persist", "storage_backup"),
        Text("本地盘不保留数据，又没有备份，换一次机就全部丢失。请要求保留，或约定备份。",
             "Local disks lose their data and nothing is backed up: one swap loses everything. Ask for disks that keep "
             "it, or for backups."),
        _volatile,
    ),
    Check(
        "C-SW-05", Severity.WARNING, Per.CONTRACT, ("change_control",),
        Text("没有限制驱动和固件的变更，一次升级就能打断训练。请选“禁止”“甲方同意后”或“提前通知后”。",
             "Nothing limits changes of drivers and firmware, and one upgrade ends a running job. Choose forbidden, "
             "with consent, or after notice."),
        _free_changes,
    ),
    Check(
        "C-SW-07", Severity.WARNING, Per.CONTRACT, ("monitoring_access",),
        Text("没有开放监控数据，停机索赔时拿不出证据。请至少选 DCGM。",
             "No telemetry is opened to you, so claims lack evidence. Ask for DCGM at least."),
        _no_telemetry,
    ),
)  # fmt: skip
