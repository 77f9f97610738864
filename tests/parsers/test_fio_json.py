"""fio JSON: sums, snapshots, client mode, old versions, and runs that measured nothing."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from tests.parsers.host_outputs import amount, code, codes, read_sample, read_text, sample, value, why

GROUPED = "fio/3.36-grouped-write.json"
APART = "fio/3.28-two-jobs-apart.json"
CLIENT = "fio/3.36-client-mode.json"
SNAPSHOTS = "fio/3.36-status-interval.json"
OLD = "fio/2.2-usec.json"
LAT = "fio/3.38-jsonplus-lat-percentiles.json"


def test_it_reads_a_grouped_run_with_all_its_options():
    parsed = read_sample(GROUPED)
    assert amount(parsed, "write_bw", "B/s") == 7250000000
    assert value(parsed, "write_bw_bytes") == 7250000000
    assert value(parsed, "write_iops") == Decimal("6913.787644")
    assert amount(parsed, "write_clat_p99", "ns") == 18481152
    assert why(parsed, "read_bw") == "not_run"
    settings = {"direct": 1, "numjobs": 8, "runtime": 60003, "block_size": 2**20, "io_depth": 16, "rw": "write"}
    assert {name: value(parsed, name) for name in settings} == settings
    assert value(parsed, "fio_filename") == "/mnt/nvme1"
    assert value(parsed, "fio_size") == 16 * 2**30
    assert value(parsed, "io_engine") == "io_uring"
    assert value(parsed, "fio_disks") == ("nvme1n1",)
    assert (parsed.error, codes(parsed), value(parsed, "valid")) == ("", [], True)


def test_it_adds_the_entries_of_jobs_that_are_not_grouped_and_keeps_the_worst_percentile():
    parsed = read_sample(APART)
    assert value(parsed, "read_bw_bytes") == 624640000
    assert value(parsed, "jobs") == 2
    assert amount(parsed, "read_clat_p99_worst", "ns") == 428032
    assert not parsed.named("read_clat_p99")


def test_it_does_not_add_the_summary_of_client_mode():
    parsed = read_sample(CLIENT)
    assert value(parsed, "read_bw_bytes") == 6100000000


def test_it_takes_the_last_of_several_snapshots():
    parsed = read_sample(SNAPSHOTS)
    assert value(parsed, "read_bw_bytes") == 4150000000
    assert value(parsed, "runtime") == 60001


def test_it_refuses_two_documents_of_different_runs():
    parsed = read_text("fio JSON", sample(GROUPED) + sample(APART))
    assert code(parsed) == "two_outputs"
    assert why(parsed, "read_bw") == "two_outputs"


def test_the_same_document_twice_is_one_run():
    parsed = read_text("fio JSON", sample(GROUPED) * 2)
    assert (parsed.error, value(parsed, "write_bw_bytes")) == ("", 7250000000)


def test_snapshots_out_of_order_are_two_runs():
    first, last = sample(SNAPSHOTS).split("}\n{")[0] + "}\n", "{" + sample(SNAPSHOTS).rsplit("}\n{")[-1]
    assert code(read_text("fio JSON", last + first)) == "two_outputs"


def test_it_reads_version_2_in_kibibytes_and_microseconds():
    parsed = read_sample(OLD)
    assert value(parsed, "read_bw_bytes") == 1024000 * 1024
    assert amount(parsed, "read_clat_p99", "us") == 1720


def test_it_keeps_apart_completion_and_total_latency_and_ignores_bins():
    parsed = read_sample(LAT)
    assert amount(parsed, "read_lat_p99", "ns") == 1253376
    assert not parsed.named("read_clat_p99")


def test_a_job_error_makes_every_number_worthless():
    parsed = read_sample(GROUPED, ('"error" : 0', '"error" : 28'))
    assert parsed.error == "fio_job_error 28: No space left on device"
    assert why(parsed, "write_bw") == "fio_job_error"


def test_the_error_of_a_job_is_named_by_fios_own_line():
    lines = "fio: io_u error on file /data/t: Stale file handle\nfio: pid=1, err=116/file:io_u.c:1, error=Stale file handle\n"
    parsed = read_text("fio JSON", lines + sample(GROUPED).replace('"error" : 0', '"error" : 116'))
    assert parsed.error == "fio_job_error 116: Stale file handle"
    assert value(parsed, "lines_before_json") == 2
    assert codes(parsed) == ["text_around_json"]


@pytest.mark.parametrize("key", ["short_ios", "drop_ios"])
def test_short_or_dropped_operations_are_no_measurement(key):
    document = json.loads(sample(GROUPED))
    document["jobs"][0]["write"][key] = 3
    parsed = read_text("fio JSON", json.dumps(document, indent=1))
    assert why(parsed, "write_bw") == "short_ios"
    assert why(parsed, "write_clat_p99") == "short_ios"
    assert "short_ios" in codes(parsed)


RUNTIMES = [
    pytest.param(60003, "60", 7250000000, id="whole runtime"),
    pytest.param(59400, "60s", 7250000000, id="a little less than asked"),
    pytest.param(20000, "1m", None, id="file ended first, minutes"),
    pytest.param(98, "2", None, id="98 ms of 2 s"),
    pytest.param(1500, "1500ms", 7250000000, id="asked in milliseconds"),
    pytest.param(700, None, None, id="under a second and nothing asked"),
    pytest.param(4000, None, 7250000000, id="nothing asked"),
]


@pytest.mark.parametrize(("runtime", "asked", "expected"), RUNTIMES)
def test_a_run_shorter_than_asked_is_no_measurement(runtime, asked, expected):
    document = json.loads(sample(GROUPED))
    document["jobs"][0]["write"]["runtime"] = runtime
    del document["global options"]["runtime"]
    if asked:
        document["global options"]["runtime"] = asked
    parsed = read_text("fio JSON", json.dumps(document))
    assert value(parsed, "write_bw_bytes") == expected
    assert value(parsed, "runtime") == runtime
    assert ("runtime_short" in codes(parsed)) == (expected is None)
    assert bool(parsed.named("reported_bw")) == (expected is None)


STORAGE = [
    pytest.param({"direct": None}, "buffered", "page_cache", id="direct missing is 0"),
    pytest.param({"direct": "0"}, "buffered", "page_cache", id="direct 0"),
    pytest.param({"direct": None, "buffered": "0"}, "", "", id="buffered 0 is direct"),
    pytest.param({"ioengine": "psync"}, "sync_engine", "sync_engine", id="sync engine with a queue"),
    pytest.param({"ioengine": "psync", "iodepth": "1"}, "", "", id="sync engine without a queue"),
]


@pytest.mark.parametrize(("options", "reason", "finding"), STORAGE)
def test_only_a_direct_run_with_a_real_queue_is_evidence_about_storage(options, reason, finding):
    document = json.loads(sample(GROUPED))
    shared = document["global options"] | document["jobs"][0].pop("job options") | options
    document["global options"] = {key: text for key, text in shared.items() if text is not None}
    parsed = read_text("fio JSON", json.dumps(document))
    assert value(parsed, "write_bw_bytes") == 7250000000
    storage = value(parsed, "storage_write_bw")
    assert (storage is None) == bool(reason)
    assert codes(parsed) == ([finding] if finding else [])
    if reason:
        assert why(parsed, "storage_write_bw") == reason


def test_one_job_that_is_not_direct_makes_the_sum_buffered():
    document = json.loads(sample(APART))
    document["global options"].pop("direct")
    document["jobs"][0]["job options"]["direct"] = "1"
    assert value(read_text("fio JSON", json.dumps(document)), "direct") == 0


def test_two_groups_in_one_direction_are_not_added():
    document = json.loads(sample(APART))
    document["jobs"][1]["groupid"] = 1
    assert why(read_text("fio JSON", json.dumps(document)), "read_bw") == "several_groups"


def test_repeated_keys_with_different_values_are_an_error():
    assert (
        code(read_sample(GROUPED, ('"bw_bytes" : 7250000000', '"bw_bytes" : 1,\n "bw_bytes" : 7250000000')))
        == "repeated_keys"
    )


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param(
            "fio: engine libaio not loadable\nfio: failed\n", 1, "fio_no_json: engine libaio not loadable", id="engine"
        ),
        pytest.param("", 1, "fio_no_json: fio printed nothing", id="nothing"),
        pytest.param("bash: line 1: fio: command not found\n", 127, "command_not_found", id="not installed"),
        pytest.param("3;fio-3.33;seq;0;0;1;2;3\n", 0, "fio_no_json", id="terse"),
    ],
)
def test_no_json_is_an_error_with_what_fio_said(text, status, expected):
    parsed = read_text("fio JSON", text, exit_status=status)
    assert parsed.error.startswith(expected)
    assert value(parsed, "read_bw") is None


def test_a_document_that_breaks_off_is_an_error():
    assert code(read_text("fio JSON", sample(GROUPED)[:1500])) == "json_broken"
    assert code(read_text("fio JSON", sample(SNAPSHOTS)[:-400])) == "json_broken"
