"""Machines of a contract beside each other: the median, who falls behind it, who was not measured."""

from dataclasses import replace
from decimal import Decimal
from itertools import combinations

import pytest
from django.urls import reverse

from gpucontract.measurements import services
from gpucontract.measurements.models import Delivery, Finding, Node
from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts import papers
from gpucontract.verdicts.fleet import pairs, spreads
from gpucontract.verdicts.models import NodeVerdict
from gpucontract.verdicts.outliers import Level, Suspicion
from gpucontract.verdicts.rules import condense
from gpucontract.verdicts.states import ScopeVerdict, State
from tests import factories
from tests.verdicts import making, storing
from tests.web import stage

pytestmark = pytest.mark.django_db
KEY = "g1/busbw_intra:8GiB"


def contract_with(*rates):
    """A delivered contract of so many machines, each with this intra-node rate; None: not measured."""
    count = len(rates)
    contract = factories.signed_contract(g1={"node_count": count}, c={"total_gpu_count_stated": 8 * count})
    body = contract.revisions.get().body()
    for slot, rate in zip(body.group("g1").node_codes, rates, strict=True):
        state = State.PENDING if rate is None else State.VERIFIED
        verdict = ScopeVerdict(slot, state, "met", None if rate is None else Decimal(rate))
        document = papers.written({KEY: condense(slot, body.clause(KEY), [verdict])})
        NodeVerdict.objects.create(contract=contract, scope=slot, body=document)
    return contract


def test_the_machine_behind_the_median_stands_out_and_the_unmeasured_one_is_no_zero():
    (spread,) = spreads(contract_with("480", "482", "420", "481", None))
    assert spread.middle == Decimal("480.5") and len(spread.values) == 4
    assert [(each.node, each.level) for each in spread.outliers] == [("g1-003", Level.FLAGGED)]


def test_how_far_machines_are_apart_stands_beside_what_the_contract_allows(client):
    contract = contract_with("427.35", "480.53")
    (spread,) = spreads(contract)
    assert (round(spread.gap, 1), spread.promised, spread.outliers) == (Decimal("11.7"), 5, ())
    client.force_login(factories.person("ada"))
    page = client.get(reverse("contract-fleet", args=[contract.uuid])).content.decode()
    assert "相差中位数的 11.7 %" in page and "不超过 5 %" in page


def test_one_machine_is_not_apart_from_itself():
    (spread,) = spreads(contract_with("480", None))
    assert spread.gap is None


def test_two_machines_have_no_median_to_be_compared_with():
    (spread,) = spreads(contract_with("480", "300"))
    assert spread.middle is None and spread.outliers == ()


def test_the_reference_training_of_machines_stands_beside_the_rates_though_no_clause_needs_it(client):
    contract = contract_with("480", "482", "481")
    services.deliver(contract, by=factories.person("eng"), now=making.NOW)
    for place, (slot, speed) in enumerate((("g1-001", "245000"), ("g1-002", "244000"), ("g1-003", "200000"))):
        told = making.output([Reading("tokens_per_s", Decimal(speed), "tokens/s")], "gpucontract-probe train")
        storing.store(contract, making.run("training", slot, (), place, outputs=(told,), id=f"training-{slot}"))
    failed = making.output([], "gpucontract-probe train", error="train_learns_nothing: GPU 1")
    storing.store(contract, making.run("training", "g1-003", (), 9, outputs=(failed,), id="failed"))
    first, _ = spreads(contract)
    assert (first.middle, first.unit) == (Decimal(244000), "tokens/s")
    assert [(each.node, each.level) for each in first.outliers] == [("g1-003", Level.FLAGGED)]
    client.force_login(factories.person("eng"))
    page = client.get(reverse("contract-fleet", args=[contract.uuid])).content.decode()
    assert "参考训练" in page and "训练吞吐" in page


def test_the_page_names_them(client):
    contract = contract_with("480", "482", "420")
    client.force_login(factories.person("eng"))
    page = client.get(reverse("contract-fleet", args=[contract.uuid])).content.decode()
    assert "g1-003" in page and "480 GB/s" in page and "明显偏离" in page


def test_before_anything_is_measured_it_says_what_to_do(client):
    contract = stage.measured().contract
    client.force_login(factories.person("vera"))
    assert "请在测试页下达第一轮测试" in client.get(reverse("contract-fleet", args=[contract.uuid])).content.decode()


