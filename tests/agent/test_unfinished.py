"""Burn-ins that began and never ended: a later one says so, unless they were stopped by hand on a machine that stayed up."""

import json

import pytest

from gpucontract.agent import unfinished
from gpucontract.agent.unfinished import Begun
from gpucontract.measurements.parsers.registry import read
from gpucontract.measurements.raw import read as read_raw
from tests.agent.running import new_run, tool
from tests.agent.test_stopping import started_pid

HOURS = {"hours": 1}


@pytest.fixture
def soaking(start, tmp_path):
    """An agent whose probe notes its pid and never ends."""
    tool(tmp_path / "tools", "python3", f"echo $$ > {tmp_path}/pid; exec sleep 60")
    return start(env={"PATH": f"{tmp_path}/tools:/usr/bin:/bin"})


def left_before(agent, tmp_path, run=None, script="echo done"):
    """How many unfinished ones a burn-in that ends at once tells of, and their lines."""
    tool(tmp_path / "tools", "python3", script)
    answer, _ = agent.result(run or new_run(), "burn_in", HOURS)
    told = read_raw(answer.body).outputs[0]
    (reading,) = read(told.capture).readings
    return reading.value, [json.loads(line) for line in told.stdout.splitlines()[1:]]


def test_a_burn_in_that_the_agent_did_not_survive_is_told_once_the_next_has_ended(soaking, tmp_path):
    run = new_run()
    soaking.order(run, "burn_in", HOURS)
    started_pid(tmp_path)
    soaking.end(kill=True)
    soaking.start()
    count, (told,) = left_before(soaking, tmp_path, run)
    assert (count, told["run"], told["rebooted"]) == (1, run, False)
    assert left_before(soaking, tmp_path)[0] == 0


def test_one_that_failed_does_not_clear_what_was_left_before(soaking, tmp_path):
    soaking.order(new_run(), "burn_in", HOURS)
    started_pid(tmp_path)
    soaking.end(kill=True)
    soaking.start()
    assert left_before(soaking, tmp_path, script="exit 1")[0] == 1
    assert left_before(soaking, tmp_path)[0] == 1


def test_an_agent_that_was_asked_to_end_interrupts_nothing(soaking, tmp_path):
    soaking.order(new_run(), "burn_in", HOURS)
    started_pid(tmp_path)
    assert soaking.end() == 0
    soaking.start()
    assert left_before(soaking, tmp_path)[0] == 0


def test_a_machine_that_went_down_is_told_even_where_it_asked_the_agent_to_end_first(tmp_path, monkeypatch):
    boot = tmp_path / "boot_id"
    boot.write_text("one\n")
    monkeypatch.setattr(unfinished, "BOOT_ID", boot)
    begun = Begun(tmp_path / "begun")
    stopped, crashed, ended = (begun.note(run) for run in ("stopped", "crashed", "ended"))
    begun.stopped(stopped)
    begun.forget(ended)
    assert [note["run"] for note in begun.left().values()] == ["crashed"]
    boot.write_text("two\n")
    assert [(note["run"], note["rebooted"]) for note in begun.left().values()] == [("stopped", True), ("crashed", True)]
    begun.forget(crashed)
    begun.forget(crashed)
    assert len(Begun(tmp_path / "begun").left()) == 1


def test_a_recording_tells_only_what_was_recorded(replaying):
    answer, _ = replaying.result(new_run(), "burn_in", {"hours": 72})
    assert [output.tool for output in read_raw(answer.body).outputs] == ["gpucontract-probe load"]
