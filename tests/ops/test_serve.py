"""manage.py serve as a process: pages with their style, health, and the background stages in the same process."""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).resolve().parents[2]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    port, folder = free_port(), tmp_path_factory.mktemp("serve")
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL", "DEBUG")
    } | {"SECRET_KEY": "k" * 40, "EVIDENCE_KEY": "e" * 40, "VAR_DIR": str(folder)}
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "--verbosity", "0"], cwd=ROOT, env=environment, check=True, timeout=120)
    process = subprocess.Popen([*manage, "serve", "--bind", f"127.0.0.1:{port}"], cwd=ROOT, env=environment)
    address = f"http://127.0.0.1:{port}"
    wait_for(address)
    yield address
    process.terminate()
    process.wait(timeout=20)


def wait_for(address):
    give_up = time.monotonic() + 40
    while True:
        try:
            urlopen(f"{address}/health/", timeout=2).close()
            return
        except OSError:
            assert time.monotonic() < give_up, "the site does not answer"
            time.sleep(0.2)


def test_it_serves_the_style_and_scripts_its_pages_name(site):
    page = urlopen(f"{site}/accounts/login/", timeout=5).read().decode()
    files = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(files) > 5
    for file in files:
        with urlopen(f"{site}{file}", timeout=5) as answer:
            assert answer.headers.get_content_type() != "text/html", file
            assert "immutable" in answer.headers["Cache-Control"], file


def test_pages_carry_the_strict_policy(site):
    policy = urlopen(f"{site}/accounts/login/", timeout=5).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
