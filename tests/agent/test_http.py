"""What does not speak the protocol: garbage, floods, huge and dripping requests. A clear answer, never a crash."""

import socket
import threading
import time

import pytest

from gpucontract.agent import protocol, server
from gpucontract.agent.results import Replay
from gpucontract.agent.runner import Runner
from gpucontract.agent.server import MOST_CONNECTIONS
from gpucontract.agent.store import Store
from tests.agent.running import AGENT, RECORDINGS, SECRET, new_run


def talk(agent, sent, patience_s=20):
    """Raw bytes in, raw bytes out until the agent closes."""
    with socket.create_connection((agent.host, agent.port), patience_s) as line:
        line.sendall(sent)
        received = b""
        while chunk := line.recv(65536):
            received += chunk
    return received


@pytest.mark.parametrize(
    ("method", "path", "status", "error"),
    [
        ("GET", "/", 404, "not_found"),
        ("GET", "/challenge/../run", 404, "not_found"),
        ("GET", "/run", 405, "wrong_method"),
        ("POST", "/challenge", 405, "wrong_method"),
        ("DELETE", "/run", 405, "wrong_method"),
        ("POST", "/elsewhere", 404, "not_found"),
    ],
)
def test_other_paths_and_methods_are_refused_by_name(replaying, method, path, status, error):
    answer = replaying.ask(method, path, b"" if method == "POST" else None)
    assert (answer.status, answer.error) == (status, error)


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 tls\r\n\r\n", id="TLS hello"),
        pytest.param(b"hello\r\n\r\n", id="not HTTP"),
        pytest.param(b"GET /challenge HTTP/9.9.9\r\n\r\n", id="odd version"),
        pytest.param(b"GET /" + b"a" * 70000 + b" HTTP/1.1\r\n\r\n", id="endless path"),
        pytest.param(b"GET /challenge HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", id="200 headers"),
        pytest.param(b"POST /run HTTP/1.1\r\nContent-Length: -5\r\n\r\n", id="negative length"),
        pytest.param(b"POST /run HTTP/1.1\r\nContent-Length: 5, 6\r\n\r\nhello", id="two lengths in one"),
    ],
)
def test_garbage_is_answered_with_400_and_the_line_is_closed(replaying, sent):
    received = talk(replaying, sent)
    assert b" 400 " in received.split(b"\r\n")[0]
    assert b'"error": "bad_request"' in received
    assert replaying.challenge()


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param(b"", id="no length"),
        pytest.param(b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", id="chunked"),
        pytest.param(b"Content-Length: 5\r\nContent-Length: 6\r\n", id="length twice"),
    ],
)
def test_an_order_must_say_its_length_once(replaying, headers):
    received = talk(replaying, b"POST /run HTTP/1.1\r\n" + headers + b"\r\nhello")
    assert b" 411 " in received.split(b"\r\n")[0]


def test_a_huge_order_is_refused_before_it_is_read(replaying):
    size = 100 * 2**20
    with socket.create_connection((replaying.host, replaying.port), 20) as line:
        line.sendall(b"POST /run HTTP/1.1\r\nContent-Length: %d\r\n\r\nonly this much" % size)
        begun = time.monotonic()
        answer = line.recv(65536)
    assert b" 413 " in answer.split(b"\r\n")[0]
    assert str(protocol.MAX_ORDER_BYTES).encode() in answer
    assert time.monotonic() - begun < 3


def test_the_largest_allowed_order_is_read(replaying):
    filling = "x" * (protocol.MAX_ORDER_BYTES - 400)
    answer = replaying.order(new_run(), "inventory", {"extra": filling})
    assert (answer.status, answer.error) == (400, "bad_params")
    assert len(answer.body) < 500


def test_an_answer_on_a_kept_connection_does_not_end_it(replaying):
    with socket.create_connection((replaying.host, replaying.port), 20) as line:
        for _ in range(3):
            line.sendall(b"GET /challenge HTTP/1.1\r\n\r\n")
            assert b" 200 " in line.recv(65536)


@pytest.fixture
def impatient(monkeypatch, tmp_path):
    """An agent in this process that gives a request one second."""
    monkeypatch.setattr(server, "REQUEST_S", 1.0)
    replay = Replay(RECORDINGS / "gpu-node-01")
    agent = server.Server(("127.0.0.1", 0), AGENT, SECRET.encode(), Runner(replay, Store(tmp_path / "state")))
    thread = threading.Thread(target=agent.serve_forever, args=(0.1,))
    thread.start()
    with agent:
        yield agent.server_address
        agent.shutdown()
    agent.runner.stop()
    thread.join()


@pytest.mark.parametrize("head", [b"POST /run HTTP/1.1\r\nContent-Length: 500\r\n\r\n", b"GET /chall"])
def test_a_client_that_drips_is_cut_off(impatient, head):
    begun = time.monotonic()
    with socket.create_connection(impatient, 20) as line:
        line.sendall(head)
        while is_open(line) and time.monotonic() - begun < 10:
            time.sleep(0.1)
    assert 0.9 < time.monotonic() - begun < 5


def is_open(line):
    """Drip one more byte; False once the agent has ended the connection."""
    try:
        line.sendall(b"x")
        line.setblocking(False)
        return line.recv(65536) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_connections_beyond_the_limit_are_told_to_come_back(replaying):
    lines = [socket.create_connection((replaying.host, replaying.port), 20) for _ in range(MOST_CONNECTIONS)]
    time.sleep(0.3)
    received = talk(replaying, b"GET /challenge HTTP/1.1\r\n\r\n")
    assert b" 503 " in received.split(b"\r\n")[0]
    assert b"busy" in received
    for line in lines:
        line.close()
    time.sleep(0.3)
    assert replaying.challenge()
