"""The demonstration's story, told through the services people use: draft, confirm, sign off, deliver, order tests."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts import services as contracts
from gpucontract.contracts.models import Contract, Revision
from gpucontract.contracts.money import add_months
from gpucontract.documents.services import request_appendix, sign_off
from gpucontract.measurements import services as measurements
from gpucontract.measurements.models import Node
from gpucontract.web.demo import agents
from gpucontract.web.demo.people import proof_of
from gpucontract.web.demo.sample import CONTRACT_TERMS, GROUP_TERMS, SAMPLE

AS_DELIVERED = ("gpu-node-01", "gpu-node-02")
ALL_HEALTHY = ("gpu-node-01", "gpu-node-03")


def draft(people: Mapping[str, User], title: str) -> Contract:
    """The sample contract, drafted with all its terms."""
    bing = people["bing"]
    buyer = bing.memberships.get().organisation
    contract = contracts.create_contract(buyer, by=bing, title=title, demo=True)
    contracts.add_mount(contract, by=bing)
    signatory = {"buyer_signatory": f"{people['ada'].name}，采购负责人，附授权委托书"}
    values = SAMPLE | {"c": CONTRACT_TERMS | days_from(timezone.localdate()) | signatory}
    contracts.write_terms(contract, values=values, by=bing)
    return contract


def days_from(today: date) -> dict[str, date]:
    """The days of the sample as they lie from today: a delivery in two weeks, a term after its acceptance."""
    delivery = today + timedelta(days=14)
    accepted = delivery + timedelta(days=CONTRACT_TERMS["acceptance_window_days"])
    start = add_months(accepted.replace(day=1), 1)
    return {
        "delivery_date": delivery, "term_start": start, "vendor_founded_on": add_months(start, -12 * 7),
        "vendor_licence_expiry": add_months(start, 30),
    }  # fmt: skip


def agree(contract: Contract, people: Mapping[str, User]) -> Revision:
    """Send it, have every line confirmed, and both sides sign off the hash they saw."""
    revision = contracts.send_revision(contract, by=people["ada"])
    confirmed = {clause.key: contracts.Given("confirm") for clause in revision.body().clauses}
    contracts.answer_clauses(revision, answers=confirmed, by=people["vera"])
    contracts.submit_answers(revision, by=people["vera"])
    now = timezone.now()
    for short in ("ada", "sun"):
        user, proof = people[short], proof_of(short, people[short], now)
        sign_off(revision, by=user, typed_name=user.name, sha256=revision.sha256, proof=proof, now=now)
    request_appendix(revision, by=people["ada"], now=timezone.now())
    return revision


def deliver(
    contract: Contract, people: Mapping[str, User], machines: tuple[str, ...], state: Path
) -> list[subprocess.Popen[bytes]]:
    """Hand the machines over, enrol and start the agent on each, and order every test of the plan."""
    nodes = measurements.deliver(contract, by=people["eng"], now=timezone.now())
    places = agents.posts(machines)
    started = [
        _enrol(node, places[machine], people["sun"], state) for node, machine in zip(nodes, machines, strict=True)
    ]
    measurements.order_runs(contract, round=1, by=people["eng"], now=timezone.now())
    return started


def others(people: Mapping[str, User]) -> None:
    """Two more contracts in earlier states, so that lists have something to list."""
    bing, ada = people["bing"], people["ada"]
    waiting = draft(people, "推理集群扩容")
    contracts.send_revision(waiting, by=ada)
    buyer = bing.memberships.get().organisation
    begun = contracts.create_contract(buyer, by=bing, title="RoCE 训练集群（草稿）", demo=True)
    few = {"gpu_model": GROUP_TERMS["gpu_model"], "node_count": 4, "gpus_per_node": 8}
    parties = {name: CONTRACT_TERMS[name] for name in ("vendor_name", "vendor_uscc")}
    contracts.write_terms(begun, values={"c": parties, "g1": few}, by=bing)


def _enrol(node: Node, post: agents.Post, by: User, state: Path) -> subprocess.Popen[bytes]:
    agent = measurements.enrol_agent(node, url=post.url, secret=post.secret, by=by, now=timezone.now())
    return agents.start(post, str(agent.uuid), state)
