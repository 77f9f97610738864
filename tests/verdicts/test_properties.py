"""What must hold for any evidence: order changes nothing, nothing becomes verified without a reading, JSON keeps all."""

import json
import random
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.records import Origin
from gpucontract.verdicts import papers
from gpucontract.verdicts.admission import context_for
from gpucontract.verdicts.reasons import ASIDE
from gpucontract.verdicts.rules import condense, decide, judge_scopes
from gpucontract.verdicts.scopes import places
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import GPUS, collective, fabric, health, inventory, software, storage, three, topology

BODY = making.body_of()
DEMO = making.body_of(demo=True)
SLOTS = ("g1-001", "g1-002")
slots = st.sampled_from(SLOTS)
few = {"max_examples": 60, "deadline": None}


@st.composite
def runs(draw):
    """A run of some job on some machine: healthy, sick, failed, silent, replayed, of some round and minute."""
    slot, minutes, round_ = draw(slots), draw(st.integers(0, 50)), draw(st.integers(1, 2))
    fields = {"minutes": minutes, "round": round_, "id": draw(st.uuids()).hex}
    fields["origin"] = draw(st.sampled_from([Origin.AGENT, Origin.AGENT, Origin.AGENT, Origin.FILE, Origin.REPLAY]))
    if draw(st.integers(0, 9)) == 0:
        fields["error"] = "timeout: no answer"
    kind = draw(st.integers(0, 8))
    speed = draw(st.sampled_from(["430.1", "454.9", "455", "480.3"]))
    makers = [
        lambda: inventory(slot, **fields),
        lambda: inventory(slot, ["gpu_count"], [Reading("gpu_count", 7)], **fields),
        lambda: topology(slot, draw(st.sampled_from([{}, {5: 16}])), **fields),
        lambda: software(slot, **fields),
        lambda: health(slot, **fields),
        lambda: fabric(slot, down=draw(st.sampled_from([(), GPUS, (3,)])), **fields),
        lambda: storage(slot, disks=draw(st.sampled_from([3, 4])), **fields),
        lambda: collective(slot, speed, draw(st.integers(1, 3)), sha256=fields["id"], **fields),
        lambda: collective(SLOTS, draw(st.sampled_from(["1.1", "300.2"])), 1, "all_gather", sha256=fields["id"],
                           network=draw(st.sampled_from(["IB", "Socket"])), **fields),
    ]  # fmt: skip
    return makers[kind]()


def essence(verdicts):
    return {key: (v.state, v.scope, v.value, v.failing, v.because, v.sentence) for key, v in verdicts.items()}


@settings(**few)
@given(st.lists(runs(), max_size=12), st.randoms(use_true_random=False))
def test_the_order_in_which_evidence_arrives_changes_nothing(records, chance):
    shuffled = list(records)
    chance.shuffle(shuffled)
    assert essence(making.judged(shuffled, BODY)) == essence(making.judged(records, BODY))


@settings(**few)
@given(st.lists(runs(), max_size=12))
def test_judging_twice_says_the_same(records):
    assert making.judged(records, BODY) == making.judged(records, BODY)


@settings(**few)
@given(st.lists(runs(), max_size=8), runs())
def test_a_pending_clause_is_verified_only_by_a_run_of_its_own_job_with_a_reading(records, one_more):
    before, after = making.judged(records, BODY), making.judged([*records, one_more], BODY)
    for clause in BODY.judged:
        if before[clause.key].state is State.PENDING and after[clause.key].state is State.VERIFIED:
            assert one_more.job in clause.jobs and not one_more.error
            assert any(output.readings for output in one_more.outputs)


@settings(**few)
@given(st.lists(runs(), max_size=12))
def test_every_contracted_machine_is_accounted_for_in_each_clause(records):
    verdicts = making.judged(records, BODY)
    for clause in BODY.judged:
        assert sum(verdicts[clause.key].counts.values()) >= 1
        is_clean = verdicts[clause.key].state in (State.VERIFIED, State.NOT_APPLICABLE)
        assert is_clean is (verdicts[clause.key].failing == ())


@settings(**few)
@given(st.lists(runs(), max_size=10))
def test_unsigned_and_replayed_evidence_never_decides(records):
    only = [making.replace(record, origin=Origin.FILE) for record in records]
    states = {verdict.state for verdict in making.judged(only, BODY).values()}
    assert states <= {State.PENDING, State.INCONCLUSIVE}
    replayed = [making.replace(record, origin=Origin.REPLAY) for record in records]
    assert {v.state for v in making.judged(replayed, BODY).values()} <= {State.PENDING, State.INCONCLUSIVE}
    signed = [making.replace(record, origin=Origin.AGENT) for record in records]
    assert essence(making.judged(replayed, DEMO)) == essence(making.judged(signed, DEMO))


@settings(**few)
@given(st.lists(runs(), max_size=10))
def test_a_document_keeps_what_the_decision_needs(records):
    context = context_for(BODY, records, making.NOW)
    for clause in BODY.judged:
        answers = [
            condense(place, clause, judge_scopes(clause, making.at(records, place), context.at(place)))
            for place in places(clause, BODY)
        ]
        documents = [(answer.place, json.dumps(papers.written({clause.key: answer}))) for answer in answers]
        read = papers.read(documents)[clause.key]
        assert decide(clause, read, BODY) == decide(clause, answers, BODY)


def test_two_healthy_machines_stay_verified_in_any_order():
    records = making.all_healthy()
    expected = essence(making.judged(records, BODY))
    for seed in range(5):
        shuffled = list(records)
        random.Random(seed).shuffle(shuffled)
        assert essence(making.judged(shuffled, BODY)) == expected


def test_the_worst_of_many_scopes_decides_whatever_their_order():
    sick = [*three("g1-001", 480, 481, 482), *three("g1-002", 300, 301, 302)]
    verdict = making.judged(sick, BODY)["g1/busbw_intra:8GiB"]
    assert verdict.value == Decimal(301)


@settings(**few)
@given(st.lists(runs(), min_size=1, max_size=10), st.data())
def test_the_same_result_delivered_twice_changes_no_verdict(records, data):
    again = data.draw(st.sampled_from(records))
    twice = [*records, making.replace(again, id=f"{again.id}~")]
    told = [
        {key: (verdict.state, verdict.scope, verdict.value, verdict.failing) for key, verdict in found.items()}
        for found in (making.judged(records, BODY), making.judged(twice, BODY))
    ]
    assert told[0] == told[1]


@settings(**few)
@given(st.lists(runs(), max_size=12))
def test_a_run_counts_or_is_set_aside_and_never_both(records):
    for verdict in making.judged(records, BODY).values():
        for each in (verdict, *verdict.exceptions):
            assert not {*each.runs} & {run for run, _ in each.aside}
            if each.state is State.INCONCLUSIVE and each.reason in ASIDE:
                assert each.runs == () and each.reason in {why for _, why in each.aside}
