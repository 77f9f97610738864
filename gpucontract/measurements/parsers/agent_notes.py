"""What the agent says about itself: loads that began on this machine and never ended."""

from __future__ import annotations

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.json_documents import cut_documents
from gpucontract.measurements.parsers.outcomes import failed, run_error

NAME = "unfinished_loads"
VERSION = 1
MOST = 10_000


def parse(capture: Capture) -> Parsed:
    """How many loads began since the last that ended, and were cut off."""
    cut = cut_documents(cleaned(capture.stdout))
    lines = cut.documents
    head = lines[0] if lines else {}
    error = run_error(capture)
    if not error and not (head.get("agent") == "unfinished" and head.get("version") == VERSION):
        error = "agent_note_unknown: expected the agent's note of unfinished loads"
    count = head.get("runs")
    is_whole = type(count) is int and 0 <= count <= MOST and count == len(lines) - 1
    if not error and (cut.repeated or cut.is_broken or not is_whole):
        error = "agent_note_unknown: the note names as many loads as it lists"
    if error:
        return failed(error, NAME)
    told = ", ".join(f"{line.get('began_at')} rebooted {line.get('rebooted')}" for line in lines[1:])
    return Parsed((Reading(NAME, count, line=told[:200]),))
