"""Run one program with a deadline and keep what it said, as it said it, less its secrets. Never through a shell."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from datetime import datetime, timezone
from typing import IO, Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from gpucontract.agent.children import Children
from gpucontract.agent.protocol import output_name
from gpucontract.agent.redaction import redact, redact_env

NOT_FOUND = 127
NOT_RUNNABLE = 126
TIMED_OUT = 124
STREAM_BYTES = 4 * 2**20
GRACE_S = 5.0
POLL_S = 0.05
MORE_PLACES = (
    "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/cuda/bin",
)  # fmt: skip
PASSED_ON = ("HOME", "USER", "LOGNAME", "LD_LIBRARY_PATH", "SSH_AUTH_SOCK", "TMPDIR", "DOCKER_HOST")
PASSED_PREFIXES = ("NCCL_", "CUDA_", "UCX_", "OMPI_", "OPAL_")
# What changes a result, and is therefore written down with it wherever it came from.
TELLING_PREFIXES = ("NCCL_", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "UCX_", "OMPI_")

Record = Dict[str, Any]


class Stopped(Exception):
    """The agent is being stopped; what ran was ended and gives no result."""


class Command(NamedTuple):
    """One program to run: the tool's name in the evidence, its words, its deadline, its environment overrides."""

    tool: str
    argv: Tuple[str, ...]
    timeout_s: float = 60
    env: Mapping[str, str] = {}


class Watch(NamedTuple):
    """Who may stop a running program, and where it is noted while it runs."""

    stop: threading.Event
    children: Optional[Children] = None


class Said(NamedTuple):
    """What a program left behind."""

    stdout: bytes
    stderr: bytes
    exit_status: int
    truncated: bool = False


def search_path() -> str:
    """PATH, then the places where NVIDIA's and the system's tools live though a service's PATH lacks them."""
    return os.pathsep.join([os.environ.get("PATH", ""), *MORE_PLACES])


def found(name: str) -> Optional[str]:
    """Where a program lies, or None."""
    return shutil.which(name, path=search_path())


def inherited() -> Dict[str, str]:
    """The operator's own settings that influence what is measured, such as NCCL_SOCKET_IFNAME."""
    return {name: value for name, value in os.environ.items() if name.startswith(TELLING_PREFIXES)}


def run(command: Command, watch: Watch) -> Record:
    """Run it to its end or deadline and give the record of what happened. Raises Stopped when the agent stops."""
    started_at = now()
    program = found(command.argv[0])
    if program is None:
        said = Said(b"", f"{command.argv[0]}: command not found\n".encode(), NOT_FOUND)
    else:
        said = _said(program, command, watch)
    return record(command, said, started_at)


def not_run(command: Command, exit_status: int, reason: str) -> Record:
    """The record of a program that was not started, with the reason as its stderr."""
    return record(command, Said(b"", f"gpucontract-agent: {reason}\n".encode(), exit_status), now())


def record(command: Command, said: Said, started_at: str) -> Record:
    """One output of the raw result, secrets taken out."""
    env, notes = redact_env({**inherited(), **command.env})
    texts: Dict[str, str] = {}
    raw = {"stdout": _text(said.stdout), "stderr": _text(said.stderr), "command": shlex.join(command.argv)}
    for name, text in raw.items():
        texts[name], found_there = redact(text)
        notes += [f"{name}: {note}" for note in found_there]
    return {
        "name": output_name(command.tool), "tool": command.tool, **texts, "exit_status": said.exit_status,
        "started_at": started_at, "ended_at": now(), "env": env, "redacted": notes, "truncated": said.truncated,
    }  # fmt: skip


def now() -> str:
    """The machine's own clock, UTC."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _said(program: str, command: Command, watch: Watch) -> Said:
    try:
        process = subprocess.Popen(
            command.argv, executable=program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, env=_environment(command.env),
        )  # fmt: skip
    except OSError as error:
        return Said(b"", f"{command.argv[0]}: {error.strerror}\n".encode(), NOT_RUNNABLE)
    if watch.children:
        watch.children.note(process.pid)
    try:
        return _followed(process, command, watch)
    finally:
        if watch.children:
            watch.children.forget(process.pid)


def _environment(overrides: Mapping[str, str]) -> Dict[str, str]:
    """A clean environment: the agent's secret and whatever else its service holds never reach a tool."""
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name.startswith(PASSED_PREFIXES)
    }  # fmt: skip
    return {**passed, "PATH": search_path(), "LC_ALL": "C", "LANG": "C", **overrides}


def _followed(process: "subprocess.Popen[bytes]", command: Command, watch: Watch) -> Said:
    streams = [_Stream(process.stdout), _Stream(process.stderr)]
    try:
        is_late = not _ended(process, command, watch)
    finally:
        _end(process)
    stdout, stderr = (stream.kept() for stream in streams)
    truncated = any(stream.is_cut for stream in streams)
    if is_late:
        note = f"gpucontract-agent: stopped after {command.timeout_s:g} s, its time limit\n"
        return Said(stdout, stderr + note.encode(), TIMED_OUT, truncated)
    code = process.returncode
    return Said(stdout, stderr, code if code >= 0 else 128 - code, truncated)


def _ended(process: "subprocess.Popen[bytes]", command: Command, watch: Watch) -> bool:
    deadline = time.monotonic() + command.timeout_s
    while process.poll() is None and time.monotonic() < deadline:
        if watch.stop.wait(POLL_S):
            raise Stopped(command.tool)
    return process.poll() is not None


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the whole group, helpers that outlived their parent included: politely first, then for certain."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_S)
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S)


class _Stream:
    """Reads one pipe to its end in a thread of its own; keeps the first STREAM_BYTES, whole lines only once cut."""

    def __init__(self, pipe: Optional[IO[bytes]]) -> None:
        self._pipe = pipe
        self._chunks: List[bytes] = []
        self._size = 0
        self.is_cut = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def kept(self) -> bytes:
        """What came; a helper that keeps the pipe open is not waited for."""
        self._thread.join(GRACE_S)
        text = b"".join(self._chunks)[:STREAM_BYTES]
        return text[: text.rfind(b"\n") + 1] if self.is_cut else text

    def _read(self) -> None:
        assert self._pipe is not None
        with self._pipe:
            for chunk in iter(lambda: os.read(self._pipe.fileno(), 65536), b""):  # type: ignore[union-attr]
                if self._size <= STREAM_BYTES:
                    self._chunks.append(chunk)
                self._size += len(chunk)
                self.is_cut = self._size > STREAM_BYTES


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
