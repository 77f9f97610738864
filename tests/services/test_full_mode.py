"""One round in full mode: PostgreSQL, Redis, gunicorn, a worker, beat and two agents bring every verdict."""

import json
import os
import subprocess
import sys

import pytest

from tests.services.processes import ROOT, FullMode, fresh_database, wait_until

pytestmark = pytest.mark.services

ORDER = """
import json, sys
from pathlib import Path
from gpucontract.web.demo import people, story, agents
from gpucontract.measurements import services as measurements
from django.utils import timezone
users = people.load_people()
contract = story.draft(users, "Full mode")
story.agree(contract, users)
contract.refresh_from_db()
nodes = measurements.deliver(contract, by=users["eng"], now=timezone.now())
posts = agents.posts(story.AS_DELIVERED)
enrolled = []
for node, post in zip(nodes, posts.values()):
    agent = measurements.enrol_agent(node, url=post.url, secret=post.secret, by=users["sun"], now=timezone.now())
    enrolled.append([post.machine, post.port, post.secret, str(agent.uuid)])
measurements.order_runs(contract, round=1, by=users["eng"], now=timezone.now())
print(json.dumps(enrolled))
"""
ASK = """
import json
from gpucontract.contracts.models import Contract
from gpucontract.documents.models import Document
from gpucontract.verdicts.models import Verdict, VerdictChange
contract = Contract.objects.get()
print(json.dumps({
    "open": contract.runs.open().count(),
    "deliveries": contract.runs.filter(delivery__isnull=False).count(),
    "runs": contract.runs.count(),
    "unjudged": contract.runs.filter(state="done", judged_version=0).count(),
    "verdicts": {v.key: [v.state, v.scope] for v in Verdict.objects.filter(contract=contract)},
    "documents": list(Document.objects.values_list("state", flat=True)),
}))
"""


@pytest.fixture
def full_mode(tmp_path):
    database = fresh_database(os.environ["DATABASE_URL"], "gpucontract_round")
    redis_url = os.environ["REDIS_URL"].rsplit("/", 1)[0] + "/9"
    mode = FullMode(tmp_path, database, redis_url)
    mode.agents = []
    yield mode
    mode.stop()
    for agent in mode.agents:
        agent.kill()


def start_agents(mode, enrolled):
    for machine, port, secret, uuid in enrolled:
        state = mode.folder / f"agent-{machine}"
        state.mkdir()
        command = [
            sys.executable, "-m", "gpucontract.agent", "serve", "--agent", uuid, "--port", str(port), "--delay", "0.5",
            "--replay", str(ROOT / "demo/recordings" / machine), "--state", str(state),
        ]  # fmt: skip
        environment = os.environ | {"GPUCONTRACT_AGENT_SECRET": secret}
        mode.agents.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL))


def asked(mode):
    return json.loads(mode.manage("shell", "--no-imports", feed=ASK).splitlines()[-1])


def is_settled(mode):
    now = asked(mode)
    return now["open"] == 0 and now["unjudged"] == 0 and now["documents"] == ["done"] and now["verdicts"] != {}


def test_a_round_reaches_its_verdicts_although_the_worker_is_killed_in_between(full_mode):
    full_mode.manage("migrate", "--noinput")
    for name in ("web", "worker", "beat"):
        full_mode.start(name)
    full_mode.wait_for_web()
    start_agents(full_mode, json.loads(full_mode.manage("shell", "--no-imports", feed=ORDER).splitlines()[-1]))
    wait_until(lambda: asked(full_mode)["documents"] == ["done"], 120, "the appendix is not printed")
    wait_until(lambda: asked(full_mode)["deliveries"] >= 3, 90, "the first results do not come")
    full_mode.kill("worker")
    full_mode.start("worker")
    wait_until(lambda: is_settled(full_mode), 420, "the round does not settle")

    end = asked(full_mode)
    assert end["deliveries"] == end["runs"] == 21
    assert end["verdicts"]["g1/links_per_gpu"] == ["breached", "g1-002/gpu5"]
    assert end["verdicts"]["g1/nic_count"] == ["breached", "g1-002"]
    assert end["verdicts"]["g1/busbw_inter:8GiB"][0] == "inconclusive"
    assert end["verdicts"]["g1/gpu_count"][0] == "verified"
