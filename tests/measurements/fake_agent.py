"""A real HTTP server that plays an agent: honest by default, hostile by a named behaviour."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from gpucontract.agent import protocol

SECRET = "a secret of thirty-two characters"
LSCPU = "Architecture: x86_64\nCPU(s): 224\n"


def raw_result(
    order: dict[str, Any], hostname: str = "gpu-node-01", outputs: list[dict[str, Any]] | None = None
) -> dict:
    """The raw result document an honest agent would send for an order."""
    return {
        "protocol": protocol.VERSION, "run": order["run"], "job": order["job"], "params": order["params"],
        "agent_version": "0.1.0", "hostname": hostname,
        "outputs": [output("lscpu", LSCPU)] if outputs is None else outputs,
    }  # fmt: skip


# Never older than an order, whenever the tests run; fixed, so that the same output is the same bytes.
A_DAY_TO_COME = "2999-01-01"


def output(tool: str, text: str, **changes: Any) -> dict[str, Any]:
    """One captured output as the agent writes it."""
    return {
        "name": protocol.output_name(tool), "tool": tool, "command": tool, "stdout": text, "stderr": "",
        "exit_status": 0, "started_at": f"{A_DAY_TO_COME}T08:00:00Z", "ended_at": f"{A_DAY_TO_COME}T08:00:01Z", "env": {},
        "redacted": [], "truncated": False, **changes,
    }  # fmt: skip


class FakeAgent:
    """What the server below answers. Change the attributes to make it lie; `orders` holds what it was sent."""

    def __init__(self, agent: str, hostname: str = "gpu-node-01") -> None:
        self.agent, self.hostname = agent, hostname
        self.secret = SECRET.encode()
        self.origin = protocol.ORIGIN_LIVE
        self.outputs: Callable[[dict[str, Any]], list[dict[str, Any]] | None] = lambda order: None
        self.polls_before_result = 0
        self.orders: list[dict[str, Any]] = []
        self.behave: Callable[[BaseHTTPRequestHandler, dict[str, Any]], None] | None = None
        self.envelope_changes: dict[str, Any] = {}
        self.body_after_signing: Callable[[bytes], bytes] = lambda body: body
        self.challenges = 0

    def challenge(self, handler: BaseHTTPRequestHandler) -> None:
        self.challenges += 1
        send(handler, 200, protocol.compact({"protocol": "v1", "challenge": f"c{self.challenges}", "expires_s": 120}))

    def run(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        order = json.loads(body)
        given = handler.headers
        if not protocol.is_signed(
            self.secret, "POST", "/run", order["nonce"], given[protocol.TIMESTAMP_HEADER], body,
            given[protocol.SIGNATURE_HEADER],
        ):  # fmt: skip
            refusal = {"error": "wrong_signature", "message": "the order is not signed with this agent's secret"}
            send(handler, 401, protocol.compact(refusal))
            return
        self.orders.append(order)
        if self.behave:
            self.behave(handler, order)
        elif len(self.orders) <= self.polls_before_result:
            send(handler, 202, protocol.compact({"protocol": "v1", "run": order["run"], "state": "running"}))
        else:
            self.deliver(handler, order)

    def deliver(self, handler: BaseHTTPRequestHandler, order: dict[str, Any]) -> None:
        """A 200 with the result; envelope_changes and body_after_signing make it a forgery."""
        body = protocol.compact(raw_result(order, self.hostname, self.outputs(order)))
        document = protocol.envelope(
            self.agent, self.hostname, order["run"], order["job"], self.origin, order["nonce"], body, now()
        )
        document.update(self.envelope_changes)
        headers = protocol.answer_headers(self.secret, document, str(int(time.time())))
        send(handler, 200, self.body_after_signing(body), headers)


def now() -> str:
    """The machine's clock as the envelope writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
    """A complete HTTP answer."""
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
        handler.send_header(name, value)
    if "Content-Length" not in (headers or {}):
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def serving(fake: FakeAgent) -> Iterator[str]:
    """Serve the fake on a free port of this machine; gives its base address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            fake.challenge(self)

        def do_POST(self) -> None:
            fake.run(self, self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, *args: object) -> None:
            """Quiet."""

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                self.close_connection = True

    class Server(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
