"""Two processes on one contract at once: one whole chain, no number twice, one page told of the other."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
EVENTS, DRAFTS, WRITERS = 25, 5, 2

PREPARING = """
import sys, django; django.setup()
from django.core.management import call_command
from tests import factories
if sys.argv[1] == "migrate":
    call_command("migrate", verbosity=0)
factories.person("ada")
print(factories.drafted_contract().pk)
"""
WRITING = f"""
import sys, time, django; django.setup()
from gpucontract.contracts import services
from gpucontract.contracts.errors import StepConflict
from gpucontract.contracts.models import Contract
from tests import factories
contract, who = Contract.objects.get(pk=sys.argv[1]), factories.person(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
try:
    services.buffer_step(contract, "nodes", raw={{"by": who.email}}, revision=0, by=who)
    print("saved")
except StepConflict:
    print("told")
for number in range({EVENTS}):
    services.record(contract, "remark", by=who, body={{"number": number}})
    services.write_terms(contract, values={{"g1": {{"node_count": number + 1}}}}, by=who)
for _ in range({DRAFTS}):
    services.create_contract(contract.buyer, by=who)
"""
LOOKING = """
import sys, json, django; django.setup()
from gpucontract.contracts import services
from gpucontract.contracts.models import Contract
contract = Contract.objects.get(pk=sys.argv[1])
found = services.verify_chain(contract)
kinds = list(contract.events.values_list("kind", flat=True))
print(json.dumps({
    "whole": found.is_whole, "length": found.length, "events": len(kinds), "remarks": kinds.count("remark"),
    "numbers": sorted(Contract.objects.values_list("number", flat=True)),
}))
"""


@pytest.fixture
def environment(tmp_path):
    """The suite's own PostgreSQL test database; on SQLite a file, since there it lies in this process's memory."""
    own = {**os.environ, "DJANGO_SETTINGS_MODULE": "gpucontract.settings", "DEBUG": "True", "VAR_DIR": str(tmp_path)}
    if connection.vendor == "sqlite":
        return own | {"DATABASE_URL": f"sqlite:///{tmp_path / 'two.sqlite3'}", "REDIS_URL": ""}
    server, _, _ = os.environ["DATABASE_URL"].rpartition("/")
    return own | {"DATABASE_URL": f"{server}/{connection.settings_dict['NAME']}"}


def start(code, environment, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], env=environment, cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip


def answer(process):
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return said.strip()


@pytest.mark.django_db(transaction=True)
def test_two_processes_write_one_whole_chain_and_no_number_twice(environment):
    how = "migrate" if connection.vendor == "sqlite" else "is migrated"
    contract = answer(start(PREPARING, environment, how))
    writers = [start(WRITING, environment, contract, who) for who in ("bing", "ada")]
    assert [writer.stdout.readline().strip() for writer in writers] == ["ready"] * WRITERS
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert sorted(answer(writer) for writer in writers) == ["saved", "told"]
    found = json.loads(answer(start(LOOKING, environment, contract)))
    assert found["whole"] and found["length"] == found["events"]
    assert found["remarks"] == WRITERS * EVENTS
    assert len(found["numbers"]) == len(set(found["numbers"])) == WRITERS * DRAFTS + 1
