"""The demonstration's agents: real agent processes that play recorded outputs on this machine."""

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from django.conf import settings

RECORDINGS = Path(settings.BASE_DIR) / "demo/recordings"
START_TIMEOUT_S = 20


class AgentsDown(RuntimeError):
    """An agent process did not come up; the message holds what it said."""


@dataclass(frozen=True, slots=True)
class Post:
    """Where one machine's agent will listen, and its secret."""

    machine: str
    port: int
    secret: str

    @property
    def url(self) -> str:
        """The address the server pulls from."""
        return f"http://127.0.0.1:{self.port}"


def posts(machines: Iterable[str]) -> dict[str, Post]:
    """A free port and a fresh secret for each machine, by its host name."""
    return {machine: Post(machine, _free_port(), secrets.token_urlsafe(32)) for machine in machines}


def start(post: Post, agent: str, state: Path) -> subprocess.Popen[bytes]:
    """Start the agent of one machine under the id it was enrolled with, and wait until it answers."""
    folder = state / post.machine
    folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [
            sys.executable, "-m", "gpucontract.agent", "serve", "--agent", agent, "--port", str(post.port),
            "--replay", str(RECORDINGS / post.machine), "--state", str(folder),
        ],
        cwd=settings.BASE_DIR, env={**os.environ, "GPUCONTRACT_AGENT_SECRET": post.secret},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    _wait_for(post, process)
    return process


def stop(processes: Iterable[subprocess.Popen[bytes]]) -> None:
    """Ask every agent to end, then make sure."""
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(post: Post, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < give_up:
        if process.poll() is not None:
            said = process.stderr.read().decode(errors="replace") if process.stderr else ""
            raise AgentsDown(f"the agent of {post.machine} ended at once: {said.strip()}")
        try:
            urlopen(f"{post.url}/challenge", timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AgentsDown(f"the agent of {post.machine} did not answer on {post.url} within {START_TIMEOUT_S} s")
