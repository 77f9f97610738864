"""A real agent in a process of its own, spoken to over a real socket."""

import http.client
import json
import os
import re
import subprocess
import sys
import time
import uuid
from pathlib import Path

from gpucontract.agent import protocol

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = ROOT / "demo" / "recordings"
# A node's python3 may be any from 3.8 on: name one to run the same tests with it.
PYTHON = os.environ.get("AGENT_PYTHON", sys.executable)
AGENT = "5d6a4a52-0f3f-4b86-9c1e-8a0c3f1f0001"
SECRET = "a secret of more than sixteen characters"
ALL_REDUCE = {
    "collective": "all_reduce", "min_bytes": 2**27, "max_bytes": 2**33, "gpus_per_node": 8, "iterations": 20,
}  # fmt: skip


def is_running(pid):
    """Whether a process lives; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def new_run():
    return str(uuid.uuid4())


class Answer:
    """One HTTP answer; headers by lower-case name."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def document(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.document["error"]


class RunningAgent:
    """Starts `serve`, waits for its address, and plays the server's side of the protocol."""

    def __init__(self, program, state, *options, env=None):
        self.command = [PYTHON, str(program), "serve", "--agent", AGENT, "--port", "0", "--state", str(state)]
        self.command += [str(option) for option in options]
        self.env = {"PATH": os.environ["PATH"], "GPUCONTRACT_AGENT_SECRET": SECRET, **(env or {})}
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.said = self.process.stdout.readline()
        found = re.search(r"http://([^:]+):(\d+)", self.said)
        assert found, (self.said, self.process.stderr.read())
        self.host, self.port = found[1], int(found[2])

    def end(self, kill=False):
        if self.process.poll() is None:
            (self.process.kill if kill else self.process.terminate)()
        status = self.process.wait(20)
        if not self.process.stderr.closed:
            self.complaints = self.process.stderr.read()
            self.process.stdout.close()
            self.process.stderr.close()
        return status

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=20)
        try:
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def challenge(self):
        return self.ask("GET", protocol.CHALLENGE_PATH).document["challenge"]

    def order(self, run, job, params=None, **changed):
        """One signed order; `changed` overrides what is in it: agent, nonce, challenge, secret, headers."""
        body, headers = self.signed(run, job, params, **changed)
        return self.ask("POST", protocol.RUN_PATH, body, {**headers, **changed.get("headers", {})})

    def signed(self, run, job, params=None, **changed):
        nonce = changed.get("nonce", uuid.uuid4().hex)
        challenge = changed.get("challenge") or self.challenge()
        agent = changed.get("agent", AGENT)
        document = protocol.order(agent, run, job, {} if params is None else params, nonce, challenge)
        body = protocol.compact(document)
        secret = changed.get("secret", SECRET).encode()
        timestamp = changed.get("timestamp", "1764470000")
        return body, {
            protocol.AGENT_HEADER: agent,
            protocol.NONCE_HEADER: nonce,
            protocol.TIMESTAMP_HEADER: timestamp,
            protocol.SIGNATURE_HEADER: protocol.signature(secret, "POST", protocol.RUN_PATH, nonce, timestamp, body),
        }

    def result(self, run, job, params=None, patience_s=20):
        """Ask until the run is done; gives the 200 and the statuses seen on the way."""
        seen = []
        until = time.monotonic() + patience_s
        while time.monotonic() < until:
            answer = self.order(run, job, params)
            seen.append(answer.status)
            if answer.status != 202:
                return answer, seen
            time.sleep(0.05)
        raise AssertionError(f"{job} not done after {patience_s} s: {answer.document}")

    def envelope(self, answer, nonce):
        headers = {
            name: answer.headers.get(name.lower(), "")
            for name in (protocol.ENVELOPE_HEADER, protocol.TIMESTAMP_HEADER, protocol.SIGNATURE_HEADER)
        }
        text = protocol.opened_envelope(SECRET.encode(), headers, nonce)
        return None if text is None else json.loads(text)


def tool(folder, name, script):
    """A program of that name that a test puts first on PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path
