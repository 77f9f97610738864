"""fio runs: the contracted path and profile, past the cache, long enough, not faster than the wire."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import NOW, output, run

V, B, Q, P = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING
ONE, TWO = "g1-001", "g1-002"
PROFILE = {
    "rw": "read",
    "block_size": "1MiB",
    "iodepth": 32,
    "numjobs": 8,
    "clients": 1,
    "runtime_s": 60,
    "direct": True,
}
SHARED = {"shared_read_gbs": Decimal(20), "io_test_profile": (PROFILE,)}


def with_path(body):
    """The contract with a folder for the local read test written into its clause."""
    clauses = tuple(
        replace(clause, conditions={**clause.conditions, "path": "/nvme"}) if clause.name == "local_read" else clause
        for clause in body.clauses
    )
    return replace(body, clauses=clauses)


BODY = with_path(making.body_of())
MOUNTED = making.body_of(mount=SHARED)


def fio(gbs, repeat=1, path="/nvme/gpucontract-read.0.0", **changes):
    """A healthy fio read of 60 s with direct I/O; changes by reading name."""
    values = {
        "read_bw": Decimal(gbs), "read_iops": Decimal(250_000), "direct": True, "runtime": Decimal(60_002), "rw": "read",
        "numjobs": 8, "block_size": "1MiB", "io_depth": 32, "fio_filename": path, **changes,
    }  # fmt: skip
    units = {"read_bw": "GB/s", "runtime": "ms"}
    readings = [Reading(name, value, units.get(name, "")) for name, value in values.items()]
    outputs = (output(readings, "fio JSON", sha256=f"fio-{gbs}-{repeat}"),)
    return run("storage", ONE, (), repeat=repeat, minutes=repeat, outputs=outputs)


def local(*records, body=BODY):
    return making.scope_verdicts(body.clause("g1/local_read"), list(records), body)[ONE]


def repeated(*speeds, **changes):
    return [fio(speed, repeat, **changes) for repeat, speed in enumerate(speeds, 1)]


def test_a_median_of_three_reads_is_judged():
    assert local(*repeated(25, 26, 27)).state is V
    found = local(*repeated(15, 16, 17))
    assert (found.state, found.value) == (B, Decimal(16))


CONDITIONS = {
    "through the page cache": ({"direct": False}, "not_direct"),
    "direct not said": ({"direct": None}, "not_direct"),
    "a tenth of a second": ({"runtime": Decimal(98)}, "too_short"),
    "no running time": ({"runtime": None}, "too_short"),
    "on the system disk": ({"path": "/tmp/x"}, "wrong_path"),
    "beside the folder": ({"path": "/nvme2/x"}, "wrong_path"),
    "through no disk at all": ({"io_engine": "null"}, "other_profile"),
    "through memory maps": ({"io_engine": "mmap"}, "other_profile"),
    "writing": ({"rw": "write"}, "other_profile"),
    "no figure": ({"read_bw": None}, "not_read"),
}


@pytest.mark.parametrize(("changes", "reason"), CONDITIONS.values(), ids=CONDITIONS)
def test_a_run_outside_the_conditions_settles_nothing(changes, reason):
    found = local(*repeated(25, 26, 27, **changes))
    assert (found.state, found.reason) == (Q, reason)


def test_the_usual_engine_counts():
    assert local(*repeated(25, 26, 27, io_engine="libaio")).state is V


def test_a_fio_that_met_errors_measured_nothing():
    broken = replace(fio(25), outputs=(output([Reading("read_bw", None, why="failed"), Reading("fio_filename", "/nvme/x")],
                                              "fio JSON", error="fio_job_error 5: Input/output error"),))  # fmt: skip
    assert local(broken).reason == "tool_failed"


def shared(*records):
    body = replace(MOUNTED, clauses=MOUNTED.clauses)
    found = making.scope_verdicts(body.clause("m1/read"), list(records), body)
    return next(iter(found.values()))


def test_the_agreed_profile_must_be_met():
    assert shared(*repeated(25, 26, 27, path="/data/x")).state is V
    assert shared(*repeated(25, 26, 27, path="/data/x", block_size="4KiB")).reason == "other_profile"
    assert shared(*repeated(25, 26, 27, path="/data/x", block_size=Decimal(1048576))).state is V


def test_more_than_the_ports_can_carry_is_a_cache():
    found = shared(*repeated(401, 402, 403, path="/data/x"))
    assert (found.state, found.reason) == (Q, "over_ceiling")


def test_a_read_clause_that_no_job_can_settle_yet_is_pending_and_says_so():
    verdict = making.judged([], MOUNTED)["m1/read"]
    assert verdict.state is P and verdict.reason == "no_job_yet"
    assert NOW.year == 2026
