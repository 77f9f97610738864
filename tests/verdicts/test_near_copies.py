"""A table copied from another run is found though some of its times were changed; two honest runs never are."""

import random
from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.records import Origin
from gpucontract.verdicts.admission import copies
from gpucontract.verdicts.alike import alike, are_alike, figures, repeated
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import collective, output

V, Q, P = State.VERIFIED, State.INCONCLUSIVE, State.PENDING
ONE, TWO = "g1-001", "g1-002"
BODY = making.body_of()
SIZES = [2**power for power in range(27, 34)]
# What a healthy machine prints for 128 MiB to 8 GiB, out of place and in place.
TIMES = (
    ["585.1", "1072.9", "2079.0", "4054.5", "7989.4", "15764", "31283"],
    ["586.0", "1073.6", "2076.3", "4047.8", "7984.7", "15776", "31298"],
)


def timed(seed):
    """The same table as another healthy run prints it: each time a few tenths of a per cent off."""
    chance = random.Random(seed)
    return tuple([_printed(float(time) * chance.gauss(1, 0.001)) for time in half] for half in TIMES)


def _printed(value):
    return f"{value:.1f}" if value < 10_000 else f"{value:.0f}"


def nudged(table, count):
    """The table with so many of its times changed by hand, the last ones first."""
    flat = [*table[0], *table[1]]
    for place in range(count):
        flat[-1 - place] = _printed(float(flat[-1 - place]) * 1.003)
    return flat[:7], flat[7:]


def readings(table):
    return [
        Reading(f"time_at_{size}_{half}", Decimal(time), "us")
        for half, times in zip(("out_of_place", "in_place"), table, strict=True)
        for size, time in zip(SIZES, times, strict=True)
    ]


def with_times(record, table):
    """A collective's run with the whole table of times beside the contracted size's."""
    one = record.outputs[0]
    own = {reading.name for reading in one.readings}
    more = tuple(reading for reading in readings(table) if reading.name not in own)
    return replace(record, outputs=(replace(one, readings=(*one.readings, *more)),))


def figures_of(table):
    return figures(output(readings(table)))


# how many of fourteen times were changed -> is it still a copy
CHANGED = {0: True, 1: True, 3: True, 5: True, 6: False, 14: False}


@pytest.mark.parametrize(("count", "is_copy"), CHANGED.items())
def test_up_to_two_fifths_of_the_times_may_be_changed_and_the_copy_shows(count, is_copy):
    assert are_alike(figures_of(TIMES), figures_of(nudged(TIMES, count))) is is_copy


def test_two_hundred_honest_runs_are_never_alike():
    assert alike([figures_of(timed(seed)) for seed in range(200)]) == []


def test_few_times_are_no_ground_for_suspicion():
    short = ([*TIMES[0][:2], *["1.0"] * 5], ["1.0"] * 7)
    assert not are_alike(figures_of(short), figures_of(short))


def test_a_size_that_is_read_under_two_names_counts_once():
    twice = readings(TIMES) + [replace(each, name=each.name.replace("_at_", "_at_1")) for each in readings(TIMES)]
    assert len(figures(output(twice))) == 14


def fio(bandwidth, iops, **others):
    told = {"read_bw_bytes": bandwidth, "read_iops": Decimal(iops), "runtime": 60021, **others}
    return figures(output([Reading(name, value) for name, value in told.items()]))


FIO = {
    "both other": (fio(6_573_494_135, "6268.972526"), fio(6_573_494_136, "6268.972527"), False),
    "the rate changed, the operations forgotten": (
        fio(6_573_494_135, "6268.972526"), fio(9_573_494_135, "6268.972526"), True,
    ),
    "both capped at a round figure": (fio(5_000_000_000, "4768.37"), fio(5_000_000_000, "4768.37"), False),
}  # fmt: skip


@pytest.mark.parametrize(("one", "other", "is_copy"), FIO.values(), ids=FIO)
def test_fio_counts_to_the_last_byte(one, other, is_copy):
    assert are_alike(one, other) is is_copy


def intra(slot, repeat, table, **fields):
    value = Decimal("480.9") + repeat + (Decimal("0.1") if slot == TWO else 0)
    return with_times(collective(slot, value, repeat, minutes=repeat, **fields), table)


def verdicts(records):
    return making.scope_verdicts(BODY.clause("g1/busbw_intra:8GiB"), records, BODY)


def test_a_copy_between_machines_speaks_against_both_and_breaches_neither():
    records = [intra(ONE, repeat, timed(repeat)) for repeat in (1, 2, 3)]
    records += [intra(TWO, repeat, nudged(timed(repeat), 1)) for repeat in (1, 2, 3)]
    assert set(copies(records).values()) == {(ONE, TWO)}
    assert {(v.state, v.reason) for v in verdicts(records).values()} == {(Q, "copied")}


def test_honest_machines_stay_verified():
    records = [intra(slot, repeat, timed(10 * repeat + len(slot) + (slot == TWO))) for slot in (ONE, TWO)
               for repeat in (1, 2, 3)]  # fmt: skip
    assert copies(records) == {}
    assert {v.state for v in verdicts(records).values()} == {V}


def test_a_repeat_copied_from_the_first_run_sets_both_aside():
    records = [intra(ONE, 1, timed(1)), intra(ONE, 2, nudged(timed(1), 2)), intra(ONE, 3, timed(3))]
    assert repeated(records) == {records[0].id, records[1].id}
    found = verdicts(records)[ONE]
    assert (found.state, found.reason) == (P, "few_runs")
    assert dict(found.aside) == {records[0].id: "alike", records[1].id: "alike"}


def test_three_copies_of_one_run_are_inconclusive_and_say_so():
    records = [intra(ONE, repeat, nudged(timed(1), repeat)) for repeat in (1, 2, 3)]
    found = making.judged(records, BODY)["g1/busbw_intra:8GiB"]
    assert (found.state, found.reason) == (Q, "alike")
    assert "agree in nearly every time" in found.sentence.en and "抄改" in found.sentence.zh


def test_a_good_old_round_does_not_come_back_as_a_new_one():
    old = [intra(ONE, repeat, timed(repeat)) for repeat in (1, 2, 3)]
    new = [replace(each, id=f"{each.id}b", round=2) for each in old]
    assert verdicts([*old, *new])[ONE].reason == "alike"


def test_a_recording_may_be_played_again_in_a_demo():
    body = making.body_of(demo=True)
    old = [intra(ONE, repeat, timed(repeat), origin=Origin.REPLAY) for repeat in (1, 2, 3)]
    new = [replace(each, id=f"{each.id}b", round=2) for each in old]
    found = making.scope_verdicts(body.clause("g1/busbw_intra:8GiB"), [*old, *new], body)
    assert found[ONE].state is V
