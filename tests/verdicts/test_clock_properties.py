"""Machines' clocks are claims: set forward or back, they make no breach a pass and no pass a breach."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from gpucontract.measurements.folders import read_folders
from gpucontract.measurements.records import Origin
from gpucontract.verdicts.admission import context_for
from gpucontract.verdicts.whole import judge_all
from tests.verdicts import making
from tests.verdicts.test_offline import BODY as SAMPLE
from tests.verdicts.test_offline import DELIVERED
from tests.verdicts.test_properties import BODY, SLOTS, essence, runs
from tests.verdicts.test_shared_load import MOUNTED, loads

few = {"max_examples": 40, "deadline": None}
spans = st.integers(-40_000, 40_000).map(lambda minutes: timedelta(minutes=minutes))
AWRY = st.fixed_dictionaries(dict.fromkeys(SLOTS, spans))


def told(records, clocks):
    """The same runs as machines tell of them whose clocks are this much fast: when each tool began and ended."""
    return [
        replace(record, outputs=tuple(_later(one, clocks[record.lead]) for one in record.outputs)) for record in records
    ]


def _later(output, span):
    times = {name: at + span for name in ("started_at", "ended_at") if (at := getattr(output, name))}
    return replace(output, **times)


def filed(records, clocks):
    """The same as unsigned files, which know of no other clock than that of the machine that led the run."""
    return [
        replace(each, origin=Origin.FILE, received_at=each.received_at + clocks[each.lead], ordered_at=None)
        for each in told(records, clocks)
    ]


@settings(**few)
@given(st.lists(runs(), max_size=12), AWRY)
def test_the_clock_of_a_machine_changes_no_verdict_on_signed_runs(records, clocks):
    began = making.NOW - timedelta(days=1)
    dated = told([replace(each, outputs=tuple(replace(one, started_at=began, ended_at=began) for one in each.outputs))
                  for each in records], dict.fromkeys(SLOTS, timedelta()))  # fmt: skip
    assert essence(making.judged(told(dated, clocks), BODY)) == essence(making.judged(dated, BODY))


@settings(**few)
@given(AWRY, st.sampled_from([(12, 13), (8, 9)]), st.sampled_from([{}, {"late": 10}, {"ended_late": 20}]))
def test_a_load_of_several_machines_is_timed_by_one_clock_however_wrong(clocks, speeds, changes):
    records = loads(*speeds, **changes)
    assert essence(making.judged(told(records, clocks), MOUNTED)) == essence(making.judged(records, MOUNTED))


@settings(**few)
@given(st.lists(runs(), max_size=12), AWRY)
def test_files_of_machines_whose_clocks_differ_are_judged_as_if_they_agreed(records, clocks):
    right = filed(records, dict.fromkeys(SLOTS, timedelta()))
    accepted = {"accept_unsigned": True}
    found = making.judged(filed(records, clocks), BODY, **accepted)
    assert essence(found) == essence(making.judged(right, BODY, **accepted))


RECORDED = read_folders(DELIVERED, SAMPLE)


@settings(max_examples=5, deadline=None)
@given(AWRY)
def test_recordings_of_machines_whose_clocks_differ_give_the_same_verdicts(clocks):
    found = [judge_all(SAMPLE, records, context_for(SAMPLE, records, making.NOW, accept_unsigned=True))
             for records in (RECORDED, filed(RECORDED, clocks))]  # fmt: skip
    assert essence(found[0]) == essence(found[1])
