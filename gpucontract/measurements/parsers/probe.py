"""The agent's own probes, one JSON object a line: which GPUs run a program, and what they do under load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.interrupts import NAMES as INTERRUPTS
from gpucontract.measurements.parsers.interrupts import Cause, cause_of, interrupt_readings
from gpucontract.measurements.parsers.json_documents import cut_documents
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error
from gpucontract.measurements.parsers.probe_errors import ERRORS, RESTARTS, Line, incomplete, last_lines
from gpucontract.measurements.parsers.training import NAMES as TRAIN
from gpucontract.measurements.parsers.training import training_readings

USABLE = ("usable_gpus",)
LOAD = ("load_gpus", "load_runtime", "load_together", "load_clean_time", *INTERRUPTS)
NAMES_OF = {"usable": USABLE, "load": LOAD, "train": TRAIN}
# Multiplying two n x n matrices takes n multiplications and n additions for each of n x n results.
FLOP_PER_CUBE = 2
TERA = Decimal(10) ** 12
# The GPU's clock and the host's never agree to the last figure.
CLOCKS_AGREE = Decimal("1.01")
LEAST_BUSY_S = Decimal("0.001")


def parse(capture: Capture) -> Parsed:
    """usable_gpus with gpu_usable of each; gemm_tflops and more of each under load; or what a training reached."""
    cut = cut_documents(cleaned(capture.stdout))
    lines = cut.documents
    head: Line = next((line for line in lines if "probe" in line), {})
    kind = str(head.get("probe") or (capture.tool.split() or [""])[-1])
    names = NAMES_OF.get(kind, LOAD if " load" in capture.command else USABLE)
    error = known_error(printed(capture), ERRORS) or run_error(capture) or incomplete(head, lines)
    if not error and (cut.repeated or cut.is_broken):
        error = "probe_odd: a line is broken or gives one key twice"
    if error:
        return failed(error, *names)
    return {"usable": _usable, "load": _load, "train": _train}[head["probe"]](head, lines)


def _usable(head: Line, lines: tuple[Line, ...]) -> Parsed:
    gpus = last_lines(head, lines)
    each = [
        Reading("gpu_usable", line["ok"] and line["wrong"] == 0, "", f"gpu{line['gpu']}", line=_text(line))
        for line in gpus
    ]
    count = sum(reading.value is True for reading in each)
    return Parsed((Reading("usable_gpus", count, line=_text(head)), *each, *_uuids(gpus)))


def _train(head: Line, lines: tuple[Line, ...]) -> Parsed:
    last = last_lines(head, lines)
    return Parsed((*training_readings(head, last, _text(head)), *_uuids(last)))


def _uuids(lines: Iterable[Line]) -> Iterator[Reading]:
    """Which card each line is about, so that a copy of another machine's output shows."""
    for line in lines:
        if "uuid" in line:
            yield Reading("gpu_uuid", line["uuid"], "", f"gpu{line['gpu']}", line=_text(line))


def _load(head: Line, lines: tuple[Line, ...]) -> Parsed:
    last = last_lines(head, lines)
    together = min(line["ended_s"] for line in last) - max(line["began_s"] for line in last)
    whole: tuple[Reading, ...] = (
        Reading("load_dtype", str(head["dtype"]), line=_text(head)),
        Reading("load_gpus", len(last), line=_text(head)),
        Reading("load_runtime", int(head["seconds"]), "s", line=_text(head)),
        Reading("load_together", Decimal(together), "s", line=_text(last[0])),
        _clean_time(head, last),
    )
    whole = (*whole, *interrupt_readings(head, last))
    return Parsed((*whole, *(reading for line in last for reading in _of_gpu(head, line)), *_uuids(last)))


def _of_gpu(head: Line, line: Line) -> Iterator[Reading]:
    scope, text = f"gpu{line['gpu']}", _text(line)
    busy, lasted = Decimal(line["busy_s"]), Decimal(line["ended_s"]) - Decimal(line["began_s"])
    yield Reading("load_time", lasted, "s", scope, line=text)
    yield Reading("load_wrong", int(line["wrong"]), "", scope, line=text)
    if line.get("error"):
        yield from absent("gpu_failed", "gemm_tflops", scope=scope, line=text)
    elif busy < LEAST_BUSY_S or busy > lasted * CLOCKS_AGREE:
        yield from absent("clocks_disagree", "gemm_tflops", scope=scope, line=text)
    else:
        flop = FLOP_PER_CUBE * Decimal(head["n"]) ** 3 * line["products"]
        yield Reading("gemm_tflops", round(flop / busy / TERA, 2), "TFLOPS", scope, line=text)


def _clean_time(head: Line, last: list[Line]) -> Reading:
    """How long every GPU worked before its first wrong result or its failure, where that was the GPU's own."""
    for line in last:
        why = _why_not_its_own(str(line.get("error", "")), head)
        if why:
            return absent(why, "load_clean_time", line=_text(line))[0]
    line = min(last, key=lambda each: each["clean_s"] - each["began_s"])
    return Reading("load_clean_time", Decimal(line["clean_s"]) - Decimal(line["began_s"]), "s", line=_text(line))


def _why_not_its_own(error: str, head: Line) -> str:
    """Why a failure is not put down to the GPU: another program took its memory, somebody ended it, nobody can tell."""
    if "out of memory" in error:
        return "out_of_memory"
    if not error or head["version"] < RESTARTS or cause_of(error) is Cause.CARD:
        return ""
    return "probe_killed" if cause_of(error) is Cause.FOREIGN else "cause_open"


def _text(line: Line) -> str:
    return ", ".join(f"{name} {value}" for name, value in line.items())[:200]
