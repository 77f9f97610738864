"""The burn-in's probe: a card that fails is started again, and every interrupt says when, why and for how long."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from gpucontract.agent import probe_soak
from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import read
from tests.agent.running import PYTHON, ROOT

FAKES = Path(__file__).parent / "fake_torch"
LOST = "RuntimeError: CUDA error: unspecified launch failure"


def soak(seconds=4, pause="0.3", program=("-m", "gpucontract.agent"), **env):
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{FAKES}", **env}
    words = ["probe", "soak", "--dtype", "bf16", "--seconds", str(seconds), "--pause", pause]
    return subprocess.run([PYTHON, *program, *words], env=given, capture_output=True, text=True, timeout=90)


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def cards(done):
    return {line["gpu"]: line for line in lines(done) if line.get("last")}


def readings(done):
    parsed = read(Capture("gpucontract-probe load", "", done.stdout, done.stderr, done.returncode))
    assert parsed.error == ""
    return {reading.name: reading.value for reading in parsed.readings if not reading.scope}


def test_every_card_works_in_a_process_of_its_own_and_nothing_is_interrupted():
    done = soak()
    found, head = cards(done), lines(done)[0]
    assert (done.returncode, head["version"], head["gpus"], sorted(found)) == (0, 2, 2, [0, 1])
    assert [card["uuid"] for card in found.values()] != ["GPU-0000-0"] * 2
    for card in found.values():
        assert card["worked_s"] >= 4 and card["interrupts"] == [] and card["clean_s"] == card["ended_s"]
    told = readings(done)
    assert (told["load_interrupts"], told["load_runtime"]) == (0, 4) and told["load_worked"] >= 4


def test_a_card_that_fails_once_is_started_again_and_works_on(tmp_path):
    done = soak(FAKE_FAULT="1:lost", FAKE_ONCE=str(tmp_path / "once"))
    card = cards(done)[1]
    (interrupt,) = card["interrupts"]
    assert (done.returncode, interrupt["error"], card["error"]) == (0, LOST, LOST)
    assert card["began_s"] < interrupt["at_s"] < interrupt["back_s"] < card["ended_s"]
    assert card["clean_s"] <= interrupt["at_s"] and 1 < card["worked_s"] < 4
    assert cards(done)[0]["interrupts"] == []
    told = readings(done)
    assert (told["load_interrupts"], told["load_interrupts_open"], told["load_interrupts_foreign"]) == (1, 0, 0)


def test_a_process_that_somebody_kills_is_not_the_cards_failure(tmp_path):
    done = soak(FAKE_FAULT="0:killed", FAKE_ONCE=str(tmp_path / "once"))
    assert cards(done)[0]["interrupts"][0]["error"] == "ended by signal 9"
    told = readings(done)
    assert (told["load_interrupts"], told["load_interrupts_foreign"], told["load_clean_time"]) == (0, 1, None)


def test_a_card_that_keeps_failing_is_started_again_and_again():
    done = soak(seconds=6, FAKE_FAULT="1:lost")
    interrupts = cards(done)[1]["interrupts"]
    assert len(interrupts) > 1 and all("back_s" in each for each in interrupts[:-1])
    # Within a minute it is one interrupt of the machine.
    assert readings(done)["load_interrupts"] == 1


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"FAKE_FAULT": "1:full"}, "GPU 1: ended with exit status 1: RuntimeError: CUDA out of memory."),
        ({"FAKE_GPUS": "0"}, "PyTorch sees no GPU"),
        ({"PYTHONPATH": str(ROOT)}, "No module named 'torch'"),
    ],
    ids=["a full card", "no card", "no PyTorch"],
)
def test_what_keeps_it_from_starting_is_said_and_nothing_is_measured(env, said):
    done = soak(**env)
    assert done.returncode == 1 and done.stderr.startswith(f"gpucontract-probe: {said}")
    assert not cards(done)


def test_a_card_that_hangs_is_ended_and_started_again(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(probe_soak, "SILENT_S", 3.0)
    monkeypatch.setattr(probe_soak, "SIGN_S", 1)
    for name, value in {"PYTHONPATH": f"{ROOT}:{FAKES}", "FAKE_GPUS": "1", "FAKE_FAULT": "0:hung",
                        "FAKE_ONCE": str(tmp_path / "once")}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.argv", ["agent"])
    assert probe_soak.main(["--seconds", "9", "--pause", "0.2"]) == 0
    last = next(json.loads(line) for line in capfd.readouterr().out.splitlines() if '"last"' in line)
    assert last["interrupts"][0]["error"] == "gave no sign for 3 s" and "back_s" in last["interrupts"][0]


def test_it_is_part_of_the_one_file(program):
    assert cards(soak(seconds=2, program=(str(program),)))[1]["interrupts"] == []
