"""A clause: one typed line of the appendix, and its canonical form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from gpucontract.canonical import digest
from gpucontract.wording import Text

Value = Decimal | str | bool | tuple[str, ...]


class Operator(StrEnum):
    AT_LEAST = ">="
    AT_MOST = "<="
    EQUAL = "="
    IN = "in"


class Scope(StrEnum):
    """What a clause speaks about: each GPU, port, node, mount on each node, the group as a whole, or the contract."""

    GPU = "gpu"
    PORT = "port"
    NODE = "node"
    MOUNT = "mount"
    GROUP = "group"
    CONTRACT = "contract"


class VerifiedBy(StrEnum):
    MEASUREMENT = "measurement"
    DOCUMENT = "document"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Clause:
    """One line both sides agree on. `value` is the contracted number, always Decimal when it is a number.

    key: `<row code>/<name>[:<qualifier>]`, e.g. g1/busbw_inter:8GiB. term: path a counter writes to, None = ask only.
    metric: key in metrics.py, "" when nothing measures it. kind: fact or rate (rates have tolerance and repeats).
    jobs: agent jobs that settle it. conditions: printed side conditions by name (size, ranks, allowance ...).
    repeat_rule: median, best or worst of `repeats` runs. tolerance: percent. computed_from: source key -> its sha256.
    """

    key: str
    section: str
    text: Text
    operator: Operator
    value: Value
    unit: str
    term: str | None = None
    metric: str = ""
    kind: str = "fact"
    scope: Scope = Scope.CONTRACT
    jobs: tuple[str, ...] = ()
    conditions: Mapping[str, Any] = field(default_factory=dict)
    repeats: int = 1
    repeat_rule: str = "median"
    tolerance: Decimal = Decimal(0)
    verified_by: VerifiedBy = VerifiedBy.NONE
    mandatory: bool = False
    threshold_source: str = ""
    computed_from: Mapping[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """The row the clause belongs to: g1, m1 or c."""
        return self.key.partition("/")[0]

    @property
    def name(self) -> str:
        """The clause's name in the table, without row code and qualifier: busbw_inter."""
        return self.key.partition("/")[2].partition(":")[0]

    @property
    def is_judged(self) -> bool:
        """Whether the clause gets a verdict; lines with verified_by none do not."""
        return self.verified_by is not VerifiedBy.NONE

    def frozen(self) -> dict[str, Any]:
        """The plain mapping that is hashed and stored: everything the vendor saw."""
        return {
            "key": self.key, "section": self.section, "text": self.text, "term": self.term,
            "operator": self.operator, "value": self.value, "unit": self.unit, "metric": self.metric,
            "kind": self.kind, "scope": self.scope, "jobs": self.jobs, "conditions": dict(self.conditions),
            "repeats": self.repeats, "repeat_rule": self.repeat_rule, "tolerance": self.tolerance,
            "verified_by": self.verified_by, "mandatory": self.mandatory,
            "threshold_source": self.threshold_source, "computed_from": dict(self.computed_from),
        }  # fmt: skip

    @property
    def sha256(self) -> str:
        """The hash both sides confirm: over the frozen form."""
        return digest(self.frozen())


def thaw(frozen: Mapping[str, Any]) -> Clause:
    """A Clause from its decoded canonical form; numbers come back as Decimal, so the hash stays the same."""
    value = frozen["value"]
    if isinstance(value, list):
        value = tuple(value)
    elif frozen["operator"] in (Operator.AT_LEAST, Operator.AT_MOST) or _is_number(value, frozen["unit"]):
        value = value if frozen["unit"] == "version" else Decimal(value)
    return Clause(
        key=frozen["key"], section=frozen["section"], text=Text(**frozen["text"]), term=frozen.get("term"),
        operator=Operator(frozen["operator"]), value=value, unit=frozen["unit"], metric=frozen["metric"],
        kind=frozen["kind"], scope=Scope(frozen["scope"]), jobs=tuple(frozen["jobs"]),
        conditions=frozen["conditions"], repeats=frozen["repeats"], repeat_rule=frozen["repeat_rule"],
        tolerance=Decimal(frozen["tolerance"]), verified_by=VerifiedBy(frozen["verified_by"]),
        mandatory=frozen["mandatory"], threshold_source=frozen["threshold_source"],
        computed_from=frozen["computed_from"],
    )  # fmt: skip


_WORDS = ("text", "enum", "bool", "version", "set", "date", "")


def _is_number(value: object, unit: str) -> bool:
    return isinstance(value, str) and unit not in _WORDS
