"""A table copied from another run is found though some of its times were changed; two honest runs never are."""

import random
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from pathlib import Path

import pytest

from gpucontract.measurements.parsers import registry
from gpucontract.measurements.parsers.capture import Capture, Reading
from gpucontract.measurements.records import Origin
from gpucontract.verdicts.admission import copies
from gpucontract.verdicts.alike import alike, are_alike, are_on_a_line, figures, repeated, times
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


def computed(table, factor, offset=0):
    """The table as a forger computes another repeat from it."""
    return tuple([_printed(float(time) * factor + offset) for time in half] for half in table)


def times_of(table):
    return times(output(readings(table)))


COMPUTED = {
    "one per cent slower": (1.01, 0, 0), "a little faster": (0.9993, 0, 0), "an offset": (1, 2.5, 0),
    "a factor and an offset": (1.003, -0.7, 0), "a factor, then two changed by hand": (1.01, 0, 2),
}  # fmt: skip


@pytest.mark.parametrize(("factor", "offset", "changed"), COMPUTED.values(), ids=COMPUTED)
def test_a_table_computed_from_another_is_found(factor, offset, changed):
    for seed in range(30):
        forged = nudged(computed(timed(seed), factor, offset), changed)
        assert not are_alike(figures_of(timed(seed)), figures_of(forged))
        assert are_on_a_line(times_of(timed(seed)), times_of(forged))


@pytest.mark.parametrize("spread", [0.0003, 0.001, 0.01])
def test_honest_repeats_are_on_no_line_though_one_machine_is_steadily_slower(spread):
    for seed in range(300):
        chance = random.Random(seed)
        one, other = (
            tuple([_printed(float(time) * pace * chance.gauss(1, spread)) for time in half] for half in TIMES)
            for pace in (1, 1.01)
        )
        assert not are_on_a_line(times_of(one), times_of(other))


def test_too_few_sizes_are_on_no_line():
    whole = times_of(TIMES)
    few, slower = dict(list(whole.items())[:7]), times_of(computed(TIMES, 1.01))
    assert not are_on_a_line(few, slower) and are_on_a_line(whole, slower)


def test_recorded_repeats_are_on_no_line():
    folder = Path(__file__).resolve().parents[2] / "demo" / "recordings" / "gpu-node-01"
    for kind in ("nccl_intra__*", "nccl_inter__gpu-node-02__*", "nccl_inter__gpu-node-03__*"):
        tables = [
            times(output(registry.read(Capture("nccl-tests", "", path.read_text(encoding="utf-8"))).readings))
            for path in sorted(folder.glob(kind))
        ]
        assert len(tables) == 3 and all(tables)
        assert not any(are_on_a_line(one, other) for one, other in combinations(tables, 2))


def test_short_figures_are_on_no_line():
    short = tuple([f"{float(time) / 100:.2f}" for time in half] for half in TIMES)
    assert len(times_of(short)) < 8 and not are_on_a_line(times_of(short), times_of(computed(short, 1.01)))


def test_a_size_of_two_names_is_one_point_of_the_line():
    twice = readings(TIMES) + [replace(each, name=each.name.replace("_at_", "_at_1")) for each in readings(TIMES)]
    assert len(times(output(twice))) == len(times_of(TIMES))


def test_repeats_computed_from_the_first_run_are_set_aside():
    records = [intra(ONE, repeat, computed(timed(1), factor)) for repeat, factor in enumerate((1, 1.01, 0.998), 1)]
    found = verdicts(records)[ONE]
    assert found.reason == "alike" and repeated(records) == {record.id for record in records}


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
