"""What a tool printed, and what was read from it: the types every parser takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from gpucontract.wording import Text

ReadingValue = Decimal | int | str | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Capture:
    """One captured output. exit_status: None when it was not kept; env: the overrides the command ran under."""

    tool: str
    command: str
    stdout: str
    stderr: str = ""
    exit_status: int | None = None
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """One value, or why there is none.

    scope is local to the output: "" (the whole), gpu5, gpu0+gpu1, gpu0+mlx5_0, port:mlx5_0, mount:/data,
    disk:nvme0n1, @hostname. unit is as printed ("" for counts and words). why: a short stable code when value is None
    (not measured). line: the text that decided.
    """

    name: str
    value: ReadingValue | None
    unit: str = ""
    scope: str = ""
    why: str = ""
    line: str = ""

    def stored(self) -> dict[str, Any]:
        """The compact JSON kept per run: m(easure) s(cope) v(alue) u(nit) why l(ine); Decimals as text."""
        value = format(self.value, "f") if isinstance(self.value, Decimal) else self.value
        parts = {"m": self.name, "s": self.scope, "v": value, "u": self.unit, "why": self.why, "l": self.line}
        if isinstance(self.value, Decimal):
            parts["d"] = 1
        return {key: part for key, part in parts.items() if part not in ("", None)}


def restore(stored: Mapping[str, Any]) -> Reading:
    """The Reading that stored() wrote; numbers come back exact."""
    value = stored.get("v")
    if stored.get("d"):
        value = Decimal(str(value))
    elif isinstance(value, list):
        value = tuple(value)
    return Reading(
        stored["m"], value, stored.get("u", ""), stored.get("s", ""), stored.get("why", ""), stored.get("l", "")
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """A remark from a parser or cross-check: stable code, scope, sentence with what to do next."""

    code: str
    text: Text
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """Everything read from one capture. error is '' or 'code: text' (stable code first)."""

    readings: tuple[Reading, ...] = ()
    findings: tuple[Finding, ...] = ()
    error: str = ""

    def named(self, name: str) -> tuple[Reading, ...]:
        """All readings of one name, in the order read."""
        return tuple(reading for reading in self.readings if reading.name == name)
