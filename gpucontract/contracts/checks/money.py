"""Checks of the price and of how it is paid."""

from __future__ import annotations

import unicodedata
from decimal import Decimal
from fractions import Fraction

from gpucontract.canonical import decimal_text
from gpucontract.contracts import money
from gpucontract.contracts.amounts import in_full
from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity, first_empty, has_lines, known, shown
from gpucontract.contracts.sections.commercial import CONTRACT_KINDS
from gpucontract.contracts.terms import Local, NotGiven
from gpucontract.contracts.values import joined
from gpucontract.wording import Text

_CENT = Decimal("0.01")
_PRICED = ("once", "per_month", "per_node_month")
_TRAFFIC, _FEES = Text("流量费", "traffic"), Text("其他费用", "other fees")


def _no_commitment(local: Local, _: Policy) -> Miss | None:
    kind = local["contract_kind"]
    is_empty = kind == "framework" and not has_lines(local, "min_commit")
    return Miss({"kind": CONTRACT_KINDS[kind]}) if is_empty else None


def _other_total(local: Local, _: Policy) -> Miss | None:
    """A package has nothing to be computed from, and actual hours or open fees are not known beforehand."""
    stated = Decimal(local["total_value_stated"])
    if local["pricing_unit"] == "package" or not money.is_firm(local.terms):
        raise NotGiven("c/total_value")
    computed = _settled_total(local)
    if abs(computed - stated) <= _CENT:
        return None
    currency = local.get("currency", "CNY")
    said = {"stated": in_full(stated, currency), "computed": in_full(computed, currency)}
    return Miss(said | {"how": known(money.quote(local.terms).how, "c/total_value")})


def _settled_total(local: Local) -> Decimal:
    """The computed total; NotGiven while something it may depend on, fees and tax too, is still to be said."""
    for term in ("month_basis", "term_start", "price_tax_included", "other_fees"):
        if not local.terms.reason(f"c/{term}"):
            local[term]
    if any(_is_unpriced(row) for row in local.get("other_fees", ())):
        raise NotGiven("c/other_fees")
    return money.total(local.terms)


