"""Signed contracts end: terminated by either side with a reason, or with their term; open runs are given up."""

import json
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.utils import timezone

from gpucontract.celery_app import app
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.lifecycle import IN_FORCE, Fact, LifecycleError, State
from gpucontract.contracts.models import Contract, Mail
from gpucontract.contracts.services import move
from gpucontract.measurements import tasks
from gpucontract.measurements.ending import end_due, terminate
from gpucontract.measurements.services import deliver, order_runs
from tests import factories

pytestmark = pytest.mark.django_db
HERE = ZoneInfo("Asia/Shanghai")
START = date(2031, 7, 1)
TERM = {"term_start": START, "term_months": 3}
OVER = datetime(2031, 10, 1, tzinfo=HERE)


@pytest.fixture
def contract(eng):
    """Delivered, with a round of tests ordered."""
    made = factories.signed_contract(c=TERM | {"billing_start": "acceptance_signed"})
    deliver(made, by=eng, now=timezone.now())
    assert order_runs(made, round=1, by=eng, now=timezone.now())
    made.refresh_from_db()
    return made


def accepted(contract, at=datetime(2031, 6, 20, 12, tzinfo=HERE)):
    return move(contract, "accept", by=factories.person("ada"), facts={Fact.ALL_SETTLED}, now=at)


def state_of(contract):
    return Contract.objects.get(pk=contract.pk).state


@pytest.mark.parametrize("person", ["ada", "sun"])
@pytest.mark.parametrize("state", IN_FORCE)
def test_either_side_terminates_with_a_reason_and_open_runs_are_given_up(contract, state, person):
    Contract.objects.filter(pk=contract.pk).update(state=state)
    open_runs = contract.runs.open().count()
    terminate(contract, by=factories.person(person), reason=" 项目终止\x00 ")
    assert state_of(contract) == "terminated" and not contract.runs.open().exists()
    given_up = contract.runs.filter(error="contract_over", due_at=None)
    assert open_runs > 0 and given_up.count() == open_runs
    event = contract.events.get(kind="move_terminate")
    assert json.loads(event.body) == {
        "from": state.value, "to": "terminated", "reason": "项目终止", "runs_cancelled": open_runs,
    }  # fmt: skip
    letters = Mail.objects.filter(occasion=f"move_terminate-{event.number}")
    sides = {mail.to.email.partition("@")[2] for mail in letters.select_related("to")}
    assert sides == {"buyer.example", "vendor.example"} and all("项目终止" in mail.body for mail in letters)


@pytest.mark.parametrize("person", ["bing", "eng", "wen", "adam", "vera", "mallory", "zoe"])
def test_nobody_else_terminates(contract, request, person):
    with pytest.raises(NotAllowed):
        terminate(contract, by=request.getfixturevalue(person), reason="x")
    assert state_of(contract) == "accepting" and contract.runs.open().exists()


@pytest.mark.parametrize(("reason", "word"), [("  ", "no reason"), ("x" * 1001, "1000")])
def test_a_reason_is_needed_and_has_a_limit(contract, ada, reason, word):
    with pytest.raises(ContractError, match=word):
        terminate(contract, by=ada, reason=reason)
    assert state_of(contract) == "accepting" and contract.runs.open().exists()


@pytest.mark.parametrize("state", [state for state in State if state not in IN_FORCE])
def test_what_is_not_in_force_cannot_be_terminated(contract, ada, state):
    Contract.objects.filter(pk=contract.pk).update(state=state)
    with pytest.raises(LifecycleError):
        terminate(contract, by=ada, reason="x")
    assert state_of(contract) == state


def test_the_term_ends_after_its_last_day_and_only_once(contract):
    accepted(contract)
    assert end_due(OVER - timedelta(seconds=1)) == 0 and state_of(contract) == "active"
    assert end_due(OVER) == 1 and state_of(contract) == "ended"
    assert end_due(OVER) == 0
    event = contract.events.get(kind="move_end")
    assert event.actor is None and not contract.runs.open().exists()
    assert Mail.objects.filter(occasion=f"move_end-{event.number}").exists()


def test_accepted_late_the_term_is_not_cut_short(contract):
    accepted(contract, datetime(2031, 7, 15, 12, tzinfo=HERE))
    assert end_due(OVER) == 0
    assert end_due(datetime(2031, 10, 15, tzinfo=HERE)) == 1


@pytest.mark.parametrize("state", ["delivered", "accepting", "terminated", "signed"])
def test_only_what_was_accepted_ends_with_its_term(contract, state):
    Contract.objects.filter(pk=contract.pk).update(state=state)
    assert end_due(OVER + timedelta(days=999)) == 0 and state_of(contract) == state


def test_a_kill_in_the_middle_leaves_the_contract_whole_and_the_next_round_ends_it(contract, monkeypatch):
    accepted(contract)

    def killed(*_arguments):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr("gpucontract.measurements.ending._give_up_runs", killed)
        with pytest.raises(SystemExit):
            end_due(OVER)
    assert state_of(contract) == "active" and contract.runs.open().exists()
    assert end_due(OVER) == 1 and not contract.runs.open().exists()


def test_the_task_is_in_the_schedule_and_goes_by_the_clock(contract):
    assert tasks.end_due.name in {entry["task"] for entry in app.conf.beat_schedule.values()}
    accepted(contract)
    with time_machine.travel(OVER - timedelta(hours=1)):
        assert tasks.end_due() == 0
    with time_machine.travel(OVER + timedelta(hours=1)):
        assert (tasks.end_due(), tasks.end_due()) == (1, 0)


def test_where_an_amendment_was_signed_its_term_counts(contract, ada):
    accepted(contract)
    amendment = factories.signed_amendment(contract, c=TERM | {"term_months": 4})
    assert end_due(OVER) == 0 and (state_of(contract), state_of(amendment)) == ("superseded", "active")
    with pytest.raises(ContractError, match=amendment.number):
        terminate(contract, by=ada, reason="x")
