"""Each check fails, passes and leaves open what it should; the sentences say what to do."""

import re
from datetime import date
from decimal import Decimal

import pytest

from gpucontract.contracts import checks
from gpucontract.contracts.checks import CHECKS
from gpucontract.contracts.checks.check import Per, Policy
from gpucontract.contracts.sections.steps import SECTION_OF, SECTIONS, TERMS
from gpucontract.contracts.terms import Terms
from tests.pure.check_cases import ABOUT_EMPTINESS, FAILING, MENDED, OPEN, PASSING
from tests.pure.making import drafted, without

BY_ID = {check.id: check for check in CHECKS}
# It reads who confirmed, not the draft, and has tests of its own.
OF_PEOPLE = {"C-SIG-04"}


DAY = Policy(today=date(2026, 11, 30))


def outcome(check, terms, policy=DAY):
    (found,) = [result for result in checks.run(terms, policy) if result.check == check]
    return found


def case(row):
    changes = ",".join(f"{name}={value}" for name, value in row[1].items())
    return f"{row[0]}:{changes or 'sample'}"


@pytest.mark.parametrize(("check", "changes", "says"), FAILING, ids=map(case, FAILING))
def test_a_risky_draft_fails_and_is_told_why(check, changes, says):
    found = outcome(check, without("m1") if check == "C-STO-08" else drafted(**changes))
    assert found.outcome == "failed"
    assert says in found.text.en
    assert "{" not in found.text.zh + found.text.en


@pytest.mark.parametrize(("check", "changes"), MENDED + PASSING, ids=map(case, MENDED + PASSING))
def test_a_sound_draft_passes(check, changes):
    assert outcome(check, drafted(**changes)).outcome == "passed"


@pytest.mark.parametrize("check", sorted(set(BY_ID) - {row[0] for row in MENDED} - OF_PEOPLE))
def test_the_sample_passes_every_other_check(check):
    assert outcome(check, drafted()).outcome == "passed"


@pytest.mark.parametrize(("check", "changes"), OPEN, ids=map(case, OPEN))
def test_what_cannot_be_told_is_not_evaluated(check, changes):
    terms = drafted(**changes)
    found = outcome(check, Terms({k: v for k, v in terms.rows.items() if k != "m1"}) if check == "C-STO-08" else terms)
    assert found.outcome == "not_evaluated"
    assert not found.is_blocking


def test_every_check_has_a_failing_case_and_one_it_cannot_tell():
    assert {row[0] for row in FAILING} | OF_PEOPLE == set(BY_ID)
    assert {row[0] for row in OPEN} | ABOUT_EMPTINESS | OF_PEOPLE == set(BY_ID)


@pytest.mark.parametrize(
    ("names", "result", "says"),
    [
        ((), "passed", "Passed"),
        (("Vera", "Sun"), "failed", "confirmed by Vera, Sun, with"),
        (None, "not_evaluated", ""),
    ],
    ids=["all hold a mandate", "two hold none", "nothing confirmed"],
)
def test_who_confirmed_without_a_mandate_is_named(names, result, says):
    found = outcome("C-SIG-04", drafted(), Policy(without_mandate=names))
    assert found.outcome == result and says in found.text.en and not found.is_blocking


def test_an_empty_draft_passes_only_what_looks_at_nothing():
    passed = {result.check for result in checks.run(Terms({"c": {}, "g1": {}, "m1": {}})) if result.outcome == "passed"}
    assert passed == set()


def test_ids_stand_once():
    assert len(BY_ID) == len(CHECKS)


@pytest.mark.parametrize("check", CHECKS, ids=BY_ID)
def test_a_check_speaks_of_terms_that_exist(check):
    assert all(term in TERMS for term in check.terms)
    assert set(check.sections) <= set(SECTIONS)


@pytest.mark.parametrize("check", CHECKS, ids=BY_ID)
def test_both_languages_fill_the_same_values(check):
    assert set(re.findall(r"{(\w+)}", check.text.zh)) == set(re.findall(r"{(\w+)}", check.text.en))


