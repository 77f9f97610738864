"""Waivers lie over the measured state: who may, for what, with which reason, and what every summary counts."""

import pytest

from gpucontract.contracts.errors import NotAllowed
from gpucontract.verdicts import judging
from gpucontract.verdicts.models import Verdict, VerdictChange, Waiver
from gpucontract.verdicts.services import VerdictError, counts_of, waive_clause, withdraw_waiver
from gpucontract.verdicts.states import State
from gpucontract.verdicts.summary import Counts, count, summary_line
from tests.verdicts import making
from tests.verdicts.storing import delivered_contract, store

KEY = "g1/links_per_gpu"


@pytest.fixture
def contract(db):
    made = delivered_contract()
    store(made, *making.sick())
    judging.judge_contract(made.pk, making.NOW)
    return made


def test_an_approver_waives_a_breach_and_the_measured_state_stays(contract, ada):
    waiver = waive_clause(contract, key=KEY, reason=" 备件在途 ", by=ada, now=making.NOW)
    assert (waiver.reason, waiver.by, waiver.at) == ("备件在途", ada, making.NOW)
    assert Verdict.objects.get(contract=contract, key=KEY).state == "breached"
    change = VerdictChange.objects.filter(key=KEY).last()
    assert (change.why, change.body["state"], change.body["waived"]) == ("waiver", "breached", True)
    event = contract.events.last()
    assert (event.kind, event.key, event.actor) == ("clause_waived", KEY, ada)


def test_judging_again_leaves_the_waiver_alone(contract, ada):
    waive_clause(contract, key=KEY, reason="r", by=ada)
    store(contract, making.topology("g1-002", {5: 15}, minutes=7))
    judging.judge_contract(contract.pk, making.NOW)
    assert Waiver.objects.filter(contract=contract, key=KEY).exists()
    assert counts_of(contract).waived == 1


REFUSED = {
    "a verified clause": ("g1/gpu_count", "r", "nothing to waive"),
    "a clause that is not there": ("g1/nonsense", "r", "no verdict"),
    "without a reason": (KEY, "   ", "reason"),
    "with a reason beyond the limit": (KEY, "r" * 1001, "1000"),
}


@pytest.mark.parametrize(("key", "reason", "word"), REFUSED.values(), ids=REFUSED)
def test_a_waiver_is_refused_with_a_sentence(contract, ada, key, reason, word):
    with pytest.raises(VerdictError, match=word) as refusal:
        waive_clause(contract, key=key, reason=reason, by=ada)
    assert refusal.value.text.zh != refusal.value.text.en and not Waiver.objects.exists()


def test_a_clause_is_waived_once(contract, ada):
    waive_clause(contract, key=KEY, reason="r", by=ada)
    with pytest.raises(VerdictError, match="already"):
        waive_clause(contract, key=KEY, reason="s", by=ada)


@pytest.mark.parametrize("person", ["bing", "eng", "wen", "vera", "sun", "mallory", "zoe"])
def test_nobody_but_the_buyers_approver_waives(contract, request, person):
    with pytest.raises(NotAllowed):
        waive_clause(contract, key=KEY, reason="r", by=request.getfixturevalue(person))
    assert not Waiver.objects.exists()


def test_a_waiver_taken_back_leaves_the_measured_state_and_both_events(contract, ada):
    waive_clause(contract, key=KEY, reason="备件在途", by=ada)
    withdraw_waiver(contract, key=KEY, by=ada, now=making.NOW)
    assert not Waiver.objects.exists() and counts_of(contract).waived == 0
    assert Verdict.objects.get(contract=contract, key=KEY).state == "breached"
    changes = [each.body["waived"] for each in VerdictChange.objects.filter(key=KEY) if each.why == "waiver"]
    assert changes == [True, False]
    event = contract.events.last()
    assert (event.kind, event.key, event.actor) == ("waiver_withdrawn", KEY, ada)
    waive_clause(contract, key=KEY, reason="again", by=ada)
    assert counts_of(contract).waived == 1


def test_where_there_is_no_waiver_there_is_none_to_take_back(contract, ada):
    with pytest.raises(VerdictError, match="no waiver to take back") as refusal:
        withdraw_waiver(contract, key=KEY, by=ada)
    assert "“每张 GPU 的 NVLink 活动链路数 ≥ 18”" in refusal.value.text.zh


@pytest.mark.parametrize("person", ["bing", "eng", "wen", "vera", "sun", "mallory", "zoe"])
def test_nobody_but_the_buyers_approver_takes_a_waiver_back(contract, ada, request, person):
    waive_clause(contract, key=KEY, reason="r", by=ada)
    with pytest.raises(NotAllowed):
        withdraw_waiver(contract, key=KEY, by=request.getfixturevalue(person))
    assert Waiver.objects.count() == 1


def test_strangers_see_no_verdict(contract, ada, mallory, zoe, sun):
    assert Verdict.objects.visible_to(ada).count() == Verdict.objects.count() > 0
    assert Verdict.objects.visible_to(sun).exists()
    assert not Verdict.objects.visible_to(mallory).exists() and not Verdict.objects.visible_to(zoe).exists()


def test_the_line_and_the_counts_speak_of_the_same():
    states = {"a": State.VERIFIED, "b": State.VERIFIED, "c": State.BREACHED, "d": State.PENDING}
    counts = count(states, waived={"d"})
    kept = (("pending", True, False),)
    assert counts == Counts(verified=2, breached=1, pending=1, waived=1, aside=kept) and counts.clauses == 4
    assert summary_line("x", counts) == (
        "x: 4 clauses, 2 verified, 1 breached, 0 marginal, 0 inconclusive, 1 pending, 0 not applicable; 1 waived"
    )
    assert counts.as_text.en == summary_line("x", counts).removeprefix("x: ")
    assert counts.as_text.zh.startswith("4 条：2 已证实，1 违约") and next(iter(counts.by_state)) == "breached"
