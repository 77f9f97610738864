"""The command line: what it says, and how it refuses to start."""

import os
import subprocess

import pytest

from tests.agent.running import AGENT, PYTHON, RECORDINGS, SECRET

REPLAY = str(RECORDINGS / "gpu-node-01")


def call(program, *arguments, env=None):
    base = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    command = [PYTHON, str(program), *arguments]
    return subprocess.run(command, env={**base, **(env or {})}, capture_output=True, text=True, timeout=20)


def test_it_says_its_version(program):
    said = call(program, "version")
    assert (said.returncode, said.stdout) == (0, "gpucontract-agent 0.2.0 (protocol v1)\n")


def test_its_help_says_where_the_secret_comes_from_and_no_option_takes_it(program):
    said = call(program, "serve", "--help").stdout + call(program, "--help").stdout
    assert "GPUCONTRACT_AGENT_SECRET" in said
    assert "--secret " not in said


@pytest.mark.parametrize(
    ("options", "env", "complaint"),
    [
        pytest.param([], {}, "secret has 0 characters, it needs at least 16", id="no secret"),
        pytest.param([], {"GPUCONTRACT_AGENT_SECRET": "short"}, "5 characters", id="short secret"),
        pytest.param(["--secret-file", "/nonexistent"], {}, "No such file", id="no secret file"),
        pytest.param(["--agent", "x"], {"GPUCONTRACT_AGENT_SECRET": SECRET}, "'x' is no agent id", id="odd id"),
        pytest.param(["--agent", ""], {"GPUCONTRACT_AGENT_SECRET": SECRET}, "as shown when it was", id="no id"),
        pytest.param(["--replay", "/tmp"], {"GPUCONTRACT_AGENT_SECRET": SECRET}, "MANIFEST.csv", id="no recording"),
    ],
)
def test_it_refuses_to_start_with_a_reason(program, tmp_path, options, env, complaint):
    said = call(program, "serve", "--agent", AGENT, "--port", "0", "--state", str(tmp_path), *options, env=env)
    assert said.returncode == 1
    assert said.stderr.startswith("gpucontract-agent: ") and complaint in said.stderr
    assert "Traceback" not in said.stderr


def test_an_impossible_port_is_a_wrong_command_line(program):
    said = call(program, "serve", "--port", "70000")
    assert said.returncode == 2
    assert "give 0 to 65535" in said.stderr


def test_a_secret_file_that_everybody_can_read_is_pointed_out(start, tmp_path):
    path = tmp_path / "secret"
    path.write_text(SECRET + "\n")
    path.chmod(0o644)
    agent = start("--replay", REPLAY, "--secret-file", path, env={"GPUCONTRACT_AGENT_SECRET": ""})
    assert agent.order("5d6a4a52-1111-4b86-9c1e-8a0c3f1f0001", "inventory").status == 202
    agent.end()
    assert "chmod 600" in agent.complaints


def test_by_default_it_listens_on_this_machine_alone(replaying):
    assert replaying.host == "127.0.0.1"
