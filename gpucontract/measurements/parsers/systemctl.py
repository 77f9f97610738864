"""systemctl is-active: one state word per service; a stopped service ends with exit status 3 and is still measured."""

from __future__ import annotations

import re
import shlex

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error
from gpucontract.wording import Text

NAMES = ("service_active", "service_name")
IS_ACTIVE = {"active": True, "reloading": True, "inactive": False, "failed": False, "unknown": False}
IN_BETWEEN = ("activating", "deactivating", "maintenance", "refreshing")
# 1 to 4: not active in one of the ways the manual lists; the word says which.
NOT_ACTIVE_EXITS = (1, 2, 3, 4)
NO_SYSTEMD = (
    ("not_systemd", re.compile(r"System has not been booted with systemd|Failed to connect to bus", re.IGNORECASE)),
)
FAILED = Text(
    "服务 {name} 的状态是 failed。用 journalctl -u {name} 查原因，修好后复测。",
    "The service {name} is in state failed. Look for the cause with journalctl -u {name}, mend it and run again.",
)


def parse(capture: Capture) -> Parsed:
    """service_active and service_name of the one service asked about; in between two states it is not measured."""
    words = cleaned(capture.stdout).split()
    error = known_error(printed(capture), NO_SYSTEMD) or run_error(capture, NOT_ACTIVE_EXITS) or _layout_error(words)
    if error:
        return failed(error, *NAMES)
    name = _service(capture.command or capture.tool)
    active = _active(words[0])
    if active.value is True and capture.exit_status:
        return failed(f"exit_status: active, yet the exit status is {capture.exit_status}", *NAMES)
    named = Reading("service_name", name) if name else absent("not_in_command", "service_name")[0]
    findings = (Finding("service_failed", FAILED.fill(name=name or "?")),) if words[0] == "failed" else ()
    return Parsed((active, named), findings)


def _layout_error(words: list[str]) -> str:
    if len(words) > 1:
        return "two_outputs: more than one state in one capture; ask for one service at a time"
    if not words or (words[0] not in IS_ACTIVE and words[0] not in IN_BETWEEN):
        return "systemctl_unknown: expected one of active, inactive, failed, activating"
    return ""


def _active(word: str) -> Reading:
    if word in IN_BETWEEN:
        return absent(word, "service_active", line=word)[0]
    return Reading("service_active", IS_ACTIVE[word], line=word)


def _service(command: str) -> str:
    """The last word of the command that is neither an option nor systemctl's own verb, without '.service'."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    named = [word for word in words if not word.startswith("-") and word not in ("sudo", "systemctl", "is-active")]
    return named[-1].removesuffix(".service") if named else ""
