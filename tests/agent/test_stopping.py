"""An agent stopped, killed, started again: nothing is lost, nothing runs on, a run keeps its bytes."""

import re
import subprocess
import time
from functools import partial

from gpucontract.agent import execute, runner
from gpucontract.agent.execute import Command
from gpucontract.agent.jobs import Step
from gpucontract.agent.orders import Order
from gpucontract.agent.store import Store
from tests.agent.running import ALL_REDUCE, RECORDINGS, is_running, new_run, tool

INTRA = {**ALL_REDUCE, "repeat": 1}


def wait_for(condition, patience_s=10):
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def started_pid(folder):
    def read():
        path = folder / "pid"
        return path.exists() and path.read_text().strip()

    return int(wait_for(read))


def test_it_ends_cleanly_on_sigterm(replaying):
    run = new_run()
    replaying.result(run, "fabric")
    assert replaying.end() == 0
    assert re.fullmatch(rf"gpucontract-agent: fabric {run} done in \d+\.\d s\n", replaying.complaints)


def test_sigterm_ends_the_running_test_too(slow_machine, tmp_path):
    slow_machine.order(new_run(), "nccl_intra", INTRA)
    pid = started_pid(tmp_path)
    assert slow_machine.end() == 0
    assert not is_running(pid)


def test_a_result_survives_kill_9_byte_for_byte(replaying):
    run = new_run()
    before, _ = replaying.result(run, "storage", {"repeat": 2})
    replaying.end(kill=True)
    replaying.start()
    after = replaying.order(run, "storage", {"repeat": 2})
    assert (after.status, after.body) == (200, before.body)


def test_a_result_keeps_its_origin_when_the_agent_comes_back_live(start, tmp_path):
    run, nonce = new_run(), "e" * 32
    replaying = start("--replay", RECORDINGS / "gpu-node-01")
    replaying.result(run, "inventory")
    replaying.end()
    live = start(state=tmp_path / "state")
    answer = live.order(run, "inventory", nonce=nonce)
    envelope = live.envelope(answer, nonce)
    assert (envelope["origin"], envelope["node"]) == ("replay", "gpu-node-01")


def test_after_kill_9_the_old_test_is_ended_and_the_run_is_done_anew(slow_machine, tmp_path):
    run = new_run()
    slow_machine.order(run, "nccl_intra", INTRA)
    orphan = started_pid(tmp_path)
    slow_machine.end(kill=True)
    assert is_running(orphan)
    slow_machine.start()
    wait_for(lambda: not is_running(orphan))
    tool(tmp_path / "tools", "all_reduce_perf", "echo done")
    answer, _ = slow_machine.result(run, "nccl_intra", INTRA)
    assert answer.document["outputs"][-1]["stdout"] == "done\n"


def test_loading_jobs_wait_for_each_other_and_light_ones_do_not(slow_machine, tmp_path):
    first, second = new_run(), new_run()
    slow_machine.order(first, "nccl_intra", INTRA)
    started_pid(tmp_path)
    waiting = slow_machine.order(second, "storage")
    light, _ = slow_machine.result(new_run(), "fabric")
    running = slow_machine.order(first, "nccl_intra", INTRA)
    assert (waiting.status, waiting.document["state"]) == (202, "queued")
    assert (running.status, running.document["state"], running.document["doing"]) == (
        202, "running", "nccl-tests all_reduce_perf",
    )  # fmt: skip
    assert light.status == 200


def test_two_agents_do_not_share_a_state_folder(replaying):
    other = subprocess.run(replaying.command, env=replaying.env, capture_output=True, text=True, timeout=20)
    assert (other.returncode, other.stdout) == (1, "")
    assert "give each its own --state folder" in other.stderr


def test_a_result_that_cannot_be_kept_is_an_error_and_is_tried_again(replaying, tmp_path):
    run = new_run()
    runs = tmp_path / "state" / "runs"
    runs.rename(tmp_path / "aside")
    runs.write_text("not a folder")
    answer, _ = replaying.result(run, "fabric")
    runs.unlink()
    (tmp_path / "aside").rename(runs)
    again, _ = replaying.result(run, "fabric")
    assert (answer.status, answer.error) == (500, "job_failed")
    assert "fabric could not be carried out" in answer.document["message"]
    assert again.status == 200


class Sleeping:
    """A source whose only program sleeps for a minute."""

    node, origin = "gpu-node-01", "live"

    def steps(self, job, params):
        return [Step("sleep", partial(execute.run, Command("sleep", ("sleep", "60"))))]


def test_a_run_nobody_asks_for_any_more_is_given_up_and_the_lane_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "ABANDONED_S", 0.5)
    working = runner.Runner(Sleeping(), Store(tmp_path))
    first, second = (Order("agent", new_run(), "burn_in", {"hours": 72}, "n", "c") for _ in range(2))
    assert working.answer(first).run == first.run
    wait_for(lambda: working.answer(second).state == "running", 20)
    assert working.answer(first).state == "queued"
    working.stop()
