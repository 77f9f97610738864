"""Which rounds count as retests, row by row."""

from datetime import UTC, datetime, timedelta

import pytest

from gpucontract.measurements.states import RunState
from gpucontract.verdicts.retesting import Change, Ordered, retests
from gpucontract.verdicts.states import State

START = datetime(2031, 5, 1, tzinfo=UTC)
DONE, FAILED, QUEUED, RUNNING = RunState.DONE, RunState.FAILED, RunState.QUEUED, RunState.RUNNING


def at(hour):
    return START + timedelta(hours=hour)


def run(number, hour, state=DONE, job="health", lead="g1-001"):
    return Ordered(number, ("g1", job, lead), state, at(hour))


def turned(hour, state="breached", key="g1/x"):
    return Change(key, State(state), at(hour))


FIRST, FOUND = run(1, 0), turned(1)
# runs, changes of verdicts, rounds of a single pair, rounds that count
ROUNDS = {
    "nothing ordered": ([], [], [], ()),
    "the first round": ([FIRST], [FOUND], [], ()),
    "after a breach": ([FIRST, run(2, 2)], [FOUND], [], (2,)),
    "two of them": ([FIRST, run(2, 2), run(3, 3)], [FOUND], [], (2, 3)),
    "still queued": ([FIRST, run(2, 2, QUEUED)], [FOUND], [], (2,)),
    "still running": ([FIRST, run(2, 2, RUNNING)], [FOUND], [], (2,)),
    "a repeat before anything was breached": ([FIRST, run(2, 1)], [turned(2)], [], ()),
    "where nothing was decided": ([FIRST, run(2, 2)], [turned(1, "inconclusive"), turned(1, "marginal", "g1/y")], [], ()),
    "once all is cured": ([FIRST, run(2, 4)], [FOUND, turned(3, "verified")], [], ()),
    "breached again": ([FIRST, run(2, 6)], [FOUND, turned(3, "verified"), turned(5)], [], (2,)),
    "one cured, one not": ([FIRST, run(2, 4)], [FOUND, turned(1, key="g1/y"), turned(3, "verified")], [], (2,)),
    "another test for the first time": ([FIRST, run(2, 2, job="storage")], [FOUND], [], ()),
    "another machine for the first time": ([FIRST, run(2, 2, lead="g1-002")], [FOUND], [], ()),
    "one machine again": ([FIRST, run(1, 0, lead="g1-002"), run(2, 2, lead="g1-002")], [FOUND], [], (2,)),
    "some first, some again": ([FIRST, run(2, 2), run(2, 2, job="storage")], [FOUND], [], (2,)),
    "nothing came of it": ([FIRST, run(2, 2, FAILED)], [FOUND], [], ()),
    "nothing came of the first": ([run(1, 0, FAILED), run(2, 2)], [FOUND], [], ()),
    "only the new test brought a result": ([FIRST, run(2, 2, FAILED), run(2, 2, job="storage")], [FOUND], [], ()),
    "some machines were not reached": ([FIRST, run(1, 0, lead="g1-002"), run(2, 2), run(2, 2, FAILED, lead="g1-002")], [FOUND], [], (2,)),
    "a pair that singles out a machine": ([FIRST, run(2, 2), run(3, 3)], [FOUND], [2], (3,)),
    "a failed run tried again later": ([FIRST, run(2, 0), run(2, 9, lead="g1-002")], [FOUND], [], ()),
}  # fmt: skip


@pytest.mark.parametrize(("runs", "changes", "singling", "expected"), ROUNDS.values(), ids=ROUNDS)
def test_which_rounds_count(runs, changes, singling, expected):
    assert retests(runs, changes, singling) == expected
    assert retests(reversed(runs), changes, singling) == expected
