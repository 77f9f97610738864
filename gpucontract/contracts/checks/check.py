"""What a risk check is: a pure rule over the drafted terms, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TypeVar

from gpucontract.canonical import decimal_text
from gpucontract.contracts.sections.steps import SECTION_OF
from gpucontract.contracts.terms import Local, NotGiven
from gpucontract.wording import Text


class Severity(StrEnum):
    """blocker: stops sending unless an approver waives it; warning and hint: told to the buyer only."""

    BLOCKER = "blocker"
    WARNING = "warning"
    HINT = "hint"


class Outcome(StrEnum):
    FAILED = "failed"
    PASSED = "passed"
    NOT_EVALUATED = "not_evaluated"


class Per(StrEnum):
    """What a check looks at, one at a time."""

    CONTRACT = "contract"
    GROUP = "group"
    MOUNT = "mount"


@dataclass(frozen=True, slots=True)
class Policy:
    """Where an organisation draws its lines; the unit is in each name."""

    power_share: Decimal = Decimal("0.9")
    gemm_low_share: Decimal = Decimal("0.5")
    slow_ethernet_gbps: int = 25
    inter_low_share: Decimal = Decimal("0.5")
    least_message_bytes: int = 2**30
    nfs_node_limit: int = 4
    checkpoint_seconds: int = 600
    critical_response_min: int = 60
    least_burn_in_hours: int = 24
    test_hours: int = 8
    spare_days: int = 2


DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class Miss:
    """A rule's "no": what fills the sentence; another sentence or a milder severity where the case asks for it."""

    values: Mapping[str, object] = field(default_factory=dict)
    text: Text | None = None
    severity: Severity | None = None


Rule = Callable[[Local, Policy], Miss | None]


@dataclass(frozen=True, slots=True)
class Check:
    """One check. terms: the first is where it is shown, the others it reads too.

    rule: a Miss when the draft fails, None when it passes; raises NotGiven when it cannot tell.
    """

    id: str
    severity: Severity
    per: Per
    terms: tuple[str, ...]
    text: Text
    rule: Rule
    is_waivable: bool = True

    @property
    def sections(self) -> tuple[str, ...]:
        """The wizard steps the check belongs beside, the one it is shown in first."""
        return tuple(dict.fromkeys(SECTION_OF[term] for term in self.terms))


@dataclass(frozen=True, slots=True)
class Result:
    """What one check said of one row. path: the term it points at; is_waivable: by an approver, with a reason."""

    check: str
    outcome: Outcome
    severity: Severity
    path: str
    text: Text
    sections: tuple[str, ...]
    is_waivable: bool

    @property
    def is_blocking(self) -> bool:
        """Whether it stops sending until mended or waived."""
        return self.outcome is Outcome.FAILED and self.severity is Severity.BLOCKER


Known = TypeVar("Known")


def known(value: Known | None, what: str) -> Known:
    """The value, or NotGiven: what the catalogue does not know is not evaluated."""
    if value is None:
        raise NotGiven(what)
    return value


def shown(number: Decimal | int) -> str:
    """A number as people read it, two decimals at most."""
    return decimal_text(round(Decimal(number), 2))


def is_training(local: Local) -> bool:
    """Whether the workload is training, critical or not."""
    return str(local["workload_profile"]).startswith("training")


def some_groups(local: Local) -> tuple[str, ...]:
    """The codes of the node groups; NotGiven where there is none."""
    if not local.terms.groups:
        raise NotGiven("g1/node_count")
    return local.terms.groups


def for_any_group(rule: Rule) -> Rule:
    """The rule for the whole contract: the first group that fails decides, one that cannot tell keeps it open."""

    def over_groups(local: Local, policy: Policy) -> Miss | None:
        gaps: list[NotGiven] = []
        for code in some_groups(local):
            try:
                if miss := rule(local.terms.at(code), policy):
                    return miss
            except NotGiven as gap:
                gaps.append(gap)
        if gaps:
            raise gaps[0]
        return None

    return over_groups
