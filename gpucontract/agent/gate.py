"""Who may order: one-time challenges, and orders signed with this agent's secret that burn one."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from typing import Callable, Dict, Mapping

from gpucontract.agent import orders, protocol
from gpucontract.agent.orders import Order, Refused

MOST_REMEMBERED = 100_000
NONCE_S = 24 * 3600.0


class Gate:
    """Challenges are not stored when given, so asking for many costs nothing; a restart makes all of them stale."""

    def __init__(self, secret: bytes, agent: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._secret = secret
        self._agent = agent
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._used: Dict[str, float] = {}

    def challenge(self) -> str:
        """A fresh one-time value."""
        text = f"{secrets.token_hex(16)}.{int(self._clock() * 1000)}"
        return f"{text}.{self._mark(text)}"

    def admit(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Order:
        """The order, once its signature, addressee, nonce and challenge are right; Refused otherwise.

        The timestamp is signed but not compared: the two clocks need not agree, the challenge makes an order fresh.
        """
        nonce, timestamp = headers.get(protocol.NONCE_HEADER, ""), headers.get(protocol.TIMESTAMP_HEADER, "")
        given = headers.get(protocol.SIGNATURE_HEADER, "")
        if not protocol.is_signed(self._secret, method, path, nonce, timestamp, body, given):
            raise Refused("wrong_signature", "the order is not signed with this agent's secret")
        order = orders.read(body)
        if order.agent != self._agent or headers.get(protocol.AGENT_HEADER, order.agent) != self._agent:
            raise Refused("wrong_agent", f"this is agent {self._agent}, the order is for {order.agent}")
        if order.nonce != nonce:
            raise Refused("bad_request", f"the nonce in {protocol.NONCE_HEADER} is not the order's own")
        self._burn(order)
        return order

    def _burn(self, order: Order) -> None:
        now = self._clock()
        if not self._is_fresh(order.challenge, now):
            raise Refused("stale_challenge", "the challenge was not given by this agent lately: ask for a new one")
        with self._lock:
            self._forget(now)
            if order.challenge in self._used:
                raise Refused("stale_challenge", "the challenge was used before: this order is a repetition")
            if f"nonce {order.nonce}" in self._used:
                raise Refused("used_nonce", "the nonce was used before: this order is a repetition")
            self._used[order.challenge] = now + protocol.CHALLENGE_SECONDS
            self._used[f"nonce {order.nonce}"] = now + NONCE_S

    def _is_fresh(self, challenge: str, now: float) -> bool:
        text, _, mark = challenge.rpartition(".")
        if not hmac.compare_digest(mark.encode("utf-8"), self._mark(text).encode("ascii")):
            return False
        return now - int(text.rpartition(".")[2]) / 1000 <= protocol.CHALLENGE_SECONDS

    def _forget(self, now: float) -> None:
        """Past the limit expired values go, then the nonces used first; never a challenge that still lives."""
        if len(self._used) < MOST_REMEMBERED:
            return
        self._used = {value: until for value, until in self._used.items() if until > now}
        nonces = [value for value in self._used if value.startswith("nonce ")]
        for value in nonces[: len(nonces) // 2]:
            del self._used[value]

    def _mark(self, text: str) -> str:
        return hmac.new(self._key, text.encode("utf-8"), hashlib.sha256).hexdigest()
