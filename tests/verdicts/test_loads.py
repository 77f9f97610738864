"""Matrix products and burn-ins: one card too slow, another type, too short, not all cards, faster than physics."""

from datetime import timedelta
from decimal import Decimal

import pytest

from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import load

V, B, Q, P = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING
ONE, TWO = "g1-001", "g1-002"
BODY = making.body_of(group={"gemm_tflops_min": Decimal(600), "gemm_dtype": "bf16"})


def burnt(*records):
    return making.judged(list(records), BODY)["g1/burn_in_hours"]


def gemm(slot, repeats=3, **changes):
    return [
        load(slot, seconds=changes.get("seconds", 60), job="gemm", repeat=at + 1, minutes=at, id=f"gemm-{slot}-{at}",
             **{"tflops": str(700 + at), **{name: value for name, value in changes.items() if name != "seconds"}})
        for at in range(repeats)
    ]  # fmt: skip


def multiplied(*records):
    return making.judged([record for several in records for record in several], BODY)["g1/gemm"]


def test_both_machines_burnt_in_verify():
    assert (burnt(load(ONE), load(TWO)).state, burnt(load(ONE)).state) == (V, P)


@pytest.mark.parametrize(
    ("second", "state", "reason"),
    [
        pytest.param(load(TWO, clean=Decimal(11520)), B, "missed", id="a fault after 3.2 hours"),
        pytest.param(load(TWO, seconds=3600), Q, "too_short", id="ordered for an hour only"),
        pytest.param(load(TWO, seconds=3600, clean=Decimal(600)), B, "missed", id="a fault within that hour"),
        pytest.param(load(TWO, gpus=7), Q, "not_all_gpus", id="one GPU stayed out"),
    ],
)
def test_a_burn_in_is_judged_by_its_clean_hours(second, state, reason):
    verdict = burnt(load(ONE), second)
    assert (verdict.state, verdict.reason, verdict.scope) == (state, reason, TWO)


def test_a_burn_in_that_took_longer_than_since_its_order_is_not_believed():
    hasty = making.replace(load(TWO), ordered_at=making.NOW - timedelta(hours=1))
    assert (burnt(load(ONE), hasty).state, burnt(load(ONE), hasty).reason) == (Q, "too_fast")
    slow = making.replace(load(TWO), ordered_at=making.NOW - timedelta(days=4))
    assert burnt(load(ONE), slow).state is V


def test_every_card_reaches_the_floor():
    verdict = multiplied(gemm(ONE), gemm(TWO))
    assert (verdict.state, verdict.counts) == (V, {V: 16})


def test_one_slow_card_breaches_by_name():
    verdict = multiplied(gemm(ONE), gemm(TWO, gpu5="540"))
    assert (verdict.state, verdict.scope, verdict.value) == (B, "g1-002/gpu5", Decimal(540))
    assert "540 TFLOPS" in verdict.sentence.en and "GPU 5" in verdict.sentence.en


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"dtype": "fp16"}, "other_profile"),
        ({"gpus": 1}, "other_profile"),
        ({"seconds": 20}, "too_short"),
        ({"tflops": "1979"}, "over_ceiling"),
        ({"wrong": 5000}, "wrong_results"),
    ],
    ids=["another type", "one card alone", "too short", "the sparse figure", "wrong products"],
)
def test_a_load_under_other_conditions_proves_nothing(changes, reason):
    verdict = multiplied(gemm(ONE), gemm(TWO, **changes))
    assert (verdict.state, verdict.reason) == (Q, reason)


def test_two_of_three_runs_are_not_enough():
    assert multiplied(gemm(ONE), gemm(TWO, repeats=2)).state is P
