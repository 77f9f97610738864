"""The agent's HTTP side: two paths, small bounded requests, a deadline for each, and JSON for every answer."""

from __future__ import annotations

import contextlib
import json
import socket
import socketserver
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import Any, Dict, List, Optional, Tuple

from gpucontract.agent import execute, protocol
from gpucontract.agent.gate import Gate
from gpucontract.agent.orders import Refused
from gpucontract.agent.runner import Runner
from gpucontract.agent.store import Kept

MOST_CONNECTIONS = 64
REQUEST_S = 15.0
SOCKET_S = 10.0
LINGER_S = 1.0
LINGER_BYTES = 256 * 1024
MOST_DIGITS = 12


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Serves one agent; connections beyond MOST_CONNECTIONS are told so at once."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, address: Tuple[str, int], agent: str, secret: bytes, runner: Runner) -> None:
        self.agent = agent
        self.secret = secret
        self.runner = runner
        self.gate = Gate(secret, agent)
        self._lock = threading.Lock()
        self._deadlines: Dict[socket.socket, float] = {}
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, Handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ARG002
        """Turn a connection away when too many are open."""
        with self._lock:
            if len(self._deadlines) < MOST_CONNECTIONS:
                self._deadlines[request] = time.monotonic() + REQUEST_S
                return True
        body = _refusal_bytes("busy", f"{MOST_CONNECTIONS} connections are open already: ask again later")
        with contextlib.suppress(OSError):
            request.settimeout(LINGER_S)
            request.sendall(
                b"HTTP/1.1 503 busy\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
            )
        return False

    def extend(self, request: socket.socket) -> None:
        """A new request begins on this connection."""
        with self._lock:
            self._deadlines[request] = time.monotonic() + REQUEST_S

    def service_actions(self) -> None:
        """Between requests, ten times a second: cut off clients that drip their request in, or their answer out."""
        with self._lock:
            late = [request for request, until in self._deadlines.items() if until < time.monotonic()]
        for request in late:
            with contextlib.suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection's deadline, then close it."""
        with self._lock:
            self._deadlines.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """A client that went away is no news; anything else is one line, never a stack trace to the client."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            print(f"gpucontract-agent: {client_address[0]}: {type(error).__name__}: {error}", file=sys.stderr)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Server
    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"
    server_version = "gpucontract-agent"
    sys_version = ""
    timeout = SOCKET_S
    # Head and body leave in one piece: sent apart they would wait for the other side's delayed acknowledgement.
    wbufsize = 65536
    disable_nagle_algorithm = True

    def parse_request(self) -> bool:
        """Each request of a kept connection has its own deadline."""
        self.server.extend(self.connection)
        return super().parse_request()

    def do_GET(self) -> None:
        """GET /challenge."""
        if self.path != protocol.CHALLENGE_PATH:
            self._refuse(self._not_here())
            return
        self._reply(200, {
            "protocol": protocol.VERSION, "challenge": self.server.gate.challenge(),
            "expires_s": protocol.CHALLENGE_SECONDS,
        })  # fmt: skip

    def do_POST(self) -> None:
        """POST /run."""
        try:
            if self.path != protocol.RUN_PATH:
                raise self._not_here()
            body = self._order_body()
            order = self.server.gate.admit("POST", self.path, _plain(self.headers.items()), body)
            answer = self.server.runner.answer(order)
        except Refused as refused:
            self._refuse(refused)
            return
        if isinstance(answer, Kept):
            self._deliver(answer, order.nonce)
        else:
            self._reply(202, {"protocol": protocol.VERSION, **answer._asdict()})

    def send_error(self, code: int, message: Optional[str] = None, explain: Optional[str] = None) -> None:
        """What http.server itself objects to, in our own shape."""
        refusal = {408: "too_slow", 501: "wrong_method"}.get(int(code), "bad_request")
        self._refuse(Refused(refusal, message or explain or "the request is not HTTP"))

    def log_message(self, format: str, *args: Any) -> None:
        """No access log: the server keeps the record."""

    def _not_here(self) -> Refused:
        known = {protocol.CHALLENGE_PATH: "GET", protocol.RUN_PATH: "POST"}
        if self.path in known:
            return Refused("wrong_method", f"{self.path} takes {known[self.path]}")
        return Refused("not_found", "this agent has GET /challenge and POST /run")

    def _order_body(self) -> bytes:
        """The request's body, read only when it says its length and that is within the limit."""
        given = self.headers.get_all("Content-Length", [])
        if len(given) != 1 or self.headers.get("Transfer-Encoding"):
            raise Refused("length_required", "an order must say its length once, in Content-Length")
        if not (given[0].isascii() and given[0].isdigit() and len(given[0]) <= MOST_DIGITS):
            raise Refused("bad_request", "Content-Length is not a whole number of bytes")
        length = int(given[0])
        if length > protocol.MAX_ORDER_BYTES:
            raise Refused("order_too_large", f"the order has {length} B, the limit is {protocol.MAX_ORDER_BYTES} B")
        try:
            body = self.rfile.read(length)
        except OSError:
            body = b""
        if len(body) < length:
            raise Refused("too_slow", f"the {length} B of the order did not all arrive in time")
        return body

    def _deliver(self, kept: Kept, nonce: str) -> None:
        server = self.server
        sent_at = execute.now()
        envelope = protocol.envelope(
            server.agent, kept.node, kept.run, kept.job, kept.origin, nonce, kept.body, sent_at
        )  # fmt: skip
        self._send(200, kept.body, protocol.answer_headers(server.secret, envelope, sent_at))

    def _refuse(self, refused: Refused) -> None:
        """Say why; the rest of the request is not trusted, so the connection ends."""
        self.close_connection = True
        status = protocol.REFUSALS[refused.code]
        self._send(status, _refusal_bytes(refused.code, refused.message), {"Connection": "close"})
        self._linger()

    def _reply(self, status: int, document: Dict[str, Any]) -> None:
        self._send(status, protocol.compact(document), {})

    def _send(self, status: int, body: bytes, headers: Dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _linger(self) -> None:
        """Closing on unread bytes would reset the connection and lose the answer: take in a little of them first."""
        with contextlib.suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(LINGER_S)
            taken, until = 1, time.monotonic() + LINGER_S
            left = LINGER_BYTES
            while taken and left > 0 and time.monotonic() < until:
                taken = len(self.connection.recv(65536))
                left -= taken


def _plain(headers: List[Tuple[str, str]]) -> Dict[str, str]:
    """The protocol's own headers under their own spelling; of one sent twice the first counts."""
    names = {name.lower(): name for name in (
        protocol.AGENT_HEADER, protocol.NONCE_HEADER, protocol.TIMESTAMP_HEADER, protocol.SIGNATURE_HEADER,
    )}  # fmt: skip
    return {names[name.lower()]: value for name, value in reversed(headers) if name.lower() in names}


def _refusal_bytes(code: str, message: str) -> bytes:
    return json.dumps({"error": code, "message": message}).encode("ascii")
