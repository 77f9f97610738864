"""The window against real sockets: honest agents, hostile ones, and addresses it must not call."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from gpucontract.agent import protocol
from gpucontract.measurements import fetching
from gpucontract.measurements.addresses import networks
from gpucontract.measurements.fetching import Answer, Target, Window
from tests.measurements.fake_agent import SECRET, FakeAgent, send, serving

HERE = networks(["127.0.0.0/8"])
RUN = "0b5b0a5e-0000-4000-8000-000000000001"


def target(url: str, key: str = "one") -> Target:
    return Target(key, url, "agent-1", "g1-001", SECRET.encode(), RUN, "inventory", {}, "nonce-1")


def answers(targets: list[Target], allowed=HERE) -> list[Answer]:
    with Window(allowed) as window:
        window.submit(targets)
        found: list[Answer] = []
        while window.pending:
            found += window.collect(0.1, 500)
        return found


def answer(url: str, allowed=HERE) -> Answer:
    return answers([target(url)], allowed)[0]


@pytest.fixture
def fake() -> FakeAgent:
    return FakeAgent("agent-1")


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "TOTAL_S", 1.0)


def test_it_brings_an_honest_result_with_its_envelope_and_peer(fake):
    with serving(fake) as url:
        got = answer(url)
    assert (got.status, got.fault, got.peer) == (200, None, "127.0.0.1")
    assert protocol.opened_envelope(SECRET.encode(), got.headers, "nonce-1")
    assert fake.orders[0]["challenge"] == "c1"


def test_it_brings_many_at_once_and_each_exactly_once(fake):
    with serving(fake) as url:
        got = answers([target(url, f"t{number}") for number in range(60)])
    assert sorted(one.key for one in got) == sorted(f"t{number}" for number in range(60))
    assert {one.status for one in got} == {200}


def test_a_job_that_still_runs_is_no_fault(fake):
    fake.polls_before_result = 1
    with serving(fake) as url:
        assert (answer(url).status, answer(url).status) == (202, 200)


def hang(handler, order):
    time.sleep(1.5)


def drip(handler, order):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
    for _ in range(15):
        time.sleep(0.1)
        handler.wfile.write(b"{")
        handler.wfile.flush()


def endless(handler, order):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(200):
        handler.wfile.write(b"x" * 2**20)


def broken_off(handler, order):
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half":')
    handler.close_connection = True


def not_http(handler, order):
    handler.wfile.write(b"\x00\x01SSH-2.0-OpenSSH\r\n")
    handler.close_connection = True


def said_large(handler, order):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n")
    handler.close_connection = True


HOSTILE = {
    "hangs": (hang, "timeout"),
    "drips": (drip, "timeout"),
    "sends 200 MB without saying so": (endless, "too_large"),
    "says 100 MB": (said_large, "too_large"),
    "breaks off": (broken_off, "disconnected"),
    "is not HTTP": (not_http, "not_an_agent"),
    "redirects to metadata": (
        lambda handler, order: send(handler, 302, b"", {"Location": "http://169.254.169.254/"}), "redirected",
    ),
    "compresses": (lambda handler, order: send(handler, 200, b"\x1f\x8b", {"Content-Encoding": "gzip"}), "encoded"),
    "answers 500": (lambda handler, order: send(handler, 500, b"<h1>oops</h1>"), "agent_failed"),
    "answers 404": (lambda handler, order: send(handler, 404, b"nothing here"), "not_an_agent"),
    "is busy": (
        lambda handler, order: send(handler, 503, b'{"error":"busy","message":"too many jobs"}'), "busy",
    ),
    "refuses the parameters": (
        lambda handler, order: send(handler, 400, b'{"error":"bad_params","message":"repeat 99"}'), "job_refused",
    ),
    "refuses with a nested bomb": (lambda handler, order: send(handler, 400, b"[" * 60_000), "not_an_agent"),
}  # fmt: skip


@pytest.mark.parametrize(("behaviour", "code"), HOSTILE.values(), ids=HOSTILE)
def test_it_names_what_a_hostile_agent_does(fake, behaviour: Callable, code: str):
    fake.behave = behaviour
    with serving(fake) as url:
        got = answer(url)
    assert got.fault and got.fault.code == code, got


def test_a_wrong_secret_is_named(fake):
    fake.secret = b"another"
    with serving(fake) as url:
        got = answer(url)
    assert got.fault and got.fault.code == "wrong_secret"
    assert "401" in got.fault.detail


def test_one_hanging_agent_does_not_hold_up_the_others(fake):
    slow = FakeAgent("agent-1")
    slow.behave = hang
    with serving(fake) as url, serving(slow) as slow_url, Window(HERE) as window:
        window.submit([target(slow_url, "slow"), target(url, "quick")])
        first = window.collect(5, 500)
        assert [one.key for one in first] == ["quick"]
        while window.pending:
            window.collect(0.1, 500)


def test_large_bodies_wait_for_the_collector_but_all_arrive(fake, monkeypatch):
    monkeypatch.setattr(fetching, "LARGE_BYTES", 1000)
    monkeypatch.setattr(fetching, "LARGE_AT_ONCE", 2)
    monkeypatch.setattr(fetching, "TOTAL_S", 10.0)
    fake.behave = lambda handler, order: send(handler, 200, b"x" * 200_000)
    with serving(fake) as url:
        got = answers([target(url, f"t{number}") for number in range(10)])
    assert [len(one.body) for one in got] == [200_000] * 10


def test_a_closed_port_is_refused():
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
    assert answer(f"http://127.0.0.1:{port}").fault.code == "refused"


def test_an_unknown_name_is_named():
    assert answer("http://no-such-machine.invalid").fault.code == "name_unknown"


@pytest.fixture
def watched_port() -> Iterator[tuple[int, list[bool]]]:
    """A port that remembers whether anybody ever connected."""
    seen: list[bool] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def wait_for_somebody() -> None:
        with contextlib.suppress(OSError):
            listener.accept()
            seen.append(True)

    thread = threading.Thread(target=wait_for_somebody)
    thread.start()
    yield listener.getsockname()[1], seen
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "0x7f.1"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_address_nobody_named_is_never_connected(watched_port, scheme: str, host: str):
    port, seen = watched_port
    got = answer(f"{scheme}://{host}:{port}", allowed=())
    assert got.fault and got.fault.code == "blocked_address", got
    assert not seen


def test_an_address_in_an_odd_notation_is_refused_unread():
    assert answer("http://2130706433:80").fault.code == "not_an_agent"
