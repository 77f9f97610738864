"""Delivering, enrolling, ordering, retrying, cancelling: who may, what is written, and that twice is once."""

import pytest
from django.utils import timezone

from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.journal import verify_chain
from gpucontract.measurements import claims, services
from gpucontract.measurements.models import Agent, Node, Run, RunNode
from tests.measurements import making
from tests.measurements.making import clause

pytestmark = pytest.mark.django_db
NOW = timezone.now()
SECRET = "a secret that is long enough"
INTER = clause("g1/busbw_inter:8GiB", "nccl_inter", repeats=3, conditions={"size_bytes": 8 * 2**30})
CLAUSES = [clause("c/driver", "software"), INTER]


@pytest.fixture
def made():
    return making.contract(clauses=CLAUSES)


@pytest.fixture
def eng(made):
    return made.created_by


@pytest.fixture
def nodes(made, eng):
    return services.deliver(made, by=eng, now=NOW)


@pytest.fixture
def stranger():
    return making.User.objects.create(email="zoe@other-buyer.example")


def order(made, eng, **changes):
    return services.order_runs(made, **{"round": 1, "by": eng, "now": NOW, **changes})


def kinds(made):
    assert verify_chain(made).is_whole
    return list(made.events.order_by("number").values_list("kind", flat=True))


def test_delivery_makes_every_slot_of_the_revision_and_twice_is_once(made, eng, nodes):
    assert [node.code for node in nodes] == ["g1-001", "g1-002"]
    assert services.deliver(made, by=eng, now=NOW) == nodes
    assert kinds(made).count("nodes_delivered") == 1


def test_delivery_and_the_first_order_move_the_contract_on(made, eng):
    services.deliver(made, by=eng, now=NOW)
    assert made.state == "delivered"
    order(made, eng)
    assert made.state == "accepting"
    order(made, eng, round=2)
    assert kinds(made).count("move_start_acceptance") == kinds(made).count("move_deliver") == 1


def test_nothing_is_delivered_before_signing(made, eng):
    type(made).objects.update(state="agreed")
    with pytest.raises(ContractError, match="after signing"):
        services.deliver(made, by=eng, now=NOW)
    assert not Node.objects.exists()


def test_an_agent_takes_the_place_of_the_one_before(made, eng, nodes):
    first = services.enrol_agent(nodes[0], url="http://10.0.0.1:9480/", secret=SECRET, by=eng, now=NOW)
    second = services.enrol_agent(nodes[0], url="https://node.example", secret=SECRET, by=eng, now=NOW)
    assert list(Agent.objects.live()) == [second]
    assert (first.url, second.url) == ("http://10.0.0.1:9480", "https://node.example")
    assert SECRET.encode() not in bytes(second.secret)
    assert SECRET not in made.events.latest("number").body
    assert kinds(made)[-2:] == ["agent_enrolled"] * 2


def test_a_new_agent_takes_over_open_runs_and_a_revoked_one_lets_go(made, eng, nodes):
    order(made, eng)
    agent = services.enrol_agent(nodes[0], url="https://node.example", secret=SECRET, by=eng, now=NOW)
    led = Run.objects.filter(lead=nodes[0])
    assert set(led.values_list("agent", flat=True)) == {agent.pk}
    services.revoke_agent(agent, by=eng, now=NOW)
    services.revoke_agent(agent, by=eng, now=NOW)
    assert set(led.values_list("agent", flat=True)) == {None}
    assert kinds(made).count("agent_revoked") == 1


def test_an_answer_still_on_its_way_from_the_machine_before_is_not_taken(made, eng, nodes):
    order(made, eng)
    old = services.enrol_agent(nodes[0], url="https://old.example", secret=SECRET, by=eng, now=NOW)
    (held,) = claims.claim(10, timezone.now())
    services.enrol_agent(nodes[0], url="https://new.example", secret=SECRET, by=eng, now=NOW)
    assert held.agent == old and claims.held([held]) == {}
    (again,) = claims.claim(10, timezone.now())
    assert again.pk == held.pk and again.agent.url == "https://new.example"


def test_a_replaced_machine_may_have_another_name(made, eng, nodes):
    Node.objects.update(hostname="old-name")
    services.enrol_agent(nodes[0], url="https://node.example", secret=SECRET, by=eng, now=NOW)
    assert list(Node.objects.order_by("ordinal").values_list("hostname", flat=True)) == ["", "old-name"]


REFUSED = {
    "a short secret": ({"secret": "short"}, "5 characters"),
    "an odd address": ({"url": "ftp://node"}, "begin with"),
    "an address with credentials": ({"url": "https://a:b@node"}, "user name"),
}


@pytest.mark.parametrize(("changes", "said"), REFUSED.values(), ids=REFUSED)
def test_it_refuses_to_enrol_with(made, eng, nodes, changes, said):
    with pytest.raises(ContractError) as caught:
        services.enrol_agent(
            nodes[0], **{"url": "https://n.example", "secret": SECRET, "by": eng, "now": NOW, **changes}
        )
    assert said in caught.value.text.en
    assert not Agent.objects.exists()


