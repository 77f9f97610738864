"""What a sitting shares between machines that read alike is exactly what judging each by itself says."""

import json
from collections import defaultdict
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucontract.measurements.kept import KeptReadings, decode
from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.records import Origin
from gpucontract.verdicts import sitting
from gpucontract.verdicts.admission import context_for
from gpucontract.verdicts.rules import decide, judge_place
from gpucontract.verdicts.scopes import all_places, clauses_at, nodes_of
from gpucontract.verdicts.sitting import Sitting
from gpucontract.verdicts.states import State
from gpucontract.verdicts.tally import Tally
from tests.verdicts import making
from tests.verdicts.making import HOSTS, NOW, collective, fabric, health, inventory, software, storage, topology

BODY = making.body_of({"node_count": 4})
DEMO = making.body_of({"node_count": 4}, demo=True)
SLOTS = tuple(HOSTS)
MAKERS = (inventory, topology, software, health, fabric, storage)

# Values that compare equal or look alike and must not be taken for each other, and what a tool may print instead.
VALUES = (
    None, True, False, 0, 1, 8, 16, 18, "1", "8", "18", "N/A", Decimal(1), Decimal("18.0"), Decimal("18.00"),
    Decimal("81559.5"), -1, ("a", "b"), "550.90.07", "NVIDIA H100 80GB HBM3",
)  # fmt: skip
UNITS = ("", "MiB", "GiB", "W", "GB/s", "lanes", "parsec")
SCOPES = ("", "gpu0", "gpu5", "gpu9", "port:mlx5_0", "mount:/data", "disk:nvme0n1")


@st.composite
def changes(draw):
    """Something done to a run: readings lost, altered, moved, doubled by another tool; or the run itself is other."""
    kind = draw(st.sampled_from(["none"] * 4 + ["drop", "value", "unit", "scope", "why", "second", "error", "origin",
                                                "stale", "host", "round", "tool_error"]))  # fmt: skip
    return (
        kind, draw(st.integers(0, 200)), draw(st.sampled_from(VALUES)), draw(st.sampled_from(UNITS)),
        draw(st.sampled_from(SCOPES)), draw(st.sampled_from(["not_supported", "not_applicable", "cut", ""])),
        draw(st.sampled_from([Origin.REPLAY, Origin.FILE, Origin.PASTED])),
    )  # fmt: skip


def changed(record, change):
    kind, place, value, unit, scope, why, origin = change
    output = record.outputs[0]
    readings = list(output.readings)
    place %= max(1, len(readings))
    if kind == "origin":
        return replace(record, origin=origin)
    if kind == "error":
        return replace(record, error="timeout: no answer")
    if kind == "stale":
        return replace(record, received_at=NOW - timedelta(days=400))
    if kind == "host":
        return replace(record, hostnames=dict.fromkeys(record.hostnames, "another"))
    if kind == "round":
        return replace(record, round=2)
    if kind == "tool_error":
        return replace(record, outputs=(replace(output, readings=(), error="not_found: no such file"),))
    if kind == "second" and readings:
        other = replace(output, name="other", tool="other", readings=(replace(readings[place], value=value),))
        return replace(record, outputs=(output, other))
    if kind == "drop":
        name = readings[place].name
        readings = [each for each in readings if each.name != name]
    elif kind in ("value", "unit", "scope") and readings:
        readings[place] = replace(readings[place], **{kind: {"value": value, "unit": unit, "scope": scope}[kind]})
    elif kind == "why" and readings:
        readings[place] = replace(readings[place], value=None, unit="", why=why)
    return replace(record, outputs=(replace(output, readings=tuple(readings)),))


@st.composite
def runs(draw):
    """A few ways in which one kind of run comes out, each on several machines, so that many read alike."""
    made = []
    for maker in draw(st.lists(st.sampled_from(MAKERS), min_size=1, max_size=4)):
        ways = draw(st.lists(changes(), min_size=1, max_size=3))
        for slot in draw(st.lists(st.sampled_from(SLOTS), min_size=1, max_size=6)):
            record = maker(slot, minutes=draw(st.integers(0, 30)), id=f"run-{len(made)}")
            made.append(changed(record, draw(st.sampled_from(ways))))
    for slot in draw(st.lists(st.sampled_from(SLOTS), max_size=2)):
        made.append(collective(slot, draw(st.sampled_from(["430.1", "480.3"])), id=f"run-{len(made)}"))
    return made


def stored(record):
    """The record as it comes out of the tables."""
    outputs = []
    for output in record.outputs:
        text = json.dumps([{"name": output.name, "readings": [each.stored() for each in output.readings]}])
        outputs.append(replace(output, readings=KeptReadings(decode(text)[0].readings)))
    return replace(record, outputs=tuple(outputs))


def told(answer):
    """Everything an answer says, with the types of its values."""
    kept = [(scope, repr(scope.value), repr(scope.facts)) for scope in answer.kept]
    return answer.place, kept, dict(answer.counts), answer.fresh_until, answer.worst == answer.kept[0]


