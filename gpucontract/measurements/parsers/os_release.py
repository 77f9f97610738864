"""/etc/os-release: shell assignments with optional quotes."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error

KEYS = {"os_name": "NAME", "os_version_id": "VERSION_ID", "os_pretty_name": "PRETTY_NAME", "os_id": "ID"}
ASSIGNMENT = re.compile(r"^([A-Z][A-Z0-9_]{0,60})=(.*)$", re.MULTILINE)
MISSING = (("os_release_missing", re.compile(r"os-release: No such file")),)


def parse(capture: Capture) -> Parsed:
    """Name, version, printable name and id of the operating system, quotes removed."""
    error = known_error(printed(capture), MISSING) or run_error(capture)
    values: dict[str, list[str]] = {}
    for key, value in ASSIGNMENT.findall(cleaned(capture.stdout)):
        values.setdefault(key, []).append(value.strip())
    if not error and any(len(values.get(key, ())) > 1 for key in KEYS.values()):
        error = "two_outputs: a key of os-release stands there twice; keep one file per capture"
    if not error and not any(key in values for key in KEYS.values()):
        error = "os_release_unknown: no line NAME=, ID= or VERSION_ID="
    if error:
        return failed(error, *KEYS)
    return Parsed(tuple(_read(name, key, values.get(key, [])) for name, key in KEYS.items()))


def _read(name: str, key: str, values: list[str]) -> Reading:
    text = _unquoted(values[0]) if values else ""
    if not text:
        return absent("unreadable" if values and values[0] else "not_printed", name)[0]
    return Reading(name, text, line=f"{key}={values[0]}")


def _unquoted(value: str) -> str:
    """The value without its quotes; '' when a quote is opened and never closed (a cut line)."""
    if value[:1] in ('"', "'"):
        return value[1:-1] if len(value) > 1 and value[-1] == value[0] else ""
    return value
