"""collect writes a folder that replays to the same outputs; a replay gives what was recorded and nothing else."""

import csv
import json
import subprocess
import threading

import pytest

from gpucontract.agent import protocol, recording, results
from gpucontract.agent.execute import Watch
from gpucontract.agent.orders import Refused
from gpucontract.agent.results import Replay
from tests.agent.running import ALL_REDUCE, PYTHON, RECORDINGS, tool

HEADER = ",".join(protocol.MANIFEST_COLUMNS) + "\n"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine whose tools print fixed text, one of them with a complaint and a secret."""
    tools = tmp_path / "tools"
    tool(tools, "ibstat", "printf 'CA mlx5_0\\n\\tState: Active\\n'")
    tool(tools, "ibv_devinfo", "echo 'warning: HF_TOKEN=abc' >&2; exit 3")
    tool(tools, "show_gids", "echo '{\"a\": 1}'")
    tool(tools, "all_reduce_perf", "echo '# rows'")
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    return tmp_path / "recorded"


def replayed(folder, job, params):
    return [step.run(Watch(threading.Event())) for step in Replay(folder).steps(job, params)]


def rows(folder):
    with open(folder / protocol.MANIFEST, newline="") as file:
        return list(csv.DictReader(file))


def test_what_was_collected_replays_to_the_same_outputs(machine):
    assert recording.collect("fabric", {}, machine) == 3
    first, second, third = replayed(machine, "fabric", {})
    assert (first["stdout"], first["exit_status"]) == ("CA mlx5_0\n\tState: Active\n", 0)
    assert (second["stderr"], second["exit_status"]) == ("warning: HF_TOKEN=[redacted]\n", 3)
    assert [row["file"] for row in rows(machine)][2] == "fabric__1__show-gids.json"
    assert json.loads(third["stdout"]) == {"a": 1}


def test_repeats_lie_beside_each_other_and_a_second_collection_replaces_the_first(machine):
    for repeat in (1, 2, 2):
        recording.collect("nccl_intra", {**ALL_REDUCE, "repeat": repeat}, machine)
    assert [row["repeat"] for row in rows(machine)] == ["1", "1", "2", "2"]
    output = replayed(machine, "nccl_intra", {**ALL_REDUCE, "repeat": 2})[-1]
    assert output["env"] == {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,ENV,NET"}


def test_collect_refuses_what_could_not_be_ordered(machine):
    with pytest.raises(Refused, match="needs collective"):
        recording.collect("nccl_intra", {}, machine)
    assert not machine.exists()


def test_the_command_line_collects_too(machine, program, tmp_path):
    command = [PYTHON, str(program), "collect", "--job", "fabric", "--job", "topology", "--out", str(machine)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert said.stdout == f"fabric: 3 outputs in {machine}\ntopology: 4 outputs in {machine}\n"
    bad = subprocess.run([*command, "--params", "{'"], capture_output=True, text=True, timeout=60)
    assert (bad.returncode, bad.stderr.startswith("gpucontract-agent: --params is not JSON")) == (1, True)


@pytest.mark.parametrize(
    ("job", "params"),
    [
        ("nccl_intra", {**ALL_REDUCE, "repeat": 4}),
        ("nccl_intra", {**ALL_REDUCE, "collective": "all_gather"}),
        ("nccl_intra", {**ALL_REDUCE, "collective": "all_reduce_ring"}),
        ("nccl_intra", {**ALL_REDUCE, "hosts": ["gpu-node-02"]}),
        ("nccl_inter", {**ALL_REDUCE, "collective": "all_gather", "hosts": ["gpu-node-01", "gpu-node-09"]}),
    ],
)
def test_a_recording_answers_only_what_was_recorded(job, params):
    with pytest.raises(Refused) as refused:
        Replay(RECORDINGS / "gpu-node-01").steps(job, params)
    assert refused.value.code == "not_recorded"


def test_the_order_of_the_hosts_does_not_matter():
    hosts = ["gpu-node-03", "gpu-node-01"]
    params = {**ALL_REDUCE, "collective": "all_gather", "hosts": hosts, "repeat": 1}
    assert len(Replay(RECORDINGS / "gpu-node-01").steps("nccl_inter", params)) == 1


@pytest.mark.parametrize(
    ("manifest", "complaint"),
    [
        ("file,job\nx,fabric\n", "has no column or no row of"),
        (HEADER, "has no column or no row of"),
        (
            ",".join(protocol.MANIFEST_COLUMNS) + "\n../../etc/passwd,fabric,n,ibstat,ibstat,0,,,n,1,\n",
            "not a file beside",
        ),
    ],
    ids=["columns missing", "no rows", "a path out of the folder"],
)
def test_it_refuses_a_manifest_that_is_not_one(tmp_path, manifest, complaint):
    (tmp_path / protocol.MANIFEST).write_text(manifest)
    with pytest.raises(ValueError, match=complaint):
        Replay(tmp_path)


def test_a_result_that_is_too_large_is_cut_at_whole_lines_and_says_so(monkeypatch):
    monkeypatch.setattr(results, "MUST_FIT", 3000)
    long = {"stdout": "a line\n" * 1000, "stderr": "", "truncated": False}
    short = {"stdout": "short\n", "stderr": "", "truncated": False}
    outputs = json.loads(results.document("r", "fabric", {}, "n", [long, short]))["outputs"]
    assert outputs[0]["truncated"] is True and outputs[0]["stdout"].endswith("a line\n")
    assert outputs[1] == short
