"""The offline judge: recordings and packs in, the same verdicts out, no database, unsigned said plainly."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from gpucontract.canonical import decode, encode, sha256
from gpucontract.contracts.body import FORMAT, pack, unpack
from gpucontract.contracts.compile import clauses
from gpucontract.contracts.terms import Terms
from gpucontract.measurements.folders import FolderError, read_folders
from gpucontract.verdicts.admission import context_for
from gpucontract.verdicts.management.commands.judge import exit_status
from gpucontract.verdicts.states import State
from gpucontract.verdicts.summary import Counts
from gpucontract.verdicts.whole import judge_all
from tests.sample_terms import SAMPLE
from tests.verdicts.making import NOW, replace

RECORDINGS = Path(__file__).resolve().parents[2] / "demo" / "recordings"
DELIVERED = [RECORDINGS / "gpu-node-01", RECORDINGS / "gpu-node-02"]
HEALTHY = [RECORDINGS / "gpu-node-01", RECORDINGS / "gpu-node-03"]


def appendix():
    """The sample's packed appendix, as the PDF carries it."""
    g1 = SAMPLE["g1"]
    document = encode({"salt": "00", "clauses": [clause.frozen() for clause in clauses(Terms(SAMPLE))]})
    group = {"code": "g1", "name": "g1", "gpu_model": g1["gpu_model"], "node_count": g1["node_count"],
             "gpus_per_node": g1["gpus_per_node"], "nics_per_node": g1["nics_per_node"]}  # fmt: skip
    head = {
        "format": FORMAT, "contract": "C-2026-1", "number": 1, "title": "t", "parties": {}, "groups": [group],
        "mounts": [{"code": "m1", "path": SAMPLE["m1"]["path"], "groups": ["g1"]}], "sections": {"all": sha256(document)},
    }  # fmt: skip
    return pack(encode(head), {"all": document})


BODY = unpack(appendix())


@pytest.fixture
def paper(tmp_path):
    path = tmp_path / "appendix.json"
    path.write_bytes(appendix())
    return path


def verdicts_of(folders):
    records = read_folders(folders, BODY)
    return judge_all(BODY, records, replace(context_for(BODY, records, NOW), accept_unsigned=True))


SICK = {
    "g1/links_per_gpu": (State.BREACHED, "g1-002/gpu5", ""),
    "g1/inactive_links": (State.BREACHED, "g1-002/gpu5", "g1/links_per_gpu"),
    "g1/busbw_intra:8GiB": (State.BREACHED, "g1-002", "g1/links_per_gpu"),
    "g1/local_disks": (State.BREACHED, "g1-002", ""),
    "g1/local_capacity": (State.BREACHED, "g1-002", "g1/local_disks"),
    "g1/nic_count": (State.BREACHED, "g1-002", ""),
    "g1/fabric_type": (State.BREACHED, "g1-002", "g1/nic_count"),
    "g1/port_rate": (State.INCONCLUSIVE, "g1-002", "g1/nic_count"),
    "g1/gdr": (State.INCONCLUSIVE, "g1-001+g1-002", "g1/nic_count"),
    "g1/wrong_results_inter": (State.INCONCLUSIVE, "g1-001+g1-002", "g1/nic_count"),
    "g1/busbw_inter:8GiB": (State.INCONCLUSIVE, "g1-001+g1-002", "g1/nic_count"),
}


def test_the_recordings_as_delivered_give_the_verdicts_of_the_sample():
    found = {key: v for key, v in verdicts_of(DELIVERED).items() if v.state not in (State.VERIFIED, State.PENDING)}
    assert {key: (v.state, v.scope, v.because) for key, v in found.items()} == SICK
    blamed = [scope for v in found.values() for scope, state in v.failing if state is State.BREACHED]
    assert all("g1-001" not in scope for scope in blamed)


def test_the_healthy_recordings_verify_everything_that_can_be_measured():
    found = {v.state for v in verdicts_of(HEALTHY).values() if v.reason not in ("no_file", "no_job_yet")}
    assert found == {State.VERIFIED}


@pytest.mark.parametrize(("job", "keys"), [
    ("fabric", ["g1/nic_count", "g1/port_rate", "g1/fabric_type"]), ("topology", ["g1/links_per_gpu"]),
    ("storage", ["g1/local_disks"]), ("nccl_intra", ["g1/busbw_intra:8GiB"]),
])  # fmt: skip
def test_the_healthy_machines_outputs_do_not_serve_the_sick_one(job, keys):
    """Whatever files of a job are handed in for both machines, they decide for neither."""
    records = read_folders(DELIVERED, BODY)
    whole = {(r.job, r.repeat): r.outputs for r in records if r.nodes == ("g1-001",)}
    forged = [
        replace(r, outputs=whole[r.job, r.repeat]) if r.job == job and r.nodes == ("g1-002",) else r for r in records
    ]
    found = judge_all(BODY, forged, replace(context_for(BODY, forged, NOW), accept_unsigned=True))
    assert {found[key].state for key in keys} == {State.INCONCLUSIVE}


