"""A table that is another machine's times a factor is found; honest machines, however alike, never are."""

import random
from pathlib import Path

import pytest

from gpucontract.measurements.parsers import registry
from gpucontract.measurements.parsers.capture import Capture
from gpucontract.verdicts.admission import copies
from gpucontract.verdicts.alike import figures, halves
from gpucontract.verdicts.scaled import are_scaled, curve, scaled
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.test_near_copies import ONE, TWO, computed, intra, nudged, timed, verdicts

V, Q = State.VERIFIED, State.INCONCLUSIVE
ROOT = Path(__file__).resolve().parents[2]
# A healthy H100 machine from 32 MiB to 8 GiB, as nccl-tests 2.13 and, with more figures, 2.18 print it.
OLD = (
    ["199.3", "324.7", "586.4", "1112.5", "2151.0", "4029.4", "7939.1", "15749", "31307"],
    ["198.9", "324.7", "586.0", "1113.4", "2149.3", "4016.4", "7938.0", "15754", "31328"],
)


def old(value):
    return f"{value:.1f}" if value < 10_000 else f"{value:.0f}"


def new(value):
    return f"{value:.2f}" if value < 10_000 else f"{value:.1f}"


def honest(seed, spread, printed):
    """Another machine of the kind: a few tenths of a per cent faster or slower, each time off by chance."""
    chance = random.Random(seed)
    pace = chance.gauss(1, 0.004)
    return [[printed(float(time) * pace * chance.gauss(1, spread)) for time in half] for half in OLD]


def times(table, factor, printed):
    return [[printed(float(time) * factor) for time in half] for half in table]


@pytest.mark.parametrize("printed", [old, new])
@pytest.mark.parametrize("factor", [1.01, 0.9993, 0.95, 1.1, 1])
def test_a_table_times_a_factor_is_found_though_three_times_were_changed(factor, printed):
    for seed in range(20):
        table = honest(seed, 0.001, printed)
        forged = times(table, factor, printed)
        for place in (0, 4, 7):
            forged[place % 2][place] = printed(float(forged[place % 2][place]) * 1.003)
        assert scaled([curve(table), curve(forged)]) == [(0, 1)]


@pytest.mark.parametrize("printed", [old, new])
@pytest.mark.parametrize("spread", [0.0003, 0.001, 0.01])
def test_four_hundred_honest_machines_are_not(spread, printed):
    assert scaled([curve(honest(seed, spread, printed)) for seed in range(400)]) == []


def test_machines_quieter_than_any_known_are_not_either():
    made = [curve(honest(seed, 0.0001, old)) for seed in range(120)]
    assert not any(are_scaled(one, other) for place, one in enumerate(made) for other in made[:place])


def test_only_what_is_new_is_looked_at():
    table = honest(1, 0.001, old)
    made = [curve(table), curve(times(table, 1.01, old)), curve(honest(2, 0.001, old)), curve(times(table, 1.02, old))]
    assert scaled(made) == [(0, 1), (0, 3)]
    assert scaled(made, 2) == [(0, 3)] and scaled(made, 4) == []


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "-15749", "0.0000", "1E+400", "1E-400"])
def test_what_is_no_time_is_no_point(odd):
    assert len(curve([[*OLD[0], odd], OLD[1]])) == len(curve(OLD)) == 18


def test_short_tables_and_short_figures_say_nothing():
    few = [half[-2:] for half in OLD]
    assert not are_scaled(curve(few), curve(times(few, 1.01, old)))
    short = [[f"{float(time) / 100:.2f}" for time in half] for half in OLD]
    assert not are_scaled(curve(short), curve([[f"{float(time) * 1.01:.2f}" for time in half] for half in short]))


def test_no_two_real_outputs_are_scaled_copies():
    """Recordings, samples and published outputs: of different machines, or of one machine several times."""
    files = [
        path
        for folder in ("demo/recordings", "tests/samples/nccl_tests", "tests/published")
        for path in (ROOT / folder).rglob("*")
    ]
    made = []
    for path in sorted(path for path in files if path.is_file() and "nccl" in str(path)):
        read = registry.read(Capture("nccl-tests", "", path.read_text(encoding="utf-8", errors="replace")))
        made.append(curve(halves(figures(making.output(read.readings)))))
    long = [each for each in made if len(each) >= 8]
    assert len(long) >= 12
    assert not any(are_scaled(one, other) for place, one in enumerate(long) for other in long[:place])


def test_results_computed_from_another_machines_speak_against_both_and_breach_neither():
    records = [intra(ONE, repeat, timed(repeat)) for repeat in (1, 2, 3)]
    forged = [intra(TWO, repeat, computed(timed(repeat), 1.004)) for repeat in (1, 2, 3)]
    assert set(copies([*records, *forged]).values()) == {(ONE, TWO)}
    assert {(v.state, v.reason) for v in verdicts([*records, *forged]).values()} == {(Q, "copied")}
    assert (
        "differs from it by one factor"
        in making.judged([*records, *forged], making.body_of())["g1/busbw_intra:8GiB"].sentence.en
    )
    assert (
        copies([*records, *(intra(TWO, repeat, nudged(computed(timed(repeat), 1.004), 9)) for repeat in (1, 2, 3))])
        == {}
    )
