"""After an amendment is signed it is what is judged, on the same machines; the parent's verdicts stay as they were."""

import json
from datetime import timedelta

import pytest

from gpucontract.contracts.amending import amend_contract
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.handing_in import decide_paper, hand_in
from gpucontract.contracts.succession import successor
from gpucontract.measurements import crosschecks, faults, services
from gpucontract.measurements.models import Agent, Finding, Node, Run
from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.replacing import declare_replacement
from gpucontract.verdicts.judging import judge_contract
from gpucontract.verdicts.models import JudgeQueue, NodeVerdict, Verdict, VerdictChange
from gpucontract.verdicts.tasks import judge_due
from tests import factories
from tests.verdicts import making
from tests.verdicts.storing import delivered_contract, store

pytestmark = pytest.mark.django_db
RAM = "g1/ram"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path


@pytest.fixture
def parent():
    """A measured contract with GPU 5 of the second machine short of links; its machines have agents."""
    contract = delivered_contract()
    for node in Node.objects.of(contract):
        Agent.objects.create(node=node, url="https://10.0.0.1:9443", secret=b"x")
    store(contract, *making.sick())
    judge_due()
    return contract


def signed_amendment(parent, **values):
    """An amendment with other terms, agreed and signed by both; it goes on from where its parent stands."""
    total = {"total_gpu_count_stated": 8 * values.get("node_count", 2)}
    return factories.signed_amendment(parent, **({"g1": values, "c": total} if values else {}), at=making.NOW)


def states(contract):
    return dict(Verdict.objects.filter(contract=contract).values_list("key", "state"))


def everything(contract):
    """All that the tables say of a contract's verdicts."""
    return [
        list(model.objects.filter(contract=contract).order_by("pk").values())
        for model in (Verdict, VerdictChange, NodeVerdict, JudgeQueue)
    ]


def judge(contract, hours=1):
    return judge_contract(contract.pk, making.NOW + timedelta(hours=hours))


def test_what_was_measured_before_is_judged_by_the_new_terms(parent):
    before = states(parent)
    amendment = signed_amendment(parent, ram_gb_per_node=4096)
    assert judge(amendment)
    after = states(amendment)
    assert (before[RAM], after[RAM]) == ("verified", "breached")
    assert {key: state for key, state in after.items() if key != RAM} == {
        key: state for key, state in before.items() if key != RAM
    }


def test_the_parents_verdicts_stay_whatever_comes(parent):
    kept = everything(parent)
    amendment = signed_amendment(parent)
    store(parent, making.topology("g1-002", round=2, minutes=9))
    assert judge_due() == 1 and judge_due() == 0
    assert not judge(parent, 24 * 400) and everything(parent) == kept
    assert successor(parent) == amendment and not Run.objects.filter(judged_version=0).exists()


def test_a_run_that_comes_in_late_for_the_parent_counts_for_the_amendment(parent):
    amendment = signed_amendment(parent)
    judge(amendment)
    assert states(amendment)["g1/links_per_gpu"] == "breached"
    store(parent, making.topology("g1-002", round=2, minutes=9))
    judge(amendment)
    assert (states(amendment)["g1/links_per_gpu"], states(parent)["g1/links_per_gpu"]) == ("verified", "breached")


def test_a_run_under_the_amendment_replaces_what_was_inherited(parent):
    amendment = signed_amendment(parent)
    store(amendment, making.topology("g1-002", id="cured", minutes=30))
    judge(amendment)
    assert (states(amendment)["g1/links_per_gpu"], states(parent)["g1/links_per_gpu"]) == ("verified", "breached")


def test_what_was_inherited_goes_stale_although_the_amendments_acceptance_is_open(parent):
    amendment = signed_amendment(parent)
    judge(amendment)
    until = JudgeQueue.objects.get(contract=amendment).due_at
    assert until is not None and states(amendment)["c/driver"] == "verified"
    assert judge(amendment, 24 * 400)
    row = Verdict.objects.get(contract=amendment, key="c/driver")
    assert (row.state, row.reason) == ("inconclusive", "stale")
    store(amendment, making.software("g1-001", id="one"), making.software("g1-002", id="two"))
    judge(amendment, 24 * 400)
    assert states(amendment)["c/driver"] == "verified"


def test_another_machine_in_the_slot_inherits_nothing(parent):
    amendment = signed_amendment(parent)
    Node.objects.of(amendment).filter(code="g1-001").update(hostname="another")
    Node.objects.of(amendment).filter(code="g1-002").update(hostname="")
    judge(amendment)
    found = Verdict.objects.get(contract=amendment, key="g1/links_per_gpu").exceptions
    assert [(each["scope"], each["reason"]) for each in found] == [
        ("g1-001", "other_machine"), ("g1-002", "no_run"),
    ]  # fmt: skip


def test_machines_move_with_their_agents_and_the_old_slots_stay(parent):
    runs = list(Run.objects.filter(contract=parent).values())
    amendment = signed_amendment(parent, node_count=3)
    nodes = Node.objects.of(amendment)
    assert list(nodes.values_list("code", "hostname")) == [
        ("g1-001", "gpu-node-01"), ("g1-002", "gpu-node-02"), ("g1-003", ""),
    ]  # fmt: skip
    assert [node.agents.live().count() for node in nodes] == [1, 1, 0]
    assert list(Node.objects.of(parent).values_list("hostname", flat=True)) == ["gpu-node-01", "gpu-node-02"]
    assert list(Run.objects.filter(contract=parent).values()) == runs
    services.deliver(amendment, by=factories.person("eng"), now=making.NOW)
    assert [node.agents.live().count() for node in nodes] == [1, 1, 0]