def test_a_recording_with_another_machine_leaves_the_joint_runs_with_it_out():
    jobs = [record.nodes for record in read_folders(HEALTHY, BODY) if record.job == "nccl_inter"]
    assert jobs == [("g1-001", "g1-002")] * 3


def run(*arguments):
    """Output and exit status of the command."""
    with pytest.raises(SystemExit) as ended:
        call_command("judge", *map(str, arguments))
    return ended.value.code


def test_unsigned_evidence_decides_nothing_unless_it_is_accepted_and_the_result_says_so(paper, capsys):
    folders = [word for folder in DELIVERED for word in ("--evidence", folder)]
    assert run("--appendix", paper, *folders) == 2
    lines = capsys.readouterr().out.splitlines()
    assert "--accept-unsigned" in lines[-2] and " 0 verified, 0 breached" in lines[-1]
    assert run("--appendix", paper, *folders, "--accept-unsigned") == 1
    lines = capsys.readouterr().out.splitlines()
    assert "--accept-unsigned" in lines[-2] and lines[-1].startswith("judge: ") and " 7 breached" in lines[-1]


def test_a_zip_is_judged_as_its_folder(paper, tmp_path, capsys):
    words = []
    for folder in DELIVERED:
        words += ["--evidence", shutil.make_archive(str(tmp_path / folder.name), "zip", folder)]
    assert run("--appendix", paper, *words, "--accept-unsigned") == 1
    assert " 7 breached" in capsys.readouterr().out.splitlines()[-1]


def test_it_needs_no_keys_and_bad_settings_are_not_the_status_of_a_breach(paper):
    command = [sys.executable, "manage.py", "judge", "--appendix", str(paper), "--evidence", str(DELIVERED[0])]
    bare = {"PATH": os.environ["PATH"]}
    assert subprocess.run(command, env=bare, capture_output=True, timeout=120).returncode == 2
    odd = subprocess.run(command, env={**bare, "DEBUG": "maybe"}, capture_output=True, text=True, timeout=120)
    assert odd.returncode == 2 and odd.stderr.startswith("manage.py: DEBUG='maybe'")


def test_json_holds_every_verdict_with_its_sentences(paper, capsys):
    folders = [word for folder in HEALTHY for word in ("--evidence", folder)]
    assert run("--appendix", paper, *folders, "--json", "--accept-unsigned") == 2
    document = json.loads(capsys.readouterr().out)
    assert document["accept_unsigned"] is True and document["sha256"] == BODY.sha256
    links = document["verdicts"]["g1/links_per_gpu"]
    assert (links["state"], links["value"], links["value_zh"]) == ("verified", "18", "18 条")
    assert links["zh"] and links["en"] and len(document["verdicts"]) == sum(document["counts"].values())


def test_machines_can_be_put_in_their_slots_by_name(paper, capsys):
    folders = [word for folder in DELIVERED for word in ("--evidence", folder)]
    assert run("--appendix", paper, *folders, "--machines", "gpu-node-02,gpu-node-01", "--accept-unsigned") == 1
    assert "g1-001/gpu5" in capsys.readouterr().out


def cut_zip(folder):
    whole = Path(shutil.make_archive(str(folder / "cut"), "zip", DELIVERED[0]))
    whole.write_bytes(whole.read_bytes()[:-4000])
    return whole


def vast_zip(folder):
    """One whose table of contents promises more than the limit."""
    path = folder / "vast.zip"
    with zipfile.ZipFile(path, "w") as files:
        files.writestr("MANIFEST.csv", "x")
        files.filelist[0].file_size = 3 * 2**30
    return path


BAD = {
    "a cut ZIP": (lambda p, t: ["--evidence", cut_zip(t)], "ZIP"),
    "a ZIP too large": (lambda p, t: ["--evidence", vast_zip(t)], "MiB"),
    "no manifest": (lambda p, t: ["--evidence", t], "MANIFEST.csv"),
    "too many machines": (lambda p, t: [w for n in ("01", "02", "03") for w in ("--evidence", RECORDINGS / f"gpu-node-{n}")], "--machines"),
    "an unknown machine": (lambda p, t: ["--evidence", DELIVERED[0], "--machines", "nobody"], "nobody"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "word"), BAD.values(), ids=BAD)
def test_bad_input_is_a_sentence(paper, tmp_path, arguments, word):
    with pytest.raises(CommandError, match=word) as refusal:
        call_command("judge", "--appendix", str(paper), *map(str, arguments(paper, tmp_path)))
    assert refusal.value.returncode == 2


