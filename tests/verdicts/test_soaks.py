"""Interrupts of a burn-in: added up over the group, certain ones alone breach, and nothing is said of hours not run."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.judging import judge_contract
from gpucontract.verdicts.models import Verdict
from gpucontract.verdicts.states import Attribution, State
from tests.verdicts import making, storing
from tests.verdicts.making import HOSTS, NOW, load

V, B, Q, P = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING
ONE, TWO, THREE, FOUR = HOSTS
BODY = making.body_of()
KEY = "g1/burn_in_interrupts"
HOUR = 3600


def permitting(number):
    """The same contract with so many interrupts permitted."""
    changed = replace(BODY.clause(KEY), value=Decimal(number))
    return replace(BODY, clauses=tuple(changed if each.key == KEY else each for each in BODY.clauses))


def judged(*records, permitted=0):
    return making.judged(list(records), permitting(permitted))[KEY]


def test_hours_without_an_interrupt_on_every_machine_verify():
    verdict = judged(load(ONE), load(TWO))
    assert (verdict.state, verdict.value, verdict.scope) == (V, 0, "g1")


def test_the_interrupts_of_all_machines_are_added_up():
    assert judged(load(ONE, interrupts=1), load(TWO, interrupts=1), permitted=2).state is V
    verdict = judged(load(ONE, interrupts=2), load(TWO, interrupts=1), permitted=2)
    assert (verdict.state, verdict.value, verdict.reason) == (B, 3, "interrupted")
    assert verdict.attribution is Attribution.PROVIDER
    assert "g1-001, g1-002" in verdict.sentence.en and "at most 2" in verdict.sentence.en


SHORT = {
    "an hour only": ({"seconds": HOUR}, "soak_short"),
    "a card that was down for long": ({"worked": Decimal(60 * HOUR)}, "soak_short"),
    "one card less": ({"gpus": 7}, "not_all_gpus"),
}


@pytest.mark.parametrize(("changes", "reason"), SHORT.values(), ids=SHORT)
def test_hours_that_one_machine_did_not_work_verify_nothing(changes, reason):
    verdict = judged(load(ONE), load(TWO, **changes))
    assert (verdict.state, verdict.reason, verdict.value) == (Q, reason, None)


def test_too_many_interrupts_breach_even_before_the_hours_are_over():
    assert judged(load(ONE), load(TWO, seconds=HOUR, interrupts=1)).state is B
    assert judged(load(TWO, interrupts=1)).state is B


def test_a_machine_without_a_burn_in_keeps_it_pending():
    verdict = judged(load(ONE))
    assert (verdict.state, verdict.reason) == (P, "soak_missing") and "g1-002" in verdict.sentence.en


@pytest.mark.parametrize("changes", [{"open": 1}, {"unfinished": 1}], ids=["a crash", "a machine that went down"])
def test_what_nobody_can_attribute_neither_verifies_nor_breaches(changes):
    verdict = judged(load(ONE), load(TWO, **changes))
    assert (verdict.state, verdict.reason) == (Q, "interrupts_open")
    assert "1 more (g1-002" in verdict.sentence.en
    assert judged(load(ONE), load(TWO, **changes), permitted=1).state is V


def test_a_second_burn_in_of_the_round_undoes_no_interrupt_but_may_complete_the_hours():
    assert judged(load(ONE), load(TWO, interrupts=1), load(TWO, minutes=9)).state is B
    assert judged(load(ONE), load(TWO, seconds=HOUR), load(TWO, minutes=9)).state is V
    cured = load(TWO, minutes=9, round=2)
    assert judged(load(ONE, round=2), load(TWO, interrupts=1), cured).state is V


def without(record, name):
    (told,) = record.outputs
    return replace(
        record, outputs=(replace(told, readings=tuple(each for each in told.readings if each.name != name)),)
    )


@pytest.mark.parametrize("name", ["load_interrupts", "load_interrupts_open", "unfinished_loads", "load_worked"])
def test_a_run_that_does_not_say_everything_decides_nothing(name):
    assert judged(load(ONE), without(load(TWO), name)).state is Q


def test_an_older_probe_is_told_so():
    told = without(load(TWO), "load_interrupts")
    old = Reading("load_interrupts", None, why="old_probe")
    (output,) = told.outputs
    told = replace(told, outputs=(replace(output, readings=(*output.readings, old)),))
    assert "old_probe" in judged(load(ONE), told).sentence.en


def test_a_probe_that_failed_shows_nothing():
    failed = making.run("burn_in", TWO, (), outputs=(making.output([], "gpucontract-probe load", error="killed: 137"),))
    assert (judged(load(ONE), failed).state, judged(load(ONE), failed).reason) == (Q, "tool_failed")


def test_hours_faster_than_time_are_not_believed():
    hasty = replace(load(TWO), ordered_at=NOW - timedelta(hours=2))
    assert judged(load(ONE), hasty).reason == "too_fast"


@pytest.mark.django_db
def test_through_the_tables_one_machines_interrupt_breaches_for_the_group():
    contract = storing.delivered_contract(c={"acceptance_burnin_hours": 72})
    storing.store(contract, load(ONE, interrupts=1), load(TWO))
    assert judge_contract(contract.pk)
    verdict = Verdict.objects.get(contract=contract, key=KEY)
    assert (verdict.state, verdict.value, verdict.scope) == ("breached", "1", "g1")
