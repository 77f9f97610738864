"""Results into rows: evidence files first, then one short transaction that inserts the facts and ends the runs."""

import json
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from gpucontract.canonical import encode, sha256
from gpucontract.measurements import claims, encryption, evidence
from gpucontract.measurements.models import Delivery, Evidence, Node, Output, Run
from gpucontract.measurements.receiving import Received
from gpucontract.measurements.states import RunState


def store(received: Mapping[Run, Received], now: datetime) -> int:
    """Keep these results and mark their runs done; a run whose lease was lost meanwhile is left to its new holder."""
    if not received:
        return 0
    digests = {run: evidence.keep(result.body) for run, result in received.items()}
    with transaction.atomic():
        claims.lock_contracts({run.contract_id for run in received})
        mine = claims.held(list(received))
        if not mine:
            return 0
        kept = {run: received[run] for run in received if run.pk in mine}
        _insert(kept, digests, now)
        _name_machines(kept)
        # A row whose delivery is missing must not pass for done, whatever an insert swallowed.
        Run.objects.filter(pk__in=mine, delivery__isnull=False).update(
            state=RunState.DONE, due_at=None, lease="", error="", parsed_version=0, judged_version=0
        )
        claims.release(claims.nodes_of(mine), now)
        return len(mine)


def _insert(received: Mapping[Run, Received], digests: Mapping[Run, str], now: datetime) -> None:
    sizes = {digests[run]: len(result.body) for run, result in received.items()}
    known = set(Evidence.objects.filter(sha256__in=sizes).values_list("sha256", flat=True))
    Evidence.objects.bulk_create(
        [
            Evidence(sha256=digest, size_bytes=size, stored_at=now)
            for digest, size in sizes.items()
            if digest not in known
        ],
        ignore_conflicts=True,
    )
    deliveries = [_delivery(run, result, digests[run], now) for run, result in received.items()]
    Delivery.objects.bulk_create(deliveries)
    Output.objects.bulk_create(output for run, result in received.items() for output in _outputs(run, result))


def _delivery(run: Run, result: Received, digest: str, now: datetime) -> Delivery:
    return Delivery(
        run=run, agent=run.agent, nonce=encryption.order_nonce(run.lease, str(run.uuid)), envelope=result.envelope,
        signature=result.signature, origin=result.origin.value, evidence_id=digest, hostname=result.result.hostname,
        sent_at=result.sent_at, received_at=now, peer_address=result.peer, receipt=_receipt(run, result, digest, now),
    )  # fmt: skip


def _receipt(run: Run, result: Received, digest: str, now: datetime) -> str:
    text = encode(
        {
            "run": str(run.uuid),
            "evidence": digest,
            "envelope_sha256": sha256(result.envelope.encode()),
            "received_at": now,
        }
    )
    return json.dumps({"receipt": text.decode(), "ed25519": encryption.receipt_signature(text)})


def _outputs(run: Run, result: Received) -> list[Output]:
    return [
        Output(
            delivery_id=run.pk, name=output.name, sha256=output.sha256, tool=output.tool, command=output.command,
            exit_code=output.exit_status, env=dict(output.env), started_at=output.started_at, ended_at=output.ended_at,
        )
        for output in result.result.outputs
    ]  # fmt: skip


def _name_machines(received: Mapping[Run, Received]) -> None:
    """The first result names the machine of a slot; from then on its agent must answer from there."""
    for run, result in received.items():
        if not run.lead.hostname:
            Node.objects.filter(pk=run.lead_id, hostname="").update(hostname=result.result.hostname)
