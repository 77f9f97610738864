"""The server's side and the agent's side together: a real agent process that replays a small recording."""

import csv
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.utils import timezone

from gpucontract.agent import protocol
from gpucontract.measurements.models import Delivery, Node, Output, Run
from gpucontract.measurements.tasks import parse_due, pull_due
from tests.measurements import making
from tests.measurements.fake_agent import SECRET

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
NAME = "gpu-node-01"
GPU = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaa1111-2222-3333-4444-555566667777)\n"
RECORDED = [
    ("smi.txt", "inventory", "nvidia-smi -L", NAME, "", GPU),
    ("uid.txt", "software", "id -u", NAME, "", "0\n"),
    ("intra-1.txt", "nccl_intra", "nccl-tests all_reduce_perf", NAME, "1", "# first\n"),
    ("intra-2.txt", "nccl_intra", "nccl-tests all_reduce_perf", NAME, "2", "# second\n"),
    ("inter.txt", "nccl_inter", "nccl-tests all_gather_perf", f"{NAME} gpu-node-02", "1", "# joint\n"),
]


@pytest.fixture
def recording(tmp_path):
    """A folder with a manifest, as an agent plays it."""
    folder = tmp_path / "recording"
    folder.mkdir()
    with (folder / protocol.MANIFEST).open("w", newline="") as file:
        table = csv.DictWriter(file, protocol.MANIFEST_COLUMNS, restval="")
        table.writeheader()
        for name, job, tool, nodes, repeat, text in RECORDED:
            (folder / name).write_text(text)
            row = {"file": name, "job": job, "node": NAME, "tool": tool, "command_line": tool, "exit_status": "0"}
            times = {"started_at": "2026-11-30T08:00:00Z", "ended_at": "2026-11-30T08:00:01Z"}
            table.writerow({**row, **times, "nodes": nodes, "repeat": repeat})
    return folder


@contextmanager
def running(agent, recording, state, secret=SECRET):
    """The agent as a process of its own; gives its address."""
    command = [
        sys.executable, "-m", "gpucontract.agent", "serve", "--agent", str(agent), "--port", "0",
        "--state", str(state), "--replay", str(recording),
    ]  # fmt: skip
    environment = {**os.environ, "GPUCONTRACT_AGENT_SECRET": secret}
    with subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip().rpartition(" on ")[2]
        finally:
            process.terminate()


@pytest.fixture
def made():
    return making.contract()


@pytest.fixture
def slot(made):
    return making.node(made)


@pytest.fixture
def enrolled(slot):
    return making.agent(slot, "http://127.0.0.1:1")


@pytest.fixture
def agent_at(enrolled, recording, tmp_path):
    """Start the agent with a secret and let the server know its address."""

    @contextmanager
    def started(secret=SECRET):
        with running(enrolled.uuid, recording, tmp_path / "state", secret) as url:
            enrolled.url = url
            enrolled.save(update_fields=["url"])
            yield

    return started


NCCL = {"min_bytes": 2**30, "max_bytes": 8 * 2**30, "gpus_per_node": 8}


def test_a_whole_round_with_a_real_agent(made, slot, agent_at):
    peer = making.node(made, 2, hostname="gpu-node-02")
    intra = {**NCCL, "collective": "all_reduce"}
    runs = [
        making.run(made, slot, agent=slot.agents.get()),
        making.run(made, slot, job="software", due_at=None),
        making.run(made, slot, job="nccl_intra", params={**intra, "repeat": 1}, repeat=1, due_at=None),
        making.run(made, slot, job="nccl_intra", params={**intra, "repeat": 2}, repeat=2, due_at=None),
        making.run(
            made, slot, peer, job="nccl_inter", params={**NCCL, "collective": "all_gather", "repeat": 1}, due_at=None
        ),
    ]
    with agent_at():
        assert (pull_due(), pull_due()) == (5, 0)
    assert set(Run.objects.values_list("state", "error")) == {("done", "")}
    assert set(Delivery.objects.values_list("origin", "hostname")) == {("replay", NAME)}
    assert [Output.objects.get(delivery=run.pk).name for run in runs][1:3] == ["id-u", "nccl-tests-all-reduce-perf"]
    assert parse_due() == 5
    first, second = (Output.objects.get(delivery=run.pk).sha256 for run in runs[2:4])
    assert first != second


def test_the_first_result_names_the_machine(made, slot, agent_at):
    making.run(made, slot, agent=slot.agents.get())
    with agent_at():
        pull_due()
    assert Node.objects.get(pk=slot.pk).hostname == NAME


def test_a_wrong_secret_is_told_apart_and_nothing_breaks(made, slot, agent_at):
    run = making.run(made, slot, agent=slot.agents.get())
    with agent_at(secret="another secret of enough length"):
        assert pull_due() == 0
    run.refresh_from_db()
    assert run.error.startswith("wrong_secret: HTTP 401") and run.state == "queued"


def test_what_the_recording_does_not_hold_is_said(made, slot, agent_at):
    run = making.run(made, slot, job="topology", agent=slot.agents.get())
    with agent_at():
        pull_due()
    run.refresh_from_db()
    assert run.error.startswith("not_recorded") and "topology" in run.error


def test_bad_parameters_are_said_with_the_agents_own_words(made, slot, agent_at):
    run = making.run(made, slot, job="storage", params={"runtime_s": 9999}, agent=slot.agents.get())
    with agent_at():
        pull_due()
    run.refresh_from_db()
    assert run.error.startswith("job_refused") and "runtime_s is 9999" in run.error


def test_an_agent_that_was_restarted_answers_for_the_same_run_with_the_same_bytes(made, slot, agent_at, monkeypatch):
    making.run(made, slot, agent=slot.agents.get())
    with agent_at():
        pull_due()
    kept = Delivery.objects.get()
    before = kept.evidence_id
    Output.objects.all().delete()
    kept.delete()
    Run.objects.update(state="queued", due_at=timezone.now())
    with agent_at():
        assert pull_due() == 1
    assert Delivery.objects.get().evidence_id == before
