"""Checks of what is owed when the service level is missed."""

from __future__ import annotations

from decimal import Decimal

from gpucontract.canonical import decimal_text
from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity, has_lines, shown
from gpucontract.contracts.terms import Local, NotGiven
from gpucontract.wording import Text

_GAP = Text("{low} % 到 {high} % 之间没有写", "nothing is said between {low} % and {high} %")
_OVERLAP = Text("{low} % 到 {high} % 之间写了两次", "two tiers hold between {low} % and {high} %")
_TOP = Text("最高一档到 {top} %，而承诺是 {promise} %", "the highest tier ends at {top} %, the promise is {promise} %")
_TURNED = Text("有一档的下限 {low} % 不低于上限 {high} %", "a tier begins at {low} %, not below its end of {high} %")
_NO_CLAIM = Text(
    "赔付须由甲方申请，却没有写申请时限。请改为自动赔付，或写明至少 {limit} 天。",
    "Credits must be claimed, but nothing says within what time. Make them automatic, or state {limit} days at least.",
)


def _no_credits(local: Local, _: Policy) -> Miss | None:
    return None if has_lines(local, "credit_tiers") else Miss()


def _voucher(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["credit_form"] == "voucher" else None


def _low_cap(local: Local, policy: Policy) -> Miss | None:
    cap, limit = Decimal(local["credit_cap_pct"]), policy.credit_cap_pct
    return Miss({"cap": shown(cap), "limit": limit}) if cap < limit else None


def _short_claim(local: Local, policy: Policy) -> Miss | None:
    if local["credit_auto"]:
        return None
    limit = policy.claim_days
    if not local.is_given("credit_claim_days"):
        return Miss(text=_NO_CLAIM.fill(limit=limit))
    days = int(local["credit_claim_days"])
    return Miss({"days": days, "limit": limit}) if days < limit else None


def _broken_tiers(local: Local, _: Policy) -> Miss | None:
    """The tiers must cover every availability below the promise once: from 0 up to, not including, the promise."""
    tiers = sorted((_bound(row, "lower_pct"), _bound(row, "upper_pct")) for row in local["credit_tiers"])
    fault = next(
        (_TURNED.fill(low=decimal_text(low), high=decimal_text(high)) for low, high in tiers if low >= high), None
    )
    fault = fault or _seam(tiers) or _top(tiers, Decimal(local["sla_availability_pct"]))
    return Miss({"fault": fault}) if fault else None


def _seam(tiers: list[tuple[Decimal, Decimal]]) -> Text | None:
    ends = [Decimal(0), *(high for _, high in tiers)]
    for end, (low, _high) in zip(ends, tiers, strict=False):
        if low > end:
            return _GAP.fill(low=decimal_text(end), high=decimal_text(low))
        if low < end:
            return _OVERLAP.fill(low=decimal_text(low), high=decimal_text(end))
    return None


def _top(tiers: list[tuple[Decimal, Decimal]], promise: Decimal) -> Text | None:
    top = tiers[-1][1]
    return None if top == promise else _TOP.fill(top=decimal_text(top), promise=decimal_text(promise))


def _bound(row: object, name: str) -> Decimal:
    value = row.get(name)  # type: ignore[attr-defined]
    if value is None:
        raise NotGiven(f"c/credit_tiers/{name}")
    return Decimal(value)


def _capped_tier(local: Local, _: Policy) -> Miss | None:
    """What a tier promises above the cap of a month is never paid."""
    cap = Decimal(local["credit_cap_pct"])
    highest = max(_bound(row, "credit_pct") for row in local["credit_tiers"])
    return Miss({"credit": decimal_text(highest), "cap": decimal_text(cap)}) if highest > cap else None


CHECKS = (
    Check(
        "C-SLA-02", Severity.BLOCKER, Per.CONTRACT, ("credit_tiers",),
        Text("有可用性承诺，却没有赔付阶梯，做不到也不用赔。请至少填一档。",
             "Availability is promised without credits: missing it costs nothing. Enter one tier at least."),
        _no_credits,
    ),
    Check(
        "C-SLA-14", Severity.WARNING, Per.CONTRACT, ("credit_form",),
        Text("赔付用代金券，租期一到就作废。请改为抵扣账单或现金。",
             "Credits come as vouchers, which die with the term. Choose the next bill or cash."),
        _voucher,
    ),
    Check(
        "C-SLA-15", Severity.WARNING, Per.CONTRACT, ("credit_cap_pct",),
        Text("每月赔付上限为 {cap} %，低于 {limit} %；常见为 50 % 到 100 %。请提高。",
             "Credits are capped at {cap} % a month, under {limit} %; 50 to 100 % is common. Raise it."),
        _low_cap,
    ),
    Check(
        "C-SLA-16", Severity.WARNING, Per.CONTRACT, ("credit_claim_days", "credit_auto"),
        Text("赔付须在 {days} 天内申请，不足 {limit} 天，容易错过。请改为自动赔付，或延长。",
             "Credits must be claimed within {days} days, fewer than {limit}, and are easily missed. Make them "
             "automatic, "
             "or allow more."),
        _short_claim,
    ),
    Check(
        "C-SLA-19", Severity.WARNING, Per.CONTRACT, ("credit_tiers", "sla_availability_pct"),
        Text("赔付阶梯没有接好：{fault}。请让各档从 0 到承诺值首尾相接。",
             "The credit tiers do not join: {fault}. Let them meet end to end from 0 to the promise."),
        _broken_tiers,
    ),
    Check(
        "C-SLA-23", Severity.WARNING, Per.CONTRACT, ("credit_tiers", "credit_cap_pct"),
        Text("赔付阶梯最高赔 {credit} %，每月赔付上限却是 {cap} %，多出的部分拿不到。请提高上限，"
             "或把阶梯改到上限以内。",
             "The tiers go up to {credit} %, while credits are capped at {cap} % a month: what lies above is never "
             "paid. Raise the cap, or keep the tiers within it."),
        _capped_tier,
    ),
)  # fmt: skip
