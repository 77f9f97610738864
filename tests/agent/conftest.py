"""Agents for the tests: built once, started per test, always ended. Nothing here knows Django."""

import pytest

from gpucontract.agent import build
from tests.agent.running import RECORDINGS, RunningAgent, tool


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("agent") / "gpucontract-agent.pyz"
    build.main(["--out", str(path)])
    return path


@pytest.fixture
def start(program, tmp_path):
    """Start an agent; the state folder is the test's own unless another is named."""
    running = []

    def begin(*options, state=None, env=None):
        agent = RunningAgent(program, state or tmp_path / "state", *options, env=env)
        running.append(agent)
        return agent

    yield begin
    for agent in running:
        agent.end()


@pytest.fixture
def replaying(start):
    return start("--replay", RECORDINGS / "gpu-node-01")


@pytest.fixture
def slow_machine(start, tmp_path):
    """A live agent whose all_reduce_perf notes its pid and sleeps for a minute."""
    tools = tmp_path / "tools"
    tool(tools, "all_reduce_perf", f"echo $$ > {tmp_path}/pid; echo started; sleep 60 & wait")
    return start(env={"PATH": f"{tools}:/usr/bin:/bin"})
