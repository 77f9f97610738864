"""The raw result an agent sends: read strictly, so that nothing half-understood is stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from gpucontract.agent import protocol
from gpucontract.measurements.parsers.capture import Capture

MAX_OUTPUTS = 200
LONGEST_NAME = 120
LONGEST_TOOL = 80
MAX_NOTES = 1000
# A clock that was never set says 1970; beyond the last year a time with its zone cannot be turned into UTC.
FIRST_YEAR, LAST_YEAR = 1970, 9998


class BadResult(ValueError):
    """The bytes are not a raw result; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class RawOutput:
    """One captured output as the agent sent it; times are the machine's own claims."""

    name: str
    tool: str
    command: str
    stdout: str
    stderr: str
    exit_status: int | None
    started_at: datetime | None
    ended_at: datetime | None
    env: Mapping[str, str] = field(default_factory=dict)
    is_truncated: bool = False
    redacted: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """Over stdout alone, so that the same bytes from two machines show."""
        return hashlib.sha256(self.stdout.encode()).hexdigest()

    @property
    def capture(self) -> Capture:
        """What the parsers take."""
        return Capture(self.tool, self.command, self.stdout, self.stderr, self.exit_status, self.env)


@dataclass(frozen=True, slots=True)
class RawResult:
    """A whole raw result."""

    run: str
    job: str
    params: Mapping[str, Any]
    hostname: str
    outputs: tuple[RawOutput, ...]


def read(body: bytes) -> RawResult:
    """Read a raw result. Raises BadResult naming the first thing that is wrong."""
    try:
        document = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError) as fault:
        raise BadResult(f"not JSON: {fault}") from fault
    if not isinstance(document, dict) or document.get("protocol") != protocol.VERSION:
        raise BadResult(f"not a raw result of protocol {protocol.VERSION}")
    outputs = _typed(document, "outputs", list)
    if len(outputs) > MAX_OUTPUTS:
        raise BadResult(f"{len(outputs)} outputs, the limit is {MAX_OUTPUTS}")
    read_outputs = tuple(_output(output) for output in outputs)
    # An evidence pack names its files so; two outputs in one file would lose one.
    if len({protocol.output_name(output.name).lower() for output in read_outputs}) < len(read_outputs):
        raise BadResult("two outputs have the same name")
    return RawResult(
        run=_text(document, "run", 64), job=_text(document, "job", 20), params=_typed(document, "params", dict),
        hostname=_text(document, "hostname", 255), outputs=read_outputs,
    )  # fmt: skip


def _output(document: object) -> RawOutput:
    if not isinstance(document, dict):
        raise BadResult("an output is not an object")
    status = document.get("exit_status")
    if status is not None and not (type(status) is int and abs(status) < 2**31):
        raise BadResult(f"exit_status {status!r} is not a whole number")
    return RawOutput(
        name=_text(document, "name", LONGEST_NAME), tool=_text(document, "tool", LONGEST_TOOL),
        command=_text(document, "command", 20_000), stdout=_typed(document, "stdout", str),
        stderr=_typed(document, "stderr", str), exit_status=status,
        started_at=moment(document, "started_at"), ended_at=moment(document, "ended_at"),
        env=_environment(document), is_truncated=document.get("truncated") is True, redacted=_notes(document),
    )  # fmt: skip


def _notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    """What the agent says it took out; older agents said nothing."""
    notes = document.get("redacted", [])
    if not isinstance(notes, list) or len(notes) > MAX_NOTES or not all(isinstance(note, str) for note in notes):
        raise BadResult(f"redacted is not a list of at most {MAX_NOTES} texts")
    return tuple(note[:LONGEST_NAME] for note in notes if _is_storable(note))


def _typed(document: Mapping[str, Any], name: str, kind: type) -> Any:
    value = document.get(name)
    if not isinstance(value, kind):
        raise BadResult(f"{name} is missing or not a {kind.__name__}")
    if isinstance(value, str) and not _is_storable(value):
        raise BadResult(f"{name} holds half a surrogate pair")
    return value


def _text(document: Mapping[str, Any], name: str, longest: int) -> str:
    value: str = _typed(document, name, str)
    if not value or len(value) > longest or "\0" in value:
        raise BadResult(f"{name} must be 1 to {longest} characters without NUL, got {len(value)}")
    return value


def _environment(document: Mapping[str, Any]) -> Mapping[str, str]:
    env: dict[str, str] = _typed(document, "env", dict)
    for name, value in env.items():
        if not isinstance(value, str) or "\0" in name + value or not _is_storable(name + value):
            raise BadResult(f"env {name!r} is not text")
    return env


def moment(document: Mapping[str, Any], name: str) -> datetime | None:
    """A time with zone out of a document, None where it is left out. Raises BadResult."""
    value = document.get(name)
    if value is None or value == "":
        return None
    try:
        claimed = datetime.fromisoformat(value)
    except (TypeError, ValueError) as fault:
        raise BadResult(f"{name} {str(value)[:40]!r} is not a time") from fault
    if claimed.tzinfo is None:
        raise BadResult(f"{name} {value!r} has no time zone")
    if not FIRST_YEAR <= claimed.year <= LAST_YEAR:
        raise BadResult(f"{name} {value!r} lies outside the years {FIRST_YEAR} to {LAST_YEAR}")
    return claimed


def _is_storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse(text: str) -> Any:
    raise BadResult(f"{text} is not a number")