def four_machines(**slow):
    """Four machines measured two by two at 340 GB/s; slow: pair -> GB/s, as g1_g3="100" for the first and third."""
    contract = storing.delivered_contract(g1={"node_count": 4}, c={"total_gpu_count_stated": 32})
    for one, other in combinations(range(1, 5), 2):
        measure(contract, one, other, slow.get(f"g{one}_g{other}", "340"))
    return contract


def measure(contract, one, other, busbw, round=1):
    slots = (f"g1-00{one}", f"g1-00{other}")
    record = making.collective(slots, busbw, name="all_gather", round=round, minutes=round)
    storing.store(contract, replace(record, job="nccl_pairs", id=f"{slots}{round}"))


SLOW_THIRD = {"g1_g3": "100", "g2_g3": "101", "g3_g4": "102"}


def test_the_machine_in_all_slow_pairs_is_suspected_but_not_named():
    (group,) = pairs(four_machines(**SLOW_THIRD))
    assert (group.count, group.middle, len(group.slow)) == (6, Decimal(221), 3)
    (suspect,) = group.suspects
    assert (suspect.node, suspect.stage, suspect.partner) == ("g1-003", Suspicion.RETEST, "g1-001")


@pytest.mark.parametrize(("busbw", "stage"), [("99", Suspicion.CONFIRMED), ("338", Suspicion.CLEARED)])
def test_the_newest_retest_with_a_good_partner_settles_it(busbw, stage):
    contract = four_machines(**SLOW_THIRD)
    measure(contract, 1, 3, busbw, round=2)
    assert [each.stage for each in pairs(contract)[0].suspects] == [stage]


def test_a_newer_round_of_all_pairs_replaces_the_old_one():
    contract = four_machines(**SLOW_THIRD)
    for one, other in combinations(range(1, 5), 2):
        measure(contract, one, other, "340", round=2)
    assert pairs(contract)[0].slow == ()


def test_two_machines_or_a_failed_run_give_no_pairs():
    contract = storing.delivered_contract()
    measure(contract, 1, 2, "100")
    assert pairs(contract) == ()


def test_pairs_of_a_machine_that_stood_there_before_accuse_nobody():
    contract = four_machines(**SLOW_THIRD)
    Node.objects.of(contract).filter(code="g1-003").update(hostname="another")
    assert pairs(contract)[0].suspects == () and pairs(contract)[0].count == 3


def test_pairs_from_before_a_card_was_exchanged_accuse_nobody():
    contract = four_machines(**SLOW_THIRD)
    (run,) = storing.store(contract, making.inventory("g1-003", round=2, minutes=30))
    Finding.objects.create(
        run=run, parser_version=run.parsed_version, code="gpu_replaced", text={"zh": "换", "en": "new"}
    )
    assert pairs(contract)[0].suspects == ()


def test_unsigned_pairs_accuse_nobody():
    contract = four_machines(**SLOW_THIRD)
    Delivery.objects.update(origin="file")
    assert pairs(contract) == ()


def test_the_button_orders_that_one_run_and_only_once(client):
    contract = four_machines(**SLOW_THIRD)
    client.force_login(factories.person("eng"))
    page = client.get(reverse("contract-fleet", args=[contract.uuid])).content.decode()
    assert "让 g1-003 与 g1-001 复测" in page and "问题在" not in page
    for _ in range(2):
        client.post(reverse("contract-retest", args=[contract.uuid]), {"node": "g1-003"})
    (run,) = contract.runs.filter(state="queued")
    assert (run.job, run.round, [place.node.code for place in run.places.all()]) == (
        "nccl_pairs",
        2,
        ["g1-001", "g1-003"],
    )
    assert contract.events.filter(kind="runs_ordered").count() == 1
    assert "复测进行中" in client.get(reverse("contract-fleet", args=[contract.uuid])).content.decode()


def test_a_machine_that_is_no_suspect_is_not_retested(client):
    contract = four_machines(**SLOW_THIRD)
    client.force_login(factories.person("eng"))
    client.post(reverse("contract-retest", args=[contract.uuid]), {"node": "g1-002"})
    assert not contract.runs.filter(state="queued").exists()


def test_the_vendor_sees_the_suspicion_and_orders_nothing(client):
    contract = four_machines(**SLOW_THIRD)
    client.force_login(factories.person("vera"))
    page = client.get(reverse("contract-fleet", args=[contract.uuid])).content.decode()
    assert (
        "待复测" in page
        and '<form method="post" action="' + reverse("contract-retest", args=[contract.uuid]) not in page
    )
