"""A puller killed with SIGKILL in the middle: nothing lost, nothing doubled. Real processes on a database in a file."""

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from gpucontract.measurements import claims
from tests.measurements.fake_agent import FakeAgent, serving

ROOT = Path(__file__).resolve().parents[2]
RUNS = 40
PREPARING = f"""
import sys, django; django.setup()
from django.core.management import call_command
from tests.measurements import making
call_command("migrate", verbosity=0)
made = making.contract()
slot = making.node(made)
agent = making.agent(slot, sys.argv[1])
for repeat in range(1, {RUNS} + 1):
    making.run(made, slot, repeat=repeat)
print(agent.uuid)
"""
PULLING = """
import django; django.setup()
from gpucontract.measurements.tasks import pull_due
while True:
    pull_due()
"""


@pytest.fixture
def environment(tmp_path):
    """Variables of a small installation of its own, whatever database the suite runs on."""
    return {
        **os.environ, "DJANGO_SETTINGS_MODULE": "gpucontract.settings", "DEBUG": "True", "REDIS_URL": "",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'killed.sqlite3'}", "EVIDENCE_ROOT": str(tmp_path / "evidence"),
        "VAR_DIR": str(tmp_path), "AGENT_NETWORKS": "127.0.0.0/8",
    }  # fmt: skip


def python(code, environment, *arguments):
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)


@contextmanager
def puller(environment):
    """A separate process that pulls for ever, killed with SIGKILL at the end."""
    with python(PULLING, environment) as process:
        try:
            yield
        finally:
            process.kill()


@pytest.fixture
def ask(tmp_path):
    """Ask the database file for one value."""

    def value(statement):
        with closing(sqlite3.connect(tmp_path / "killed.sqlite3", timeout=20)) as connection, connection:
            return (connection.execute(statement).fetchone() or [None])[0]

    return value


def wait_until(condition, seconds=40):
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "it did not happen in time"
        time.sleep(0.02)


def test_a_killed_puller_loses_and_doubles_nothing(environment, ask):
    fake = FakeAgent("")
    fake.behave = lambda handler, order: (time.sleep(0.05), fake.deliver(handler, order))
    with serving(fake) as url:
        with python(PREPARING, environment, url) as process:
            fake.agent = process.stdout.read().strip()
        with puller(environment):
            wait_until(lambda: fake.orders)
        done_before = ask("SELECT count(*) FROM measurements_delivery")
        assert done_before < RUNS
        ask("UPDATE measurements_run SET due_at = '2026-01-01' WHERE due_at IS NOT NULL")
        with puller(environment), puller(environment):
            wait_until(lambda: ask("SELECT count(*) FROM measurements_run WHERE state = 'done'") == RUNS)
    for table in ("delivery", "evidence", "output"):
        assert ask(f"SELECT count(*) FROM measurements_{table}") == RUNS
    assert ask("SELECT count(*) FROM measurements_run WHERE lease <> '' OR due_at IS NOT NULL") == 0
    assert len(fake.orders) > RUNS - done_before


def test_the_lease_outlives_an_exchange():
    assert timedelta(seconds=30) < claims.LEASE
