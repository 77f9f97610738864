"""The training probe's output: tokens a second at the pace of the slowest card, and nothing of a run that went wrong."""

from decimal import Decimal

import pytest

from gpucontract.agent import decoder
from gpucontract.catalogue.gpus import find
from gpucontract.measurements.parsers import training
from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import read, recognise
from tests.parsers.host_outputs import code, sample

TRAIN = "gpucontract-probe train"
WHOLE = sample("probe/train.txt")
LINES = WHOLE.splitlines(keepends=True)


def parsed(text=WHOLE, stderr="", status=0):
    return read(Capture(TRAIN, TRAIN, text, stderr, status))


def values(text=WHOLE):
    assert parsed(text).error == ""
    return {(reading.name, reading.scope): reading.value for reading in parsed(text).readings}


def test_the_machine_is_as_fast_as_its_slowest_card():
    found = values()
    assert found["tokens_per_s", ""] == Decimal("245760.0")  # 2 x 1228800 / 10.0
    assert found["tokens_per_s_per_gpu", ""] == Decimal("122880.0")
    assert (found["train_step_time", ""], found["train_step_time_p99", ""]) == (Decimal("0.066"), Decimal("0.0715"))
    assert (found["train_gpus", ""], found["train_steps", ""], found["train_params", ""]) == (2, 150, 472485888)
    assert found["train_memory_peak", "gpu1"] == 16492674416
    assert (found["train_loss_first", "gpu0"], found["train_loss_last", "gpu0"]) == (
        Decimal("10.3921"),
        Decimal("2.1187"),
    )


def test_utilisation_is_the_printed_formula_over_the_cards_dense_peak():
    found = values()
    assert found["train_tflops", ""] == Decimal("397.8")  # 122880 x 3237568512 / 10^12
    assert found["mfu", ""] == round(Decimal("397.8") * 100 / find("H200 SXM 141GB").bf16_tflops, 1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (WHOLE.replace("NVIDIA H200", "NVIDIA X9000"), "peak_unknown"),
        (WHOLE.replace("NVIDIA H200", "NVIDIA L40S", 1), "peak_unknown"),
        (WHOLE.replace("NVIDIA H200", "NVIDIA A10"), "over_peak"),
    ],
    ids=["a card nobody knows", "two models", "more than the card can"],
)
def test_without_a_believable_peak_there_is_no_utilisation(text, why):
    (reading,) = parsed(text).named("mfu")
    assert (reading.value, reading.why) == (None, why)


WRONG = {
    "on the CPU": (WHOLE.replace('"device": "cuda"', '"device": "cpu"'), "train_on_cpu"),
    "on who knows what": (WHOLE.replace('"device": "cuda", ', ""), "train_on_cpu"),
    "a smaller model": (WHOLE.replace('"dim": 2048', '"dim": 64'), "probe_unknown"),
    "another type": (WHOLE.replace('"dtype": "bf16"', '"dtype": "fp8"'), "probe_unknown"),
    "hardly a warm-up": (WHOLE.replace('"warm_up": 50', '"warm_up": 1'), "probe_unknown"),
    "more operations than the model has": (WHOLE.replace("3237568512", "9237568512"), "probe_odd"),
    "a loss that is no number": (WHOLE.replace('"loss_last": 2.1187', '"loss_last": NaN'), "probe_odd"),
    "a loss that does not fall": (WHOLE.replace('"loss_last": 2.1187', '"loss_last": 11.2'), "train_learns_nothing"),
    "more tokens than steps": (WHOLE.replace("1228800", "9228800", 1), "probe_odd"),
    "faster than its own steps": (WHOLE.replace('"total_s": 10.0', '"total_s": 1.0'), "probe_odd"),
    "a late step before the middle one": (WHOLE.replace('"step_p99_s": 0.0712', '"step_p99_s": 0.01'), "probe_odd"),
    "no memory": (WHOLE.replace("16492674416", "0", 1), "probe_odd"),
    "a card that told nothing": ("".join(LINES[:2] + LINES[3:]), "probe_incomplete"),
    "cut off": ("".join(LINES[:-1]), "probe_incomplete"),
    "two outputs": (WHOLE + WHOLE, "two_outputs"),
    "one card twice": (WHOLE.replace("1a02", "1a01"), "probe_odd"),
    "another version": (WHOLE.replace('"version": 1', '"version": 2'), "probe_unknown"),
}


@pytest.mark.parametrize(("text", "expected"), WRONG.values(), ids=WRONG)
def test_a_run_that_went_wrong_gives_no_numbers(text, expected):
    told = parsed(text)
    assert code(told) == expected and told.readings and all(reading.value is None for reading in told.readings)


def test_a_run_that_did_not_start_says_why():
    told = parsed("", "gpucontract-probe: GPU 1: ended with exit status 1: ValueError: the loss is nan at step 7\n", 1)
    assert code(told) == "probe_refused" and {reading.name for reading in told.readings} == set(training.NAMES)


def test_the_agent_trains_the_model_that_is_expected_and_its_output_is_known_by_its_head():
    sizes = decoder.Sizes()
    assert sizes._asdict() == training.MODEL
    assert sizes.flop_per_token(472485888) == 3237568512
    assert recognise(WHOLE) == "gpucontract-probe"
