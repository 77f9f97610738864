"""Agents that lie: the run says what happened, is tried a bounded number of times, and nothing is stored."""

from datetime import timedelta

import pytest
from django.utils import timezone

from gpucontract.agent import protocol
from gpucontract.measurements import faults, fetching, pull
from gpucontract.measurements.models import Agent, Delivery, Evidence, Run
from gpucontract.measurements.tasks import pull_due
from tests.measurements import making
from tests.measurements.fake_agent import FakeAgent, output, send, serving

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def short_patience(monkeypatch):
    monkeypatch.setattr(fetching, "TOTAL_S", 1.0)


@pytest.fixture
def made():
    return making.contract()


@pytest.fixture
def fake(made):
    slot = making.node(made, hostname="gpu-node-01")
    played = FakeAgent("")
    with serving(played) as url:
        played.agent = str(making.agent(slot, url).uuid)
        yield played


def replay(fake):
    """Send the envelope of an earlier order again, signature and all."""
    kept = {}

    def behave(handler, order):
        body = protocol.compact({"an": "old body"})
        document = kept.setdefault(
            "old", protocol.envelope(fake.agent, fake.hostname, order["run"], order["job"], "live", "0" * 64, body, "t")
        )
        send(handler, 200, body, protocol.answer_headers(fake.secret, document, "1"))

    fake.behave = behave


def huge(fake):
    def behave(handler, order):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(100):
            handler.wfile.write(b"100000\r\n" + b"x" * 2**20 + b"\r\n")

    fake.behave = behave


def hang(fake):
    def behave(handler, order):
        handler.rfile.read()

    fake.behave = behave


def redirect(fake):
    fake.behave = lambda handler, order: send(handler, 302, b"", {"Location": "http://169.254.169.254/latest"})


LIES = {
    "another secret": (lambda fake: setattr(fake, "secret", b"other"), "wrong_secret"),
    "a replayed envelope": (replay, "replayed"),
    "another machine's name": (lambda fake: setattr(fake, "hostname", "gpu-node-02"), "wrong_node"),
    "another agent's number": (lambda fake: setattr(fake, "agent", "somebody"), "wrong_agent"),
    "an edited body": (
        lambda fake: setattr(fake, "body_after_signing", lambda body: body.replace(b"224", b"448")), "edited_body",
    ),
    "a truncated body": (lambda fake: setattr(fake, "body_after_signing", lambda body: body[:-9]), "edited_body"),
    "100 MB": (huge, "too_large"),
    "silence": (hang, "timeout"),
    "a redirect to metadata": (redirect, "redirected"),
    "a token in an output": (
        lambda fake: setattr(fake, "outputs", lambda order: [output("env", "PASSWORD=hunter2\n")]), "secrets_left",
    ),
    "a time before all zones": (
        lambda fake: fake.envelope_changes.update(sent_at="0001-01-01T00:00:00+14:00"), "garbage",
    ),
    "an output from the end of time": (
        lambda fake: setattr(
            fake, "outputs", lambda order: [output("lscpu", "x", ended_at="9999-12-31T23:59:59-14:00")]
        ),
        "garbage",
    ),
    "an origin that is a list": (lambda fake: fake.envelope_changes.update(origin=["live"]), "unknown_origin"),
    "two outputs for one file": (
        lambda fake: setattr(
            fake, "outputs", lambda order: [output("a", "", name="a b"), output("a", "", name="A/b")]
        ),
        "garbage",
    ),
    "NUL in a command": (
        lambda fake: setattr(fake, "outputs", lambda order: [output("env", "", command="a\0b")]), "garbage",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("lie", "code"), LIES.values(), ids=LIES)
def test_a_lie_is_named_on_the_run_and_nothing_is_stored(made, fake, lie, code):
    lie(fake)
    run = making.run(made, making.node(made))
    assert (pull_due(), pull_due()) == (0, 0)
    run.refresh_from_db()
    assert run.error.partition(":")[0] == code
    assert (run.state, run.attempts, Delivery.objects.count(), Evidence.objects.count()) == ("queued", 1, 0, 0)
    assert faults.sentence(run.error).zh and run.due_at > timezone.now() + timedelta(seconds=3)


@pytest.mark.parametrize(
    ("lie", "attempts"), [(LIES["an edited body"][0], 3), (LIES["silence"][0], 8)], ids=["forgery", "transport"]
)
def test_it_gives_up_after_a_bounded_number_of_attempts(made, fake, lie, attempts):
    lie(fake)
    run = making.run(made, making.node(made), attempts=attempts - 2)
    pull_due()
    run.refresh_from_db()
    assert (run.state, run.attempts) == ("queued", attempts - 1)
    Run.objects.update(due_at=timezone.now())
    pull_due()
    run.refresh_from_db()
    assert (run.state, run.attempts, run.due_at, run.lease) == ("failed", attempts, None, "")
    Run.objects.update(due_at=timezone.now())
    assert pull_due() == 0


def test_an_answer_on_which_the_checks_break_costs_only_its_own_run(made, fake, monkeypatch):
    def broken(target, answer):
        raise OverflowError("nobody thought of that")

    monkeypatch.setattr(pull, "examine", broken)
    run = making.run(made, making.node(made))
    assert pull_due() == 0
    run.refresh_from_db()
    assert (run.state, run.error) == ("queued", "garbage: OverflowError: nobody thought of that")


def test_an_agent_that_comes_back_delivers_after_all(made, fake):
    fake.secret = b"wrong for a while"
    run = making.run(made, making.node(made))
    pull_due()
    fake.secret = making.SECRET.encode()
    Run.objects.update(due_at=timezone.now())
    assert pull_due() == 1
    run.refresh_from_db()
    assert (run.state, run.error) == ("done", "")


def test_an_address_outside_the_named_networks_is_not_called(made, fake, settings):
    settings.AGENT_NETWORKS = []
    run = making.run(made, making.node(made))
    pull_due()
    run.refresh_from_db()
    assert run.error.startswith("blocked_address") and fake.challenges == 0


def test_a_secret_sealed_with_another_key_is_named(made, fake, settings):
    run = making.run(made, making.node(made))
    settings.EVIDENCE_KEY = "a new key"
    pull_due()
    run.refresh_from_db()
    assert run.error == "wrong_key" and fake.challenges == 0


def test_a_dead_machine_costs_the_others_nothing(made, fake):
    dead = making.node(made, 2)
    Agent.objects.create(node=dead, url="http://127.0.0.1:1", secret=making.encryption.seal("x"))
    lost, brought = making.run(made, dead), making.run(made, making.node(made))
    assert pull_due() == 1
    lost.refresh_from_db()
    brought.refresh_from_db()
    assert (lost.error.partition(":")[0], brought.state) == ("refused", "done")
