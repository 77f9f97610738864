"""Pulling: an honest agent's result is stored exactly once, whatever happens in between."""

import json
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.utils import timezone

from gpucontract.measurements import claims, encryption, evidence, pull
from gpucontract.measurements.models import Delivery, Evidence, Output, Run
from gpucontract.measurements.tasks import pull_due
from tests.measurements import making
from tests.measurements.fake_agent import FakeAgent, serving

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return making.contract()


@pytest.fixture
def fake(made):
    """An agent serving slot g1-001."""
    slot = making.node(made)
    played = FakeAgent("")
    with serving(played) as url:
        agent = making.agent(slot, url)
        played.agent = str(agent.uuid)
        yield played


def test_a_result_is_stored_with_its_evidence_envelope_and_receipt(made, fake):
    run = making.run(made, making.node(made))
    assert pull_due() == 1
    run.refresh_from_db()
    kept = run.delivery
    assert (run.state, run.due_at, run.lease, run.error, run.attempts) == ("done", None, "", "", 0)
    assert (kept.origin, kept.hostname, kept.peer_address) == ("agent", "gpu-node-01", "127.0.0.1")
    assert json.loads(evidence.read(kept.evidence_id))["run"] == str(run.uuid)
    assert json.loads(kept.envelope)["nonce"] == kept.nonce
    assert [(one.name, one.exit_code) for one in kept.outputs.all()] == [("lscpu", 0)]
    assert making.node(made).hostname == "gpu-node-01"


def test_a_receipt_can_be_checked_with_the_servers_public_key(made, fake):
    making.run(made, making.node(made))
    pull_due()
    receipt = json.loads(Delivery.objects.get().receipt)
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(encryption.receipt_key()))
    key.verify(bytes.fromhex(receipt["ed25519"]), receipt["receipt"].encode())
    assert Delivery.objects.get().evidence_id in receipt["receipt"]


def test_pulling_twice_changes_nothing(made, fake):
    making.run(made, making.node(made))
    assert (pull_due(), pull_due()) == (1, 0)
    assert (Delivery.objects.count(), Evidence.objects.count(), Output.objects.count(), len(fake.orders)) == (
        1,
        1,
        1,
        1,
    )


def test_nothing_due_opens_no_window(made, monkeypatch):
    monkeypatch.setattr(pull, "Window", None)
    assert pull_due() == 0


def test_a_replayed_recording_is_marked(made, fake):
    fake.origin = "replay"
    making.run(made, making.node(made))
    pull_due()
    assert Delivery.objects.get().origin == "replay"


def test_a_running_job_is_asked_again_under_a_new_nonce(made, fake):
    fake.polls_before_result = 2
    run = making.run(made, making.node(made))
    assert pull_due() == 1
    run.refresh_from_db()
    assert run.state == "done" and run.started_at
    assert len({order["nonce"] for order in fake.orders}) == 3


def test_a_long_job_is_left_to_run_and_the_stage_goes_on(made, fake):
    fake.polls_before_result = 99
    run = making.run(made, making.node(made), started_at=timezone.now() - timedelta(minutes=5), state="running")
    assert (pull_due(), pull_due()) == (0, 0)
    run.refresh_from_db()
    assert run.state == "running" and len(fake.orders) == 1
    assert timedelta(seconds=10) < run.due_at - timezone.now() <= timedelta(seconds=20)


def test_a_job_that_never_ends_fails_after_its_longest_time(made, fake):
    fake.polls_before_result = 99
    run = making.run(made, making.node(made), started_at=timezone.now() - timedelta(hours=3), state="running")
    pull_due()
    run.refresh_from_db()
    assert (run.state, run.error.partition(":")[0]) == ("failed", "too_long")


@pytest.mark.parametrize(("hours", "state"), [(73, "running"), (75, "failed")])
def test_a_burn_in_may_take_its_hours_and_no_longer(made, fake, hours, state):
    fake.polls_before_result = 99
    began = timezone.now() - timedelta(hours=hours)
    slot = making.node(made)
    run = making.run(made, slot, job="burn_in", params={"hours": 72}, started_at=began, state="running")
    pull_due()
    run.refresh_from_db()
    assert run.state == state


def test_a_machine_gets_its_runs_one_after_another(made, fake):
    slot = making.node(made)
    first = making.run(made, slot)
    later = [making.run(made, slot, job=job, due_at=None) for job in ("software", "topology")]
    assert pull_due() == 3
    assert [order["job"] for order in fake.orders] == ["inventory", "software", "topology"]
    assert {run.state for run in Run.objects.filter(pk__in=[first.pk, *(run.pk for run in later)])} == {"done"}