def check(body, records, in_window):
    """Judge every place in one sitting and by itself, then every clause from the tally and from all the answers."""
    context = context_for(body, records, NOW, in_window=in_window)
    one, tally, each = Sitting(context), Tally(body), defaultdict(list)
    for place in all_places(body):
        own = [record for record in records if not set(nodes_of(place, body) or [place]).isdisjoint(record.nodes)]
        try:
            full = judge_place(clauses_at(place, body), own, context.at(place))
        except (ArithmeticError, ValueError, TypeError) as fault:
            # A word where every parser gives a number: what no rule can read alone, sharing does not make readable.
            with pytest.raises(type(fault)):
                one.at(place, own)
            continue
        shared = one.at(place, own)
        assert {key: told(answer) for key, answer in shared.items()} == {key: told(own) for key, own in full.items()}
        tally.add(shared)
        for key, answer in full.items():
            each[key].append(answer)
    assert tally.decide() == {clause.key: decide(clause, each[clause.key], body) for clause in body.judged}
    return one


@settings(max_examples=120, deadline=None)
@given(runs(), st.booleans(), st.booleans(), st.booleans())
def test_what_is_shared_is_what_judging_each_by_itself_says(records, is_demo, in_window, is_stored):
    check(DEMO if is_demo else BODY, list(map(stored, records)) if is_stored else records, in_window)


def test_an_unlike_machine_among_alike_ones_gets_its_own_ruling():
    records = [topology(slot, {5: 16} if slot == "g1-003" else {}) for slot in SLOTS]
    one = Sitting(context_for(BODY, records, NOW))
    states = {
        slot: one.at(slot, [r for r in records if slot in r.nodes])["g1/links_per_gpu"].worst.state for slot in SLOTS
    }
    assert [slot for slot, state in states.items() if state is State.BREACHED] == ["g1-003"]


def test_machines_that_read_alike_are_ruled_on_once():
    records = [maker(slot) for slot in SLOTS for maker in (topology, software, health)]
    one = Sitting(context_for(BODY, records, NOW))
    answers = [one.at(slot, [r for r in records if slot in r.nodes]) for slot in SLOTS]
    for key in (making.key_of(BODY, name) for name in ("links_per_gpu", "p2p", "driver", "nccl", "health_ecc")):
        assert len({id(answer[key].ruling) for answer in answers}) == 1, key
    assert {answer["g1/links_per_gpu"].worst.runs for answer in answers} == {
        (f"topology-{slot}-r1-1-0",) for slot in SLOTS
    }


def test_values_that_look_alike_but_are_of_another_kind_are_not_ruled_on_together():
    records = [
        inventory(slot, drop=["cpu_model"], add=[Reading("cpu_model", value)])
        for slot, value in zip(SLOTS, (True, 1, "1", Decimal(1)), strict=True)
    ]
    one = check(BODY, records, True)
    values = [one.at(record.lead, [record])["g1/cpu_model"].worst.value for record in records]
    # Only a word is a model; a yes or a number is unread.
    assert values == [None, None, "1", None]


@pytest.mark.parametrize("in_window", [True, False])
def test_a_sitting_that_forgets_says_the_same(monkeypatch, in_window):
    monkeypatch.setattr(sitting, "MOST_KNOWN", 3)
    check(BODY, [maker(slot) for slot in SLOTS for maker in MAKERS], in_window)


def test_machines_without_a_run_share_the_ruling_but_not_the_name():
    one = check(BODY, [], True)
    first, second = (one.at(slot, [])["g1/links_per_gpu"] for slot in SLOTS[:2])
    assert first.ruling is second.ruling and first.ruling.kept[0].state is State.PENDING
    assert (first.worst.scope, second.worst.scope) == SLOTS[:2]


def test_a_fleet_that_reads_alike_is_counted_from_one_sheet_for_each_kind_of_machine():
    records = [topology(slot, {5: 16} if slot == "g1-003" else {}) for slot in reversed(SLOTS)]
    one, tally = check(BODY, records, True), Tally(BODY)
    # The first machine teaches the sitting which readings matter, so the sheets are those of a second look.
    given = {slot: one.at(slot, [r for r in records if slot in r.nodes]) for slot in SLOTS}
    sheets = {slot: [sheet for sheet, _ in answers.sheets] for slot, answers in given.items()}
    assert sheets["g1-001"] == sheets["g1-002"] == sheets["g1-004"] != sheets["g1-003"]
    for slot in reversed(SLOTS):
        tally.add(given[slot])
    links = tally.decide()["g1/links_per_gpu"]
    assert (links.state, links.scope, links.counts[State.VERIFIED]) == (State.BREACHED, "g1-003/gpu5", 31)


def test_a_machine_that_has_not_answered_is_pending_in_the_tally():
    one, tally = Sitting(context_for(BODY, [], NOW)), Tally(BODY)
    for slot in SLOTS[1:]:
        tally.add(one.at(slot, [topology(slot)]))
    links = tally.decide()["g1/links_per_gpu"]
    assert (links.state, links.scope, links.counts[State.PENDING]) == (State.PENDING, "g1-001", 1)


def test_all_answers_of_a_place_are_a_mapping_like_any_other():
    answers = Sitting(context_for(BODY, [], NOW)).at("g1-001", [topology("g1-001")])
    assert len(answers) == len(list(answers)) == len(clauses_at("g1-001", BODY))
    assert set(answers) == {clause.key for clause in clauses_at("g1-001", BODY)} and "g1/unknown" not in answers
