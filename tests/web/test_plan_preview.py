"""The test plan on the check page: what is measured, how long, what stays open, what a soak cannot show."""

from decimal import Decimal

import pytest
from django.urls import reverse

from gpucontract.contracts.models.storage import LocalStorageTerms
from gpucontract.contracts.terms import Terms
from gpucontract.web.plan_preview import preview_of
from tests import factories
from tests.verdicts.making import CONTRACT, GROUP, MOUNT

pytestmark = pytest.mark.django_db


def terms(nodes=2, **contract):
    return Terms({"g1": {**GROUP, "node_count": nodes}, "m1": MOUNT, "c": {**CONTRACT, **contract}})


def test_the_plan_lists_jobs_in_order_with_machines_repeats_and_minutes():
    plan = preview_of(terms(), {})
    jobs = {line.job: line for line in plan.lines}
    assert next(iter(jobs)) == "inventory" and list(jobs)[-2:] == ["nccl_inter", "burn_in"]
    assert (jobs["nccl_intra"].machines, jobs["nccl_intra"].repeats, jobs["nccl_intra"].minutes) == (2, 3, 9)
    assert plan.hours > 0 and plan.gpu_hours > plan.hours


def test_clauses_that_nothing_settles_stand_together_under_their_reason():
    deal = Terms({"g1": {**GROUP, "nic_model": "ConnectX-7", "nvlink_generation": 4}, "m1": MOUNT, "c": CONTRACT})
    left = {open.reason.en: len(open.clauses) for open in preview_of(deal, {}).open}
    (of_disks,) = (many for reason, many in left.items() if "name it when the runs are ordered" in reason)
    (untested,) = (many for reason, many in left.items() if reason.startswith("No job measures it"))
    assert of_disks == 1 and untested > 1


def test_a_burn_in_settles_its_hours_and_its_interrupts_and_writes_settle_the_ports():
    deal = Terms({"g1": {**GROUP, "rdma_bw_min_gbps": Decimal(360)}, "m1": MOUNT, "c": CONTRACT})
    jobs = {line.job: line for line in preview_of(deal, {}).lines}
    assert jobs["burn_in"].settles == 2
    assert (jobs["rdma_pairs"].settles, jobs["rdma_pairs"].repeats, jobs["rdma_pairs"].minutes) == (1, 3, 15)


@pytest.mark.parametrize(
    ("nodes", "hours", "remarks"), [(2, 72, ["does not prove"]), (256, 168, ["unfair"])], ids=["small", "large"]
)
def test_the_soak_is_told_for_what_it_is(nodes, hours, remarks):
    plan = preview_of(terms(nodes, acceptance_burnin_hours=hours), {})
    assert [words in said.en for words, said in zip(remarks, plan.remarks, strict=True)] == [True]
    assert plan.windows[0].soak_gpu_hours == nodes * 8 * hours


def test_a_draft_without_numbers_has_no_plan_yet():
    assert preview_of(Terms({"g1": {"gpu_model": "H100 SXM5 80GB"}, "c": {}}), {}) is None


def test_the_check_page_shows_the_plan_in_chinese_and_english(drafter, contract):
    address = reverse("contract-draft-check", args=[contract.uuid])
    LocalStorageTerms.objects.update(local_read_gbs=20)
    page = drafter.get(address).content.decode()
    assert "测试计划" in page and "这个计划判定不了的条款" in page and "GPU 小时" in page
    drafter.cookies["django_language"] = "en"
    assert "What this plan cannot settle" in drafter.get(address).content.decode()


def test_an_empty_draft_says_what_the_plan_waits_for(drafter):
    page = drafter.get(reverse("contract-draft-check", args=[factories.empty_contract().uuid])).content.decode()
    assert "填写机器数" in page


def test_hours_are_shown_to_a_tenth():
    plan = preview_of(terms(), {})
    assert plan.hours == plan.hours.quantize(Decimal("0.1"))
