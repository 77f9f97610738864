"""Run records put into the tables as pulling and parsing would leave them, for a delivered sample contract."""

import uuid
from datetime import timedelta

from gpucontract.measurements import parsing, services
from gpucontract.measurements.models import Agent, Delivery, Evidence, Node, Output, Parse, Run, RunNode
from tests import factories
from tests.verdicts import making


def delivered_contract(by="eng", **terms):
    """The sample, signed and delivered, as one of either side says, with its slots and nothing measured yet."""
    contract = factories.signed_contract(**terms)
    services.deliver(contract, by=factories.person(by), now=making.NOW)
    contract.refresh_from_db()
    return contract


def store(contract, *records):
    """Save records as delivered and parsed runs, not judged yet; returns the runs."""
    return [_store(contract, record) for record in records]


def _store(contract, record):
    nodes = [Node.objects.get(group__contract=contract, code=code) for code in record.nodes]
    run = Run.objects.create(
        uuid=uuid.uuid5(uuid.NAMESPACE_OID, record.id), contract=contract, revision=contract.revisions.latest("number"),
        lead=nodes[0], group_code=record.group, job=record.job, round=record.round,
        repeat=_free_repeat(contract, record, nodes[0]), params={"hosts": list(record.hostnames.values())}, state="done",
        ordered_at=record.received_at - timedelta(minutes=1), parsed_version=parsing.PARSER_VERSION,
    )  # fmt: skip
    RunNode.objects.bulk_create(RunNode(run=run, node=node, position=place) for place, node in enumerate(nodes))
    _deliver(run, record, nodes)
    Parse.objects.create(
        run=run, parser_version=parsing.PARSER_VERSION, error=record.error,
        outputs=[{"name": f"{n}-{o.name}", "readings": [r.stored() for r in o.readings], "error": o.error} for n, o in enumerate(record.outputs)],
    )  # fmt: skip
    return run


def _deliver(run, record, nodes):
    evidence, _ = Evidence.objects.get_or_create(sha256=run.uuid.hex * 2, defaults={"size_bytes": 1})
    delivery = Delivery.objects.create(
        run=run, agent=Agent.objects.filter(node=nodes[0]).first(), nonce=run.uuid.hex, origin=record.origin.value,
        evidence=evidence, hostname=record.hostnames[record.lead], received_at=record.received_at,
        sent_at=record.received_at,
    )  # fmt: skip
    for place, output in enumerate(record.outputs):
        Output.objects.create(delivery=delivery, name=f"{place}-{output.name}", sha256=output.sha256[:64], tool=output.tool,
                              command=output.command, env=dict(output.env))  # fmt: skip
    for node in nodes:
        Node.objects.filter(pk=node.pk).update(hostname=record.hostnames[node.code])


def _free_repeat(contract, record, lead):
    """Two records of one repeat would be one order; the tables want another number for the second."""
    taken = set(
        Run.objects.filter(contract=contract, round=record.round, job=record.job, lead=lead).values_list(
            "repeat", flat=True
        )
    )
    return next(number for number in range(record.repeat, record.repeat + 50) if number not in taken)
