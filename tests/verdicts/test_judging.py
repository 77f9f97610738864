"""The judging stage: every clause gets its row, twice is once, killed anywhere loses and doubles nothing."""

from datetime import timedelta

import pytest
from django.utils import timezone

from gpucontract.measurements.models import Finding, Parse, Run
from gpucontract.verdicts import judging, writing
from gpucontract.verdicts.models import JudgeQueue, NodeVerdict, Verdict, VerdictChange
from gpucontract.verdicts.rules import RULES_VERSION
from gpucontract.verdicts.services import counts_by_contract, counts_of
from gpucontract.verdicts.sitting import Sitting
from gpucontract.verdicts.tasks import judge_due
from tests.verdicts import making
from tests.verdicts.storing import delivered_contract, store

pytestmark = pytest.mark.django_db
NEVER = {"no_file", "no_job_yet"}


@pytest.fixture
def contract():
    return delivered_contract()


def rows(contract):
    """Clause key -> (state, scope, value, because)."""
    found = Verdict.objects.filter(contract=contract)
    return {row.key: (row.state, row.scope, row.value, row.because) for row in found}


def changes(contract):
    return list(VerdictChange.objects.filter(contract=contract).values_list("key", "number", "why", "body"))


def judge(contract, now=making.NOW):
    return judging.judge_contract(contract.pk, now)


def test_a_delivered_contract_has_a_row_for_each_judged_clause_before_anything_is_measured(contract):
    assert judge_due() == 1
    body = contract.revisions.get().body()
    assert {row.key for row in Verdict.objects.all()} == {clause.key for clause in body.judged}
    assert set(Verdict.objects.values_list("state", flat=True)) == {"pending"}
    assert {why for _, _, why, _ in changes(contract)} == {"revision"}
    assert judge_due() == 0


def test_the_sick_machine_is_found_in_the_tables(contract):
    store(contract, *making.sick())
    assert judge(contract) is True
    found = rows(contract)
    assert found["g1/links_per_gpu"] == ("breached", "g1-002/gpu5", "16", "")
    assert found["g1/busbw_intra:8GiB"][::3] == ("breached", "g1/links_per_gpu")
    assert found["g1/busbw_inter:8GiB"] == ("inconclusive", "g1-001+g1-002", None, "g1/nic_count")
    row = Verdict.objects.get(key="g1/links_per_gpu")
    assert (row.value_zh, str(row.margin_pct), row.attribution) == ("16 条", "-11.11", "provider")
    assert row.exceptions[0]["scope"] == "g1-002/gpu5" and row.counts == {"verified": 15, "breached": 1}
    assert not Run.objects.exclude(judged_version=RULES_VERSION).exists()


def test_the_tables_say_what_the_pure_judge_says(contract):
    records = making.sick()
    store(contract, *records)
    judge(contract)
    pure = making.judged(records, contract.revisions.get().body())
    assert {key: (v.state.value, v.scope, v.because) for key, v in pure.items()} == {
        key: (state, scope, because) for key, (state, scope, _, because) in rows(contract).items()
    }


@pytest.mark.parametrize("code", ["gpu_changed", "gpu_replaced", "disk_changed", "disk_replaced"])
def test_exchanged_parts_leave_the_rounds_before_them_behind_by_agreement_or_not(contract, code):
    records = [
        *making.all_healthy(),
        making.inventory("g1-002", ["gpu_uuid"], making.each_gpu("gpu_uuid", "GPU-x"), round=2, minutes=30),
    ]
    newest = store(contract, *records)[-1]
    Finding.objects.create(run=newest, parser_version=newest.parsed_version, code=code, text={"zh": "换", "en": "new"})
    judge(contract)
    found = rows(contract)
    assert found["g1/links_per_gpu"][:2] == ("inconclusive", "g1-002")
    assert found["g1/busbw_inter:8GiB"][:2] == ("inconclusive", "g1")
    assert (
        "before a GPU or drive of this machine was exchanged" in Verdict.objects.get(key="g1/links_per_gpu").sentence.en
    )


