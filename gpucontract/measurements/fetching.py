"""A rolling window of HTTP exchanges with agents, in its own thread: targets in, answers out, no database inside."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any

import aiohttp
import uvloop

from gpucontract.agent import protocol
from gpucontract.measurements.addresses import Network, refusal
from gpucontract.measurements.faults import Fault

WINDOW = 500
TOTAL_S = 10.0
CONNECT_S = 4.0
CHUNK_BYTES = 64 * 1024
MAX_CHALLENGE_BYTES = 4096
MAX_DETAIL = 200
# A few hundred answers may wait in memory, so only few of them may be large.
LARGE_BYTES = 256 * 1024
LARGE_AT_ONCE = 2
REFUSALS = {
    "wrong_signature": "wrong_secret",
    "wrong_agent": "other_agent",
    "bad_params": "job_refused",
    "run_differs": "job_refused",
    "bad_request": "job_refused",
    "not_recorded": "not_recorded",
    "stale_challenge": "stale_order",
    "used_nonce": "stale_order",
    "too_slow": "timeout",
    "job_failed": "agent_failed",
    "busy": "busy",
}
POLICY_MARK = "address policy"


@dataclass(frozen=True, slots=True)
class Target:
    """One order to hand over: key is the caller's own, url the agent's address, node its machine's name if known."""

    key: str
    url: str
    agent: str
    node: str
    secret: bytes
    run: str
    job: str
    params: Mapping[str, Any]
    nonce: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a target: a status with headers and body, or the fault that kept it from coming."""

    key: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    peer: str = ""
    fault: Fault | None = None


class Refused(Exception):
    """An exchange that ended in a fault of ours, such as a body over the limit."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code, detail)
        self.fault = Fault(code, detail)


class PeerResponse(aiohttp.ClientResponse):
    """Remembers who answered; the connection is gone once a short body has been read."""

    peer = ""

    async def start(self, connection: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        """Note the peer's address, then read the status line and headers as always."""
        address = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = str(address[0]) if address else ""
        return await super().start(connection)


class Window:
    """Exchanges in flight. submit() never blocks; collect() waits for answers. One thread owns the loop and sockets."""

    def __init__(self, networks: Sequence[Network]) -> None:
        self._networks = networks
        self._answers: SimpleQueue[Answer] = SimpleQueue()
        self._is_up = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="fetching", daemon=True)
        self.pending = 0

    def __enter__(self) -> Window:
        self._thread.start()
        self._is_up.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def submit(self, targets: Sequence[Target]) -> None:
        """Start an exchange with each target."""
        self.pending += len(targets)
        for target in targets:
            self._loop.call_soon_threadsafe(self._begin, target)

    def collect(self, patience_s: float, most: int) -> list[Answer]:
        """The answers that are here, at most `most`; waits up to patience_s for the first."""
        answers: list[Answer] = []
        with contextlib.suppress(Empty):
            answers.append(self._answers.get(timeout=patience_s))
            while len(answers) < most:
                answers.append(self._answers.get_nowait())
        self.pending -= len(answers)
        for _ in range(sum(len(answer.body) > LARGE_BYTES for answer in answers)):
            self._loop.call_soon_threadsafe(self._large.release)
        return answers

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(self._live())

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        async with _session(self._networks, is_plain=True) as plain, _session(self._networks, is_plain=False) as tls:
            self._sessions = {"http": plain, "https": tls}
            self._is_up.set()
            await self._stop.wait()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, target: Target) -> None:
        task = self._loop.create_task(self._run(target))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, target: Target) -> None:
        scheme = target.url.partition("://")[0]
        permit = _Permit(self._large)
        answer = await _exchange(self._sessions[scheme], target, permit)
        if permit.is_held and len(answer.body) <= LARGE_BYTES:
            self._large.release()
        self._answers.put(answer)


def _session(networks: Sequence[Network], *, is_plain: bool) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, socket_factory=_guarded(networks, is_plain), use_dns_cache=False),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
        cookie_jar=aiohttp.DummyCookieJar(),
        response_class=PeerResponse,
        auto_decompress=False,
        trust_env=False,
        headers={"Accept-Encoding": "identity", "User-Agent": "gpucontract"},
    )


def _guarded(networks: Sequence[Network], is_plain: bool) -> Callable[[tuple[Any, ...]], socket.socket]:
    """A resolver would be bypassed by an address in the URL; the socket sees the final address of both kinds."""

    def open_socket(info: tuple[Any, ...]) -> socket.socket:
        family, kind, number, _, address = info
        reason = refusal(address[0], networks, is_plain=is_plain)
        if reason:
            raise PermissionError(errno.EACCES, f"{POLICY_MARK}: {reason}")
        return socket.socket(family, kind, number)

    return open_socket


