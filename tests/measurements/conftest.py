"""A folder for evidence, loopback agents allowed, short waits."""

import pytest

from gpucontract.measurements import pull


@pytest.fixture(autouse=True)
def here(settings, tmp_path, monkeypatch):
    """Evidence in a throw-away folder; agents on this machine may be called; no lingering between jobs."""
    settings.EVIDENCE_ROOT = tmp_path / "evidence"
    settings.AGENT_NETWORKS = ["127.0.0.0/8"]
    monkeypatch.setattr(pull, "PATIENCE_S", 0.02)
