"""chronyc tracking: how far this machine's clock is from its time source."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.keyed_lines import KeyedLine, by_key, is_repeated
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error
from gpucontract.measurements.parsers.sizes import decimal

NAMES = ("time_offset", "time_synchronised", "stratum")
ERRORS = (("chrony_no_daemon", re.compile(r"506 Cannot talk to daemon|Could not open connection to daemon", re.I)),)
OFFSET = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?) seconds (fast|slow) of NTP time\Z")


def parse(capture: Capture) -> Parsed:
    """time_offset in seconds, positive when this clock is ahead; not measured while the clock follows no source."""
    lines = by_key(cleaned(capture.stdout))
    error = known_error(printed(capture), ERRORS) or run_error(capture)
    if not error and is_repeated(lines, "Leap status"):
        error = "two_outputs: 'Leap status' stands there more than once; keep one run per capture"
    if not error and not {"Leap status", "System time"} <= lines.keys():
        error = "chronyc_unknown: expected the lines 'System time' and 'Leap status' of chronyc tracking"
    if error:
        return failed(error, *NAMES)
    leap = lines["Leap status"][0]
    synchronised = _synchronised(leap)
    stratum = lines.get("Stratum", [])
    return Parsed((_offset(lines["System time"], synchronised), synchronised, _stratum(stratum)))


def _synchronised(leap: KeyedLine) -> Reading:
    known = {"Normal": True, "Insert second": True, "Delete second": True, "Not synchronised": False}
    if leap.value not in known:
        return absent("unreadable", "time_synchronised", line=leap.line)[0]
    return Reading("time_synchronised", known[leap.value], line=leap.line)


def _offset(lines: list[KeyedLine], synchronised: Reading) -> Reading:
    if synchronised.value is not True:
        return absent("not_synchronised", "time_offset", line=synchronised.line)[0]
    found = OFFSET.match(lines[0].value) if len(lines) == 1 else None
    number = decimal(found[1]) if found else None
    if found is None or number is None:
        return absent("unreadable", "time_offset", line=lines[0].line)[0]
    return Reading("time_offset", number if found[2] == "fast" else -number, "s", line=lines[0].line)


def _stratum(lines: list[KeyedLine]) -> Reading:
    number = decimal(lines[0].value) if len(lines) == 1 else None
    if number is None or number != int(number):
        return absent("not_printed", "stratum")[0]
    return Reading("stratum", int(number), line=lines[0].line)
