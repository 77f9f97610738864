"""One program run: what is kept of it, how it is ended, and what never reaches it."""

import json
import os
import threading
import time

import pytest

from gpucontract.agent import execute
from gpucontract.agent.children import Children
from gpucontract.agent.execute import Command, Stopped, Watch
from tests.agent.running import is_running, tool


@pytest.fixture
def watch():
    return Watch(threading.Event())


def sh(script, timeout_s=20.0, **env):
    return Command("a tool", ("sh", "-c", script), timeout_s, env)


def test_both_streams_the_status_and_the_command_are_kept(watch):
    record = execute.run(sh("echo out; echo err >&2; exit 3"), watch)
    assert (record["stdout"], record["stderr"], record["exit_status"]) == ("out\n", "err\n", 3)
    assert record["command"] == "sh -c 'echo out; echo err >&2; exit 3'"
    assert (record["name"], record["tool"], record["truncated"], record["redacted"]) == ("a-tool", "a tool", False, [])
    assert record["started_at"] <= record["ended_at"] and record["ended_at"].endswith("Z")


def test_a_missing_program_is_a_record_of_its_own(watch):
    record = execute.run(Command("x", ("gpucontract-no-such-tool", "-v")), watch)
    assert (record["exit_status"], record["stderr"]) == (127, "gpucontract-no-such-tool: command not found\n")


def test_a_program_that_cannot_be_started_says_why(watch, tmp_path, monkeypatch):
    broken = tmp_path / "broken-tool"
    broken.write_bytes(b"\x7fELF nothing")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    record = execute.run(Command("x", ("broken-tool",)), watch)
    assert (record["exit_status"], record["stderr"]) == (126, "broken-tool: Exec format error\n")


def test_words_are_never_read_by_a_shell(watch):
    record = execute.run(Command("x", ("echo", "$(id)", "; id", "*")), watch)
    assert record["stdout"] == "$(id) ; id *\n"


def test_a_program_past_its_deadline_is_ended_with_its_helpers(watch, tmp_path):
    begun = time.monotonic()
    record = execute.run(sh(f"sleep 60 & echo $! > {tmp_path}/helper; echo begun; wait", timeout_s=0.5), watch)
    assert time.monotonic() - begun < 5
    assert (record["exit_status"], record["stdout"]) == (124, "begun\n")
    assert record["stderr"] == "gpucontract-agent: stopped after 0.5 s, its time limit\n"
    assert not is_running(int((tmp_path / "helper").read_text()))


def test_a_program_that_ignores_the_polite_signal_is_killed(watch, monkeypatch):
    monkeypatch.setattr(execute, "GRACE_S", 0.3)
    begun = time.monotonic()
    record = execute.run(sh("trap '' TERM; while :; do sleep 0.1; done", timeout_s=0.3), watch)
    assert record["exit_status"] == 124
    assert time.monotonic() - begun < 5


def test_a_helper_that_keeps_the_output_open_is_not_waited_for(watch):
    begun = time.monotonic()
    record = execute.run(sh("sleep 60 & echo done"), watch)
    assert (record["stdout"], record["exit_status"]) == ("done\n", 0)
    assert time.monotonic() - begun < 4


def test_a_program_ended_by_a_signal_has_the_shells_status(watch):
    assert execute.run(sh("kill -9 $$"), watch)["exit_status"] == 137


def test_stopping_the_agent_ends_the_program_and_gives_no_record():
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    begun = time.monotonic()
    with pytest.raises(Stopped):
        execute.run(sh("sleep 60"), Watch(stop))
    assert time.monotonic() - begun < 5


def test_endless_output_is_cut_at_a_whole_line_and_said(watch, monkeypatch):
    monkeypatch.setattr(execute, "STREAM_BYTES", 1000)
    record = execute.run(sh("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done"), watch)
    assert record["truncated"] is True
    assert len(record["stdout"]) <= 1000 and record["stdout"].endswith("\n")
    assert record["exit_status"] == 0


def test_bytes_that_are_no_text_are_kept_as_marks(watch):
    record = execute.run(sh(r"printf 'a\377\000b\033[4m'"), watch)
    assert record["stdout"] == "a�\0b\033[4m"
    assert json.loads(json.dumps(record)) == record


def test_the_agents_own_environment_does_not_reach_a_tool(watch, monkeypatch):
    monkeypatch.setenv("GPUCONTRACT_AGENT_SECRET", "a secret of more than sixteen characters")
    monkeypatch.setenv("AWS_SESSION", "x")
    monkeypatch.setenv("NCCL_SOCKET_IFNAME", "eno1")
    names = {line.split("=")[0] for line in execute.run(sh("env", MY_OVERRIDE="1"), watch)["stdout"].splitlines()}
    assert {"PATH", "LC_ALL", "NCCL_SOCKET_IFNAME", "MY_OVERRIDE"} <= names
    assert not {"GPUCONTRACT_AGENT_SECRET", "AWS_SESSION"} & names


def test_what_changes_a_result_is_written_down_wherever_it_came_from(watch, monkeypatch):
    monkeypatch.setenv("NCCL_SOCKET_IFNAME", "eno1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    record = execute.run(sh("true", NCCL_DEBUG="INFO"), watch)
    assert record["env"] == {"CUDA_VISIBLE_DEVICES": "0,1", "NCCL_DEBUG": "INFO", "NCCL_SOCKET_IFNAME": "eno1"}


def test_secrets_are_taken_out_of_every_part_before_it_is_kept(watch):
    record = execute.run(sh("echo A_TOKEN=one; echo http://u:two@h >&2", B_SECRET="three"), watch)
    assert not {"one", "two", "three"} & set(json.dumps(record).replace("@", " ").replace("=", " ").split())
    assert record["redacted"] == [
        "environment B_SECRET", "stdout: assignment x 1", "stderr: URL credentials x 1",
        "command: URL credentials x 1", "command: assignment x 1",
    ]  # fmt: skip


def test_tools_outside_a_services_short_path_are_found(monkeypatch, tmp_path):
    tool(tmp_path, "nvcc", "echo 12.4")
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(execute, "MORE_PLACES", (str(tmp_path),))
    assert execute.found("nvcc") == str(tmp_path / "nvcc")


def test_a_running_program_is_noted_and_then_forgotten(tmp_path):
    children = Children(tmp_path / "children")
    record = execute.run(sh(f"ls {tmp_path}/children | wc -l"), Watch(threading.Event(), children))
    assert record["stdout"].strip() == "1"
    assert os.listdir(tmp_path / "children") == []


def test_a_leftover_note_of_a_pid_that_is_another_process_now_ends_nothing(tmp_path):
    children = Children(tmp_path)
    (tmp_path / str(os.getpid())).write_text("1")
    (tmp_path / "999999999").write_text("1")
    assert children.end_leftovers() == 0
    assert os.listdir(tmp_path) == []
