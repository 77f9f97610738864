"""dcgmi diag -j of DCGM 3.x and 4.x."""

import json

import pytest

from tests.parsers.gpu_outputs import measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

PASS = "dcgmi/4.2-pass.json"
FAIL = "dcgmi/4.2-fail.json"
WARN = "dcgmi/3.1-warn.json"
TOOL = "dcgmi diag -j"


def v3(*results):
    tests = [{"name": name, "results": [{"gpu_id": str(at), "status": s} for at, s in enumerate(statuses)]}
             for name, statuses in results]  # fmt: skip
    return json.dumps({"DCGM GPU Diagnostic": {"test_categories": [{"category": "x", "tests": tests}], "version": "3"}})


def test_version_four_counts_tests_by_their_summary():
    parsed = read_gpu(PASS)
    assert value(parsed, "dcgm_overall") == "Pass"
    assert value(parsed, "tests_pass") == 3
    assert value(parsed, "tests_skip") == 1
    assert value(parsed, "tests_fail") == 0
    assert value(parsed, "dcgm_version") == "4.2.3"
    assert value(parsed, "driver_version") == "570.86.15"
    assert value(parsed, "dcgm_result", "gpu1") == "Pass"
    assert codes(parsed) == ["dcgm_test_skipped"]


@pytest.mark.parametrize("status", [226, -30, 1, None])
def test_a_failed_test_is_a_result_whatever_the_exit_status(status):
    parsed = read_gpu(FAIL, exit_status=status)
    assert value(parsed, "dcgm_overall") == "Fail"
    assert value(parsed, "dcgm_result", "gpu0") == "Pass"
    assert value(parsed, "dcgm_result", "gpu1") == "Fail"
    assert [(finding.code, finding.scope) for finding in parsed.findings] == [("dcgm_test_failed", "gpu1")]
    assert "DBE" in parsed.findings[0].text.en


def test_a_pass_with_a_warning_is_a_warning():
    parsed = read_gpu(WARN)
    assert value(parsed, "dcgm_overall") == "Warn"
    assert value(parsed, "tests_warn") == 1
    assert value(parsed, "tests_skip") == 1
    assert value(parsed, "driver_version") == "535.129.03"
    assert codes(parsed) == ["dcgm_test_failed", "dcgm_test_skipped"]


def test_a_warning_in_version_four_is_a_list_of_objects():
    document = json.loads(sample(PASS))
    tests = document["DCGM Diagnostic"]["test_categories"][1]["tests"]
    tests[0]["results"][0]["warnings"] = [{"warning": "Failed to allocate enough memory", "error_id": 3}]
    parsed = read_text(TOOL, json.dumps(document))
    assert value(parsed, "dcgm_overall") == "Warn"
    assert value(parsed, "dcgm_result", "gpu0") == "Warn"


@pytest.mark.parametrize(
    ("results", "overall", "counts"),
    [
        ([("PCIe", ["Pass", "Pass"]), ("Memory", ["Pass", "Fail"])], "Fail", (1, 1, 0, 0)),
        ([("PCIe", ["Pass", "Warn"])], "Warn", (0, 0, 1, 0)),
        ([("PCIe", ["Pass", "Skip"])], None, (0, 0, 0, 1)),
        ([("PCIe", ["Skip", "Skip"]), ("Memory", ["Pass", "Pass"])], "Pass", (1, 0, 0, 1)),
        ([("PCIe", ["Skip"])], None, (0, 0, 0, 1)),
        ([("PCIe", ["pass"]), ("Memory", ["FAIL"])], "Fail", (1, 1, 0, 0)),
        ([("PCIe", ["Not Run"])], None, (0, 0, 0, 1)),
    ],
)
def test_the_worst_result_of_any_gpu_decides_each_test(results, overall, counts):
    parsed = read_text(TOOL, v3(*results))
    assert value(parsed, "dcgm_overall") == overall
    assert tuple(value(parsed, f"tests_{name}") for name in ("pass", "fail", "warn", "skip")) == counts


def test_an_exit_status_that_no_result_explains_is_an_error():
    parsed = read_gpu(PASS, exit_status=226)
    assert code(parsed) == "dcgm_exit"
    assert measured(parsed) == set()
    assert code(read_gpu(PASS, exit_status=1)) == "exit_status"


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("Error: unable to establish a connection to the specified host: localhost\n"
         "Error: Unable to connect to host engine. Host engine connection invalid/disconnected.\n", 255,
         "dcgm_hostengine_down"),
        ("Error: Diagnostic could not be run because the Tesla recommended driver is not being used.\n", 1,
         "dcgm_failed"),
        ("Error: This diagnostic is not supported on this GPU.\n", 1, "dcgm_not_supported"),
        ("bash: dcgmi: command not found\n", 127, "command_not_found"),
        ("hello\n", 0, "dcgm_no_json"),
        ("", 0, "dcgm_no_json"),
        ('{"DCGM Diagnostic" : {"test_categories" : []}}\n', 0, "dcgm_no_results"),
        ('{"other" : 1}\n', 0, "dcgm_no_json"),
        (v3(("PCIe", ["Pass", "P4ss"])), 0, "dcgm_unknown_status"),
        (sample(PASS)[:300], 0, "json_broken"),
        (sample(PASS) * 2, 0, "two_outputs"),
    ],
    ids=lambda text: str(text)[:30],
)  # fmt: skip
def test_no_diagnostic_is_not_a_failed_diagnostic(text, status, expected):
    parsed = read_text(TOOL, text, exit_status=status)
    assert code(parsed) == expected
    assert why(parsed, "dcgm_overall") == expected


def test_a_time_limit_is_an_error_even_with_a_failed_test():
    assert code(read_gpu(FAIL, exit_status=124)) == "timed_out"


def test_text_before_the_json_is_kept_as_a_finding():
    parsed = read_text(TOOL, "Warning: x\n" + sample(PASS))
    assert value(parsed, "dcgm_overall") == "Pass"
    assert "text_around_json" in codes(parsed)


def test_a_diagnostic_that_was_stopped_gives_none_of_its_results():
    text = sample("dcgmi/4.2-pass.json")
    head = next(line for line in text.splitlines() if '"DCGM Diagnostic"' in line)
    opening = text.index("{", text.index(head) + head.index('"DCGM Diagnostic"'))
    stopped = text[: opening + 1] + '"runtime_error": "Nvvs stderr: timeout", ' + text[opening + 1 :]
    parsed = read_text("dcgmi diag -j", stopped)
    assert (code(parsed), why(parsed, "dcgm_overall")) == ("dcgm_failed", "dcgm_failed")
    assert (
        code(read_text("text", '{"DCGM GPU Diagnostic": {"version": "3.3", "runtime_error": "x"}}\n')) == "dcgm_failed"
    )
