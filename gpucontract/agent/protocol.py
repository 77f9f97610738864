"""The wire format between server and agent: orders, envelopes, signatures. Standard library only, Python 3.8+."""

import base64
import hashlib
import hmac
import json

VERSION = "v1"
CHALLENGE_PATH = "/challenge"
RUN_PATH = "/run"
AGENT_HEADER = "X-Gpucontract-Agent"
NONCE_HEADER = "X-Gpucontract-Nonce"
TIMESTAMP_HEADER = "X-Gpucontract-Timestamp"
SIGNATURE_HEADER = "X-Gpucontract-Signature"
ENVELOPE_HEADER = "X-Gpucontract-Envelope"
JOBS = (
    "inventory", "topology", "software", "health", "storage", "fabric", "nccl_intra", "nccl_inter",
)  # fmt: skip
MAX_BODY_BYTES = 32 * 2**20
MAX_ORDER_BYTES = 64 * 1024


def compact(document):
    """JSON bytes with sorted keys and no spaces: what is sent and what is signed are the same bytes."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def body_sha256(body):
    """The sha256 of a message body, as 64 hex digits."""
    return hashlib.sha256(body).hexdigest()


def signature(secret, method, path, nonce, timestamp, body):
    """HMAC-SHA256 (hex) over version, method, path, nonce, timestamp and the body's sha256, one a line."""
    text = "\n".join((VERSION, method, path, nonce, timestamp, body_sha256(body)))
    return hmac.new(secret, text.encode("utf-8"), hashlib.sha256).hexdigest()


def is_signed(secret, method, path, nonce, timestamp, body, given):
    """Whether a signature is the right one, compared in constant time."""
    return hmac.compare_digest(signature(secret, method, path, nonce, timestamp, body), given or "")


def order(agent, run, job, params, nonce, challenge):
    """The signed order's body: which agent, run and job with which typed parameters, burning which challenge."""
    return {
        "protocol": VERSION, "agent": agent, "run": run, "job": job, "params": params, "nonce": nonce, "challenge": challenge,
    }  # fmt: skip


def envelope(agent, node, run, job, origin, nonce, body, sent_at):
    """The small header that the agent signs over a raw result; origin is live or replay, sent_at ISO UTC."""
    return {
        "protocol": VERSION, "agent": agent, "node": node, "run": run, "job": job, "origin": origin,
        "nonce": nonce, "body_sha256": body_sha256(body), "sent_at": sent_at,
    }  # fmt: skip


def answer_headers(secret, document, timestamp):
    """The headers of a 200: the envelope as base64 of its compact JSON, signed as POST /run under the order's nonce."""
    text = compact(document)
    return {
        ENVELOPE_HEADER: base64.b64encode(text).decode("ascii"),
        NONCE_HEADER: document["nonce"],
        TIMESTAMP_HEADER: timestamp,
        SIGNATURE_HEADER: signature(secret, "POST", RUN_PATH, document["nonce"], timestamp, text),
    }


def opened_envelope(secret, headers, nonce):
    """The envelope's exact text out of a 200's headers (any case-insensitive mapping), or None when it is not signed."""
    try:
        text = base64.b64decode(headers.get(ENVELOPE_HEADER, ""), validate=True)
        text.decode("utf-8")
    except ValueError:
        return None
    timestamp, given = headers.get(TIMESTAMP_HEADER, ""), headers.get(SIGNATURE_HEADER, "")
    return text if is_signed(secret, "POST", RUN_PATH, nonce, timestamp, text, given) else None
