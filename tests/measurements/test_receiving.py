"""A result counts only when its agent signed it for exactly this order and nothing in it was changed."""

from dataclasses import replace

import pytest

from gpucontract.agent import protocol
from gpucontract.measurements.faults import Fault
from gpucontract.measurements.fetching import Answer, Target
from gpucontract.measurements.receiving import Received, examine
from gpucontract.measurements.records import Origin
from tests.measurements.fake_agent import SECRET, output, raw_result

TARGET = Target(
    "k", "https://a.example", "agent-1", "gpu-node-01", SECRET.encode(), "run-1", "inventory", {"a": 1}, "n-2"
)
ORDER = {"run": "run-1", "job": "inventory", "params": {"a": 1}}


KEY = SECRET.encode()


def answered(document=None, *, secret=KEY, body=None, sent=None, **envelope) -> Answer:
    """An honest answer, or one with this body document, these signed-over bytes, this envelope changed."""
    signed = body if body is not None else protocol.compact(document or raw_result(ORDER))
    said = protocol.envelope(
        "agent-1", "gpu-node-01", "run-1", "inventory", "live", "n-2", signed, "2026-11-30T08:00:02Z"
    )
    headers = protocol.answer_headers(secret, {**said, **envelope}, "1764489602")
    return Answer("k", 200, headers, signed if sent is None else sent, "10.0.0.7")


def test_an_honest_result_is_received_with_its_envelope_verbatim():
    got = examine(TARGET, answered())
    assert isinstance(got, Received)
    assert (got.origin, got.peer, got.result.hostname) == (Origin.AGENT, "10.0.0.7", "gpu-node-01")
    assert '"nonce":"n-2"' in got.envelope and len(got.signature) == 64
    assert got.sent_at.isoformat() == "2026-11-30T08:00:02+00:00"


def test_the_first_result_may_name_its_machine_but_body_and_envelope_must_agree():
    unnamed = replace(TARGET, node="")
    assert isinstance(examine(unnamed, answered()), Received)
    assert examine(unnamed, answered(node="gpu-node-02")).code == "wrong_node"


def test_a_replayed_recording_is_marked_as_such():
    assert examine(TARGET, answered(origin="replay")).origin is Origin.REPLAY


HONEST = protocol.compact(raw_result(ORDER))
FORGED = {
    "signed with another secret": (answered(secret=b"another"), "bad_signature"),
    "without headers": (Answer("k", 200, {}, HONEST), "bad_signature"),
    "with an envelope that is no base64": (
        Answer("k", 200, {**answered().headers, protocol.ENVELOPE_HEADER: "***"}, HONEST), "bad_signature",
    ),
    "with a nonce header changed": (
        Answer("k", 200, {**answered().headers, protocol.NONCE_HEADER: "n-1"}, HONEST), "bad_signature",
    ),
    "an earlier answer sent again": (answered(nonce="n-1"), "replayed"),
    "for another agent": (answered(agent="agent-2"), "wrong_agent"),
    "from another machine": (answered(node="gpu-node-02"), "wrong_node"),
    "for another run": (answered(run="run-9"), "wrong_run"),
    "for another job": (answered(job="health"), "wrong_job"),
    "of another protocol": (answered(protocol="v9"), "wrong_protocol"),
    "of an unknown origin": (answered(origin="dream"), "unknown_origin"),
    "with an edited body": (answered(sent=HONEST.replace(b"224", b"448")), "edited_body"),
    "cut short": (answered(sent=HONEST[:-30]), "edited_body"),
    "signed garbage": (answered(body=b"\x00garbage"), "garbage"),
    "signed but truncated": (answered(body=HONEST[:-30]), "garbage"),
    "sent at no time": (answered(sent_at="noon"), "garbage"),
    "whose body is of another run": (answered(raw_result({**ORDER, "run": "run-9"})), "wrong_run"),
    "whose body is of another job": (answered(raw_result({**ORDER, "job": "health"})), "wrong_job"),
    "run with other parameters": (answered(raw_result({**ORDER, "params": {"a": 2}})), "wrong_params"),
    "with a token left in": (
        answered(raw_result(ORDER, outputs=[output("env", "HF_TOKEN=hf_0123456789abcdef0123456789abcdef\n")])),
        "secrets_left",
    ),
    "with a secret in env": (
        answered(raw_result(ORDER, outputs=[output("env", "", env={"AWS_SECRET_ACCESS_KEY": "abc123"})])),
        "secrets_left",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "code"), FORGED.values(), ids=FORGED)
def test_it_refuses_a_result(answer: Answer, code: str):
    got = examine(TARGET, answer)
    assert isinstance(got, Fault) and got.code == code, got