def test_an_edited_appendix_is_refused(paper):
    paper.write_bytes(paper.read_bytes().replace(b'\\"18\\"', b'\\"17\\"'))
    with pytest.raises(CommandError, match="appendix"):
        call_command("judge", "--appendix", str(paper), "--evidence", str(DELIVERED[0]))


COLUMNS = "file,job,node,tool,command_line,exit_status,started_at,ended_at,nodes,repeat,env\n"
ROWS = {
    "a column missing": ("file,job\n", "node"),
    "a path that leads out": (COLUMNS + "../x.txt,inventory,h,lscpu,lscpu,0,,,h,1,\n", "x.txt"),
    "a file that is not there": (COLUMNS + "gone.txt,inventory,h,lscpu,lscpu,0,,,h,1,\n", "gone.txt"),
    "a repeat in words": (COLUMNS + "a.txt,inventory,h,lscpu,lscpu,0,,,h,first,\n", "first"),
    "a time without a zone": (COLUMNS + "a.txt,inventory,h,lscpu,lscpu,0,2026-01-01T00:00:00,,h,1,\n", "started_at"),
    "an empty node": (COLUMNS + "a.txt,inventory,,lscpu,lscpu,0,,,,1,\n", "node"),
    "a quote that never closes": (COLUMNS + "a.txt,inventory,h,lscpu,lscpu,0,,,h,1,A='b\n", "env"),
    "a cell without end": (COLUMNS + f"a.txt,inventory,h,lscpu,{'x' * 200_000},0,,,h,1,\n", "CSV"),
    "a repeat of superscripts": (COLUMNS + "a.txt,inventory,h,lscpu,lscpu,0,,,h,\u00b2,\n", "repeat"),
    "a repeat of 5,000 digits": (COLUMNS + f"a.txt,inventory,h,lscpu,lscpu,0,,,h,{'9' * 5000},\n", "repeat"),
    "a status of two signs": (COLUMNS + "a.txt,inventory,h,lscpu,lscpu,--1,,,h,1,\n", "exit_status"),
    "a time before all zones": (
        COLUMNS + "a.txt,inventory,h,lscpu,lscpu,0,0001-01-01T00:00:00+14:00,,h,1,\n",
        "started_at",
    ),
    "an exit status in words": (COLUMNS + "a.txt,inventory,h,lscpu,lscpu,ok,,,h,1,\n", "exit_status"),
}


@pytest.mark.parametrize(("manifest", "word"), ROWS.values(), ids=ROWS)
def test_a_broken_manifest_is_named(tmp_path, manifest, word):
    folder = tmp_path / "pack"
    folder.mkdir()
    (tmp_path / "x.txt").write_text("outside")
    (folder / "a.txt").write_text("")
    (folder / "MANIFEST.csv").write_text(manifest)
    with pytest.raises(FolderError, match=word):
        read_folders([folder], BODY)


@pytest.mark.parametrize(
    ("counts", "status"),
    [(Counts(verified=3), 0), (Counts(verified=2, not_applicable=1), 0), (Counts(verified=2, breached=1, pending=1), 1),
     (Counts(verified=2, pending=1), 2), (Counts(verified=2, marginal=1), 2)],
)  # fmt: skip
def test_the_exit_status_says_how_it_went(counts, status):
    assert exit_status(counts) == status


def test_a_judge_that_fails_itself_never_says_breached(paper):
    # Chinese words cannot leave through such a pipe, so the judge fails at its first line.
    command = [sys.executable, "manage.py", "judge", "--appendix", str(paper), "--evidence", str(DELIVERED[0])]
    environment = os.environ | {"DEBUG": "True", "PYTHONIOENCODING": "ascii:strict"}
    found = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert found.returncode == 2
    assert "UnicodeEncodeError" in found.stderr and "decided nothing (UnicodeEncodeError)" in found.stderr


def test_an_appendix_that_no_reader_can_open_is_no_breach(tmp_path):
    deep = tmp_path / "appendix.json"
    deep.write_text("[" * 200_000, encoding="utf-8")
    with pytest.raises(CommandError, match="nested too deep") as fault:
        call_command("judge", "--appendix", str(deep), "--evidence", str(DELIVERED[0]))
    assert fault.value.returncode == 2


def test_a_forged_head_is_refused_in_words(paper, tmp_path):
    packed = decode(paper.read_bytes())
    packed["head"] = packed["head"].replace('"gpus_per_node":8', '"gpus_per_node":1000000000')
    paper.write_bytes(encode(packed))
    with pytest.raises(CommandError, match="not a packed appendix: gpus_per_node is 1000000000, expected 1 to 128"):
        call_command("judge", "--appendix", str(paper), "--evidence", str(tmp_path))
