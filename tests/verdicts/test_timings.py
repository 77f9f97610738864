"""Shared timings are found run by run as they would be in one go, and known runs are not read again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucontract.measurements.history import records_of
from gpucontract.measurements.models import Run
from gpucontract.verdicts import timings
from gpucontract.verdicts.admission import Mark, copies, shared
from gpucontract.verdicts.alike import _candidates, alike, are_alike
from gpucontract.verdicts.models import Likeness, Timing
from tests.verdicts.storing import delivered_contract, store
from tests.verdicts.test_near_copies import ONE, TWO, intra, nudged, timed

# Few values, so that many tables share some; more than that only where one was made from another.
figure = st.tuples(st.sampled_from(["in", "out"]), st.integers(1000, 1100).map(str))
exact = st.tuples(st.just("read_iops"), st.integers(1_000_001, 1_000_009).map(str))


@st.composite
def tables(draw):
    made = []
    for _ in range(draw(st.integers(2, 14))):
        own = draw(st.frozensets(figure, max_size=12)) | draw(st.frozensets(exact, max_size=1))
        if made and draw(st.booleans()):
            copied = sorted(draw(st.sampled_from(made)))
            own |= frozenset(copied[: draw(st.integers(0, len(copied)))])
        made.append(own)
    return made


def each_with_each(made):
    pairs = ((one, other) for other in range(len(made)) for one in range(other))
    return sorted(pair for pair in pairs if are_alike(made[pair[0]], made[pair[1]]))


@settings(max_examples=150, deadline=None)
@given(tables(), st.data())
def test_pairs_are_those_that_comparing_each_with_each_gives(made, data):
    expected, since = each_with_each(made), data.draw(st.integers(0, len(made)))
    often = {each: sum(each in table for table in made) for table in made for each in table}
    assert sorted(pair for pair in _candidates(made, often) if are_alike(made[pair[0]], made[pair[1]])) == expected
    assert alike(made) == expected
    assert alike(made, since) == [pair for pair in expected if pair[1] >= since]


@settings(max_examples=100, deadline=None)
@given(tables(), st.data())
def test_what_each_new_run_reveals_adds_up_to_what_all_reveal(made, data):
    leads = [data.draw(st.sampled_from(["g1-001", "g1-002", "g1-003"])) for _ in made]
    told = [Mark(lead, str(sorted(table)), table) for lead, table in zip(leads, made, strict=True)]
    found = {}
    for end in range(1, len(told) + 1):
        for mark, slots in shared(told[:end], end - 1).items():
            found[mark] = tuple(sorted({*slots, *found.get(mark, ())}))
    assert found == shared(told)


@pytest.fixture
def contract(db):
    return delivered_contract()


def in_one_go(contract):
    return copies(records_of(contract, jobs=timings.TIMED_JOBS))


def test_a_copy_is_found_whenever_it_comes(contract):
    store(contract, *(intra(ONE, repeat, timed(repeat)) for repeat in (1, 2, 3)))
    assert timings.likenesses(contract) == {}
    store(contract, intra(TWO, 1, nudged(timed(1), 1)))
    found = timings.likenesses(contract)
    assert set(found.values()) == {(ONE, TWO)} and found == in_one_go(contract)
    assert timings.likenesses(contract) == found


def test_known_runs_are_not_read_again(contract, django_assert_max_num_queries, monkeypatch):
    store(contract, *(intra(ONE, repeat, timed(repeat)) for repeat in (1, 2, 3)))
    timings.likenesses(contract)
    read = []
    monkeypatch.setattr(timings, "records_of", lambda *args, **kw: read.extend(got := records_of(*args, **kw)) or got)
    (new,) = store(contract, intra(TWO, 1, timed(70)))
    timings.likenesses(contract)
    assert [record.id for record in read] == [str(new.uuid)]
    with django_assert_max_num_queries(3):
        timings.likenesses(contract)


@pytest.mark.parametrize("field", ["parser_version", "rules_version"])
def test_what_older_parsers_or_rules_made_is_made_anew(contract, field):
    store(contract, intra(ONE, 1, timed(1)), intra(TWO, 1, nudged(timed(1), 1)))
    found = timings.likenesses(contract)
    Timing.objects.update(**{field: 0}, marks="[]")
    Likeness.objects.update(slots=["g1-009"])
    assert timings.likenesses(contract) == found == in_one_go(contract)
    assert Timing.objects.count() == Run.objects.count()
