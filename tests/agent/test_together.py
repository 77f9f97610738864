"""Several machines under one load: all write first, all read at once, and one that cannot write keeps all from reading."""

import threading

import pytest

from gpucontract.agent import execute, jobs, together
from gpucontract.agent.execute import Command, Stopped, Watch
from tests.agent.running import tool
from tests.agent.test_jobs import TEST

HOSTS = ["gpu-node-01", "gpu-node-02", "gpu-node-03"]


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """fio that notes what it does, and an ssh that runs the line here, as the other machine's shell would."""
    noted = tmp_path / "noted"
    tool(
        tmp_path / "bin",
        "fio",
        f"""case "$*" in *create_only*) echo write;; *) echo read;; esac >> {noted}; echo "$@" """,
    )
    tool(tmp_path / "bin", "ssh", """shift 4; echo "$1" >> %s; shift; sh -c "$*" """ % (tmp_path / "reached"))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setattr(execute, "MORE_PLACES", ())
    monkeypatch.setattr(together, "CLIENT_GIB", 0)
    monkeypatch.setattr(together, "LEAST_GIB", 0)
    return tmp_path


def ran(path, hosts=HOSTS, **changes):
    params = {"tests": [{**TEST, "path": str(path), **changes}], **({"hosts": hosts} if hosts else {})}
    steps = jobs.steps("shared_load", params)
    return [step.run(Watch(threading.Event())) for step in steps][2:]


def test_all_write_before_any_reads_and_each_has_its_own_output(bench):
    records = ran(bench)
    assert (bench / "noted").read_text().split() == ["write"] * 3 + ["read"] * 3
    assert sorted((bench / "reached").read_text().split()) == sorted(HOSTS[1:] * 2)
    assert [record["name"] for record in records] == ["fio-JSON-1.1", "fio-JSON-1.2", "fio-JSON-1.3"]
    # A recording is played back under the tools' names.
    assert [record["tool"] for record in records] == ["fio JSON 1.1", "fio JSON 1.2", "fio JSON 1.3"]
    assert all(record["exit_status"] == 0 for record in records)


def test_the_words_are_fixed_and_each_machine_has_files_of_its_own(bench):
    first, second, _ = ran(bench)
    words = (
        f"fio --name=gpucontract-shared-0 --directory={bench} --rw=read --bs=1M --ioengine=libaio --direct=1 --iodepth=32 "
        "--numjobs=8 --size=0G --time_based --runtime=60 --group_reporting --output-format=json --unlink=1"
    )
    assert first["command"] == words
    quoted = words.replace("shared-0", "shared-1")
    assert second["command"] == f"ssh -o BatchMode=yes -o ConnectTimeout=10 gpu-node-02 '{quoted}'"


def test_one_machine_alone_needs_no_ssh(bench):
    (record,) = ran(bench, hosts=())
    assert record["exit_status"] == 0 and not (bench / "reached").exists()


def test_a_machine_that_cannot_write_keeps_all_from_reading(bench):
    tool(bench / "bin", "ssh", "echo unreachable >&2; exit 255")
    first, second, third = ran(bench)
    assert (first["exit_status"], first["stdout"]) == (125, "")
    assert "could not write its files" in first["stderr"]
    assert {record["exit_status"] for record in (second, third)} <= {125, 255}
    assert "read" not in (bench / "noted").read_text()


def test_nothing_is_written_where_there_is_no_room(bench, monkeypatch):
    monkeypatch.setattr(together, "LEAST_GIB", 2**20)
    assert all("the test needs" in record["stderr"] for record in ran(bench))
    assert all("is not a directory" in record["stderr"] for record in ran("/nonexistent/data"))
    assert not (bench / "noted").exists()


def test_stopping_the_agent_ends_all_of_them(bench):
    tool(bench / "bin", "fio", "exec sleep 60")
    stop = threading.Event()
    commands = [together.Client(Command("fio JSON", ("fio",)), Command("fio JSON", ("fio",))) for _ in range(2)]
    group = together.Together(commands)
    threading.Timer(0.3, stop.set).start()
    for place in range(2):
        with pytest.raises(Stopped):
            group.record(place, Watch(stop))


@pytest.mark.parametrize(("jobs_each", "gib"), [(1, 32), (8, 4), (33, 1), (64, 1)])
def test_a_machine_reads_enough_however_many_jobs(jobs_each, gib):
    assert together.size_gib({**TEST, "numjobs": jobs_each}) == gib
