"""The wire format between server and agent: orders, envelopes, signatures. Standard library only, Python 3.8+.

GET /challenge answers {protocol, challenge, expires_s}: a value for one order, within that time.
POST /run takes a signed order and answers
  200 the raw result as body, the signed envelope as headers: the same bytes for the same run, however often asked;
  202 {protocol, run, state: queued|running, step, steps, doing, elapsed_s}: ask again with a fresh challenge and nonce;
  else {error: a code of REFUSALS, message: what is wrong, the value, the limit, what to do}.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import shlex
from typing import Any, Dict, List, Mapping, Optional

VERSION = "v1"
AGENT_VERSION = "0.2.0"
CHALLENGE_PATH = "/challenge"
RUN_PATH = "/run"
AGENT_HEADER = "X-Gpucontract-Agent"
NONCE_HEADER = "X-Gpucontract-Nonce"
TIMESTAMP_HEADER = "X-Gpucontract-Timestamp"
SIGNATURE_HEADER = "X-Gpucontract-Signature"
ENVELOPE_HEADER = "X-Gpucontract-Envelope"
JOBS = (
    "inventory", "topology", "software", "health", "storage", "shared_load", "fabric", "rdma_pairs", "gemm",
    "nccl_intra", "nccl_pairs", "nccl_inter", "training", "burn_in",
)  # fmt: skip
ORIGIN_LIVE = "live"
ORIGIN_REPLAY = "replay"
MAX_BODY_BYTES = 32 * 2**20
MAX_ORDER_BYTES = 64 * 1024
CHALLENGE_SECONDS = 120
MANIFEST = "MANIFEST.csv"
MANIFEST_COLUMNS = (
    "file", "job", "node", "tool", "command_line", "exit_status", "started_at", "ended_at", "nodes", "repeat", "env",
)  # fmt: skip

# Every code an agent may refuse with, and the HTTP status it comes with.
REFUSALS: Dict[str, int] = {
    "bad_request": 400,  # not HTTP, not JSON, a header missing
    "bad_params": 400,  # an unknown job, a parameter of the wrong type or out of bounds
    "run_differs": 400,  # the same run was ordered before with another job or other parameters
    "not_recorded": 400,  # a replaying agent holds no recording of that job, those hosts, that repeat
    "wrong_signature": 401,  # the secret differs, or the order was edited on its way
    "wrong_agent": 403,  # the order is for another agent
    "not_found": 404,
    "wrong_method": 405,
    "too_slow": 408,  # the request did not arrive in time
    "stale_challenge": 409,  # used before, too old, or never given: a replayed order
    "used_nonce": 409,  # seen before: a replayed order
    "length_required": 411,
    "order_too_large": 413,
    "job_failed": 500,  # the agent could not run the job or keep its result: order it again
    "busy": 503,  # too many connections, or too many jobs waiting
}


def compact(document: Any) -> bytes:
    """JSON bytes with sorted keys and no spaces: what is sent and what is signed are the same bytes."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def body_sha256(body: bytes) -> str:
    """The sha256 of a message body, as 64 hex digits."""
    return hashlib.sha256(body).hexdigest()


def signature(secret: bytes, method: str, path: str, nonce: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256 (hex) over version, method, path, nonce, timestamp and the body's sha256, one a line."""
    text = "\n".join((VERSION, method, path, nonce, timestamp, body_sha256(body)))
    return hmac.new(secret, text.encode("utf-8"), hashlib.sha256).hexdigest()


def is_signed(
    secret: bytes, method: str, path: str, nonce: str, timestamp: str, body: bytes, given: Optional[str]
) -> bool:
    """Whether a signature is the right one, compared in constant time."""
    right = signature(secret, method, path, nonce, timestamp, body)
    return hmac.compare_digest(right.encode("ascii"), (given or "").encode("utf-8", "replace"))


def order(agent: str, run: str, job: str, params: Mapping[str, Any], nonce: str, challenge: str) -> Dict[str, Any]:
    """The signed order's body: which agent, run and job with which typed parameters, burning which challenge."""
    return {
        "protocol": VERSION, "agent": agent, "run": run, "job": job, "params": params,
        "nonce": nonce, "challenge": challenge,
    }  # fmt: skip


def envelope(
    agent: str, node: str, run: str, job: str, origin: str, nonce: str, body: bytes, sent_at: str
) -> Dict[str, Any]:
    """The small header that the agent signs over a raw result; origin is live or replay, sent_at ISO UTC."""
    return {
        "protocol": VERSION, "agent": agent, "node": node, "run": run, "job": job, "origin": origin,
        "nonce": nonce, "body_sha256": body_sha256(body), "sent_at": sent_at,
    }  # fmt: skip


def answer_headers(secret: bytes, document: Mapping[str, Any], timestamp: str) -> Dict[str, str]:
    """The headers of a 200: the envelope as base64 of its compact JSON, signed as POST /run under the order's nonce."""
    text = compact(document)
    return {
        ENVELOPE_HEADER: base64.b64encode(text).decode("ascii"),
        NONCE_HEADER: document["nonce"],
        TIMESTAMP_HEADER: timestamp,
        SIGNATURE_HEADER: signature(secret, "POST", RUN_PATH, document["nonce"], timestamp, text),
    }


def opened_envelope(secret: bytes, headers: Mapping[str, str], nonce: str) -> Optional[bytes]:
    """The envelope's exact text out of a 200's headers (any case-insensitive mapping); None when it is not signed."""
    try:
        text = base64.b64decode(headers.get(ENVELOPE_HEADER, ""), validate=True)
        text.decode("utf-8")
    except ValueError:
        return None
    timestamp, given = headers.get(TIMESTAMP_HEADER, ""), headers.get(SIGNATURE_HEADER, "")
    return text if is_signed(secret, "POST", RUN_PATH, nonce, timestamp, text, given) else None


def output_name(tool: str) -> str:
    """The name of one output within its run, from the tool's: "nvidia-smi topo -m" gives nvidia-smi-topo-m."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", tool).strip("-")


def env_line(env: Mapping[str, str]) -> str:
    """Environment overrides as the manifest keeps them: NAME=value words, quoted as a shell would."""
    return " ".join(shlex.quote(f"{name}={value}") for name, value in sorted(env.items()))


def env_of(line: str) -> Dict[str, str]:
    """The overrides that env_line wrote."""
    words: List[str] = shlex.split(line)
    return dict(word.split("=", 1) for word in words if "=" in word)
