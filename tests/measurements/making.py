"""Contracts with nodes, made directly in the tables: this room needs a frozen body, not a whole negotiation."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from gpucontract.accounts.models import Organisation, User
from gpucontract.agent import protocol
from gpucontract.canonical import encode, sha256
from gpucontract.contracts.body import FORMAT, Body, Group, Mount
from gpucontract.contracts.clauses import Clause, Operator, Scope, VerifiedBy
from gpucontract.contracts.models import Contract, NodeGroup, Revision, RevisionSection
from gpucontract.measurements import encryption, evidence, raw
from gpucontract.measurements.models import Agent, Delivery, Evidence, Node, Output, Run, RunNode
from gpucontract.wording import Text
from tests.measurements.fake_agent import SECRET, raw_result

SAME = Text("同", "same")


def clause(key: str, *jobs: str, **changes: Any) -> Clause:
    """A measured clause that these jobs settle."""
    fields = {
        "operator": Operator.AT_LEAST,
        "value": Decimal(1),
        "unit": "count",
        "verified_by": VerifiedBy.MEASUREMENT,
    }
    return Clause(
        **{"key": key, "section": "nodes", "text": SAME, "jobs": jobs, "scope": Scope.NODE, **fields, **changes}
    )


def body(clauses: Sequence[Clause], nodes: int = 2, mounts: Sequence[Mount] = (), more: Sequence[Group] = ()) -> Body:
    """A frozen body of one group g1 with this many machines of eight GPUs."""
    groups = (Group("g1", "训练", "H100 SXM 80GB", nodes, 8, 8), *more)
    return Body("C-2026-1", 1, "t", "0" * 64, {}, groups, tuple(mounts), tuple(clauses))


def people() -> tuple[User, Organisation, Organisation]:
    """A buyer's engineer and the two companies, once per test."""
    eng, _ = User.objects.get_or_create(email="eng@buyer.example")
    buyer, _ = Organisation.objects.get_or_create(name="买方")
    vendor, _ = Organisation.objects.get_or_create(name="卖方")
    buyer.memberships.get_or_create(user=eng, defaults={"roles": ("engineer",)})
    return eng, buyer, vendor


def contract(number: str = "C-2026-1", nodes: int = 2, clauses: Sequence[Clause] = ()) -> Contract:
    """A signed contract with one sent revision and no nodes yet."""
    eng, buyer, vendor = people()
    made = Contract.objects.create(number=number, title="t", buyer=buyer, vendor=vendor, state="signed", created_by=eng)
    NodeGroup.objects.create(contract=made, code="g1", node_count=nodes, gpus_per_node=8)
    _freeze(made, nodes, clauses)
    return made


def _freeze(made: Contract, nodes: int, clauses: Sequence[Clause]) -> Revision:
    document = encode({"salt": "00", "clauses": [one.frozen() for one in clauses]})
    group = {
        "code": "g1",
        "name": "训练",
        "gpu_model": "H100",
        "node_count": nodes,
        "gpus_per_node": 8,
        "nics_per_node": 8,
    }
    head = encode(
        {
            "format": FORMAT, "contract": made.number, "number": 1, "title": "t", "parties": {}, "groups": [group],
            "mounts": [], "sections": {"nodes": sha256(document)},
        }
    )  # fmt: skip
    now, who = timezone.now(), made.created_by
    revision = Revision.objects.create(
        contract=made, number=1, head=head, sha256=sha256(head), compiler="t", frozen_at=now, frozen_by=who,
        sent_at=now, sent_by=who,
    )  # fmt: skip
    RevisionSection.objects.create(revision=revision, name="nodes", sha256=sha256(document), document=document)
    return revision


def node(made: Contract, ordinal: int = 1, hostname: str = "") -> Node:
    """The slot g1-00n of a contract."""
    group = made.node_groups.get()
    return Node.objects.get_or_create(
        group=group, ordinal=ordinal, defaults={"code": f"g1-{ordinal:03d}", "hostname": hostname}
    )[0]


def agent(slot: Node, url: str, secret: str = SECRET) -> Agent:
    """A live agent on a slot."""
    return Agent.objects.create(node=slot, url=url, secret=encryption.seal(secret))


def run(made: Contract, *nodes: Node, job: str = "inventory", **changes: Any) -> Run:
    """A run that is due now, on the lead's live agent if it has one."""
    lead = nodes[0]
    fields = {
        "contract": made, "revision": made.revisions.get(), "lead": lead, "agent": lead.agents.live().first(),
        "group_code": "g1", "job": job, "due_at": timezone.now() - timedelta(seconds=1), **changes,
    }  # fmt: skip
    made_run = Run.objects.create(**fields)
    RunNode.objects.bulk_create(RunNode(run=made_run, node=one, position=place) for place, one in enumerate(nodes))
    return made_run


def delivered(made_run: Run, *outputs: dict[str, Any], hostname: str = "gpu-node-01", **changes: Any) -> Delivery:
    """A stored result of a run, as pulling leaves it; changes are fields of the delivery."""
    order = {"run": str(made_run.uuid), "job": made_run.job, "params": made_run.params}
    data = protocol.compact(raw_result(order, hostname, list(outputs)))
    digest = evidence.keep(data)
    now = timezone.now()
    Evidence.objects.get_or_create(sha256=digest, defaults={"size_bytes": len(data)})
    fields = {"origin": "agent", "nonce": str(made_run.uuid), "received_at": now, "sent_at": now, **changes}
    kept = Delivery.objects.create(run=made_run, agent=made_run.agent, evidence_id=digest, hostname=hostname, **fields)
    for one in raw.read(data).outputs:
        Output.objects.create(
            delivery=kept, name=one.name, sha256=one.sha256, tool=one.tool, command=one.command,
            exit_code=one.exit_status, env=dict(one.env), started_at=one.started_at, ended_at=one.ended_at,
        )  # fmt: skip
    Run.objects.filter(pk=made_run.pk).update(state="done", due_at=None)
    Node.objects.filter(pk=made_run.lead_id).update(hostname=hostname)
    made_run.refresh_from_db()
    return kept
