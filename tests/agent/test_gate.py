"""Challenges live two minutes and once; memory stays bounded whoever asks for how many."""

import pytest

from gpucontract.agent import gate, protocol
from gpucontract.agent.gate import Gate
from gpucontract.agent.orders import Refused

SECRET = b"0123456789abcdef"
AGENT = "a" * 32


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def door(clock):
    return Gate(SECRET, AGENT, clock)


def admit(door, challenge, nonce):
    body = protocol.compact(protocol.order(AGENT, "b" * 32, "fabric", {}, nonce, challenge))
    signature = protocol.signature(SECRET, "POST", "/run", nonce, "1", body)
    headers = {
        protocol.NONCE_HEADER: nonce, protocol.TIMESTAMP_HEADER: "1", protocol.SIGNATURE_HEADER: signature,
    }  # fmt: skip
    return door.admit("POST", "/run", headers, body)


def refusal(door, challenge, nonce):
    with pytest.raises(Refused) as refused:
        admit(door, challenge, nonce)
    return refused.value.code


def test_a_challenge_opens_once(door):
    challenge = door.challenge()
    assert admit(door, challenge, "one").job == "fabric"
    assert refusal(door, challenge, "two") == "stale_challenge"


def test_a_challenge_opens_until_it_is_too_old(door, clock):
    first, second = door.challenge(), door.challenge()
    clock.now += protocol.CHALLENGE_SECONDS - 1
    assert admit(door, first, "one")
    clock.now += 2
    assert refusal(door, second, "two") == "stale_challenge"


def test_a_challenge_of_another_start_opens_nothing(door, clock):
    assert refusal(Gate(SECRET, AGENT, clock), door.challenge(), "one") == "stale_challenge"


@pytest.mark.parametrize(
    "edit", [lambda text: text.replace(".", ".9", 1), lambda text: text[:-1], lambda _: "..", lambda _: "x"]
)
def test_a_challenge_cannot_be_made_up(door, edit):
    assert refusal(door, edit(door.challenge()), "one") == "stale_challenge"


def test_a_nonce_in_the_header_must_be_the_orders_own(door):
    body = protocol.compact(protocol.order(AGENT, "b" * 32, "fabric", {}, "one", door.challenge()))
    signature = protocol.signature(SECRET, "POST", "/run", "two", "1", body)
    headers = {
        protocol.NONCE_HEADER: "two", protocol.TIMESTAMP_HEADER: "1", protocol.SIGNATURE_HEADER: signature,
    }  # fmt: skip
    with pytest.raises(Refused, match="not the order's own"):
        door.admit("POST", "/run", headers, body)


def test_what_it_remembers_stays_bounded_and_living_challenges_stay_burnt(door, clock, monkeypatch):
    monkeypatch.setattr(gate, "MOST_REMEMBERED", 50)
    for number in range(200):
        clock.now += protocol.CHALLENGE_SECONDS / 10
        challenge = door.challenge()
        admit(door, challenge, f"nonce{number}")
    assert len(door._used) <= 60
    assert refusal(door, challenge, "another") == "stale_challenge"
