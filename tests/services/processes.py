"""Full mode as started by hand: a database of its own, gunicorn, a Celery worker, beat, agents."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from urllib.request import urlopen

import psycopg

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fresh_database(url: str, name: str) -> str:
    """Create an empty database beside the one the URL names; returns its URL."""
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}"')
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"/{name}"))


class FullMode:
    """The processes of full mode over one database, one Redis database and one folder."""

    def __init__(self, folder: Path, database_url: str, redis_url: str) -> None:
        self.folder, self.port, self.processes = folder, free_port(), {}
        self.environment = os.environ | {
            "DEBUG": "False", "SECRET_KEY": "k" * 40, "EVIDENCE_KEY": "e" * 40, "VAR_DIR": str(folder),
            "DATABASE_URL": database_url, "REDIS_URL": redis_url, "AGENT_NETWORKS": "127.0.0.0/8",
            "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "gpucontract.settings",
        }  # fmt: skip

    def manage(self, *arguments: str, feed: str = "") -> str:
        """Run one management command to its end; its output."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments], input=feed, cwd=ROOT, env=self.environment, text=True,
            capture_output=True, timeout=180,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def start(self, name: str) -> subprocess.Popen:
        """Start web, worker or beat as docker-compose.yml does."""
        celery = [sys.executable, "-m", "celery", "--app", "gpucontract.celery_app"]
        commands = {
            "web": [sys.executable, "manage.py", "serve", "--bind", f"127.0.0.1:{self.port}", "--workers", "2"],
            "worker": [*celery, "worker", "--loglevel", "info", "--concurrency", "2"],
            "beat": [*celery, "beat", "--loglevel", "info", "--schedule", str(self.folder / "beat"), "--pidfile="],
        }
        log = (self.folder / f"{name}.log").open("ab")
        process = subprocess.Popen(
            commands[name], cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True
        )
        self.processes[name] = process
        return process

    def kill(self, name: str) -> None:
        """kill -9 the process and its children."""
        os.killpg(self.processes.pop(name).pid, signal.SIGKILL)

    def stop(self) -> None:
        for process in self.processes.values():
            os.killpg(process.pid, signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)

    def wait_for_web(self) -> None:
        wait_until(self._answers, 40, "web does not answer /health/")

    def _answers(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/health/", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False


def wait_until(holds, seconds: float, otherwise: str) -> None:
    give_up = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < give_up, otherwise
        time.sleep(0.3)
