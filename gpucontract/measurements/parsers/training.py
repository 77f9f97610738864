"""The training probe: tokens a second, time of a step, losses, memory; nothing at all of a run that went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from gpucontract.catalogue.gpus import GPUS
from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.parsers.outcomes import absent

NAMES = ("tokens_per_s", "tokens_per_s_per_gpu", "train_step_time", "train_step_time_p99", "train_tflops", "mfu")
# The reference model; of any other size the figures say something else.
MODEL = {"layers": 8, "dim": 2048, "heads": 16, "sequence": 2048, "vocab": 32000, "batch": 4}
DTYPE = "bf16"
MOST_STEPS = 10_000
LEAST_WARM_UP = 20
MOST_PARAMS = 10**10
# A card that boosts runs a little above the clock its data sheet counts with.
MOST_SHARE = Decimal(105)
TERA = Decimal(10) ** 12

Line = Mapping[str, Any]


def odd_training(head: Line, last: Sequence[Line]) -> str:
    """What is wrong with a training run as the probe tells it, or ''."""
    if head.get("device") != "cuda":
        return "train_on_cpu: the training ran on no GPU"
    sizes = {name: head.get(name) for name in MODEL}
    if sizes != MODEL or head.get("dtype") != DTYPE or any(type(size) is not int for size in sizes.values()):
        return "probe_unknown: the head names another model than the reference one"
    is_counted = _is_whole(head.get("steps"), MOST_STEPS) and _is_whole(head.get("params"), MOST_PARAMS)
    if not is_counted or not _is_whole(head.get("warm_up"), MOST_STEPS) or head["warm_up"] < LEAST_WARM_UP:
        return "probe_unknown: the head names no steps or parameters that a probe has"
    if head.get("flop_per_token") != _flop_per_token(head):
        return "probe_odd: the operations of a token are not those of the model"
    for line in last:
        if not _is_told(line, head):
            return f"probe_odd: GPU {line['gpu']} reports no steps that a probe can have"
        if line["loss_last"] >= line["loss_first"]:
            return f"train_learns_nothing: the loss of GPU {line['gpu']} did not fall"
    return ""


def training_readings(head: Line, last: Sequence[Line], text: str) -> Iterator[Reading]:
    """Of the whole machine at the pace of its slowest GPU, then of each GPU."""
    slowest = max(Decimal(line["total_s"]) for line in last)
    each = Decimal(last[0]["tokens"]) / slowest
    tflops = round(each * head["flop_per_token"] / TERA, 1)
    yield Reading("train_gpus", len(last), line=text)
    yield Reading("train_params", head["params"], line=text)
    yield Reading("train_steps", head["steps"], line=text)
    yield Reading("tokens_per_s", round(each * len(last), 1), "tokens/s", line=text)
    yield Reading("tokens_per_s_per_gpu", round(each, 1), "tokens/s", line=text)
    yield Reading("train_step_time", max(Decimal(line["step_p50_s"]) for line in last), "s", line=text)
    yield Reading("train_step_time_p99", max(Decimal(line["step_p99_s"]) for line in last), "s", line=text)
    yield Reading("train_tflops", tflops, "TFLOPS", line=text)
    yield _utilisation(tflops, last, text)
    for line in last:
        scope = f"gpu{line['gpu']}"
        yield Reading("train_loss_first", Decimal(line["loss_first"]), "", scope)
        yield Reading("train_loss_last", Decimal(line["loss_last"]), "", scope)
        yield Reading("train_memory_peak", line["peak_bytes"], "B", scope)


def _utilisation(tflops: Decimal, last: Sequence[Line], text: str) -> Reading:
    """Share of the dense peak of the card, by its printed name; none for names with no or several peaks."""
    names = {str(line.get("name", "")).removeprefix("NVIDIA ") for line in last}
    found = [gpu for gpu in GPUS.values() if names & {each.removeprefix("NVIDIA ") for each in gpu.printed_names}]
    peaks = {gpu.bf16_tflops for gpu in found}
    peak = next(iter(peaks)) if len(names) == 1 and len(peaks) == 1 else None
    if peak is None:
        return absent("peak_unknown", "mfu", line=text)[0]
    share = tflops * 100 / peak
    return (
        absent("over_peak", "mfu", line=text)[0]
        if share > MOST_SHARE
        else Reading("mfu", round(share, 1), "%", line=text)
    )


def _flop_per_token(head: Line) -> int:
    return int(6 * head["params"] + 12 * head["layers"] * head["dim"] * head["sequence"])


def _is_told(line: Line, head: Line) -> bool:
    names = ("total_s", "step_p50_s", "step_p99_s", "loss_first", "loss_last")
    if not all(type(line.get(name)) in (int, Decimal) and 0 < line[name] < 10**7 for name in names):
        return False
    middle, late, total = line["step_p50_s"], line["step_p99_s"], line["total_s"]
    # Half the steps took at least the middle time, and no step more than all.
    is_timed = middle <= late <= total * Decimal("1.01") and total * Decimal("1.01") >= middle * head["steps"] / 2
    is_counted = type(line.get("tokens")) is int and line["tokens"] == head["steps"] * head["batch"] * head["sequence"]
    return is_timed and is_counted and _is_whole(line.get("peak_bytes"), 10**13)


def _is_whole(value: Any, most: int) -> bool:
    return type(value) is int and 0 < value <= most