def test_a_failed_run_does_not_hold_up_the_next(made, fake):
    slot = making.node(made)
    failing = making.run(made, slot, job="health", attempts=2)
    following = making.run(made, slot, job="inventory", due_at=None)
    fake.behave = lambda handler, order: (
        handler.wfile.write(b"HTTP/1.1 400 no\r\nContent-Length: 0\r\n\r\n")
        if order["job"] == "health"
        else fake.deliver(handler, order)
    )
    assert pull_due() == 1
    states = dict(Run.objects.values_list("pk", "state"))
    assert (states[failing.pk], states[following.pk]) == ("failed", "done")


def test_a_joint_run_waits_for_all_its_machines_and_carries_their_names(made, fake):
    one, two = making.node(made, 1), making.node(made, 2)
    making.run(made, one)
    other = making.run(made, two)
    joint = making.run(made, one, two, job="nccl_inter", params={"collective": "all_gather"}, due_at=None)
    assert pull_due() == 1
    joint.refresh_from_db()
    assert joint.due_at is None
    with serving(FakeAgent("")) as url:
        agent = making.agent(two, url)
        peer = FakeAgent(str(agent.uuid), "gpu-node-02")
        with serving(peer) as peer_url:
            type(agent).objects.filter(pk=agent.pk).update(url=peer_url)
            Run.objects.filter(pk=other.pk).update(agent=agent)
            assert pull_due() == 2
    joint.refresh_from_db()
    assert joint.params["hosts"] == ["gpu-node-01", "gpu-node-02"]
    assert fake.orders[-1]["params"] == joint.params


def test_a_joint_run_without_host_names_says_so(made, fake):
    joint = making.run(made, making.node(made, 1), making.node(made, 2), job="nccl_inter")
    pull_due()
    joint.refresh_from_db()
    assert (joint.error, joint.attempts, joint.state) == ("hosts_unknown", 1, "queued")
    assert fake.orders == []


def test_a_run_without_agent_or_with_a_revoked_one_is_left_alone(made, fake):
    without = making.run(made, making.node(made, 2))
    revoked = making.run(made, making.node(made, 1))
    type(revoked.agent).objects.update(revoked_at=timezone.now())
    assert pull_due() == 0
    assert set(Run.objects.filter(pk__in=[without.pk, revoked.pk]).values_list("attempts", "state")) == {(0, "queued")}


def test_two_claims_never_share_a_run(made, fake):
    for repeat in range(1, 6):
        making.run(made, making.node(made), repeat=repeat)
    now = timezone.now()
    first, second = claims.claim(3, now), claims.claim(10, now)
    assert len(first) == 3 and len(second) == 2
    assert not {run.pk for run in first} & {run.pk for run in second}
    assert claims.claim(10, now) == []


def test_the_runs_of_a_killed_holder_are_due_again_after_the_lease(made, fake):
    making.run(made, making.node(made))
    (held,) = claims.claim(10, timezone.now())
    assert claims.claim(10, timezone.now() + claims.LEASE - timedelta(seconds=1)) == []
    (again,) = claims.claim(10, timezone.now() + claims.LEASE + timedelta(seconds=1))
    assert again.pk == held.pk and again.lease != held.lease


def test_a_holder_that_lost_its_lease_stores_nothing(made, fake, monkeypatch):
    run = making.run(made, making.node(made))
    examined = pull.examine

    def lose_the_lease(target, answer):
        Run.objects.filter(pk=run.pk).update(lease="somebody else's")
        return examined(target, answer)

    monkeypatch.setattr(pull, "examine", lose_the_lease)
    pull_due()
    run.refresh_from_db()
    assert (run.state, run.lease, Delivery.objects.count()) == ("queued", "somebody else's", 0)


def test_a_result_the_database_refuses_harms_no_other(made, fake, monkeypatch):
    bad = making.run(made, making.node(made), job="health")
    good = making.run(made, making.node(made), job="inventory")
    fake.outputs = lambda order: None
    store = pull.store

    def refuse_health(received, now):
        if any(run.job == "health" for run in received):
            raise pull.DatabaseError("value too long")
        return store(received, now)

    monkeypatch.setattr(pull, "store", refuse_health)
    assert pull_due() == 1
    bad.refresh_from_db()
    good.refresh_from_db()
    assert (good.state, bad.state, bad.error, bad.attempts) == ("done", "queued", "not_storable: value too long", 1)