def test_a_retired_slot_takes_no_agent_and_no_runs(made, eng, nodes):
    Node.objects.filter(pk=nodes[1].pk).update(retired_at=NOW)
    nodes[1].refresh_from_db()
    with pytest.raises(ContractError, match="retired"):
        services.enrol_agent(nodes[1], url="https://n.example", secret=SECRET, by=eng, now=NOW)
    assert {(run.job, run.lead.code) for run in order(made, eng)} == {("inventory", "g1-001"), ("software", "g1-001")}


def test_ordering_makes_the_plans_runs_once(made, eng, nodes):
    runs = order(made, eng)
    assert [(run.job, run.lead.code, run.repeat) for run in runs] == [
        ("inventory", "g1-001", 1), ("inventory", "g1-002", 1), ("software", "g1-001", 1), ("software", "g1-002", 1),
        ("nccl_inter", "g1-001", 1), ("nccl_inter", "g1-001", 2), ("nccl_inter", "g1-001", 3),
    ]  # fmt: skip
    assert order(made, eng) == []
    joint = RunNode.objects.filter(run=runs[-1]).order_by("position")
    assert [place.node.code for place in joint] == ["g1-001", "g1-002"]
    assert kinds(made).count("runs_ordered") == 1


def test_only_the_first_run_of_each_machine_is_due(made, eng, nodes):
    order(made, eng)
    due = Run.objects.exclude(due_at=None)
    assert set(due.values_list("job", "lead__code")) == {("inventory", "g1-001"), ("inventory", "g1-002")}


def test_a_retest_is_a_round_of_its_own_and_may_be_of_some_jobs(made, eng, nodes):
    assert services.next_round(made) == 1
    order(made, eng)
    assert services.next_round(made) == 2
    again = order(made, eng, round=2, jobs=["software"])
    assert {(run.round, run.job) for run in again} == {(2, "software")}
    with pytest.raises(ContractError, match="gemm"):
        order(made, eng, round=3, jobs=["gemm"])


def test_a_health_check_that_no_clause_needs_is_ordered_by_name_only(made, eng, nodes):
    assert "training" not in {run.job for run in order(made, eng)}
    asked = order(made, eng, round=2, jobs=["training"])
    assert [(run.job, run.lead.code, run.params) for run in asked] == [
        ("training", "g1-001", {"steps": 150, "repeat": 1}), ("training", "g1-002", {"steps": 150, "repeat": 1}),
    ]  # fmt: skip


def test_nothing_is_ordered_before_delivery(made, eng):
    with pytest.raises(ContractError, match="record the delivery first"):
        order(made, eng)


def test_a_failed_run_is_ordered_again_under_a_new_number(made, eng, nodes):
    run = order(made, eng)[-1]
    before = run.uuid
    changes = {"state": "failed", "error": "timeout", "attempts": 8, "params": {**run.params, "hosts": ["a", "b"]}}
    Run.objects.filter(pk=run.pk).update(**changes)
    again = services.retry_run(run, by=eng, now=NOW)
    assert (again.pk, again.state, again.error, again.attempts) == (run.pk, "queued", "", 0)
    assert again.uuid != before and "hosts" not in again.params and again.due_at is None
    with pytest.raises(ContractError, match="Only a failed run"):
        services.retry_run(run, by=eng, now=NOW)
    assert kinds(made).count("run_retried") == 1


def test_cancelling_a_run_lets_the_next_one_go(made, eng, nodes):
    runs = order(made, eng)
    cancelled = services.cancel_run(runs[0], by=eng, now=NOW)
    assert (cancelled.state, cancelled.error, cancelled.due_at) == ("failed", "cancelled", None)
    assert Run.objects.get(pk=runs[2].pk).due_at
    with pytest.raises(ContractError, match="has ended"):
        services.cancel_run(runs[0], by=eng, now=NOW)


ACTS = {
    "deliver": lambda made, nodes, run, by: services.deliver(made, by=by, now=NOW),
    "enrol": lambda made, nodes, run, by: services.enrol_agent(
        nodes[0], url="https://n.example", secret=SECRET, by=by, now=NOW
    ),
    "revoke": lambda made, nodes, run, by: services.revoke_agent(
        making.agent(nodes[1], "https://n.example"), by=by, now=NOW
    ),
    "order": lambda made, nodes, run, by: services.order_runs(made, round=2, by=by, now=NOW),
    "retry": lambda made, nodes, run, by: services.retry_run(run, by=by, now=NOW),
    "cancel": lambda made, nodes, run, by: services.cancel_run(run, by=by, now=NOW),
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_stranger_may_do_nothing(made, eng, nodes, stranger, act):
    run = order(made, eng)[0]
    written = made.events.count()
    with pytest.raises(NotAllowed):
        act(made, nodes, run, stranger)
    assert made.events.count() == written


def test_each_table_is_seen_through_the_contract_only(made, eng, nodes, stranger):
    run = order(made, eng)[0]
    agent = making.agent(nodes[0], "https://n.example")
    making.delivered(run)
    run.findings.create(parser_version=0, code="odd", text={"zh": "一", "en": "one"})
    for rows in (Node.objects, Agent.objects, Run.objects, type(run.delivery).objects, run.findings.model.objects):
        assert rows.visible_to(eng).exists()
        assert not rows.visible_to(stranger).exists()
    assert agent.node.group.contract == made
