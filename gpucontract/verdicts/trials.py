"""One run of a benchmark as evidence for one rate clause: its number, or why it does not count."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.parsers.capture import ReadingValue
from gpucontract.measurements.records import OutputRecord, RunRecord
from gpucontract.verdicts.comparing import number_of

# Variables that change what is printed or where a shell looks, not what is measured.
_HARMLESS = frozenset({
    "NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE", "LC_ALL", "LANG", "LANGUAGE", "TZ", "PATH", "HOME", "TERM",
    "COLUMNS", "SUDO_UID",
})  # fmt: skip
_ASSIGNED = re.compile(r"(?:^|\s)[\"']?([A-Z][A-Z0-9_]{2,})=")
# mpirun -x NAME hands on whatever the caller's shell holds.
_HANDED_ON = re.compile(r"\s-x\s+([A-Z][A-Z0-9_]{2,})(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Trial:
    """A run's number in the clause's unit, or the reason it does not count, with facts for the sentence."""

    record: RunRecord
    value: Decimal | None = None
    why: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Printed:
    """One output's readings about the whole run, by name; scoped ones (a host's, a port's) are left out."""

    output: OutputRecord
    values: Mapping[str, ReadingValue | None]
    units: Mapping[str, str]

    def number(self, name: str) -> Decimal | None:
        """A numeric reading; None when it is missing, unread or no number."""
        return number_of(self.values.get(name))

    def word(self, name: str) -> str:
        """A reading as text, "" when there is none."""
        value = self.values.get(name)
        return "" if value is None else str(value)


def printed(record: RunRecord) -> Iterator[Printed]:
    """Each output of a run with its whole-run readings."""
    for output in record.outputs:
        here = [reading for reading in output.readings if not reading.scope]
        yield Printed(output, {r.name: r.value for r in here}, {r.name: r.unit for r in here})


def busy(record: RunRecord) -> tuple[str, dict[str, Any]] | None:
    """Who used the GPUs when the test began, where the run looked: their load takes away from what is measured."""
    count = next((reading.value for _, reading in record.readings("gpu_processes") if reading.value), None)
    if count is None:
        return None
    named = [reading.value for _, reading in record.readings("gpu_process_list") if isinstance(reading.value, tuple)]
    return "gpu_busy", {"count": str(count), "seen": "; ".join(named[0]) if named else "?"}


def not_allowed(output: OutputRecord, clause: Clause) -> tuple[str, ...]:
    """Variables that the contract does not allow: the run's overrides, its command line, those NCCL says it obeys."""
    if "env_allowed" not in clause.conditions:
        return ()
    allowed = _HARMLESS | {str(name).partition("=")[0] for name in clause.conditions["env_allowed"]}
    told = (each.value for each in output.readings if each.name == "nccl_settings")
    settings = (str(name) for names in told if isinstance(names, tuple) for name in names)
    used = {*output.env, *_ASSIGNED.findall(output.command), *_HANDED_ON.findall(output.command), *settings}
    return tuple(sorted(used - allowed))