def _no_month_basis(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["pricing_unit"] != "package" and not local.is_given("month_basis") else None


def _no_tax(local: Local, _: Policy) -> Miss | None:
    lacking = first_empty(local, "vat_rate_pct", "price_tax_included")
    return Miss(term=lacking) if lacking else None


def _odd_rate(local: Local, _: Policy) -> Miss | None:
    rate = int(local["vat_rate_pct"])
    return Miss({"rate": rate}) if local["invoice_type"] == "vat_special" and rate not in (13, 6) else None


def _much_earnest(local: Local, policy: Policy) -> Miss | None:
    if local["deposit_nature"] != "earnest":
        return None
    deposit, total = Decimal(local["deposit_amount"]), _settled_total(local)
    if 100 * deposit <= policy.earnest_pct * total:
        return None
    currency = local.get("currency", "CNY")
    return Miss({"deposit": in_full(deposit, currency), "total": in_full(total, currency), "pct": policy.earnest_pct})


def _no_refund(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["deposit_amount"] > 0 and not local.is_given("deposit_refund_days") else None


def _untied_prepayment(local: Local, policy: Policy) -> Miss | None:
    share = Decimal(local["prepay_pct"])
    if share <= policy.prepay_pct or local["billing_start"] == "acceptance_signed":
        return None
    return Miss({"share": shown(share), "limit": policy.prepay_pct})


def _lopsided(local: Local, _: Policy) -> Miss | None:
    ours, theirs = Decimal(local["late_payment_ld"]), Decimal(local["late_delivery_ld"])
    return Miss({"ours": f"{ours.normalize():f}", "theirs": f"{theirs.normalize():f}"}) if ours > theirs else None


def _excessive(local: Local, policy: Policy) -> Miss | None:
    """Damages for late delivery at their height: the day on which the buyer may leave, or the cap before it."""
    share = Fraction(local["late_delivery_ld"]) * int(local["late_delivery_term_days"]) / 10
    if local.is_given("ld_cap_pct"):
        share = min(share, Fraction(local["ld_cap_pct"]))
    if share <= policy.late_fee_pct:
        return None
    return Miss({"share": decimal_text(money.half_up(share, 4)), "limit": policy.late_fee_pct})


def _vendor_adjusts(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["price_adjust_rule"] == "vendor_discretion" else None


def _long_fixed(local: Local, policy: Policy) -> Miss | None:
    months = int(local["term_months"])
    is_long = local["price_adjust_rule"] == "fixed" and months >= policy.fixed_price_months
    return Miss({"months": months}) if is_long else None


def _short_grace(local: Local, policy: Policy) -> Miss | None:
    days, limit = int(local["suspension_days"]), policy.suspension_days
    return Miss({"days": days, "limit": limit}) if days < limit else None


def _open_fees(local: Local, _: Policy) -> Miss | None:
    loose = [_TRAFFIC] if local.get("traffic_fee") == "open" else []
    loose += [_FEES] if any(_is_open(row) for row in local.get("other_fees", ())) else []
    if loose:
        term = "traffic_fee" if loose == [_TRAFFIC] else "other_fees"
        return Miss({"fees": joined(loose)}, term=term)
    for term in ("traffic_fee", "other_fees"):
        if not local.terms.reason(f"c/{term}"):
            local[term]
    if any(not row.get("basis") for row in local.get("other_fees", ())):
        raise NotGiven("c/other_fees")
    return None


def _is_open(row: object) -> bool:
    return row.get("basis") == "open" or (row.get("basis") in _PRICED and _is_unpriced(row))  # type: ignore[attr-defined]


def _is_unpriced(row: object) -> bool:
    """Whether a fee does not say what it comes to, or not even how it is charged."""
    basis, amount = row.get("basis"), row.get("amount")  # type: ignore[attr-defined]
    return not basis or (basis in _PRICED and amount is None)


def _other_payee(local: Local, _: Policy) -> Miss | None:
    payee, vendor = local["payee_account_name"], local["vendor_name"]
    return Miss({"payee": payee, "vendor": vendor}) if _plain(payee) != _plain(vendor) else None


def _long_ago(local: Local, policy: Policy) -> Miss | None:
    start, today = local["term_start"], known(policy.today, "today")
    days = (today - start).days
    said = {"start": start.isoformat(), "days": days, "limit": policy.past_start_days}
    return Miss(said) if days > policy.past_start_days else None


def _plain(name: str) -> str:
    """A company's name without the width of its letters and the spaces in it."""
    return "".join(unicodedata.normalize("NFKC", name).split()).casefold()


CHECKS = (
    Check(
        "C-PTY-10", Severity.BLOCKER, Per.CONTRACT, ("payee_account_name", "vendor_name"),
        Text("收款账户名“{payee}”与乙方名称“{vendor}”不一致，可能付错人，发票也对不上。请核对后改为乙方账户。",
             "The payee “{payee}” is not the vendor “{vendor}”: money may go astray and invoices will not match. Use "
             "the "
             "vendor's own account."),
        _other_payee,
    ),
    Check(
        "C-COM-01", Severity.BLOCKER, Per.CONTRACT, ("min_commit", "contract_kind"),
        Text("合同类型是“{kind}”，却没有最低承诺量，谁也不受约束。请填承诺的台数和月数，或改为带订单的合同。",
             "A contract of the kind “{kind}” without a commitment binds nobody. Enter machines and months, or add "
             "orders."),
        _no_commitment,
    ),
    Check(
        "C-COM-02", Severity.WARNING, Per.CONTRACT,
        ("total_value_stated", "unit_price", "pricing_unit", "month_basis", "term_start", "term_months", "other_fees"),
        Text("合同写明的总价为 {stated}，按单价、数量和租期算得 {computed}（{how}）。请核对，两处应一致。",
             "The contract states a total of {stated}; price, quantity and term give {computed} ({how}). Make them "
             "agree."),
        _other_total,
    ),
    Check(
        "C-COM-03", Severity.WARNING, Per.CONTRACT, ("month_basis", "pricing_unit"),
        Text("没有约定月与小时怎么折算，720 与 744 小时差 3.3 %。请选择。",
             "How a month counts in hours is not agreed: 720 and 744 differ by 3.3 %. Choose."),
        _no_month_basis,
    ),
    Check(
        "C-COM-04", Severity.WARNING, Per.CONTRACT, ("vat_rate_pct", "price_tax_included"),
        Text("没有写单价含不含税，或没有写税率；13 % 与 6 % 相差 7 个百分点。请两项都填。",
             "Whether the price includes tax, or the rate, is missing; 13 % and 6 % are seven points apart. Enter "
             "both."),
        _no_tax,
    ),
    Check(
        "C-COM-05", Severity.HINT, Per.CONTRACT, ("vat_rate_pct", "invoice_type"),
        Text("专用发票的税率为 {rate} %，租设备常为 13 %，技术服务常为 6 %。请财务确认。",
             "A special invoice at {rate} % is unusual: leasing is often 13 %, IT services 6 %. Ask finance."),
        _odd_rate,
    ),
    Check(
        "C-COM-06", Severity.WARNING, Per.CONTRACT, ("deposit_amount", "deposit_nature"),
        Text("定金 {deposit}超过总价 {total}的 {pct} %，超出部分可能不受保护。请降低，并请法务确认。",
             "Earnest money of {deposit} is more than {pct} % of the total of {total}; the excess may not be "
             "protected. "
             "Lower it, and ask counsel."),
        _much_earnest,
    ),
    Check(
        "C-COM-07", Severity.WARNING, Per.CONTRACT, ("deposit_refund_days", "deposit_amount"),
        Text("有押金，却没有写多久退还。请填天数。", "There is a deposit, but no day by which it returns. Enter it."),
        _no_refund,
    ),
    Check(
        "C-COM-08", Severity.WARNING, Per.CONTRACT, ("prepay_pct", "billing_start"),
        Text("预付 {share} %，超过 {limit} %，又不以验收为起租条件：机器不能用时钱已付出。请降低，或从验收起租。",
             "{share} % is prepaid, more than {limit} %, and rent does not wait for acceptance. Lower it, or start the "
             "rent "
             "at acceptance."),
        _untied_prepayment,
    ),
    Check(
        "C-COM-09", Severity.WARNING, Per.CONTRACT, ("late_payment_ld", "late_delivery_ld"),
        Text("逾期付款每日 {ours} ‰，高于逾期交付的每日 {theirs} ‰，对甲方不对等。请改为相同。",
             "Late payment costs {ours} ‰ a day, late delivery only {theirs} ‰. Make them equal."),
        _lopsided,
    ),
    Check(
        "C-COM-10", Severity.HINT, Per.CONTRACT, ("late_delivery_ld", "late_delivery_term_days", "ld_cap_pct"),
        Text("逾期交付违约金累计可达总价的 {share} %，超过 {limit} %，可能被认定过高而调低。请法务确认。",
             "Damages for late delivery may reach {share} % of the total, more than {limit} %, and be reduced as "
             "excessive. "
             "Ask counsel."),
        _excessive,
    ),
    Check(
        "C-COM-11", Severity.WARNING, Per.CONTRACT, ("price_adjust_rule",),
        Text("乙方可以单方调价。请改为固定、按指数或重谈。",
             "The vendor may change the price alone. Choose fixed, by an index or renegotiated."),
        _vendor_adjusts,
    ),
    Check(
        "C-COM-12", Severity.HINT, Per.CONTRACT, ("price_adjust_rule", "term_months"),
        Text("租期 {months} 个月价格不变，而租金行情常在下跌。可以约定市价下跌时重谈。",
             "The price stays fixed for {months} months while rents tend to fall. Consider renegotiating on a drop."),
        _long_fixed,
    ),
    Check(
        "C-COM-13", Severity.WARNING, Per.CONTRACT, ("suspension_days",),
        Text("欠费宽限 {days} 天，不足 {limit} 天，来不及补付就停机，可能丢数据。请延长。",
             "The grace before suspension is {days} days, fewer than {limit}: machines stop and data may be lost. "
             "Lengthen "
             "it."),
        _short_grace,
    ),
    Check(
        "C-COM-18", Severity.WARNING, Per.CONTRACT, ("other_fees", "traffic_fee"),
        Text("{fees}没有定价，最后要付多少没有上限。请逐项写明单价，或写明已含在价内。",
             "No price is set for {fees}, so there is no ceiling to what is owed. State each price, or that it is "
             "included."),
        _open_fees,
    ),
    Check(
        "C-COM-19", Severity.WARNING, Per.CONTRACT, ("term_start",),
        Text("租期从 {start} 开始，已过去 {days} 天，超过 {limit} 天，可能填错了年份。请核对。",
             "The term starts on {start}, {days} days ago, more than {limit}: perhaps a wrong year. Check it."),
        _long_ago,
    ),
)  # fmt: skip
