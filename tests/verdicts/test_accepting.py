"""Accepting: by the buyer's approver, on exactly what the page showed, once, with every marginal clause ticked."""

import json

import pytest
from django.utils import timezone

from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.handover import confirm_handover
from gpucontract.contracts.lifecycle import LifecycleError
from gpucontract.contracts.models import Mail
from gpucontract.contracts.services import move
from gpucontract.measurements.models import Run
from gpucontract.verdicts import judging
from gpucontract.verdicts.accepting import accept, outlook, ripe
from gpucontract.verdicts.models import Verdict, VerdictChange, Waiver
from gpucontract.verdicts.services import waive_clause
from gpucontract.verdicts.states import State
from tests import factories
from tests.verdicts import making
from tests.verdicts.storing import delivered_contract, store

KEY = "g1/busbw_intra:8GiB"


def in_acceptance(delivered_by="eng"):
    """Two healthy machines in acceptance, judged; only papers are missing."""
    made = move(delivered_contract(delivered_by), "start_acceptance", by=factories.person("eng"), now=making.NOW)
    store(made, *making.all_healthy())
    judging.judge_contract(made.pk, making.NOW)
    return made


def settle(contract):
    for key in outlook(contract, making.NOW).settlement.blocking:
        waive_clause(contract, key=key, reason="另行约定", by=factories.person("ada"), now=making.NOW)
    return contract


@pytest.fixture
def contract(db):
    return in_acceptance()


@pytest.fixture
def settled(contract):
    return settle(contract)


def turn(contract, state, key=KEY, **fields):
    Verdict.objects.filter(contract=contract, key=key).update(state=state, **fields)


def take(contract, by, ticked=(), seen=None):
    seen = outlook(contract, making.NOW).sha256 if seen is None else seen
    return accept(contract, by=by, seen=seen, ticked=ticked, now=making.NOW)


def state_of(contract):
    contract.refresh_from_db()
    return contract.state


def test_papers_that_were_never_handed_in_block(contract, ada):
    blocking = outlook(contract, making.NOW).settlement.blocking
    assert "c/licence" in blocking and set(blocking.values()) == {State.PENDING}
    assert blocking.keys() == set(Verdict.objects.failing().filter(contract=contract).values_list("key", flat=True))
    assert contract.pk not in ripe([contract])
    with pytest.raises(LifecycleError, match="neither verified nor waived"):
        take(contract, ada, ticked=list(blocking))
    assert state_of(contract) == "accepting" and not contract.events.filter(kind="move_accept").exists()


def test_once_all_is_settled_it_is_accepted_and_both_sides_are_told(settled, ada, sun):
    known = outlook(settled, making.NOW)
    assert settled.pk in ripe([settled])
    assert take(settled, ada).state == state_of(settled) == "active"
    event = settled.events.get(kind="move_accept")
    said = json.loads(event.body)
    assert said["verdicts_sha256"] == known.sha256 and said["counts"] == dict(known.counts.by_state)
    assert (
        said["counts"]["pending"] == known.counts.waived > 2
        and event.revision_sha256 == factories.latest(settled).sha256
    )
    told = set(Mail.objects.filter(occasion=f"move_accept-{event.number}").values_list("to__email", flat=True))
    assert told == {"bing@buyer.example", "eng@buyer.example", "vera@vendor.example", "sun@vendor.example"}


def test_accepting_twice_leaves_one_event(settled, ada):
    seen = outlook(settled, making.NOW).sha256
    take(settled, ada, seen=seen)
    with pytest.raises(LifecycleError):
        take(settled, ada, seen=seen)
    assert settled.events.filter(kind="move_accept").count() == 1


@pytest.mark.parametrize("state", ["breached", "inconclusive", "pending"])
def test_a_verdict_that_turned_since_the_page_was_opened_refuses(settled, ada, state):
    seen = outlook(settled, making.NOW).sha256
    turn(settled, state)
    with pytest.raises(ContractError, match="changed after you opened"):
        take(settled, ada, seen=seen)
    with pytest.raises(LifecycleError):
        take(settled, ada, ticked=[KEY])
    assert state_of(settled) == "accepting"


