"""Whether an answer is what was ordered: signed by that agent, for that run and attempt, unchanged, readable, clean."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gpucontract.agent import protocol, redaction
from gpucontract.measurements import raw
from gpucontract.measurements.faults import Fault
from gpucontract.measurements.fetching import Answer, Target
from gpucontract.measurements.records import Origin

ORIGINS = {"live": Origin.AGENT, "replay": Origin.REPLAY}


@dataclass(frozen=True, slots=True)
class Received:
    """A result that passed every check; envelope and signature are kept as they came."""

    envelope: str
    signature: str
    origin: Origin
    sent_at: datetime | None
    body: bytes
    result: raw.RawResult
    peer: str


def examine(target: Target, answer: Answer) -> Received | Fault:
    """Check a 200 against its order: the first thing that is wrong as a Fault, or the result."""
    text = protocol.opened_envelope(target.secret, answer.headers, answer.headers.get(protocol.NONCE_HEADER, ""))
    if text is None:
        return Fault("bad_signature")
    envelope = _document(text)
    fault = _mismatch(target, envelope)
    if fault:
        return fault
    if protocol.body_sha256(answer.body) != envelope.get("body_sha256"):
        return Fault("edited_body", f"{len(answer.body)} B")
    return _read(target, answer, text, envelope)


def _document(text: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _mismatch(target: Target, envelope: Mapping[str, Any]) -> Fault | None:
    expected = {
        "protocol": (protocol.VERSION, "wrong_protocol"),
        "nonce": (target.nonce, "replayed"),
        "agent": (target.agent, "wrong_agent"),
        "node": (target.node or envelope.get("node"), "wrong_node"),
        "run": (target.run, "wrong_run"),
        "job": (target.job, "wrong_job"),
    }
    for name, (value, code) in expected.items():
        if envelope.get(name) != value:
            return Fault(code, f"{str(envelope.get(name))[:80]!r}, expected {value!r}")
    if str(envelope.get("origin")) not in ORIGINS:
        return Fault("unknown_origin", repr(envelope.get("origin"))[:80])
    return None


def _read(target: Target, answer: Answer, text: bytes, envelope: Mapping[str, Any]) -> Received | Fault:
    try:
        result = raw.read(answer.body)
        sent_at = raw.moment(envelope, "sent_at")
    except raw.BadResult as fault:
        return Fault("garbage", str(fault)[:200])
    for name, code in (("run", "wrong_run"), ("job", "wrong_job"), ("params", "wrong_params")):
        if getattr(result, name) != getattr(target, name):
            return Fault(code, f"{str(getattr(result, name))[:120]} in the body")
    if result.hostname != envelope["node"]:
        return Fault("wrong_node", f"{result.hostname!r} in the body, {str(envelope['node'])[:80]!r} signed")
    leaking = next((output.name for output in result.outputs if _has_secret(output)), "")
    if leaking:
        return Fault("secrets_left", leaking)
    return Received(
        envelope=text.decode(), signature=answer.headers.get(protocol.SIGNATURE_HEADER, ""),
        origin=ORIGINS[envelope["origin"]], sent_at=sent_at, body=answer.body, result=result, peer=answer.peer,
    )  # fmt: skip


def _has_secret(output: raw.RawOutput) -> bool:
    """The agent filtered before it hashed; filtered text stays as it is, so a hit here was never filtered."""
    texts = (output.stdout, output.stderr, output.command)
    return any(redaction.redact(text)[1] for text in texts) or bool(redaction.redact_env(output.env)[1])