def test_judging_twice_adds_nothing(contract):
    store(contract, *making.sick())
    judge(contract)
    before = (rows(contract), changes(contract), list(NodeVerdict.objects.values_list("scope", "judged_at")))
    assert judge(contract, making.NOW + timedelta(hours=1)) is False
    Run.objects.update(judged_version=0)
    judge(contract, making.NOW + timedelta(hours=2))
    assert (rows(contract), changes(contract)) == before[:2]


def test_evidence_that_comes_one_by_one_ends_in_the_same_verdicts(contract):
    for record in making.sick():
        store(contract, record)
        judge(contract)
    piecemeal = rows(contract)
    other = delivered_contract()
    store(other, *(making.replace(record, id=f"other-{record.id}") for record in making.sick()))
    judge(other)
    assert rows(other) == piecemeal


def test_a_change_is_kept_with_its_why_and_only_when_the_answer_moves(contract):
    judge(contract)
    store(contract, making.topology("g1-002", {5: 16}))
    judge(contract)
    store(contract, making.topology("g1-002", {5: 15}, minutes=5))
    judge(contract)
    store(contract, making.topology("g1-001"), making.topology("g1-002", minutes=9, round=2))
    judge(contract)
    kept = [(number, why, body["state"]) for key, number, why, body in changes(contract) if key == "g1/links_per_gpu"]
    assert kept == [(1, "revision", "pending"), (2, "evidence", "breached"), (3, "evidence", "verified")]


def test_only_touched_machines_are_judged_again(contract, monkeypatch):
    store(contract, *making.all_healthy())
    judge(contract)
    seen = []
    real = Sitting.at
    monkeypatch.setattr(Sitting, "at", lambda self, place, runs: seen.append(place) or real(self, place, runs))
    store(contract, making.topology("g1-002", {5: 16}, minutes=5, round=2))
    judge(contract)
    assert "g1-001" not in seen and {"g1-002", "g1"} <= set(seen)
    assert rows(contract)["g1/links_per_gpu"][:2] == ("breached", "g1-002/gpu5")


def test_nobody_judges_while_another_holds_the_lease(contract):
    judge(contract)
    store(contract, making.inventory("g1-001"))
    JudgeQueue.objects.update(lease="somebody", due_at=making.NOW + timedelta(minutes=3))
    assert judge(contract) is False
    assert judge(contract, making.NOW + timedelta(minutes=4)) is True


class Killed(BaseException):
    """As abrupt as a signal: no handler of the stage catches it."""


@pytest.mark.parametrize("moment", ["_answers", "_mark", "_finish"])
def test_killed_at_any_moment_nothing_is_lost_and_nothing_is_doubled(contract, monkeypatch, moment):
    judge(contract)
    store(contract, *making.sick())

    def die(*arguments, **fields):
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(judging, moment, die)
        judge(contract)
    assert set(Verdict.objects.values_list("state", flat=True)) == {"pending"}
    assert not Run.objects.exclude(judged_version=0).exists()
    assert judge(contract) is False
    assert judge(contract, making.NOW + judging.LEASE + timedelta(seconds=1)) is True
    assert rows(contract)["g1/links_per_gpu"][0] == "breached"
    numbers = [number for key, number, _, _ in changes(contract) if key == "g1/links_per_gpu"]
    assert numbers == [1, 2]


def test_a_judge_whose_lease_was_taken_writes_nothing(contract, monkeypatch):
    store(contract, *making.sick())
    real = judging._answers

    def slow(*arguments):
        answers = real(*arguments)
        JudgeQueue.objects.update(lease="another")
        return answers

    monkeypatch.setattr(judging, "_answers", slow)
    assert judge(contract) is False
    assert not Verdict.objects.exists() and not Run.objects.exclude(judged_version=0).exists()


def test_a_run_that_was_read_again_meanwhile_stays_due(contract, monkeypatch):
    (run,) = store(contract, making.inventory("g1-001"))
    real = writing.write_verdicts

    def reparsed(*arguments):
        Run.objects.filter(pk=run.pk).update(parsed_version=99)
        return real(*arguments)

    monkeypatch.setattr(writing, "write_verdicts", reparsed)
    judge(contract)
    assert Run.objects.get(pk=run.pk).judged_version == 0


