"""fio's plain text: decimal brackets, rounded IOPS, several jobs, and runs that failed or broke off."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.parsers.host_outputs import amount, code, codes, read_sample, read_text, sample, value, why

MIXED = "fio/3.35-text-mixed.txt"
TWO_JOBS = "fio/3.28-text-two-jobs.txt"
OLD = """seq: (g=0): rw=read, bs=1M-1M/1M-1M/1M-1M, ioengine=libaio, iodepth=16
fio-2.1.10
Starting 1 process

seq: (groupid=0, jobs=1): err= 0: pid=77: Thu May 28 20:26:40 2026
  read : io=61440MB, bw=2048.3MB/s, iops=2048, runt= 30000msec
    clat percentiles (usec):
     |  1.00th=[ 3000], 99.00th=[ 9152], 99.99th=[12000]
     issued    : total=r=61440/w=0/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0

Run status group 0 (all jobs):
   READ: io=61440MB, aggrb=2048.3MB/s, minb=2048.3MB/s, maxb=2048.3MB/s, mint=30000msec, maxt=30000msec
"""


def test_it_takes_the_decimal_value_in_brackets_for_both_directions():
    parsed = read_sample(MIXED)
    assert amount(parsed, "read_bw", "MB/s") == 2989
    assert amount(parsed, "write_bw", "MB/s") == 1281
    assert value(parsed, "read_iops") == 182000
    assert value(parsed, "write_iops") == 78200
    assert amount(parsed, "read_clat_p99", "us") == 161
    assert amount(parsed, "write_clat_p99", "ns") == 74240
    assert (value(parsed, "runtime"), value(parsed, "io_depth"), value(parsed, "rw")) == (60001, 32, "randrw")
    assert value(parsed, "storage_read_bw") is not None


def test_it_takes_fios_own_sum_over_several_jobs():
    parsed = read_sample(TWO_JOBS)
    assert amount(parsed, "read_bw", "MB/s") == 6082
    assert value(parsed, "read_iops") == 5800
    assert amount(parsed, "read_clat_p99_worst", "ms") == 21
    assert (value(parsed, "numjobs"), value(parsed, "block_size")) == (2, 2**20)


def test_version_2_means_mebibytes_by_mb():
    parsed = read_text("fio text", OLD, command="fio --name=seq --direct=1 --rw=read")
    assert amount(parsed, "read_bw", "MiB/s") == Decimal("2048.3")
    assert (value(parsed, "read_iops"), value(parsed, "runtime")) == (2048, 30000)
    assert amount(parsed, "read_clat_p99", "us") == 9152


def test_whether_it_was_direct_is_known_from_the_command_only():
    text = sample(MIXED)
    buffered = read_text("fio text", text, command="fio --name=mix --rw=randrw")
    assert (value(buffered, "direct"), why(buffered, "storage_read_bw")) == (0, "buffered")
    assert codes(buffered) == ["page_cache"]
    unknown = read_text("fio text", text, command="fio job.fio")
    assert why(unknown, "storage_read_bw") == "direct_unknown"
    assert why(unknown, "direct") == "not_printed"


def test_snapshots_of_one_run_give_the_last_one():
    head, body = sample(MIXED).split("\nmix: (groupid", 1)
    first = "\nmix: (groupid" + body.replace("2989MB/s", "2500MB/s").replace("60001msec", "20000msec")
    parsed = read_text(
        "fio text", head + first + "\nmix: (groupid" + body, command="fio --name=mix --direct=1 --runtime=60"
    )
    assert amount(parsed, "read_bw", "MB/s") == 2989


CHANGES = [
    pytest.param(("err= 0:", "err= 5 (file:io_u.c:1896, func=io_u error, error=Input/output error):"),
                 "fio_job_error 5: Input/output error", id="job error"),
    pytest.param(("Run status group 0 (all jobs):", "fio: ends"), "fio_incomplete", id="no run status"),
    pytest.param(("Starting", "fio: terminating on signal 2\nStarting"), "fio_stopped", id="interrupted"),
    pytest.param(("Starting", "fio: pid=4711, got signal=9\nStarting"), "fio_stopped", id="a job was killed"),
    pytest.param(("Starting 1 process", "Starting 1 process\nStarting 1 process"), "two_outputs", id="started twice"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), CHANGES)
def test_a_failed_run_gives_no_number(change, expected):
    parsed = read_sample(MIXED, change)
    assert parsed.error.startswith(expected)
    assert value(parsed, "read_bw") is None and value(parsed, "write_iops") is None


def test_short_operations_in_the_issued_line_are_no_measurement():
    parsed = read_sample(MIXED, ("short=0,0,0,0", "short=7,0,0,0"))
    assert why(parsed, "read_bw") == "short_ios"


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        pytest.param("(2989MB/s)(", "(2,989MB/s)(", "read_bw", id="decimal comma in the rate"),
        pytest.param("IOPS=182k", "IOPS=182,1k", "read_iops", id="decimal comma in IOPS"),
        pytest.param("IOPS=182k", "IOPS=?", "read_iops", id="no number"),
    ],
)
def test_a_cell_that_cannot_be_read_leaves_only_itself_out(old, new, name):
    parsed = read_sample(MIXED, (old, new))
    assert why(parsed, name) == "unreadable"
    assert amount(parsed, "write_bw", "MB/s") == 1281


def test_a_short_text_run_reports_what_it_printed_beside():
    parsed = read_text("fio text", sample(TWO_JOBS), command="fio --name=seq --direct=1 --runtime=60")
    assert why(parsed, "read_bw") == "runtime_short"
    assert amount(parsed, "reported_bw", "MB/s") == 6082


def test_nonzero_exit_with_a_good_looking_text_is_an_error():
    assert code(read_sample(MIXED, exit_status=1)) == "exit_status"
