"""The JSON report of nccl-tests."""

import json
from decimal import Decimal

import pytest

from tests.parsers.gpu_outputs import measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

REPORT = "nccl_tests/2.18-two-nodes.json"
TOOL = "nccl-tests all_reduce_perf -J"
GIB8 = 8589934592


def changed(**parts):
    report = json.loads(sample(REPORT))
    for key, part in parts.items():
        if part is None:
            del report[key]
        elif isinstance(part, dict) and isinstance(report[key], dict):
            report[key] |= part
        else:
            report[key] = part
    return json.dumps(report)


def read_changed(**parts):
    return read_text(TOOL, changed(**parts))


def test_one_device_per_process_is_listed_and_ranks_follow():
    parsed = read_gpu(REPORT)
    assert value(parsed, "ranks") == 16
    assert value(parsed, "hosts") == 2
    assert value(parsed, "host_names") == ("node-a", "node-b")
    assert value(parsed, "nccl_version") == "2.29.3"
    assert value(parsed, "collective") == "all_reduce"
    assert value(parsed, "start_time") == "2026-03-05 08:20:00"


def test_threads_and_gpus_multiply():
    parsed = read_changed(config={"nthreads": 2, "ngpus": 4})
    assert value(parsed, "ranks") == 16 * 8


def test_numbers_come_exact_and_per_half():
    parsed = read_gpu(REPORT)
    assert value(parsed, f"busbw_at_{GIB8}_out_of_place") == Decimal("480.9")
    assert value(parsed, f"busbw_at_{GIB8}_in_place") == Decimal("481.3")
    assert value(parsed, "avg_busbw") == Decimal("449.033333")
    assert value(parsed, "wrong_results") == 0


def test_a_half_that_was_not_run_and_a_nan_are_no_numbers():
    results = json.loads(sample(REPORT))["results"]
    results[2]["out_of_place"] = None
    results[1]["in_place"]["bus_bw"] = "nan"
    parsed = read_changed(results=results)
    assert f"busbw_at_{GIB8}_out_of_place" not in {reading.name for reading in parsed.readings}
    assert value(parsed, f"busbw_at_{GIB8}_in_place") == Decimal("481.3")
    assert "busbw_at_1073741824_in_place" not in measured(parsed)


def test_a_time_on_the_cpu_is_a_time():
    results = json.loads(sample(REPORT))["results"]
    results[0]["out_of_place"]["cpu_time"] = results[0]["out_of_place"].pop("time")
    assert value(read_changed(results=results), "time_at_134217728_out_of_place") > 0


def test_null_counts_were_not_checked():
    results = json.loads(sample(REPORT))["results"]
    for result in results:
        result["out_of_place"]["nwrong"] = result["in_place"]["nwrong"] = None
    assert why(read_changed(results=results), "wrong_results") == "not_checked"
    assert why(read_changed(config={"validation": 0}), "wrong_results") == "validation_off"


def test_wrong_elements_are_summed():
    results = json.loads(sample(REPORT))["results"]
    results[1]["in_place"]["nwrong"] = 3072.0
    text = changed(results=results, out_of_bounds={"count": 1, "okay": "false"})
    parsed = read_text(TOOL, text, exit_status=1)
    assert value(parsed, "wrong_results") == 3072
    assert "wrong_results" in codes(parsed)


@pytest.mark.parametrize(
    ("environment", "finding", "secret"),
    [
        (["HOME=/root"], "environment_in_output", False),
        (["HF_TOKEN=hf_x", "PATH=/bin"], "secrets_in_output", True),
        (["AWS_SECRET_ACCESS_KEY=x"], "secrets_in_output", True),
        (["DB_PASSWORD=x"], "secrets_in_output", True),
    ],
)
def test_an_environment_in_the_file_is_said(environment, finding, secret):
    parsed = read_changed(env=environment)
    assert finding in codes(parsed)
    assert value(parsed, "secrets_in_env") is secret
    assert not any("hf_x" in finding.text.en for finding in parsed.findings)


def test_an_error_text_of_a_finished_run_is_a_finding():
    parsed = read_changed(errors=["NET/IB : stale"])
    assert parsed.error == ""
    assert "nccl_last_error" in codes(parsed)


@pytest.mark.parametrize("okay", ["false", "true", "unchecked"])
def test_the_tools_own_check_is_a_string(okay):
    parsed = read_text(TOOL, changed(average_bus_bandwidth={"okay": okay}), exit_status=1 if okay == "false" else 0)
    assert ("tool_check_failed" in codes(parsed)) is (okay == "false")
    assert value(parsed, "busbw_max") == Decimal("481.3")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (changed(out_of_bounds=None, average_bus_bandwidth=None), "run_incomplete"),
        (changed(results=[]), "run_incomplete"),
        (sample(REPORT)[:900], "run_incomplete"),
        (sample(REPORT) + "\n" + sample(REPORT), "two_outputs"),
        ('{"rows":[{"busBw":1}]}', "nccl_json_unknown"),
        ('{"numCycle":0,"name":"AllReduce","size":8,"busBw":1.0}\n{"numCycle":0,"size":16,"busBw":2.0}',
         "nccl_json_unknown"),
    ],
    ids=["no summary", "no rows", "cut", "twice", "another tool's", "json lines"],
)  # fmt: skip
def test_a_report_that_is_not_whole_or_not_known_measures_nothing(text, expected):
    parsed = read_text(TOOL, text)
    assert code(parsed) == expected
    assert why(parsed, "busbw_max") == expected
    assert not {name for name in measured(parsed) if "bw" in name}


def test_notes_before_the_json_are_cut_and_kept():
    parsed = read_text(TOOL, "Warning: x\n" + sample(REPORT))
    assert value(parsed, "busbw_max") == Decimal("481.3")
    assert "text_around_json" in codes(parsed)


def test_a_bad_exit_status_is_an_error():
    assert code(read_gpu(REPORT, exit_status=2)) == "exit_status"


@pytest.mark.parametrize(("number", "version"), [(22803, "2.28.3"), (20900, "2.9.0"), (2708, "2.7.8")])
def test_the_version_integer_is_decoded_by_its_length(number, version):
    assert value(read_changed(nccl_version=number), "nccl_version") == version