def test_the_five_that_nobody_may_waive():
    unwaivable = {check.id for check in CHECKS if not check.is_waivable}
    assert unwaivable == {"C-PTY-01", "C-PTY-02", "C-NOD-01", "C-NET-06", "C-NET-14"}


def test_a_failed_blocker_blocks_and_a_failed_warning_does_not():
    assert outcome("C-EXT-03", drafted(c__data_export_days=0)).is_blocking
    assert not outcome("C-NET-08", drafted(g1__intra_busbw_min=Decimal(454))).is_blocking


def test_fast_ethernet_without_rdma_is_only_a_warning():
    found = outcome("C-NET-12", drafted(g1__inter_fabric_type="ethernet_tcp"))
    assert (found.outcome, found.severity) == ("failed", "warning")


def test_the_impossible_600_is_explained_in_chinese_too():
    terms = drafted(g1__gpu_model="A100 80GB SXM4", g1__intra_busbw_min=Decimal(600))
    assert outcome("C-NET-06", terms).text.zh == (
        "机内 busbw 门槛 600 GB/s 高于物理上限 300 GB/s，任何机器都达不到。A100 80GB SXM4 的 NVLink 单向为 300 GB/s，"
        "600 GB/s 是双向之和。健康机器公开实测 228–235 GB/s。建议门槛 220 GB/s。请改低。"
    )


def test_rules_about_machines_look_at_each_group():
    second = drafted().rows["g1"] | {"intra_busbw_min": Decimal(900), "name": "第二组"}
    terms = Terms({**drafted().rows, "g2": second})
    found = {result.path: result.outcome for result in checks.run(terms) if result.check == "C-NET-06"}
    assert found == {"g1/intra_busbw_min": "passed", "g2/intra_busbw_min": "failed"}


def test_a_contract_wide_term_is_shown_where_it_is_typed():
    assert outcome("C-SW-04", drafted(c__fabric_manager=None)).path == "c/fabric_manager"


def test_one_old_group_is_enough_to_fail_and_an_unknown_one_keeps_it_open():
    rows = drafted(c__cuda_version="12.4").rows
    new, unknown = rows["g1"] | {"gpu_model": "B200 SXM 180GB"}, rows["g1"] | {"gpu_model": "V100 SXM2 32GB"}
    assert outcome("C-SW-02", Terms({**rows, "g2": new})).outcome == "failed"
    assert outcome("C-SW-02", Terms({**rows, "g2": unknown, "g3": new})).outcome == "failed"
    assert outcome("C-SW-02", Terms({**rows, "g2": unknown})).outcome == "not_evaluated"


def test_an_organisation_may_draw_its_own_lines():
    strict = Policy(least_burn_in_hours=72)
    assert outcome("C-ACC-08", drafted(c__acceptance_burnin_hours=48)).outcome == "passed"
    assert outcome("C-ACC-08", drafted(c__acceptance_burnin_hours=48), policy=strict).outcome == "failed"


def test_a_start_long_ago_needs_a_known_day():
    assert outcome("C-COM-19", drafted(), Policy()).outcome == "not_evaluated"


def test_each_batch_of_machines_takes_test_time_of_its_own():
    batches = tuple({"due_on": date(2027, 1, day), "nodes": 1} for day in range(1, 11))
    long = drafted(c__acceptance_window_days=5, c__delivery_batches=batches)
    assert outcome("C-ACC-02", long).outcome == "failed"
    assert outcome("C-ACC-02", drafted(c__acceptance_window_days=5)).outcome == "passed"


class Watched(dict):
    """The values of a row, noting which terms are asked for."""

    def __init__(self, values):
        super().__init__(values)
        self.read = set()

    def get(self, term, default=None):
        self.read.add(term)
        return super().get(term, default)