def test_a_run_found_to_be_a_copy_meanwhile_is_judged_again(contract, monkeypatch):
    (run,) = store(contract, making.inventory("g1-001"))
    real = writing.write_verdicts

    def accused(*arguments):
        Finding.objects.create(run=run, parser_version=run.parsed_version, output="0-inventory", code="copied_output",
                               text={"zh": "抄", "en": "copied"})  # fmt: skip
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(writing, "write_verdicts", accused)
        judge(contract)
    assert Run.objects.get(pk=run.pk).judged_version == 0
    judge(contract)
    row = Verdict.objects.get(key="g1/gpu_count")
    assert (row.state, row.exceptions[0]["reason"]) == ("inconclusive", "copied")


def test_newer_rules_judge_everything_again_and_say_so(contract, monkeypatch):
    store(contract, making.topology("g1-002", {5: 16}))
    judge(contract)
    Verdict.objects.filter(key="g1/links_per_gpu").update(digest="of other rules")
    for room in (judging, writing):
        monkeypatch.setattr(room, "RULES_VERSION", RULES_VERSION + 1)
    assert judging.judge_due() == 1
    assert VerdictChange.objects.filter(key="g1/links_per_gpu").last().why == "rules"
    assert set(Verdict.objects.values_list("rules_version", flat=True)) == {RULES_VERSION + 1}
    assert judging.judge_due() == 0


def test_a_run_that_a_newer_parser_read_is_judged_again_and_the_change_says_so(contract):
    (run,) = store(contract, making.topology("g1-002", {5: 16}))
    judge(contract)
    outputs = run.parses.get().outputs
    for reading in outputs[0]["readings"]:
        if reading["m"] == "nvlink_active":
            reading["v"] = 18
    Parse.objects.create(run=run, parser_version=run.parsed_version + 1, outputs=outputs)
    Run.objects.filter(pk=run.pk).update(parsed_version=run.parsed_version + 1, judged_version=0)
    judge(contract)
    change = VerdictChange.objects.filter(key="g1/links_per_gpu").last()
    assert (change.why, change.body["state"]) == ("parser", "pending")


def test_a_contract_that_breaks_does_not_stop_the_others(contract, monkeypatch):
    other = delivered_contract()
    real = judging.judge_contract
    monkeypatch.setattr(judging, "judge_contract", lambda pk: real(pk) if pk == other.pk else 1 / 0)
    assert judging.judge_due() == 1
    assert Verdict.objects.filter(contract=other).exists()


def test_evidence_goes_stale_in_the_term_and_the_change_says_so(contract):
    now = timezone.now()
    fresh = [making.replace(record, received_at=now) for record in making.all_healthy()]
    store(contract, *fresh)
    judge(contract, now)
    assert JudgeQueue.objects.get().due_at is None
    contract.state = "active"
    contract.save(update_fields=["state"])
    assert judge_due() == 1
    assert JudgeQueue.objects.get().due_at == now + timedelta(hours=24)
    assert judge(contract, now + timedelta(hours=25)) is True
    row = Verdict.objects.get(key="g1/gpu_count")
    assert (row.state, row.exceptions[0]["reason"]) == ("inconclusive", "stale")
    assert VerdictChange.objects.filter(key="g1/gpu_count").last().why == "stale"
    assert Verdict.objects.get(key="g1/busbw_intra:8GiB").state == "verified"


@pytest.mark.parametrize("state", ["ended", "terminated"])
def test_the_verdicts_of_a_contract_that_has_ended_stay_as_they_were(contract, caplog, state):
    store(contract, *making.sick())
    judge_due()
    kept = rows(contract)
    type(contract).objects.filter(pk=contract.pk).update(state=state)
    store(contract, making.topology("g1-002", round=2, minutes=9))
    JudgeQueue.objects.update(due_at=making.NOW)
    assert judge_due() == 0 and rows(contract) == kept and not caplog.records


def test_counts_are_those_of_the_rows(contract, django_assert_num_queries):
    assert counts_of(contract).clauses == 0
    store(contract, *making.all_healthy())
    judge(contract)
    counts = counts_of(contract)
    assert counts.clauses == Verdict.objects.count()
    pending = Verdict.objects.filter(state="pending").values_list("reason", flat=True)
    assert counts.pending == len(pending) and set(pending) <= NEVER
    with django_assert_num_queries(3):  # verdicts, waivers, remedies
        assert counts_by_contract([contract]) == {contract.pk: counts}
