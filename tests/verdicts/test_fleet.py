"""Machines of a contract beside each other: the median, who falls behind it, who was not measured."""

from decimal import Decimal

import pytest
from django.urls import reverse

from gpucontract.verdicts import papers
from gpucontract.verdicts.fleet import spreads
from gpucontract.verdicts.models import NodeVerdict
from gpucontract.verdicts.outliers import Level
from gpucontract.verdicts.rules import condense
from gpucontract.verdicts.states import ScopeVerdict, State
from tests import factories
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


def test_two_machines_have_no_median_to_be_compared_with():
    (spread,) = spreads(contract_with("480", "300"))
    assert spread.middle is None and spread.outliers == ()


def test_the_page_names_them(client):
    contract = contract_with("480", "482", "420")
    client.force_login(factories.person("eng"))
    page = client.get(reverse("contract-fleet", args=[contract.uuid])).content.decode()
    assert "g1-003" in page and "480 GB/s" in page and "明显偏离" in page


def test_before_anything_is_measured_it_says_what_to_do(client):
    contract = stage.measured().contract
    client.force_login(factories.person("vera"))
    assert "请在测试页下达第一轮测试" in client.get(reverse("contract-fleet", args=[contract.uuid])).content.decode()
