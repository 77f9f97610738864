"""What must hold for any pairs: order changes nothing, only what slow pairs share is suspected, nobody in health."""

from decimal import Decimal
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from gpucontract.verdicts.outliers import PAIR_SHARE, Suspicion, slow_pairs, suspects

NODES = [f"n{number}" for number in range(1, 8)]
few = {"max_examples": 80, "deadline": None}
speed = st.sampled_from([Decimal(value) for value in ("0", "15.1", "99.9", "200", "305.9", "306", "330", "340", "352")])


@st.composite
def measured(draw, speeds=speed):
    """Some pairs of a few machines, each with its bandwidth."""
    nodes = NODES[: draw(st.integers(2, len(NODES)))]
    every = [frozenset(pair) for pair in combinations(nodes, 2)]
    return {pair: draw(speeds) for pair in draw(st.permutations(every))[: draw(st.integers(1, len(every)))]}


def in_order(pairs, chance):
    order = list(pairs.items())
    chance.shuffle(order)
    return dict(order)


@settings(**few)
@given(measured(), measured(), st.sets(st.sampled_from(NODES), max_size=2), st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_no_suspicion(pairs, retests, good, chance):
    expected = suspects(pairs, retests, good)
    assert suspects(in_order(pairs, chance), in_order(retests, chance), sorted(good, reverse=True)) == expected
    assert slow_pairs(in_order(pairs, chance)) == slow_pairs(pairs)


@settings(**few)
@given(measured(), measured(), st.sets(st.sampled_from(NODES), max_size=2))
def test_a_suspect_stands_in_two_slow_pairs_and_in_all_of_them_or_in_no_other(pairs, retests, good):
    slow = slow_pairs(pairs)
    for suspect in suspects(pairs, retests, good):
        own = [pair for pair in pairs if suspect.node in pair]
        assert sum(suspect.node in pair for pair in slow) >= 2
        assert all(suspect.node in pair for pair in slow) or all(pair in slow for pair in own)


@settings(**few)
@given(measured(), measured(), st.sets(st.sampled_from(NODES), max_size=2))
def test_a_suspect_is_named_only_by_slow_retests_with_partners_that_are_good(pairs, retests, good):
    found = suspects(pairs, retests, good)
    names = {suspect.node for suspect in found}
    for suspect in found:
        assert suspect.partner not in names and (not good or suspect.partner in good)
        told = retests.get(frozenset({suspect.node, suspect.partner}))
        assert (told is None) is (suspect.stage is Suspicion.RETEST)
        if suspect.is_named:
            assert told < sorted(pairs.values())[len(pairs) // 2] * PAIR_SHARE


# Healthy pairs of one fleet stay within five per cent of each other on either side.
healthy = st.integers(950, 1050).map(lambda promille: Decimal(340) * promille / 1000)


@settings(**few)
@given(measured(healthy), measured())
def test_a_healthy_fleet_has_no_suspect_whatever_is_retested(pairs, retests):
    assert suspects(pairs, retests) == () and slow_pairs(pairs) == []


@settings(**few)
@given(st.integers(4, len(NODES)), st.data())
def test_one_bad_machine_among_healthy_ones_is_the_only_suspect(count, data):
    nodes = NODES[:count]
    bad = data.draw(st.sampled_from(nodes))
    pairs = {
        frozenset(pair): data.draw(healthy) * (Decimal("0.3") if bad in pair else 1) for pair in combinations(nodes, 2)
    }
    # Of four machines half of all pairs are slow, and their median lies between the two kinds.
    assert [suspect.node for suspect in suspects(pairs, {})] == [bad]
