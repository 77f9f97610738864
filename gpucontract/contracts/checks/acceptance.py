"""Checks of delivery and acceptance: time enough, everything tested, nothing accepted by itself."""

from __future__ import annotations

import math
from decimal import Decimal

from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity, are_joined, first_empty, shown
from gpucontract.contracts.sections.acceptance import BILLING_STARTS, DEEMED
from gpucontract.contracts.terms import Local
from gpucontract.contracts.working_days import last_day, uncertainty
from gpucontract.wording import Text

_NO_BURN_IN = Text(
    "没有约定压测，早期故障露不出来。请填时长。",
    "No burn-in is agreed, so early failures stay hidden. Enter its hours.",
)


def _no_window(local: Local, _: Policy) -> Miss | None:
    return None if local.get("acceptance_window_days", 0) >= 1 else Miss()


def _short_window(local: Local, policy: Policy) -> Miss | None:
    """Burn-in and the other tests of every batch, in whole days, and some to spare."""
    window, hours = int(local["acceptance_window_days"]), int(local["acceptance_burnin_hours"])
    batches = max(1, len(local.get("delivery_batches", ())))
    needed = math.ceil((hours + policy.test_hours * batches) / 24) + policy.spare_days
    return Miss({"window": window, "hours": hours, "needed": needed}) if window < needed else None


def _deemed_blindly(local: Local, _: Policy) -> Miss | None:
    deemed = local["deemed_acceptance"]
    is_blind = deemed in ("on_use", "on_silence") and not local.is_given("acceptance_threshold_ref")
    return Miss({"how": DEEMED[deemed]}) if is_blind else None


def _deemed_early(local: Local, _: Policy) -> Miss | None:
    if local["deemed_acceptance"] == "none":
        return None
    days, window = int(local["deemed_acceptance_days"]), int(local["acceptance_window_days"])
    return Miss({"days": days, "window": window}) if days < window else None


