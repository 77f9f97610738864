"""What a risk check is: a pure rule over the drafted terms, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TypeVar

from gpucontract.contracts.sections.steps import SECTION_OF
from gpucontract.contracts.terms import Local, NotGiven
from gpucontract.units import grouped
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
    """Where an organisation draws its lines, said by lines.LINES; the unit is in each name.

    today: the day on which the draft is looked at; None where that is not known. without_mandate: who confirmed
    lines for the vendor with no mandate to sign on record; None while nothing is confirmed.
    """

    power_pct: int = 90
    gemm_low_pct: int = 50
    used_burn_in_hours: int = 72
    least_message_mib: int = 1024
    slow_ethernet_gbps: int = 25
    nics_per_gpu_pct: int = 50
    inter_low_pct: int = 50
    nfs_node_limit: int = 4
    checkpoint_seconds: int = 600
    least_mlps_level: int = 3
    incident_hours: int = 24
    shared_bw_mbps: int = 1000
    fleet_average_nodes: int = 4
    countable_minutes: int = 5
    maintenance_hours: int = 8
    critical_response_min: int = 60
    gpu_replace_hours: int = 72
    credit_cap_pct: int = 50
    claim_days: int = 30
    spareless_availability_pct: Decimal = Decimal("99.95")
    least_burn_in_hours: int = 24
    test_hours: int = 8
    spare_days: int = 2
    prepay_pct: int = 30
    earnest_pct: int = 20
    late_fee_pct: int = 30
    fixed_price_months: int = 12
    suspension_days: int = 3
    past_start_days: int = 30
    renewal_notice_days: int = 30
    vendor_exit_days: int = 30
    export_pct: int = 70
    today: date | None = None
    without_mandate: tuple[str, ...] | None = None


DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class Miss:
    """A rule's "no": what fills the sentence; another sentence or a milder severity where the case asks for it.

    term: the one to mend, where that is not the check's first.
    """

    values: Mapping[str, object] = field(default_factory=dict)
    text: Text | None = None
    severity: Severity | None = None
    term: str = ""


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
    """What one check said of one row. path: the term it points at; is_waivable: by an approver, with a reason.

    lacking: the path of the empty term for which it was not evaluated, "" where nothing a person fills in is lacking.
    """

    check: str
    outcome: Outcome
    severity: Severity
    path: str
    text: Text
    sections: tuple[str, ...]
    is_waivable: bool
    lacking: str = ""

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
    """A number as people read it, thousands apart, two decimals at most."""
    return grouped(round(Decimal(number), 2))


def first_empty(local: Local, *terms: str) -> str:
    """The first of these terms that is empty, "" where none is."""
    return next((term for term in terms if not local.is_given(term)), "")


def has_lines(local: Local, term: str) -> bool:
    """Whether any row of a table says something: an added line that nobody filled in says nothing."""
    rows = local.get(term, ())
    return any(cell not in (None, "") for row in rows for name, cell in row.items() if name != "code")


def is_training(local: Local) -> bool:
    """Whether the workload is training, critical or not."""
    return str(local["workload_profile"]).startswith("training")


def some_groups(local: Local) -> tuple[str, ...]:
    """The codes of the node groups; NotGiven where there is none."""
    if not local.terms.groups:
        raise NotGiven("g1/node_count")
    return local.terms.groups


def are_joined(local: Local) -> bool:
    """Whether a group has several machines that are to talk to each other: "none" says that they are not."""
    groups = [local.terms.at(code) for code in some_groups(local)]
    return any(int(group["node_count"]) > 1 and group.get("inter_fabric_type") != "none" for group in groups)


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
