"""A contract's exported evidence, judged offline, says what the server says; its list of papers proves nothing alone."""

import csv
import json
import threading
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucontract.agent import protocol
from gpucontract.agent.execute import Watch
from gpucontract.agent.orders import Refused
from gpucontract.agent.results import Replay, document
from gpucontract.contracts.handing_in import decide_paper, hand_in
from gpucontract.contracts.papers import Decision, Paper
from gpucontract.documents import rendering
from gpucontract.measurements import folders, packs, parsing, raw, services, storing
from gpucontract.measurements.folders import FolderError
from gpucontract.measurements.models import Node
from gpucontract.measurements.packs import write_pack
from gpucontract.measurements.paper_lists import COLUMNS, DOCUMENTS, read_papers, rows_of
from gpucontract.measurements.receiving import Received
from gpucontract.measurements.records import Origin
from gpucontract.verdicts.judging import judge_contract
from gpucontract.verdicts.models import Verdict
from tests import factories
from tests.verdicts.making import body_of
from tests.verdicts.storing import delivered_contract

RECORDINGS = Path(__file__).resolve().parents[2] / "demo" / "recordings"
NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
KEY = "c/licence"
BODY = body_of()
PAPER = Paper(KEY, "a" * 64, 1, "许可证.pdf", "b" * 64, NOW, Decision.CONFIRMED, "Eng", NOW)


def played(run, host):
    """What the machine's recording answers to this order, as a live agent would have sent it; None: not recorded."""
    replay = Replay(RECORDINGS / host)
    try:
        steps = replay.steps(run.job, run.params)
    except Refused:
        return None
    watch = Watch(threading.Event())
    outputs = [step.run(watch) for step in steps]
    body = document(str(run.uuid), run.job, run.params, host, outputs)
    return Received("{}", "0" * 64, Origin.AGENT, timezone.now(), body, raw.read(body), "127.0.0.1")


def measured(contract):
    """Every ordered run that the demo's two machines recorded, delivered, parsed and judged."""
    hosts = {"g1-001": "gpu-node-01", "g1-002": "gpu-node-02"}
    for code, host in hosts.items():
        Node.objects.filter(group__contract=contract, code=code).update(hostname=host)
    now = timezone.now()
    ordered = services.order_runs(contract, round=1, by=factories.person("eng"), now=now - timedelta(days=4))
    for second, run in enumerate(ordered):
        if run.job in ("nccl_inter", "nccl_pairs"):
            run.params = {**run.params, "hosts": list(hosts.values())}
            run.save(update_fields=["params"])
        received = played(run, hosts[run.lead.code])
        if received:
            storing.store({run: received}, now + timedelta(seconds=second))
    while parsing.parse_due():
        pass
    assert judge_contract(contract.pk)


def told(rows):
    names = ("state", "scope", "value", "unit", "margin_pct", "because", "attribution", "reason", "zh", "en", "counts")
    return {row["key"]: {name: row[name] for name in names} for row in rows}


@pytest.fixture
def exported(db, settings, tmp_path):
    """A measured contract with a confirmed paper; its pack and appendix in a folder."""
    settings.EVIDENCE_ROOT, settings.DOCUMENT_ROOT = tmp_path / "kept", tmp_path / "papers"
    contract = delivered_contract()
    paper = hand_in(contract, KEY, by=factories.person("vera"), name="许可证.pdf", data=b"%PDF-1.7", valid_on=None)
    decide_paper(paper, confirmed=True, by=factories.person("eng"))
    measured(contract)
    write_pack(contract, tmp_path / "pack")
    (tmp_path / "appendix.json").write_bytes(rendering.attachment_of(services.in_force(contract)))
    return contract, tmp_path


def offline(folder, capsys, *more):
    with pytest.raises(SystemExit):
        call_command(
            "judge", "--appendix", str(folder / "appendix.json"), "--evidence", str(folder / "pack"), "--json", *more
        )
    return json.loads(capsys.readouterr().out)["verdicts"]


def test_the_exported_evidence_judged_offline_gives_every_verdict_of_the_server(exported, capsys):
    contract, folder = exported
    online = told(Verdict.objects.filter(contract=contract).values())
    for row in online.values():
        row["margin_pct"] = None if row["margin_pct"] is None else f"{row['margin_pct'].normalize():f}"
    assert told(offline(folder, capsys, "--accept-unsigned").values()) == online
    assert {row["state"] for row in online.values()} >= {"verified", "breached", "inconclusive", "pending"}
    assert online[KEY]["state"] == "verified"


def test_a_list_that_anybody_could_write_verifies_nothing_by_itself(exported, capsys):
    _, folder = exported
    found = offline(folder, capsys)[KEY]
    assert (found["state"], found["reason"]) == ("inconclusive", "paper_unsigned")


def written(folder, papers):
    folder.mkdir(exist_ok=True)
    with (folder / DOCUMENTS).open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, COLUMNS)
        table.writeheader()
        table.writerows(rows_of(papers))
    return folder


words = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\r\x00"), max_size=30)
moments = st.datetimes(timezones=st.just(UTC), min_value=datetime(2020, 1, 1))
papers = st.builds(
    Paper, key=st.sampled_from(["c/licence", "g1/warranty"]), clause_sha256=st.just("a" * 64), number=st.integers(1, 30),
    name=words, sha256=st.just("b" * 64), uploaded_at=moments, decision=st.sampled_from(Decision), decided_by=words,
    decided_at=st.none() | moments, reason=words, valid_on=st.none() | st.dates(min_value=date(2020, 1, 1)),
    expires_at=st.none() | moments, is_signed=st.booleans(),
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(given_papers=st.lists(papers, max_size=5))
def test_a_list_comes_back_as_it_was_written_but_unsigned(tmp_path_factory, given_papers):
    found = read_papers([written(tmp_path_factory.mktemp("pack"), given_papers)])
    for key, kept in found.items():
        assert list(kept) == [replace(paper, is_signed=False) for paper in given_papers if paper.key == key]
    assert sum(map(len, found.values())) == len(given_papers)


@pytest.mark.parametrize("name", ["=HYPERLINK(1).pdf", "+1.pdf", "-1.pdf", "@a.pdf", "'quoted.pdf"])
def test_no_spreadsheet_runs_what_a_vendor_named_a_file(tmp_path, name):
    (row,) = rows_of([replace(PAPER, name=name)])
    assert row["name"] == f"'{name}"
    with (tmp_path / DOCUMENTS).open("w", newline="", encoding="utf-8") as stream:
        csv.DictWriter(stream, COLUMNS).writeheader()
        csv.DictWriter(stream, COLUMNS).writerow(row)
    assert read_papers([tmp_path])[KEY][0].name == name


def test_a_folder_without_a_list_has_no_papers(tmp_path):
    assert read_papers([tmp_path]) == {}


BAD = {
    "a clause that is none": ({"key": "licence"}, "key"),
    "a digest cut short": ({"sha256": "b" * 63}, "sha256"),
    "a clause's digest in words": ({"clause_sha256": "none"}, "clause_sha256"),
    "version 0": ({"number": "0"}, "number"),
    "a decision nobody knows": ({"decision": "approved"}, "open, confirmed or refused"),
    "a time without a zone": ({"uploaded_at": "2026-03-02T08:00:00"}, "with its zone"),
    "a day that is none": ({"valid_on": "2026-02-30"}, "2026-02-30"),
    "an end in words": ({"expires_at": "never"}, "never"),
}


@pytest.mark.parametrize(("changes", "word"), BAD.values(), ids=BAD)
def test_a_broken_list_is_named_with_line_and_column(tmp_path, changes, word):
    with (tmp_path / DOCUMENTS).open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, COLUMNS)
        table.writeheader()
        table.writerows([rows_of([PAPER])[0], {**rows_of([PAPER])[0], **changes}])
    with pytest.raises(FolderError, match=f"line 3.*{word}"):
        read_papers([tmp_path])


def test_a_list_without_a_column_is_named(tmp_path):
    (tmp_path / DOCUMENTS).write_text("key,name\nc/licence,x.pdf\n")
    with pytest.raises(FolderError, match="lacks the columns"):
        read_papers([tmp_path])


def test_the_command_refuses_a_broken_list(exported):
    _, folder = exported
    (folder / "pack" / DOCUMENTS).write_text("key\nc/licence\n")
    with pytest.raises(CommandError, match="lacks the columns") as refusal:
        call_command("judge", "--appendix", str(folder / "appendix.json"), "--evidence", str(folder / "pack"))
    assert refusal.value.returncode == 2


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["", "=", "+", "-", "@", "\t", "\r", "'", "'=", "''"]), CELLS)
def test_no_cell_of_a_packs_manifest_is_a_formula_and_each_is_read_back_exactly(tmp_path_factory, start, rest):
    folder, command = tmp_path_factory.mktemp("pack"), start + rest
    (folder / "a.txt").write_text("x")
    row = dict.fromkeys(folders.PACK_COLUMNS, "") | {
        "file": "a.txt", "job": "inventory", "node": "gpu-node-01", "tool": command, "command_line": command,
        "exit_status": -11, "repeat": 1, "env": protocol.env_line({"A": command}),
    }  # fmt: skip
    packs._write_table(folder / protocol.MANIFEST, folders.PACK_COLUMNS, [packs._marked(row)])
    with (folder / protocol.MANIFEST).open(encoding="utf-8", newline="") as stream:
        (cells,) = csv.DictReader(stream)
    assert not any(cell[:1] in ("=", "+", "-", "@", "\t", "\r") for cell in cells.values() if cell)
    (record,) = folders.read_folders([folder], BODY)
    (one,) = record.outputs
    assert (one.command, one.tool, one.env, one.exit_status) == (command, command, {"A": command}, -11)


def test_a_recordings_own_apostrophe_stays(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    row = dict.fromkeys(protocol.MANIFEST_COLUMNS, "") | {"file": "a.txt", "job": "inventory", "node": "h", "repeat": 1}
    row |= {"tool": "x", "command_line": "'=a b'", "env": protocol.env_line({"A": "b c"})}
    packs._write_table(tmp_path / protocol.MANIFEST, protocol.MANIFEST_COLUMNS, [row])
    (record,) = folders.read_folders([tmp_path], BODY)
    assert (record.outputs[0].command, record.outputs[0].env) == ("'=a b'", {"A": "b c"})