def _no_remedy(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("acceptance_fail_remedy") else Miss()


def _early_rent(local: Local, _: Policy) -> Miss | None:
    start = local["billing_start"]
    return Miss({"start": BILLING_STARTS[start]}) if start in ("delivery", "contract_date") else None


_LOST_DAYS = Text(
    "租期从 {start} 起算，租金却从验收签字起算；{delivery} 交付的机器可能到 {last} 才验收完，"
    "前面的租期用不上。请把租期起日放到验收期之后，或写明租期随验收顺延。",
    "The term begins on {start}, rent when acceptance is signed: machines delivered on {delivery} may be "
    "accepted as late as {last}, and the days before are lost. Let the term begin after the acceptance "
    "window, or say that it moves with acceptance.",
)


def _term_before_acceptance(local: Local, _: Policy) -> Miss | None:
    """A term that may end before rent has run its months: it starts on a day, rent only when acceptance is signed."""
    if local["billing_start"] != "acceptance_signed":
        return None
    start, delivery = local["term_start"], local["delivery_date"]
    last = last_day(delivery, int(local["acceptance_window_days"]), local["day_basis"])
    said = {"start": start.isoformat(), "delivery": delivery.isoformat(), "last": last.isoformat()}
    if start >= last:
        return None
    doubt = uncertainty(delivery, last, local["day_basis"])
    lost = _LOST_DAYS.fill(**said)
    return Miss(said, doubt and Text(f"{lost.zh}{doubt.zh}", f"{lost.en} {doubt.en}"))


def _samples(local: Local, _: Policy) -> Miss | None:
    coverage = Decimal(local["acceptance_coverage_pct"])
    return Miss({"coverage": shown(coverage)}) if coverage < 100 else None


def _short_burn_in(local: Local, policy: Policy) -> Miss | None:
    if not local.is_given("acceptance_burnin_hours"):
        return Miss(text=_NO_BURN_IN)
    hours = int(local["acceptance_burnin_hours"])
    return Miss({"hours": hours, "limit": policy.least_burn_in_hours}) if hours < policy.least_burn_in_hours else None


def _self_test(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["acceptance_tester"] == "vendor" else None


def _only_pictures(local: Local, _: Policy) -> Miss | None:
    return Miss() if tuple(local["acceptance_evidence"]) == ("screenshot",) else None


def _endless_retests(local: Local, _: Policy) -> Miss | None:
    return None if local.is_given("retest_rounds_max") else Miss()


def _late_without_end(local: Local, _: Policy) -> Miss | None:
    lacking = first_empty(local, "late_delivery_ld", "late_delivery_term_days")
    return Miss(term=lacking) if lacking else None


def _no_retest(local: Local, _: Policy) -> Miss | None:
    return None if local["reacceptance_on_change"] else Miss()


def _network_untested(local: Local, _: Policy) -> Miss | None:
    is_tested = "inter_nccl" in local["acceptance_tests"]
    return Miss() if are_joined(local) and not is_tested else None


def _no_root(local: Local, _: Policy) -> Miss | None:
    return Miss() if not local["root_access"] and local["acceptance_tester"] == "buyer" else None


CHECKS = (
    Check(
        "C-SW-06", Severity.WARNING, Per.CONTRACT, ("root_access", "acceptance_tester"),
        Text("约定由甲方测试，却不给 root 权限，测试做不了。请给 root，或改由双方共同测试。",
             "The buyer is to test but has no root, so the tests cannot run. Grant root, or test together."),
        _no_root,
    ),
    Check(
        "C-ACC-01", Severity.BLOCKER, Per.CONTRACT, ("acceptance_window_days",),
        Text("没有验收期限。请至少填 1 天。", "No acceptance window. Enter at least one day."),
        _no_window,
    ),
    Check(
        "C-ACC-02", Severity.WARNING, Per.CONTRACT,
        ("acceptance_window_days", "acceptance_burnin_hours", "delivery_batches"),
        Text("验收期 {window} 天做不完 {hours} 小时压测和其余测试，至少要 {needed} 天。请延长。",
             "{window} days are too short for {hours} h of burn-in and the other tests; {needed} are needed. Lengthen "
             "the window."),
        _short_window,
    ),
    Check(
        "C-ACC-03", Severity.BLOCKER, Per.CONTRACT, ("acceptance_threshold_ref", "deemed_acceptance"),
        Text("约定“{how}即视为合格”，又没有门槛附件：一登录就失去验收的权利。请写明门槛附件，或不约定视为合格。",
             "Acceptance is deemed {how}, with no appendix of marks: the first login gives your rights away. Name the "
             "appendix, or agree no deemed acceptance."),
        _deemed_blindly,
    ),
    Check(
        "C-ACC-04", Severity.WARNING, Per.CONTRACT,
        ("deemed_acceptance_days", "acceptance_window_days", "deemed_acceptance"),
        Text("{days} 天后就视为合格，短于 {window} 天的验收期，两处矛盾。请延长到不短于验收期。",
             "Acceptance is deemed after {days} days, before the window of {window} days is over. Make it as long at "
             "least."),
        _deemed_early,
    ),
    Check(
        "C-ACC-05", Severity.BLOCKER, Per.CONTRACT, ("acceptance_fail_remedy",),
        Text("没有写验收不合格怎么办。请至少选一种处理办法。",
             "Nothing says what follows when acceptance fails. Choose at least one remedy."),
        _no_remedy,
    ),
    Check(
        "C-ACC-06", Severity.BLOCKER, Per.CONTRACT, ("billing_start",),
        Text("从“{start}”起租：机器还没验收就开始付钱。请改为验收签字之日。",
             "Rent starts {start}: you pay before the machines are accepted. Let it start when acceptance is signed."),
        _early_rent,
    ),
    Check(
        "C-ACC-15", Severity.WARNING, Per.CONTRACT,
        ("term_start", "billing_start", "delivery_date", "acceptance_window_days"),
        _LOST_DAYS,
        _term_before_acceptance,
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
        "C-ACC-09", Severity.WARNING, Per.CONTRACT, ("acceptance_tester",),
        Text("由乙方自己测试，等于自己给自己打分。请改为甲方、双方共同或第三方。",
             "The vendor tests itself and marks its own work. Choose the buyer, both together or a third party."),
        _self_test,
    ),
    Check(
        "C-ACC-10", Severity.WARNING, Per.CONTRACT, ("acceptance_evidence",),
        Text("证据只有截图，容易伪造。请加上原始输出或 JSON 数据。",
             "Screenshots alone are easily forged. Add raw output or JSON."),
        _only_pictures,
    ),
    Check(
        "C-ACC-11", Severity.WARNING, Per.CONTRACT, ("retest_rounds_max",),
        Text("没有写最多复测几轮，整改可能没完没了。请填次数。",
             "Nothing limits the retests, so the mending may never end. Enter a number."),
        _endless_retests,
    ),
    Check(
        "C-ACC-12", Severity.WARNING, Per.CONTRACT, ("late_delivery_ld", "late_delivery_term_days"),
        Text("逾期交付没有违约金，或没有写多久可以解约。请两项都填。",
             "Late delivery costs nothing, or never lets you leave. Enter both the damages and the days."),
        _late_without_end,
    ),
    Check(
        "C-ACC-13", Severity.WARNING, Per.CONTRACT, ("reacceptance_on_change",),
        Text("换机或维修后不复验，换上来的可能更差。请选“是”。",
             "Nothing is tested again after a swap or repair, and what comes in may be worse. Answer yes."),
        _no_retest,
    ),
    Check(
        "C-ACC-14", Severity.WARNING, Per.CONTRACT, ("acceptance_tests",),
        Text("有多台机器，验收却不测机间通信，网络差也能通过。请加上。",
             "There are several machines, but communication between them is not tested: a poor network passes. Add "
             "it."),
        _network_untested,
    ),
)  # fmt: skip
