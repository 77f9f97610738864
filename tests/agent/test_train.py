"""The training probe: one process for each GPU, and a failing one, a lost loss or no GPU give no numbers at all."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from gpucontract.agent import decoder, probe_train
from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import read
from tests.agent.running import PYTHON, ROOT

FAKES = Path(__file__).parent / "fake_torch"


def train(*words, program=("-m", "gpucontract.agent"), **env):
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{FAKES}", "CUDA_VISIBLE_DEVICES": "0", **env}
    command = [PYTHON, *program, "probe", "train", *(words or ("--steps", "40"))]
    return subprocess.run(command, env=given, capture_output=True, text=True, timeout=60)


def parsed(done):
    return read(Capture("gpucontract-probe train", "", done.stdout, done.stderr, done.returncode))


def test_every_gpu_trains_and_tells_its_steps_its_losses_and_its_memory():
    done = train()
    head, *ranks, end = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, head["gpus"], head["device"], head["dtype"], end) == (0, 2, "cuda", "bf16", {"end": True})
    assert (head["warm_up"], head["steps"], head["dim"], head["params"]) == (50, 40, 2048, 3000)
    assert head["flop_per_token"] == 6 * 3000 + 12 * 8 * 2048 * 2048
    assert [line["gpu"] for line in ranks] == [0, 1] and len({line["uuid"] for line in ranks}) == 2
    for line in ranks:
        assert line["tokens"] == 40 * 4 * 2048 and line["total_s"] >= 40 * line["step_p50_s"] / 2
        assert line["step_p50_s"] <= line["step_p99_s"] and line["loss_last"] < line["loss_first"]
    told = parsed(done)
    assert told.error == "" and told.named("tokens_per_s")[0].value > 0


FAILURES = {
    "a loss that is no number": (
        {"FAKE_FAULT": "1:nan"},
        "GPU 1: ended with exit status 1: ValueError: the loss is nan",
    ),
    "a lost card": ({"FAKE_FAULT": "0:lost"}, "GPU 0: ended with exit status 1: RuntimeError: CUDA error"),
    "a card without bf16": (
        {"FAKE_OLD": "1"},
        "ended with exit status 1: RuntimeError: the GPU does not compute in bf16",
    ),
    "no GPU": ({"FAKE_GPUS": "0"}, "PyTorch sees no GPU"),
    "no PyTorch": ({"PYTHONPATH": str(ROOT)}, "No module named 'torch'"),
}


@pytest.mark.parametrize(("env", "said"), FAILURES.values(), ids=FAILURES)
def test_what_keeps_it_from_training_is_said_and_nothing_is_measured(env, said):
    done = train("--steps", "1000", **env)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("gpucontract-probe: ") and said in done.stderr
    assert parsed(done).error and all(reading.value is None for reading in parsed(done).readings)


def test_a_model_that_learns_nothing_computes_wrongly():
    told = parsed(train(FAKE_DULL="1"))
    assert told.error.startswith("train_learns_nothing") and all(reading.value is None for reading in told.readings)


def test_it_is_part_of_the_one_file(program):
    assert parsed(train("--steps", "20", program=(str(program),))).named("train_gpus")[0].value == 2


def test_percentiles_are_steps_that_were_taken():
    times = [float(number) for number in range(1, 151)]
    assert (probe_train._rounded(times, 50), probe_train._rounded(times, 99)) == (75.0, 149.0)
    assert probe_train._rounded([3.0], 99) == 3.0


def test_the_flop_of_a_token_follow_the_printed_formula():
    assert decoder.Sizes().flop_per_token(470_000_000) == 6 * 470_000_000 + 12 * 8 * 2048 * 2048
