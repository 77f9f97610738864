"""Checks of who answers for what, where disputes go, and how the contract ends."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal

from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity, has_lines, shown
from gpucontract.contracts.sections.commercial import FORCE_MAJEURES
from gpucontract.contracts.terms import Local, NotGiven
from gpucontract.contracts.values import joined
from gpucontract.wording import Text

_ORDINARY = ("power", "carrier", "policy_change")
_MEGABITS_PER_TB = 8_000_000
_DAY_SECONDS = 86_400
_TENTH = Decimal("0.1")

_NO_VENDOR_NOTICE = Text(
    "没有写乙方解约要提前多久，涨价时机器可能被收回转租。请填写，建议至少 {limit} 天。",
    "Nothing says how long before leaving the vendor gives notice: machines may be taken back when prices rise. Enter "
    "it; {limit} days at least are advised.",
)


def _no_carve_outs(local: Local, _: Policy) -> Miss | None:
    local["liability_cap"]
    return None if local.is_given("liability_carve_outs") else Miss()


def _ordinary_risks(local: Local, _: Policy) -> Miss | None:
    named = [FORCE_MAJEURES[each] for each in local["force_majeure_scope"] if each in _ORDINARY]
    return Miss({"risks": joined(named)}) if named else None


def _both_forums(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["dispute_forum"] == "court_or_arbitration" else None


def _no_precedence(local: Local, _: Policy) -> Miss | None:
    return None if has_lines(local, "appendix_precedence") else Miss()


def _short_renewal_notice(local: Local, policy: Policy) -> Miss | None:
    if local["renewal_type"] != "auto":
        return None
    days, limit = int(local["renewal_notice_days"]), policy.renewal_notice_days
    return Miss({"days": days, "limit": limit}) if days < limit else None


def _sudden_exit(local: Local, policy: Policy) -> Miss | None:
    limit = policy.vendor_exit_days
    if not local.is_given("vendor_exit_notice"):
        return Miss(text=_NO_VENDOR_NOTICE.fill(limit=limit))
    days = int(local["vendor_exit_notice"])
    return Miss({"days": days, "limit": limit}) if days < limit else None


def _no_export(local: Local, _: Policy) -> Miss | None:
    return None if local.get("data_export_days", 0) else Miss()


def _slow_export(local: Local, policy: Policy) -> Miss | None:
    """Days to carry all shared storage out over the guaranteed bandwidth, of which a share is really reached."""
    days, rate = int(local["data_export_days"]), int(local["data_export_bw"])
    capacity = _shared_tb(local)
    needed = capacity * _MEGABITS_PER_TB * 100 / (rate * policy.export_pct * _DAY_SECONDS)
    if needed <= days:
        return None
    said = {"capacity": shown(capacity), "rate": rate, "pct": policy.export_pct}
    return Miss(said | {"needed": shown(needed.quantize(_TENTH, ROUND_CEILING)), "days": days})


def _shared_tb(local: Local) -> Decimal:
    if not local.terms.mounts:
        raise NotGiven("m1/shared_capacity_tb")
    return sum((Decimal(local.terms[f"{code}/shared_capacity_tb"]) for code in local.terms.mounts), Decimal(0))


def _no_egress_fee(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("egress_fee") else Miss()


def _early_deletion(local: Local, _: Policy) -> Miss | None:
    deletion, export = int(local["data_deletion_days"]), int(local["data_export_days"])
    return Miss({"deletion": deletion, "export": export}) if deletion < export else None


def _all_rent(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["early_exit_fee_basis"] == "all_remaining_rent" else None


def _nothing_survives(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("survival_clauses") else Miss()


CHECKS = (
    Check(
        "C-COM-14", Severity.WARNING, Per.CONTRACT, ("liability_carve_outs", "liability_cap"),
        Text("责任有上限却没有例外，数据泄露、故意也只赔到上限。请选择例外。",
             "Liability is capped without exceptions, even for data breach or intent. Choose what the cap does not "
             "cover."),
        _no_carve_outs,
    ),
    Check(
        "C-COM-15", Severity.WARNING, Per.CONTRACT, ("force_majeure_scope",),
        Text("不可抗力里写了“{risks}”，这些是乙方的经营风险。请去掉。",
             "Force majeure includes {risks}: the vendor's ordinary risks. Remove them."),
        _ordinary_risks,
    ),
    Check(
        "C-COM-16", Severity.BLOCKER, Per.CONTRACT, ("dispute_forum",),
        Text("同时约定仲裁和诉讼，仲裁条款可能无效。请只选一种，并请法务确认。",
             "Both court and arbitration are named, which may void the clause. Choose one, and ask counsel."),
        _both_forums,
    ),
    Check(
        "C-COM-17", Severity.WARNING, Per.CONTRACT, ("appendix_precedence",),
        Text("没有写文件的优先顺序，附件与正文冲突时说不清以谁为准。请排出顺序，技术附件在前。",
             "No order of precedence: where appendix and body differ nobody knows which holds. List them, the appendix "
             "first."),
        _no_precedence,
    ),
    Check(
        "C-EXT-01", Severity.WARNING, Per.CONTRACT, ("renewal_notice_days", "renewal_type"),
        Text("自动续租的通知期只有 {days} 天，不足 {limit} 天，容易错过而多租一期。请延长，或改为通知后续租。",
             "Renewal is automatic with {days} days of notice, fewer than {limit}, and easily missed. Allow more, or "
             "renew "
             "by notice."),
        _short_renewal_notice,
    ),
    Check(
        "C-EXT-02", Severity.WARNING, Per.CONTRACT, ("vendor_exit_notice",),
        Text("乙方提前 {days} 天就能解约，不足 {limit} 天，来不及迁走。请延长。",
             "The vendor may leave with {days} days of notice, fewer than {limit}: too few to move out. Ask for more."),
        _sudden_exit,
    ),
    Check(
        "C-EXT-03", Severity.BLOCKER, Per.CONTRACT, ("data_export_days",),
        Text("没有数据导出期。请至少填 1 天，按数据量估算。",
             "No time to take the data out. Enter at least one day; reckon with how much there is."),
        _no_export,
    ),
    Check(
        "C-EXT-04", Severity.WARNING, Per.CONTRACT, ("data_export_days", "data_export_bw"),
        Text("共享存储 {capacity} TB，按 {rate} Mb/s 的 {pct} % 导出约需 {needed} 天，超过 {days} 天的导出期。请延长，"
             "或提高带宽。",
             "{capacity} TB over {pct} % of {rate} Mb/s take about {needed} days, more than the {days} for export. "
             "Allow "
             "more days or bandwidth."),
        _slow_export,
    ),
    Check(
        "C-EXT-05", Severity.WARNING, Per.CONTRACT, ("egress_fee",),
        Text("没有写导出费用，到时数据可能成为要价的筹码。请填每 TB 的价格，不收费填 0。",
             "No price for taking data out: it may become a hostage. Enter the fee per TB, 0 where there is none."),
        _no_egress_fee,
    ),
    Check(
        "C-EXT-06", Severity.BLOCKER, Per.CONTRACT, ("data_deletion_days", "data_export_days"),
        Text("数据 {deletion} 天后删除，早于 {export} 天的导出期结束。请把删除放到导出之后。",
             "Data are erased after {deletion} days, before the {export} days for taking them out are over. Erase "
             "later."),
        _early_deletion,
    ),
    Check(
        "C-EXT-07", Severity.WARNING, Per.CONTRACT, ("early_exit_fee_basis",),
        Text("提前解约要付全部剩余租金，等于不能解约。请改为若干个月租金，或剩余租金的一部分。",
             "Leaving early costs all remaining rent, so you cannot leave. Agree some months, or a share of it."),
        _all_rent,
    ),
    Check(
        "C-EXT-08", Severity.HINT, Per.CONTRACT, ("survival_clauses",),
        Text("没有写合同结束后哪些条款仍有效。建议至少写上保密、数据和赔付。",
             "Nothing says what survives the contract. Secrecy, data and credits at least are advised."),
        _nothing_survives,
    ),
)  # fmt: skip
