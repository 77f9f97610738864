"""Judging through the tables: 2,000 machines, 60 clauses each, in the database of DATABASE_URL (SQLite without one).

In a database of its own that is thrown away. store-2000: every machine judged from its stored readings and every
document and verdict written; floor: the same readings read and the same rows written bare. store-one-node: one touched
machine judged again; floor: all documents read and decoded bare, one of them written. Time on the wall.
"""

import json
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from benchmarks import judge
from gpucontract.accounts.models import Organisation, User
from gpucontract.canonical import encode, sha256
from gpucontract.contracts.body import FORMAT, Body
from gpucontract.contracts.models import Contract, NodeGroup, Revision, RevisionSection
from gpucontract.measurements.models import Delivery, Evidence, Node, Output, Parse, Run, RunNode
from gpucontract.verdicts.judging import judge_contract
from gpucontract.verdicts.models import JudgeQueue, NodeVerdict, Verdict, VerdictChange

NODES = 2000
REPEATS = 3
PARSER = 1


@contextmanager
def database() -> Iterator[None]:
    """A migrated database that nobody else uses; of SQLite a file, because that is what is used."""
    with tempfile.TemporaryDirectory() as folder:
        if connection.vendor == "sqlite":
            connection.settings_dict["TEST"]["NAME"] = str(Path(folder) / "bench.sqlite3")
        kept = connection.settings_dict["NAME"]
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(kept, verbosity=0)


def filled() -> Contract:
    """A contract whose machines have all delivered, parsed and not yet judged."""
    contract = _signed(judge.body(NODES))
    group = NodeGroup.objects.create(contract=contract, code="g1", node_count=NODES, gpus_per_node=judge.GPUS)
    codes = [f"g1-{ordinal:03d}" for ordinal in range(1, NODES + 1)]
    Node.objects.bulk_create(
        Node(group=group, ordinal=place, code=code, hostname=f"host-{code}") for place, code in enumerate(codes, 1)
    )
    nodes = list(Node.objects.of(contract).order_by("ordinal"))
    Run.objects.bulk_create([_run(contract, node) for node in nodes], batch_size=500)
    runs = list(Run.objects.filter(contract=contract).order_by("lead__ordinal"))
    RunNode.objects.bulk_create(RunNode(run=run, node=node, position=0) for run, node in zip(runs, nodes, strict=True))
    _deliver(runs)
    return contract


def _signed(body: Body) -> Contract:
    person = User.objects.create(email="bench@buyer.example")
    sides = [Organisation.objects.create(name=name) for name in ("买方", "卖方")]
    contract = Contract.objects.create(
        number=body.contract, title="bench", buyer=sides[0], vendor=sides[1], state="delivered", created_by=person
    )
    document = encode({"salt": "00", "clauses": [clause.frozen() for clause in body.clauses]})
    group = {"code": "g1", "name": "g1", "gpu_model": body.groups[0].gpu_model, "node_count": NODES,
             "gpus_per_node": judge.GPUS, "nics_per_node": 8}  # fmt: skip
    head = encode({
        "format": FORMAT, "contract": contract.number, "number": 1, "title": "bench", "parties": {}, "groups": [group],
        "mounts": [], "sections": {"nodes": sha256(document)},
    })  # fmt: skip
    now = timezone.now()
    revision = Revision.objects.create(
        contract=contract, number=1, head=head, sha256=sha256(head), compiler="bench", frozen_at=now, frozen_by=person,
        sent_at=now, sent_by=person,
    )  # fmt: skip
    RevisionSection.objects.create(revision=revision, name="nodes", sha256=sha256(document), document=document)
    return contract


def _run(contract: Contract, node: Node) -> Run:
    return Run(
        uuid=uuid.uuid4(), contract=contract, revision=contract.revisions.get(), lead=node, group_code="g1", job="all",
        state="done", parsed_version=PARSER,
    )  # fmt: skip


def _deliver(runs: list[Run]) -> None:
    Evidence.objects.bulk_create(Evidence(sha256=run.uuid.hex * 2, size_bytes=1) for run in runs)
    Delivery.objects.bulk_create(
        Delivery(run=run, nonce=run.uuid.hex, origin="agent", evidence_id=run.uuid.hex * 2, hostname=run.lead.hostname,
                 received_at=timezone.now(), sent_at=timezone.now())
        for run in runs
    )  # fmt: skip
    Output.objects.bulk_create(
        Output(delivery_id=run.pk, name="all", sha256=run.uuid.hex * 2, tool="tool", command="tool") for run in runs
    )
    Parse.objects.bulk_create(
        [
            Parse(run=run, parser_version=PARSER, outputs=json.loads(judge.stored(place)))
            for place, run in enumerate(runs)
        ],
        batch_size=500,
    )


def whole() -> tuple[float, float]:
    """Seconds for judging the whole contract from and into the tables, and for the bare reads and writes."""
    with database():
        contract = filled()
        ours = min(_timed(lambda: judge_contract(contract.pk), lambda: _forget(contract)) for _ in range(REPEATS))
        documents = list(NodeVerdict.objects.values_list("scope", "body"))
        rows = [(scope, json.dumps(body)) for scope, body in documents]
        verdicts = [(key, zh, en) for key, zh, en in Verdict.objects.values_list("key", "zh", "en")]
        assert len(rows) == NODES and len(verdicts) == judge.CLAUSES
        floor = min(_timed(lambda: _bare(rows, verdicts), _empty) for _ in range(REPEATS))
    return ours, floor


def one_node() -> tuple[float, float]:
    """Seconds for one touched machine judged again through the tables, and for the bare reads and the one write."""
    with database():
        contract = filled()
        judge_contract(contract.pk)
        touched = contract.runs.filter(lead__ordinal=NODES // 2)
        ours = min(
            _timed(lambda: judge_contract(contract.pk), lambda: touched.update(judged_version=0))
            for _ in range(REPEATS)
        )
        floor = min(_timed(lambda: _bare_again(contract), lambda: None) for _ in range(REPEATS))
    return ours, floor


def _timed(work: Callable[[], object], before: Callable[[], object]) -> float:
    before()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _forget(contract: Contract) -> None:
    for model in (Verdict, VerdictChange, NodeVerdict, JudgeQueue):
        model._default_manager.filter(contract=contract).delete()
    contract.runs.update(judged_version=0)


def _empty() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bare_document")
        cursor.execute("DROP TABLE IF EXISTS bare_verdict")
        cursor.execute("CREATE TABLE bare_document (scope text PRIMARY KEY, body text)")
        cursor.execute("CREATE TABLE bare_verdict (key text PRIMARY KEY, zh text, en text)")


def _bare(rows: list[tuple[str, str]], verdicts: list[tuple[Any, ...]]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT outputs FROM measurements_parse")
        cursor.fetchall()
        cursor.executemany("INSERT INTO bare_document VALUES (%s, %s)", rows)
        cursor.executemany("INSERT INTO bare_verdict VALUES (%s, %s, %s)", verdicts)


def _bare_again(contract: Contract) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT scope, CAST(body AS text) FROM verdicts_nodeverdict WHERE contract_id = %s", [contract.pk]
        )
        documents = {scope: json.loads(text) for scope, text in cursor.fetchall()}
        scope = next(iter(documents))
        sql = "UPDATE verdicts_nodeverdict SET body = %s WHERE contract_id = %s AND scope = %s"
        cursor.execute(sql, [json.dumps(documents[scope]), contract.pk, scope])


CASES: dict[str, Callable[[], tuple[float, float]]] = {"store-2000": whole, "store-one-node": one_node}
