"""Results on disk: the same bytes again, never half a one, and not for ever."""

import os

import pytest

from gpucontract.agent import store
from gpucontract.agent.store import InUse, Kept, Store

RUN = "5d6a4a52-0f3f-4b86-9c1e-8a0c3f1f0001"


def kept(run=RUN, body=b"{}"):
    return Kept(run, "fabric", {"repeat": 1}, "gpu-node-01", "live", body)


@pytest.fixture
def shelf(tmp_path):
    return Store(tmp_path / "state")


def test_what_was_kept_is_found_exactly(shelf):
    shelf.keep(kept(body=b"\x00\xff bytes"))
    assert shelf.find(RUN) == kept(body=b"\x00\xff bytes")


def test_what_was_never_kept_is_not_found(shelf):
    assert shelf.find(RUN) is None


@pytest.mark.parametrize(
    ("ending", "content"),
    [("body", b"changed"), ("body", None), ("json", b"{"), ("json", b"{}"), ("json", b"[]"), ("json", None)],
)
def test_a_damaged_result_counts_as_none(shelf, ending, content):
    shelf.keep(kept())
    path = shelf.folder / "runs" / f"{RUN}.{ending}"
    path.unlink() if content is None else path.write_bytes(content)
    assert shelf.find(RUN) is None


def test_a_body_without_its_note_is_a_result_that_was_never_finished(shelf):
    shelf._write(shelf.folder / "runs" / f"{RUN}.body", b"{}")
    assert shelf.find(RUN) is None


def test_half_a_body_left_by_a_kill_is_swept_away_at_the_next_start(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / f"{RUN}.body.draft").write_bytes(b"half")
    assert Store(tmp_path).find(RUN) is None
    assert os.listdir(tmp_path / "runs") == []


def test_old_results_are_dropped(shelf):
    shelf.keep(kept())
    shelf.keep(kept("new" + RUN))
    long_ago = 1_700_000_000
    os.utime(shelf.folder / "runs" / f"{RUN}.body", (long_ago, long_ago))
    shelf.clear()
    assert (shelf.find(RUN), shelf.find("new" + RUN) is None) == (None, False)
    assert len(os.listdir(shelf.folder / "runs")) == 2


def test_past_the_size_limit_the_oldest_go_first(shelf, monkeypatch):
    monkeypatch.setattr(store, "KEPT_BYTES", 250)
    for number, run in enumerate("abcd"):
        shelf._write(shelf.folder / "runs" / f"{run}.body", b"x" * 100)
        os.utime(shelf.folder / "runs" / f"{run}.body", (2_000_000_000 + number,) * 2)
    shelf.clear(now=2_000_000_010)
    assert sorted(os.listdir(shelf.folder / "runs")) == ["c.body", "d.body"]


def test_the_folder_is_the_agents_alone(shelf, tmp_path):
    assert (tmp_path / "state" / "runs").stat().st_mode & 0o077 == 0
    with pytest.raises(InUse):
        Store(tmp_path / "state")
