"""How a captured run ended, and the readings that say why there is no value."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading, ReadingValue
from gpucontract.measurements.parsers.cleaning import cleaned

NOT_FOUND = re.compile(
    r"^(?:\S+: )?(?:line [0-9]+: |[0-9]+: )?\S+: (?:command )?not found$|^env: .{1,80}: No such file or directory$"
    r"|executable file not found in \$PATH|^Command '\S{1,60}' not found",
    re.MULTILINE,
)
TIME_LIMIT_EXITS = (124,)
KILLED_EXITS = (137, 143, -9, -15)


def printed(capture: Capture) -> str:
    """Both streams as one cleaned text, stdout first: where a tool's complaints are looked for."""
    return "\n".join(text for stream in (capture.stdout, capture.stderr) if (text := cleaned(stream)))


def run_error(capture: Capture, accepted: Collection[int] = ()) -> str:
    """The error any run can have: tool missing, time limit, killed, an exit status neither 0 nor accepted; else ''."""
    status = capture.exit_status
    text = printed(capture)
    missing = NOT_FOUND.search(text)
    if missing or status == 127:
        return f"command_not_found: {line_around(text, missing.start()) if missing else 'exit status 127'}"
    if status in TIME_LIMIT_EXITS:
        return "timed_out: the run was stopped at its time limit"
    if status in KILLED_EXITS:
        return f"killed: the run was killed (exit status {status})"
    if status and status not in accepted:
        return f"exit_status: the tool ended with exit status {status}"
    return ""


def known_error(text: str, signs: Iterable[tuple[str, re.Pattern[str]]]) -> str:
    """'code: the line' of the first sign found in the text, or ''; a sign without ^ may stand inside its line."""
    for code, sign in signs:
        found = sign.search(text)
        if found:
            return f"{code}: {line_around(text, found.start())}"
    return ""


def line_around(text: str, position: int) -> str:
    """The whole line that holds a position, stripped, at most 200 characters."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[start : len(text) if end < 0 else end].strip()[:200]


def absent(why: str, *names: str, scope: str = "", line: str = "") -> tuple[Reading, ...]:
    """One not-measured reading per name, all for the same reason."""
    return tuple(Reading(name, None, scope=scope, why=why, line=line) for name in names)


def failed(error: str, *names: str, findings: tuple[Finding, ...] = ()) -> Parsed:
    """What a failed run gives: the error, and its code as the reason why nothing was measured."""
    return Parsed(absent(error.split(":")[0].split()[0], *names), findings, error)


def value_or(
    name: str, value: ReadingValue | None, why: str, unit: str = "", scope: str = "", line: str = ""
) -> Reading:
    """The reading of a value, or of its absence with the reason when the value is None."""
    return Reading(name, value, "" if value is None else unit, scope, why if value is None else "", line.strip())


def one_of(values: Collection[ReadingValue | None]) -> ReadingValue | None:
    """The value all share, None when there is none or they differ."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None
