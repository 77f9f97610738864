"""Parsing: readings and findings appear once per parser version, and what no single output shows is noted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from gpucontract.measurements import evidence, parsing
from gpucontract.measurements.models import Finding, Parse, Run
from gpucontract.measurements.parsers import registry
from gpucontract.measurements.parsers.capture import Parsed, Reading, restore
from gpucontract.measurements.tasks import parse_due
from tests.measurements import making
from tests.measurements.fake_agent import output

pytestmark = pytest.mark.django_db
SMI = "nvidia-smi -L"


def gpus(uuid: str) -> str:
    return f"GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-{uuid}-2222-3333-4444-555566667777)\n"


@pytest.fixture
def made():
    return making.contract()


SAMPLE = gpus("aaaa1111")


def measured(made, ordinal=1, text=SAMPLE, hostname="", tool=SMI, **changes):
    """A delivered run of one output on a slot. repeat and round are the run's, the rest are the output's."""
    run_fields = {name: changes.pop(name) for name in ("repeat", "round", "job", "ordered_at") if name in changes}
    delivery = {name: changes.pop(name) for name in ("origin", "sent_at") if name in changes}
    run = making.run(made, making.node(made, ordinal), **run_fields)
    changes = {"started_at": None, "ended_at": None, **changes}
    making.delivered(run, output(tool, text, **changes), hostname=hostname or f"gpu-node-0{ordinal}", **delivery)
    return run


def codes(run):
    return sorted(Finding.objects.filter(run=run).values_list("code", flat=True))


def test_readings_are_kept_and_the_run_is_to_be_judged(made):
    run = measured(made)
    Run.objects.update(judged_version=7)
    assert parse_due() == 1
    run.refresh_from_db()
    assert (run.parsed_version, run.judged_version, run.due_at, run.lease) == (parsing.PARSER_VERSION, 0, None, "")
    (stored,) = run.parses.get().outputs
    readings = [restore(one) for one in stored["readings"]]
    assert ("gpu_count", 1) in [(one.name, one.value) for one in readings]
    assert stored["error"] == ""


def test_parsing_twice_changes_nothing(made):
    measured(made)
    assert (parse_due(), parse_due()) == (1, 0)
    assert Parse.objects.count() == 1


def test_a_new_parser_version_reads_again_and_keeps_the_old_readings(made, monkeypatch):
    run = measured(made)
    parse_due()
    monkeypatch.setattr(parsing, "PARSER_VERSION", parsing.PARSER_VERSION + 1)
    assert (parse_due(), parse_due()) == (1, 0)
    assert run.parses.count() == 2


def test_a_tool_nobody_knows_is_an_error_of_its_output_not_of_the_run(made):
    run = measured(made, text="mystery", tool="mystery")
    parse_due()
    parse = run.parses.get()
    assert (parse.errors, parse.error, parse.outputs[0]["readings"]) == (1, "", [])
    assert parse.outputs[0]["error"].startswith("unknown_tool")


def test_a_parser_that_breaks_costs_its_own_output_only(made, monkeypatch):
    def broken(capture):
        raise ZeroDivisionError("by zero")

    run = measured(made)
    monkeypatch.setitem(registry.TOOLS, SMI, broken)
    parse_due()
    assert run.parses.get().outputs[0]["error"] == "parser_broke: ZeroDivisionError: by zero"


def test_lost_evidence_is_said_and_does_not_stop_the_others(made):
    lost, good = measured(made, 1), measured(made, 2, gpus("bbbb1111"))
    evidence.path_of(lost.delivery.evidence_id).unlink()
    assert (parse_due(), parse_due()) == (2, 0)
    assert lost.parses.get().error.startswith("evidence_lost")
    assert good.parses.get().error == ""


def test_a_reading_the_database_refuses_is_due_again_and_stops_no_other(made, monkeypatch):
    poison, good = measured(made, 1), measured(made, 2, gpus("bbbb1111"))
    write = parsing._write

    def refuse(run, *arguments):
        if run.pk == poison.pk:
            raise parsing.DatabaseError("value too long")
        return write(run, *arguments)

    monkeypatch.setattr(parsing, "_write", refuse)
    assert (parse_due(), parse_due()) == (1, 0)
    poison.refresh_from_db()
    assert poison.parsed_version == 0 and poison.due_at > timezone.now()
    assert good.parses.exists()


def test_nul_in_an_output_reaches_no_json_column(made, monkeypatch):
    monkeypatch.setattr(registry, "read", lambda capture: Parsed((Reading("x", "a\0b", line="\0"),), error="bad \0"))
    run = measured(made)
    parse_due()
    assert "\0" not in str(run.parses.get().outputs)


def test_somebody_elses_lease_is_respected(made):
    run = measured(made)
    Run.objects.update(due_at=timezone.now() + timedelta(seconds=30), lease="other")
    assert parse_due() == 0
    Run.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert parse_due() == 1
    assert run.parses.count() == 1


def test_a_truncated_output_is_a_finding(made):
    run = measured(made, truncated=True)
    parse_due()
    finding = Finding.objects.get(run=run)
    assert (finding.code, finding.output) == ("truncated_output", "nvidia-smi-L")
    assert set(finding.text) == {"zh", "en"}


def test_a_truncated_output_measures_nothing(made):
    run = measured(made, truncated=True)
    parse_due()
    (output,) = Parse.objects.get(run=run).outputs
    assert output["readings"] == []
    assert output["error"].startswith("output_truncated: cut at")


@pytest.mark.parametrize(("minutes", "found"), [(4, []), (6, ["clock_gap"]), (-6, ["clock_gap"])])
def test_a_clock_more_than_five_minutes_off_is_a_finding(made, minutes, found):
    run = measured(made, sent_at=timezone.now() + timedelta(minutes=minutes))
    parse_due()
    assert codes(run) == found


@pytest.mark.parametrize(("origin", "found"), [("agent", ["older_than_order"]), ("replay", [])])
def test_an_output_from_before_the_order_is_a_finding_unless_replayed(made, origin, found):
    run = measured(made, origin=origin, started_at="2020-01-01T00:00:00Z")
    parse_due()
    assert codes(run) == found


def test_one_host_name_on_two_slots_is_a_finding(made):
    first = measured(made, 1, gpus("aaaa1111"), hostname="gpu-node-01")
    second = measured(made, 2, gpus("bbbb1111"), hostname="gpu-node-01")
    parse_due()
    assert codes(first) == codes(second) == ["hostname_twice"]
    assert "g1-001" in Finding.objects.get(run=second).text["en"]


def test_the_same_bytes_from_two_slots_are_a_finding_on_both(made):
    first = measured(made, 1)
    parse_due()
    Run.objects.update(judged_version=1)
    second = measured(made, 2)
    assert (parse_due(), parse_due()) == (1, 0)
    assert codes(first) == codes(second) == ["copied_output"]
    first.refresh_from_db()
    assert first.judged_version == 0
    assert "g1-001" in Finding.objects.get(run=second).text["en"]
    assert "g1-002" in Finding.objects.get(run=first).text["zh"]


def test_copies_found_in_one_go_are_noted_once_each(made):
    runs = [measured(made, ordinal) for ordinal in (1, 2)]
    parse_due()
    assert [codes(run) for run in runs] == [["copied_output"]] * 2


@pytest.mark.parametrize("text", ["", "Linux\n"], ids=["empty", "trivial"])
def test_what_any_two_machines_print_alike_is_no_copy(made, text):
    runs = [measured(made, ordinal, text, tool="uname") for ordinal in (1, 2)]
    parse_due()
    assert [codes(run) for run in runs] == [[], []]


def test_a_machine_that_says_the_same_serials_in_every_round_is_no_copy(made):
    runs = [measured(made, round=number) for number in (1, 2)]
    parse_due()
    assert [codes(run) for run in runs] == [[], []]


def test_a_copy_from_another_customers_machine_is_found_but_not_named(made):
    other = making.contract("C-2026-2")
    theirs = measured(other, 1, hostname="their-node-77")
    mine = measured(made, 1, hostname="gpu-node-01")
    parse_due()
    assert codes(mine) == codes(theirs) == ["copied_output"]
    text = Finding.objects.get(run=mine).text
    assert "another contract" in text["en"] and "their-node" not in str(text) and "g1-001" not in str(text)


def test_one_machine_in_two_contracts_one_after_the_other_is_no_copy(made):
    other = making.contract("C-2026-2")
    runs = [measured(other, 1, hostname="gpu-node-01"), measured(made, 1, hostname="gpu-node-01")]
    parse_due()
    assert [codes(run) for run in runs] == [[], []]


@pytest.mark.parametrize(("origin", "found"), [("agent", ["copied_output"]), ("replay", [])])
def test_two_runs_never_time_alike_unless_replayed(made, monkeypatch, origin, found):
    timed = Parsed((Reading("time_at_8589934592_out_of_place", 33012, "us"),))
    monkeypatch.setattr(registry, "read", lambda capture: timed)
    runs = [measured(made, 1, "8589934592 2147483648 float sum", repeat=repeat, origin=origin) for repeat in (1, 2)]
    parse_due()
    assert [codes(run) for run in runs] == [found, found]


def test_the_same_remark_twice_is_noted_once(made):
    run = measured(made)
    assert len(parsing._findings(run, 1, [("o", _remark()), ("o", _remark())])) == 1


def _remark():
    return parsing.capture.Finding("odd", making.SAME, "gpu0")


def test_an_exchanged_card_shows_in_the_second_round(made):
    measured(made)
    parse_due()
    run = measured(made, text=gpus("bbbb2222"), round=2)
    parse_due()
    (finding,) = Finding.objects.filter(run=run)
    assert (finding.code, finding.output) == ("gpu_changed", "")
    assert "GPU-aaaa1111" in finding.text["zh"] and "GPU-bbbb2222" in finding.text["zh"]


def test_a_card_that_was_missing_for_a_round_is_told_when_another_takes_its_place(made):
    for number, text in enumerate((SAMPLE, "No devices were found\n", gpus("bbbb2222")), 1):
        run = measured(made, text=text, round=number)
        parse_due()
    assert codes(run) == ["gpu_changed"]


def test_a_card_exchanged_between_a_contract_and_its_amendment_shows(made):
    measured(made)
    parse_due()
    amendment = making.contract("C-2026-2")
    type(amendment).objects.filter(pk=amendment.pk).update(amends=made)
    run = measured(amendment, text=gpus("bbbb2222"))
    parse_due()
    assert codes(run) == ["gpu_changed"]


def test_a_second_round_of_the_same_card_shows_nothing(made):
    measured(made)
    parse_due()
    run = measured(made, text=SAMPLE + "\n", round=2)
    parse_due()
    assert codes(run) == []


def test_another_machines_first_round_is_no_measure(made):
    measured(made, ordinal=2, text=gpus("cccc3333"))
    parse_due()
    run = measured(made, round=2)
    parse_due()
    assert codes(run) == []


def test_a_card_that_only_the_kernel_knows_is_said(made):
    run = making.run(made, making.node(made))
    kernel = output("/proc/driver/nvidia/gpus", "0000:1b:00.0\n0000:43:00.0\n")
    making.delivered(run, output(SMI, SAMPLE), kernel)
    parse_due()
    assert "gpus_hidden" in codes(run)


def test_secrets_that_the_agent_took_out_are_noted(made):
    run = measured(made, redacted=["assignment x 2", "environment HF_TOKEN"])
    parse_due()
    (finding,) = Finding.objects.filter(run=run)
    assert (finding.code, finding.output) == ("secrets_removed", "nvidia-smi-L")
    assert "assignment x 2、environment HF_TOKEN" in finding.text["zh"]