class _Permit:
    """A place among the few large bodies that may be in memory at once; kept until the answer is collected."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places = places
        self.is_held = False

    async def take(self) -> None:
        if not self.is_held:
            await self._places.acquire()
            self.is_held = True


async def _exchange(session: aiohttp.ClientSession, target: Target, permit: _Permit) -> Answer:
    try:
        async with asyncio.timeout(TOTAL_S):
            challenge = await _challenge(session, target, permit)
            return await _order(session, target, challenge, permit)
    except Refused as refused:
        return Answer(target.key, fault=refused.fault)
    except TimeoutError:
        return Answer(target.key, fault=Fault("timeout"))
    except (aiohttp.ClientError, OSError, ValueError) as fault:
        return Answer(target.key, fault=named(fault))


async def _challenge(session: aiohttp.ClientSession, target: Target, permit: _Permit) -> str:
    url = target.url.rstrip("/") + protocol.CHALLENGE_PATH
    async with session.get(url, allow_redirects=False) as response:
        body = await _body(response, MAX_CHALLENGE_BYTES, permit)
        if response.status != 200:
            raise Refused(*status_fault(response.status, body))
    try:
        return str(json.loads(body)["challenge"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refused("not_an_agent", "no challenge in its answer") from None


async def _order(session: aiohttp.ClientSession, target: Target, challenge: str, permit: _Permit) -> Answer:
    document = protocol.order(target.agent, target.run, target.job, dict(target.params), target.nonce, challenge)
    body = protocol.compact(document)
    url = target.url.rstrip("/") + protocol.RUN_PATH
    async with session.post(url, data=body, headers=_signed(target, body), allow_redirects=False) as response:
        received = await _body(response, protocol.MAX_BODY_BYTES, permit)
        if response.status not in (200, 202):
            raise Refused(*status_fault(response.status, received))
        return Answer(target.key, response.status, response.headers, received, getattr(response, "peer", ""))


def _signed(target: Target, body: bytes) -> dict[str, str]:
    timestamp = str(int(time.time()))
    return {
        "Content-Type": "application/json",
        protocol.AGENT_HEADER: target.agent,
        protocol.NONCE_HEADER: target.nonce,
        protocol.TIMESTAMP_HEADER: timestamp,
        protocol.SIGNATURE_HEADER: protocol.signature(
            target.secret, "POST", protocol.RUN_PATH, target.nonce, timestamp, body
        ),
    }


async def _body(response: aiohttp.ClientResponse, most: int, permit: _Permit) -> bytes:
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Refused("encoded", response.headers["Content-Encoding"][:40])
    if (response.content_length or 0) > most:
        raise Refused("too_large", f"{response.content_length} B > {most} B")
    received = bytearray()
    async for chunk in response.content.iter_chunked(CHUNK_BYTES):
        received += chunk
        if len(received) > most:
            raise Refused("too_large", f"> {most} B")
        if len(received) > LARGE_BYTES:
            await permit.take()
    return bytes(received)


def status_fault(status: int, body: bytes) -> tuple[str, str]:
    """The fault behind a status that is neither 200 nor 202, from an agent's refusal or from a stranger."""
    if 300 <= status < 400:
        return "redirected", f"HTTP {status}"
    said = body[:MAX_DETAIL].decode("utf-8", "replace").replace("\0", " ")
    try:
        refusal_document = json.loads(body)
        code, said = REFUSALS[refusal_document["error"]], str(refusal_document["message"])[:MAX_DETAIL]
    except (ValueError, KeyError, TypeError, RecursionError):
        code = "wrong_secret" if status in (401, 403) else "agent_failed" if status >= 500 else "not_an_agent"
    return code, f"HTTP {status} {' '.join(said.split())}".strip()


def named(fault: Exception) -> Fault:
    """The stable code for what aiohttp, the operating system or TLS complained about."""
    detail = str(fault).replace("\0", " ")[:MAX_DETAIL]
    code = next((code for kinds, code in _KINDS if isinstance(fault, kinds)), "unreachable")
    inner = fault.os_error if isinstance(fault, aiohttp.ClientConnectorError) else fault
    if POLICY_MARK in detail:
        code = "blocked_address"
    elif code == "unreachable" and isinstance(inner, ConnectionRefusedError):
        code = "refused"
    return Fault(code, detail)


_KINDS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str], ...] = (
    (aiohttp.ClientConnectorDNSError, "name_unknown"),
    (aiohttp.ClientSSLError, "tls"),
    (aiohttp.ClientConnectorError, "unreachable"),
    (aiohttp.InvalidURL, "not_an_agent"),
    ((aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError, aiohttp.ClientOSError), "disconnected"),
    (aiohttp.ClientResponseError, "not_an_agent"),
    (ConnectionError, "disconnected"),
)
