"""How far the cure is: retests ordered and left, the day it runs out, and a word before one round too many."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse
from django.utils import timezone

from gpucontract.measurements import services
from gpucontract.measurements.models import Run
from gpucontract.verdicts.models import Verdict, VerdictChange
from tests import factories
from tests.web import stage

pytestmark = pytest.mark.django_db
KEY = "g1/links_per_gpu"


@pytest.fixture
def contract(db):
    made = stage.measured().contract
    Verdict.objects.create(
        contract=made, revision=factories.latest(made), key=KEY, state="breached", scope="g1-002/gpu5", reason="missed",
        zh="少了链路。", en="Links are missing.", digest="0" * 64, rules_version=1,
    )  # fmt: skip
    return made


def change(contract, number, state, day, key=KEY, at=None):
    at = at or datetime(2031, 5, day, 4, tzinfo=UTC)
    body = {"state": state, "failing": [], "waived": False}
    VerdictChange.objects.create(contract=contract, key=key, number=number, body=body, why="evidence", at=at)


def page(client, contract, who, name):
    client.force_login(factories.person(who))
    return client.get(reverse(name, args=[contract.uuid])).content.decode()


def order(contract, number):
    services.order_runs(contract, round=number, by=factories.person("eng"), now=timezone.now())


def bring(contract, state="done"):
    """Every open run ends."""
    Run.objects.filter(contract=contract, state="queued").update(state=state, due_at=None)


@pytest.mark.parametrize("who", ["eng", "vera"])
@pytest.mark.parametrize(
    ("rounds", "says"),
    [(1, "已下达 0 轮复测，还剩 2 轮"), (3, "已下达 2 轮复测，还剩 0 轮"), (4, "已下达 3 轮复测，超过约定的 2 轮")],
)
def test_retests_ordered_and_left_stand_over_the_breaches(client, contract, who, rounds, says):
    bring(contract)
    change(contract, 1, "breached", 1, at=timezone.now())
    for number in range(2, rounds + 1):
        order(contract, number)
    shown = page(client, contract, who, "contract-detail")
    assert says in shown and "发现违约之后再次测量的轮次才计为复测" in shown
    assert ("计为复测的是第 2、3 轮。" in shown) is (rounds == 3)


def test_what_is_no_retest_leaves_as_many(client, contract):
    order(contract, 2)
    bring(contract)
    change(contract, 1, "breached", 1, at=timezone.now())
    # The third brought nothing.
    order(contract, 3)
    bring(contract, "failed")
    for who, name in (("eng", "contract-detail"), ("vera", "contract-detail"), ("eng", "contract-runs")):
        assert "已下达 0 轮复测，还剩 2 轮" in page(client, contract, who, name)


def test_a_pair_that_singles_out_a_machine_is_no_retest(client, contract):
    bring(contract)
    change(contract, 1, "breached", 1, at=timezone.now())
    contract.runs.filter(job="nccl_inter").update(round=2)
    services.record(contract, "runs_ordered", by=None, body={"round": 2, "nodes": ["g1-001", "g1-002"]})
    assert "已下达 0 轮复测，还剩 2 轮" in page(client, contract, "eng", "contract-detail")


def test_the_time_to_cure_counts_from_the_oldest_breach_that_still_stands(client, contract):
    assert "最早的违约" not in page(client, contract, "eng", "contract-detail")
    change(contract, 1, "breached", 1)
    change(contract, 2, "verified", 3)
    change(contract, 3, "breached", 10)
    change(contract, 4, "breached", 12)
    change(contract, 1, "breached", 2, key="g1/links_active")
    said = "最早的违约判定于 2031-05-10，自该日起 7 天到 2031-05-17 为止"
    assert said in page(client, contract, "vera", "contract-detail")


def test_another_round_is_warned_of_while_one_is_open_and_past_the_limit_but_not_refused(client, contract):
    open_runs = Run.objects.filter(contract=contract, state="queued").count()
    shown = page(client, contract, "eng", "contract-runs")
    assert f"还有 {open_runs} 次没有结果" in shown and "合同约定最多复测" not in shown
    bring(contract)
    change(contract, 1, "breached", 1, at=timezone.now())
    order(contract, 2)
    order(contract, 3)
    bring(contract)
    shown = page(client, contract, "eng", "contract-runs")
    assert "次没有结果" not in shown and "合同约定最多复测 2 轮，已下达 2 轮" in shown
    assert client.post(reverse("contract-order", args=[contract.uuid]), {"jobs": ["inventory"]}).status_code == 302
    assert Run.objects.filter(contract=contract, round=4).exists()
    assert "合同约定最多复测" not in page(client, contract, "vera", "contract-runs")