def test_another_value_of_a_marginal_clause_is_another_decision(settled, ada):
    turn(settled, "marginal", value="471")
    seen = outlook(settled, making.NOW).sha256
    turn(settled, "marginal", value="470")
    with pytest.raises(ContractError, match="changed after you opened"):
        take(settled, ada, ticked=[KEY], seen=seen)


def test_a_waiver_taken_back_meanwhile_refuses(settled, ada):
    seen = outlook(settled, making.NOW).sha256
    Waiver.objects.filter(contract=settled, key="c/licence").delete()
    with pytest.raises(ContractError, match="changed after you opened"):
        take(settled, ada, seen=seen)


def test_evidence_that_no_verdict_speaks_of_yet_refuses(settled, ada):
    seen = outlook(settled, making.NOW).sha256
    store(settled, making.topology("g1-002", {5: 15}, minutes=7))
    with pytest.raises(ContractError, match="being judged"):
        take(settled, ada, seen=seen)
    judging.judge_contract(settled.pk, making.NOW)
    with pytest.raises(ContractError, match="changed after you opened"):
        take(settled, ada, seen=seen)
    assert "g1/links_per_gpu" in outlook(settled, making.NOW).settlement.blocking


def test_a_marginal_clause_needs_its_tick_which_is_kept_with_the_value(settled, ada):
    turn(settled, "marginal", value="471", value_zh="471 GB/s", value_en="471 GB/s")
    with pytest.raises(ContractError, match="not ticked"):
        take(settled, ada, ticked=["g1/links_per_gpu"])
    assert not Waiver.objects.filter(key=KEY).exists() and state_of(settled) == "accepting"
    assert take(settled, ada, ticked=[KEY]).state == "active"
    event = settled.events.get(kind="marginal_accepted")
    assert (event.key, event.actor, json.loads(event.body)["value"]) == (KEY, ada, "471")
    waiver = Waiver.objects.get(contract=settled, key=KEY)
    assert waiver.reason.startswith("验收时按临界接受，实测 471 GB/s")
    change = VerdictChange.objects.filter(contract=settled, key=KEY).last()
    assert (change.why, change.body["state"], change.body["waived"]) == ("waiver", "marginal", True)


@pytest.mark.parametrize("person", ["bing", "eng", "wen", "adam", "vera", "sun", "mallory", "zoe"])
def test_nobody_but_the_buyers_approver_accepts(settled, request, person):
    with pytest.raises(NotAllowed):
        take(settled, request.getfixturevalue(person))
    assert state_of(settled) == "accepting"


def test_before_the_tests_were_ordered_nothing_is_accepted(db, ada):
    contract = delivered_contract()
    with pytest.raises(LifecycleError):
        take(contract, ada)


# an open test's job, whether acceptance waits for it
OPEN = {"one that settles clauses": ("health", True), "pairs": ("nccl_pairs", False), "training": ("training", False)}


@pytest.mark.parametrize("state", ["queued", "running"])
@pytest.mark.parametrize(("job", "waits"), OPEN.values(), ids=OPEN)
def test_an_open_test_whose_result_may_change_a_verdict_is_waited_for(settled, ada, job, waits, state):
    run = settled.runs.first()
    Run.objects.filter(pk=run.pk).update(state=state, job=job, round=2)
    assert (settled.pk in ripe([settled])) is not waits
    if not waits:
        assert take(settled, ada).state == "active"
        return
    with pytest.raises(ContractError, match="round 2 still queued or running: 1"):
        take(settled, ada)
    assert state_of(settled) == "accepting"
    # Given up, nothing more comes of it.
    Run.objects.filter(pk=run.pk).update(state="failed")
    assert take(settled, ada).state == "active"


def test_a_result_that_was_not_read_yet_is_waited_for(settled, ada):
    run = settled.runs.first()
    Run.objects.filter(pk=run.pk).update(parsed_version=0, judged_version=0)
    with pytest.raises(ContractError, match="being judged"):
        take(settled, ada)


def test_a_day_that_only_the_vendor_stated_is_waited_for(db, ada):
    settled, day = settle(in_acceptance(delivered_by="vera")), timezone.localdate(making.NOW)
    with pytest.raises(ContractError, match=f"recorded {day}"):
        take(settled, ada)
    confirm_handover(settled, on=day, by=ada, now=making.NOW)
    assert take(settled, ada).state == "active"
