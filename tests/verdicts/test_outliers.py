"""Machines behind their fleet, and the one machine that slow pairs share."""

import re
from decimal import Decimal
from itertools import combinations

import pytest

from gpucontract.verdicts.outliers import Level, Suspicion, outliers, suspects

INTRA, LATENCY = "nccl_allreduce_busbw_intra", "nccl_small_latency_us"
NODES = ("n1", "n2", "n3", "n4", "n5")


def fleet(**odd):
    """Five machines at 480, but for those named."""
    return {node: Decimal(odd.get(node, 480)) for node in NODES}


@pytest.mark.parametrize(
    ("metric", "values", "found"),
    [
        (INTRA, fleet(), []),
        (INTRA, fleet(n2="456"), []),  # exactly 5 %
        (INTRA, fleet(n2="455.9"), [("n2", Level.WARNED)]),
        (INTRA, fleet(n2="432"), [("n2", Level.WARNED)]),  # exactly 10 %
        (INTRA, fleet(n2="431.9"), [("n2", Level.FLAGGED)]),
        (INTRA, fleet(n2="440", n3="300"), [("n3", Level.FLAGGED), ("n2", Level.WARNED)]),
        (INTRA, fleet(n2="600"), []),  # faster is no fault
        (INTRA, fleet(n2="1"), [("n2", Level.FLAGGED)]),  # a wild value does not move the median
        (LATENCY, fleet(n2="600"), [("n2", Level.FLAGGED)]),  # less is better
        (LATENCY, fleet(n2="300"), []),
        (INTRA, {"n1": Decimal(480), "n2": Decimal(100)}, []),  # two machines are no fleet
        (INTRA, {}, []),
        (INTRA, dict.fromkeys(NODES, Decimal(0)), []),
        ("gpu_count", {**dict.fromkeys(NODES, Decimal(8)), "n1": Decimal(4)}, []),  # facts have clauses, not spreads
    ],
    ids=[
        "alike", "5-pct", "over-5", "10-pct", "over-10", "two-worst-first", "faster", "wild", "slower-answer",
        "quicker-answer", "two", "none", "zero", "fact",
    ],
)  # fmt: skip
def test_machines_behind_the_median_are_warned_and_flagged(metric, values, found):
    assert [(each.node, each.level) for each in outliers(metric, values)] == found


def test_the_sentence_names_machine_value_median_and_gap():
    (one,) = outliers(INTRA, fleet(n2="420"))
    assert "n2" in one.text.en and "420 GB/s, 12.5 % below 480 GB/s" in one.text.en
    assert "低 12.5 %" in one.text.zh and "480 GB/s" in one.text.zh
    (slow,) = outliers(LATENCY, fleet(n2="600"))
    assert "above" in slow.text.en and "高 25 %" in slow.text.zh


def test_order_of_arrival_changes_nothing():
    values = fleet(n2="440", n3="440")
    assert outliers(INTRA, values) == outliers(INTRA, dict(reversed(values.items())))


def pairs(bad=(), nodes=NODES, slow="100"):
    """All pairs at 340, those with a bad machine slow."""
    return {frozenset(pair): Decimal(slow) if set(pair) & set(bad) else Decimal(340) for pair in combinations(nodes, 2)}


def retest(node, partner, value):
    return {frozenset({node, partner}): Decimal(value)}


@pytest.mark.parametrize(
    ("measured", "retests", "good", "stage"),
    [
        (pairs(), {}, (), None),
        (pairs(["n2"]), {}, (), Suspicion.RETEST),
        (pairs(["n2"]), retest("n2", "n3", "99"), (), Suspicion.CONFIRMED),  # n3 was fast with n1
        (pairs(["n2"]), {}, ("n1",), Suspicion.RETEST),
        (pairs(["n2"]), retest("n2", "n1", "99"), ("n1",), Suspicion.CONFIRMED),
        (pairs(["n2"]), retest("n2", "n1", "335"), ("n1",), Suspicion.CLEARED),
        (pairs(["n2"]), retest("n2", "n3", "99"), ("n1",), Suspicion.RETEST),  # n3 is not known to be good
        (pairs(["n2"]), {**retest("n2", "n1", "99"), **retest("n2", "n4", "336")}, ("n1", "n4"), Suspicion.CLEARED),
        ({**pairs(), frozenset({"n1", "n2"}): Decimal(90)}, {}, (), None),  # one slow pair points to two machines
        (dict(list(pairs(["n2"]).items())[:2]), {}, (), None),
    ],
    ids=[
        "healthy", "no-retest-yet", "fast-with-others", "retest", "confirmed", "cleared", "partner-unknown", "one-pass-clears",
        "one-pair", "too-few",
    ],
)  # fmt: skip
def test_a_machine_is_named_only_after_a_known_good_partner_confirms(measured, retests, good, stage):
    found = suspects(measured, retests, good)
    assert [each.stage for each in found] == ([stage] if stage else [])
    assert all(each.node == "n2" and each.is_named == (stage is Suspicion.CONFIRMED) for each in found)


def test_the_next_step_names_a_partner_that_was_fast_with_somebody_else():
    (one,) = suspects(pairs(["n2"]), {})
    assert one.partner == "n1" and "n1, known to be good" in one.text.en and "已知良好的 n1" in one.text.zh


def test_two_bad_machines_are_both_suspected_and_neither_is_the_others_partner():
    found = suspects(pairs(["n2", "n4"], nodes=[f"n{number}" for number in range(1, 9)]), retest("n2", "n4", "99"))
    assert [(each.node, each.stage, each.partner) for each in found] == [
        ("n2", Suspicion.RETEST, "n1"), ("n4", Suspicion.RETEST, "n1"),
    ]  # fmt: skip


def test_sentences_are_whole_in_both_languages():
    found = [*suspects(pairs(["n2"]), retest("n2", "n1", "99"), ["n1"]), *outliers(INTRA, fleet(n2="420"))]
    for each in found:
        assert "{" not in each.text.zh + each.text.en
        assert not re.search(r"[\u4e00-\u9fff][,;:?!()]|[,;:?!()][\u4e00-\u9fff]", each.text.zh)
