"""What a verdict is: its six states, who stands behind it, and the sizes it comes in: of one scope, of a clause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from gpucontract.wording import Text

Measured = Decimal | str | bool
MOST_EXCEPTIONS = 200


class State(StrEnum):
    VERIFIED = "verified"
    BREACHED = "breached"
    MARGINAL = "marginal"
    INCONCLUSIVE = "inconclusive"
    PENDING = "pending"
    NOT_APPLICABLE = "not_applicable"

    @property
    def severity(self) -> int:
        """The worst decides: breached over inconclusive over pending over marginal over verified."""
        return _SEVERITY.index(self)

    @property
    def is_failing(self) -> bool:
        """Whether this keeps the clause from being verified."""
        return self not in (State.VERIFIED, State.NOT_APPLICABLE)


_SEVERITY = (
    State.NOT_APPLICABLE, State.VERIFIED, State.MARGINAL, State.PENDING, State.INCONCLUSIVE, State.BREACHED,
)  # fmt: skip

STATE_TEXTS = {
    State.VERIFIED: Text("已证实", "verified"),
    State.BREACHED: Text("违约", "breached"),
    State.MARGINAL: Text("临界", "marginal"),
    State.INCONCLUSIVE: Text("无法判定", "inconclusive"),
    State.PENDING: Text("未测", "pending"),
    State.NOT_APPLICABLE: Text("不适用", "not applicable"),
}


class Attribution(StrEnum):
    """Whose side the cause lies on; unknown until a second, independent evidence says so."""

    PROVIDER = "provider"
    TENANT = "tenant"
    HARNESS = "harness"
    UNKNOWN = "unknown"


ATTRIBUTION_TEXTS = {
    Attribution.PROVIDER: Text("供方", "provider"),
    Attribution.TENANT: Text("租方", "tenant"),
    Attribution.HARNESS: Text("测试本身", "the test itself"),
    Attribution.UNKNOWN: Text("未定", "unknown"),
}


@dataclass(frozen=True, slots=True)
class ScopeVerdict:
    """The answer for one scope. value is in the clause's unit; None = nothing was measured.

    reason: key of the sentence that explains it; facts fill its blanks. hosts: slot -> host name of the machine.
    runs: ids of the runs it rests on. aside: (run id, reason) of runs that did not count.
    """

    scope: str
    state: State
    reason: str
    value: Measured | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    runs: tuple[str, ...] = ()
    aside: tuple[tuple[str, str], ...] = ()
    hosts: Mapping[str, str] = field(default_factory=dict)
    attribution: Attribution = Attribution.UNKNOWN
    fresh_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One scope that keeps a clause from being verified, with its own sentence."""

    scope: str
    state: State
    reason: str
    value: str
    sentence: Text
    runs: tuple[str, ...]
    aside: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ClauseVerdict:
    """The answer for one clause. margin_pct: percent above (+) or below (-) the mark, in the direction of the promise.

    because: key of the clause that explains this one. failing: (scope, state) of every scope not verified, sorted;
    finding: the digest over these with what each shows.
    exceptions: the first failing scopes in full, at most MOST_EXCEPTIONS. nodes: the machines that took part.
    """

    key: str
    state: State
    scope: str
    value: Measured | None
    unit: str
    margin_pct: Decimal | None
    sentence: Text
    because: str = ""
    attribution: Attribution = Attribution.UNKNOWN
    counts: Mapping[State, int] = field(default_factory=dict)
    failing: tuple[tuple[str, State], ...] = ()
    finding: str = ""
    exceptions: tuple[Shortfall, ...] = ()
    runs: tuple[str, ...] = ()
    aside: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    nodes: tuple[str, ...] = ()
    fresh_until: datetime | None = None
