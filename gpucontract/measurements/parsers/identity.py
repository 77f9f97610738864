"""Who runs the agent: `id -u`, `id`, and /proc/self/loginuid, which survives sudo."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error

FULL = re.compile(r"uid=([0-9]{1,10})\([^)\n]*\) gid=[0-9]{1,10}")
BARE = re.compile(r"[0-9]{1,10}\Z")
NO_LOGIN = "4294967295"
MISSING = (("login_uid_missing", re.compile(r"loginuid: No such file")),)


def parse(capture: Capture) -> Parsed:
    """uid from `id` or `id -u`; login_uid from loginuid, absent when nobody logged in; sudo_uid if handed over."""
    name = "login_uid" if "loginuid" in f"{capture.tool} {capture.command}" else "uid"
    text = cleaned(capture.stdout).strip()
    error = known_error(printed(capture), MISSING) or run_error(capture) or _layout_error(text)
    if error:
        return failed(error, name)
    return Parsed((_read(name, text), *_sudo(capture)))


def _layout_error(text: str) -> str:
    if len(text.split("\n")) > 1:
        return "two_outputs: more than one line of identity; keep one run per capture"
    if not BARE.match(text) and not FULL.match(text):
        return "identity_unknown: expected a user number, or uid=0(root) gid=0(root)"
    return ""


def _read(name: str, text: str) -> Reading:
    if name == "login_uid" and text == NO_LOGIN:
        return absent("no_login", name, line=text)[0]
    full = FULL.match(text)
    return Reading(name, int(full[1] if full else text), line=text[:200])


def _sudo(capture: Capture) -> tuple[Reading, ...]:
    uid = capture.env.get("SUDO_UID", "")
    return (Reading("sudo_uid", int(uid), line=f"SUDO_UID={uid}"),) if BARE.match(uid) else ()