def test_a_slot_that_the_amendment_adds_is_pending(parent):
    amendment = signed_amendment(parent, node_count=3)
    judge(amendment)
    row = Verdict.objects.get(contract=amendment, key="c/driver")
    assert (row.state, row.scope, row.counts) == ("pending", "g1-003", {"verified": 2, "pending": 1})


def test_nothing_is_judged_or_ordered_on_the_parent_once_the_amendment_is_signed(parent):
    kept = everything(parent)
    signed_amendment(parent)
    store(parent, making.topology("g1-002", round=2, minutes=9))
    assert judge_due() == 1 and everything(parent) == kept
    with pytest.raises(ContractError, match="took its place"):
        services.order_runs(parent, round=2, by=factories.person("eng"), now=making.NOW)
    with pytest.raises(ContractError, match="took its place"):
        amend_contract(parent, by=factories.person("bing"))


def test_a_paper_holds_on_where_the_clause_did_not_change(parent):
    given = {"name": "许可证.pdf", "data": b"%PDF-1.7", "valid_on": None}
    paper = hand_in(parent, "c/licence", by=factories.person("vera"), **given)
    decide_paper(paper, confirmed=True, by=factories.person("eng"))
    judge_due()
    amendment = signed_amendment(parent)
    judge(amendment)
    assert states(amendment)["c/licence"] == "verified"
    newer = hand_in(amendment, "c/licence", by=factories.person("vera"), **given | {"data": b"%PDF-1.7 new"})
    decide_paper(newer, confirmed=False, reason="编号不符", by=factories.person("eng"))
    judge(amendment)
    assert states(amendment)["c/licence"] == "verified"


def test_an_amendment_of_an_amendment_inherits_from_both(parent):
    first = signed_amendment(parent)
    store(first, making.topology("g1-002", id="cured", minutes=30))
    judge(first)
    second = signed_amendment(first)
    judge(second)
    assert states(second) == states(first) and states(second)["g1/links_per_gpu"] == "verified"
    assert states(parent)["g1/links_per_gpu"] == "breached"


def test_a_card_exchanged_before_the_amendment_was_measured_leaves_the_parents_runs_behind(parent):
    amendment = signed_amendment(parent)
    (run,) = store(amendment, making.inventory("g1-002", minutes=90))
    Finding.objects.create(
        run=run, parser_version=run.parsed_version, code="gpu_changed", text={"zh": "换", "en": "new"}
    )
    assert judge(amendment)
    assert Verdict.objects.get(contract=amendment, key="g1/links_per_gpu").state == "inconclusive"
    assert Verdict.objects.get(contract=parent, key="g1/links_per_gpu").state == "breached"


def test_what_the_parent_still_had_ordered_is_cancelled_when_the_amendment_takes_its_machines_over(parent):
    eng = factories.person("eng")
    services.order_runs(parent, round=2, by=eng, now=making.NOW)
    assert parent.runs.open().exists()
    amendment = signed_amendment(parent)
    assert not parent.runs.open().exists()
    late = parent.runs.filter(error="superseded").first()
    assert late.state == "failed" and "补充协议" in faults.sentence(late.error).zh
    said = json.loads(amendment.events.get(kind="nodes_delivered").body)
    assert said["from"] == parent.number and said["cancelled"] == parent.runs.filter(error="superseded").count() > 0
    services.order_runs(amendment, round=1, by=eng, now=making.NOW)
    assert amendment.runs.filter(state="queued").exclude(due_at=None).exists()


def test_nothing_is_ordered_again_or_declared_on_a_parent_whose_place_was_taken(parent):
    amendment, eng = signed_amendment(parent), factories.person("eng")
    (run,) = store(parent, making.topology("g1-001", round=3))
    Run.objects.filter(pk=run.pk).update(state="failed")
    node = Node.objects.of(parent).first()
    for act in (
        lambda: services.retry_run(run, by=eng, now=making.NOW),
        lambda: services.order_pair(parent, one="g1-001", other="g1-002", by=eng, now=making.NOW),
        lambda: declare_replacement(node, names=["GPU-1234"], reason="x", by=factories.person("vera"), now=making.NOW),
    ):
        with pytest.raises(ContractError, match=amendment.number):
            act()


def test_a_change_since_the_parents_round_names_the_parent(parent):
    amendment = signed_amendment(parent)
    (run,) = store(amendment, making.inventory("g1-002", minutes=90))
    changed = [Reading("gpu_uuid", f"GPU-new-{gpu}", scope=f"gpu{gpu}") for gpu in making.GPUS]
    (finding,) = crosschecks.of_readings(run, changed)
    assert finding.text.en.startswith(f"Since round 1 of contract {parent.number} GPUs were exchanged")
    assert finding.text.zh.startswith(f"自合同 {parent.number} 的第 1 轮以来")
    (again,) = crosschecks.of_readings(*_second_round(amendment, changed))
    assert again.text.en.startswith("Since round 1 GPUs were exchanged")


def _second_round(amendment, changed):
    (run,) = store(amendment, making.inventory("g1-002", round=2, minutes=91))
    return run, changed
