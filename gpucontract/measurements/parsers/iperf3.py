"""iperf3 -J: what arrived counts, not what was sent; some versions print the document twice."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.json_documents import Cut, cut_documents, cut_text, fields, items, number
from gpucontract.measurements.parsers.outcomes import absent, failed, printed, run_error
from gpucontract.wording import Text

NAMES = ("throughput", "throughput_sent", "streams", "retransmits", "duration")
PLAIN_ERROR = re.compile(r"^iperf3: (?:error - )?(.{1,200})$", re.MULTILINE)
VERSION = re.compile(r"iperf ([0-9]{1,3})\.([0-9]{1,3})")
ONE_THREAD_BEFORE = (3, 16)
BITS_PER_GB = Decimal(10**9)
# The measured seconds differ from the seconds asked for by the clock's grain only.
CLOCK_SLACK = Decimal("0.01")
ONE_THREAD = Text(
    "iperf {version} 只用一个线程，单进程跑不满 100G。数值偏低时请用 3.16 以上版本或多进程复测。",
    "iperf {version} uses one thread: one process cannot fill 100G. If the value is low, run 3.16 or later, or "
    "several processes.",
)
LOSS = Text(
    "UDP 丢包 {percent}%。请降低速率或查网络后复测。",
    "UDP lost {percent}% of its packets. Lower the rate or look at the network, then run again.",
)

Document = dict[str, Any]


def parse(capture: Capture) -> Parsed:
    """throughput (received, Gb/s), throughput_sent, streams, retransmits, duration, reverse, protocol, lost_percent."""
    cut = cut_documents(cleaned(capture.stdout))
    document, error = _document(cut, capture)
    if not error and document.get("error"):
        error = f"iperf3: {str(document['error']).removeprefix('error - ')[:200]}"
    error = error or run_error(capture)
    if not error and not fields(document.get("end")):
        error = "iperf3_incomplete: the document has no results under 'end'"
    if error:
        return failed(error, *NAMES)
    return Parsed(_readings(document), _findings(document) + cut_text(cut))


def _document(cut: Cut, capture: Capture) -> tuple[Document, str]:
    found = [document for document in cut.documents if "start" in document or "end" in document or "error" in document]
    if cut.is_broken:
        return {}, "json_broken: the JSON of iperf3 breaks off or holds foreign text; capture it again, unedited"
    if not found:
        complaint = PLAIN_ERROR.search(printed(capture))
        said = run_error(capture) if not complaint or capture.exit_status == 127 else f"iperf3: {complaint[1]}"
        return {}, said or "iperf3_no_json: no JSON; run iperf3 with -J"
    if any(document != found[0] for document in found[1:]):
        return {}, "two_outputs: JSON documents of different runs in one capture; keep one run per capture"
    return found[0], ""


def _readings(document: Document) -> tuple[Reading, ...]:
    end, start = fields(document.get("end")), fields(fields(document.get("start")).get("test_start"))
    is_udp = start.get("protocol") == "UDP"
    received = fields(end.get("sum" if is_udp else "sum_received"))
    streams = number(start.get("num_streams")) or len(items(end.get("streams"))) or None
    reverse = number(start.get("reverse"))
    readings = [
        _rate("throughput", received, "end.sum" if is_udp else "end.sum_received"),
        _rate("throughput_sent", fields(end.get("sum_sent")), "end.sum_sent"),
        _number("streams", streams, "", "start.test_start.num_streams"),
        _number("retransmits", number(fields(end.get("sum_sent")).get("retransmits")), "", "end.sum_sent.retransmits"),
        _duration(received, start),
    ]
    readings += [Reading("reverse", bool(reverse), line=f"reverse {reverse}")] if reverse is not None else []
    readings += [Reading("protocol", str(start["protocol"])[:20])] if "protocol" in start else []
    readings += [_number("lost_percent", number(received.get("lost_percent")), "%", "end.sum")] if is_udp else []
    backward = fields(end.get("sum_received_bidir_reverse"))
    readings += [_rate("throughput_reverse", backward, "end.sum_received_bidir_reverse")] if backward else []
    return tuple(readings)


def _rate(name: str, sums: dict[str, Any], where: str) -> Reading:
    bits = number(sums.get("bits_per_second"))
    line = f"{where}.bits_per_second {bits}"
    if bits is None:
        return absent("not_printed", name, line=line)[0]
    if bits <= 0:
        return absent("nothing_arrived", name, line=line)[0]
    return Reading(name, Decimal(bits) / BITS_PER_GB, "Gb/s", line=line)


def _number(name: str, value: int | Decimal | None, unit: str, where: str) -> Reading:
    if value is None:
        return absent("not_printed", name)[0]
    return Reading(name, value, unit, line=f"{where} {value}")


def _duration(sums: dict[str, Any], start: dict[str, Any]) -> Reading:
    """The seconds asked for when the run lasted as long, else the seconds measured."""
    seconds, asked = number(sums.get("seconds")), number(start.get("duration"))
    if seconds and asked and abs(Decimal(seconds) - asked) <= asked * CLOCK_SLACK:
        return _number("duration", asked, "s", "start.test_start.duration")
    return _number("duration", seconds, "s", "seconds")


def _findings(document: Document) -> tuple[Finding, ...]:
    version = VERSION.search(str(fields(document.get("start")).get("version", "")))
    found = []
    if version and (int(version[1]), int(version[2])) < ONE_THREAD_BEFORE:
        found.append(Finding("iperf3_one_thread", ONE_THREAD.fill(version=f"{version[1]}.{version[2]}")))
    lost = number(fields(fields(document.get("end")).get("sum")).get("lost_percent"))
    if lost:
        found.append(Finding("udp_loss", LOSS.fill(percent=lost)))
    return tuple(found)