@pytest.mark.parametrize(("check", "changes", "says"), FAILING, ids=map(case, FAILING))
def test_the_step_a_failed_check_leads_to_holds_a_term_that_it_looks_at(check, changes, says):
    terms = without("m1") if check == "C-STO-08" else drafted(**changes)
    rows = {code: Watched(values) for code, values in terms.rows.items()}
    for code in {Per.CONTRACT: ("c",), Per.GROUP: terms.groups, Per.MOUNT: terms.mounts}[BY_ID[check].per]:
        BY_ID[check].rule(Terms(rows).at(code), DAY)
    looked_at = {SECTION_OF[term] for values in rows.values() for term in values.read if term in TERMS}
    # That there is no mount at all shows in no term: its step is where one is added.
    assert SECTION_OF[BY_ID[check].terms[0]] in looked_at | ({"storage"} if check == "C-STO-08" else set())


def test_without_a_group_nothing_adds_up():
    assert outcome("C-NOD-01", without("g1")).outcome == "not_evaluated"


@pytest.mark.parametrize(
    ("check", "changes", "says"),
    [
        ("C-COM-06", {"c__deposit_nature": "earnest", "c__deposit_amount": Decimal(312_001)}, "定金 312,001.00 元超过总价"),
        ("C-NET-16", {"c__workload_profile": "training_critical", "g1__oversubscription": "other"}, "收敛比为“其他”"),
        ("C-NET-20", {"g1__inter_test_collective": "all_reduce_ring", "g1__inter_busbw_min": Decimal(401)}, "（按“all_reduce（环算法）”计）"),
        ("C-SLA-21", {"c__sla_availability_pct": Decimal("99.95"), "g1__spare_node_count": 0}, "逐台承诺 99.95 %"),
    ],
)  # fmt: skip
def test_what_is_filled_in_reads_as_chinese(check, changes, says):
    assert says in outcome(check, drafted(**changes)).text.zh


@pytest.mark.parametrize(("check", "changes", "says"), FAILING, ids=map(case, FAILING))
def test_no_blank_stands_between_chinese_characters(check, changes, says):
    found = outcome(check, without("m1") if check == "C-STO-08" else drafted(**changes))
    assert not re.search(r"[\u4e00-\u9fff）”。，：] +[\u4e00-\u9fff（“]", re.sub("“[^”]*”", "“”", found.text.zh))


LED_TO = [
    ("C-NOD-07", {"c__delivery_form": "vgpu_mig"}, "c/delivery_form"),
    ("C-NOD-07", {"g1__gpu_exclusive": False}, "g1/gpu_exclusive"),
    ("C-NOD-06", {"g1__gpu_modified": True}, "g1/gpu_modified_warranty"),
    (
        "C-NOD-06",
        {"g1__gpu_modified": True, "g1__gpu_modified_warranty": "乙方", "c__gpu_replace_hours": None},
        "c/gpu_replace_hours",
    ),
    ("C-STO-01", {"m1__shared_read_gbs": Decimal(20)}, "m1/shared_read_iops"),
    ("C-STO-01", {"m1__shared_read_iops": 9}, "m1/shared_read_gbs"),
    ("C-SW-03", {"c__driver_version": None}, "c/driver_version"),
    ("C-SW-03", {"c__cuda_version": None}, "c/cuda_version"),
    ("C-SEC-01", {"c__data_deletion_method": None}, "c/data_deletion_method"),
    ("C-ACC-12", {"c__late_delivery_term_days": None}, "c/late_delivery_term_days"),
    ("C-COM-04", {"c__price_tax_included": None}, "c/price_tax_included"),
    ("C-COM-18", {"c__traffic_fee": "open"}, "c/traffic_fee"),
    ("C-COM-18", {"c__other_fees": ({"kind": "power", "basis": "open"},)}, "c/other_fees"),
]


@pytest.mark.parametrize(("check", "changes", "path"), LED_TO, ids=[f"{row[0]}-{row[2]}" for row in LED_TO])
def test_a_finding_leads_to_the_term_that_mends_it(check, changes, path):
    found = outcome(check, drafted(**changes))
    assert (found.outcome, found.path) == ("failed", path)


def test_what_two_groups_fail_over_in_one_term_is_said_once():
    rows = drafted(c__delivery_form="vgpu_mig").rows
    found = [each for each in checks.run(Terms({**rows, "g2": rows["g1"]})) if each.check == "C-NOD-07"]
    assert [each.path for each in found] == ["c/delivery_form"]
