"""The agent's own probes: what counts as usable, what a load shows, and what is no result."""

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import read
from tests.parsers.host_outputs import code, sample

USABLE, LOAD = "gpucontract-probe usable", "gpucontract-probe load"


def values(name, tool=LOAD):
    parsed = read(Capture(tool, tool, sample(name), "", 0))
    assert parsed.error == ""
    return {(reading.name, reading.scope): reading.value for reading in parsed.readings}


def test_a_card_that_refuses_a_context_is_listed_and_not_usable():
    found = values("probe/usable_one_refused.txt", USABLE)
    assert found["usable_gpus", ""] == 1
    assert (found["gpu_usable", "gpu0"], found["gpu_usable", "gpu1"]) == (True, False)


def test_a_kernel_that_wrote_wrong_values_ran_on_no_usable_card():
    text = sample("probe/usable.txt").replace('"ok": true, "wrong": 0', '"ok": true, "wrong": 1', 1)
    parsed = read(Capture(USABLE, USABLE, text, "", 0))
    assert next(reading.value for reading in parsed.readings if reading.name == "usable_gpus") == 1


@pytest.mark.parametrize(
    "claim", ['"ok": "false", "wrong": 0', '"ok": [0], "wrong": 0', '"ok": true, "wrong": false',
              '"ok": true, "wrong": 0, "error": "broken"', '"ok": true'],
)  # fmt: skip
def test_a_card_that_claims_to_be_usable_in_odd_words_is_no_result(claim):
    text = sample("probe/usable.txt").replace('"ok": true, "wrong": 0', claim, 1)
    parsed = read(Capture(USABLE, USABLE, text, "", 0))
    assert code(parsed) == "probe_odd" and all(reading.value is None for reading in parsed.readings)


def test_each_card_is_named_by_its_uuid():
    found = values("probe/load.txt")
    assert found["gpu_uuid", "gpu1"] == "GPU-0f6c1a52-9a6f-4f0e-8d3b-5c1f2b7e1a02"


def test_the_rate_is_operations_over_the_gpus_own_time():
    found = values("probe/load.txt")
    # 2 x 8192^3 x 38000 / 60.0 s
    assert found["gemm_tflops", "gpu0"] == Decimal("696.36")
    assert found["gemm_tflops", "gpu1"] == Decimal("689.82")
    assert (found["load_dtype", ""], found["load_gpus", ""], found["load_runtime", ""]) == ("bf16", 2, 60)
    assert found["load_together", ""] == Decimal("60.25")
    assert found["load_clean_time", ""] == Decimal("60.25")


def test_a_wrong_result_and_a_lost_card_end_the_clean_time_and_give_no_rate():
    found = values("probe/load_gpu_lost.txt")
    assert found["load_clean_time", ""] == Decimal("1800.5")
    assert (found["load_wrong", "gpu0"], found["load_wrong", "gpu1"]) == (0, 3)
    assert found["gemm_tflops", "gpu1"] is None and found["gemm_tflops", "gpu0"] is not None


def test_memory_that_another_program_took_ends_a_load_without_blaming_the_card():
    text = sample("probe/load_gpu_lost.txt").replace("CUDA error: unspecified launch failure", "CUDA out of memory.")
    (clean,) = read(Capture(LOAD, LOAD, text, "", 0)).named("load_clean_time")
    assert (clean.value, clean.why) == (None, "out_of_memory")


def test_a_gpu_that_worked_longer_than_it_ran_gives_no_rate():
    text = sample("probe/load.txt").replace('"busy_s": 60.0,', '"busy_s": 99.0,')
    rates = {reading.scope: reading for reading in read(Capture(LOAD, LOAD, text, "", 0)).named("gemm_tflops")}
    assert (rates["gpu0"].value, rates["gpu0"].why) == (None, "clocks_disagree")
    assert rates["gpu1"].value == Decimal("689.82")


WHOLE = sample("probe/load.txt")
LINES = WHOLE.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("stdout", "stderr", "status", "expected"),
    [
        ("", "gpucontract-probe: libcuda.so.1: cannot open shared object file: No such file\n", 1, "no_cuda_library"),
        ("", "gpucontract-probe: No module named 'torch'\n", 1, "python_no_module"),
        ("", "gpucontract-probe: PyTorch sees no GPU\n", 1, "no_gpu"),
        (LINES[0], "gpucontract-probe: GPU 3: OutOfMemoryError: CUDA out of memory\n", 1, "probe_refused"),
        ("".join(LINES[:-1]), "", 0, "probe_incomplete"),
        ("".join(LINES[:4] + LINES[5:]), "", 0, "probe_incomplete"),
        (WHOLE.replace('"version": 1', '"version": 2'), "", 0, "probe_odd"),
        (WHOLE.replace('"version": 1', '"version": 3'), "", 0, "probe_unknown"),
        (WHOLE.replace('"n": 8192, ', ""), "", 0, "probe_unknown"),
        (WHOLE.replace('"wrong": 0, ', "", 1), "", 0, "probe_unknown"),
        (WHOLE + WHOLE, "", 0, "two_outputs"),
        (WHOLE.replace('"clean_s": 64.25', '"clean_s": 999999'), "", 0, "probe_odd"),
        (WHOLE.replace('"clean_s": 64.25', '"clean_s": 30.0'), "", 0, "probe_odd"),
        (WHOLE.replace('"wrong": 0, "clean_s": 64.5', '"wrong": 7, "clean_s": 64.5'), "", 0, "probe_odd"),
        (WHOLE.replace('"seconds": 60', '"seconds": 259200'), "", 0, "probe_odd"),
        (WHOLE.replace("1a02", "1a01"), "", 0, "probe_odd"),
        (WHOLE.replace('"products": 38000', '"products": 38000, "products": 99000'), "", 0, "probe_odd"),
        (WHOLE.replace('"n": 8192', '"n": 1e40'), "", 0, "probe_unknown"),
        (WHOLE.replace('"products": 38000', '"products": -1'), "", 0, "probe_unknown"),
        (WHOLE.replace('"busy_s": 60.0', '"busy_s": "60.0"'), "", 0, "probe_unknown"),
        (WHOLE.replace('"busy_s": 60.0', '"busy_s": NaN'), "", 0, "probe_unknown"),
        (WHOLE.replace('{"end": true}', '{"end": true, "last": true}\n{"end": true}'), "", 0, ""),
        (WHOLE, "", 137, "killed"),
        ("hello\n", "", 0, "probe_unknown"),
    ],
)
def test_what_is_no_whole_probe_measures_nothing(stdout, stderr, status, expected):
    parsed = read(Capture(LOAD, LOAD, stdout, stderr, status))
    assert code(parsed) == expected
    assert not expected or all(reading.value is None for reading in parsed.readings)


SOAK = sample("probe/soak_interrupted.txt")
INTERRUPT = (
    '{"at_s": 1841.0, "error": "RuntimeError: CUDA error: uncorrectable ECC error encountered", "back_s": 1911.5}'
)
ERROR = "RuntimeError: CUDA error: uncorrectable ECC error encountered"


def soaked(text):
    parsed = read(Capture(LOAD, "python3 agent.pyz probe soak", text, "", 0))
    assert parsed.error == ""
    return {(reading.name, reading.scope): reading.value for reading in parsed.readings}


def test_an_interrupt_is_counted_with_its_card_time_and_reason():
    found = soaked(SOAK)
    counts = [found[name, ""] for name in ("load_interrupts", "load_interrupts_open", "load_interrupts_foreign")]
    assert counts == [1, 0, 0] and found["load_worked", ""] == Decimal("7130.0")
    assert found["load_interrupt_list", ""] == (f"gpu0 0:30:41 {ERROR}; back after 70 s",)
    assert found["load_clean_time", ""] == Decimal("1800.5") and found["gemm_tflops", "gpu0"] is None


CAUSES = {
    "a lost card": ("AcceleratorError: CUDA error: unspecified launch failure", [1, 0, 0], Decimal("1800.5")),
    "a library of the card": ("RuntimeError: CUBLAS_STATUS_EXECUTION_FAILED", [1, 0, 0], Decimal("1800.5")),
    "memory another program took": ("OutOfMemoryError: CUDA out of memory. Tried", [0, 0, 1], None),
    "killed by hand": ("ended by signal 9", [0, 0, 1], None),
    "stopped by hand": ("ended by signal 15: words", [0, 0, 1], None),
    "a crash of the program": ("ended by signal 11", [0, 1, 0], None),
    "a card that hangs": ("gave no sign for 300 s", [0, 1, 0], None),
}


@pytest.mark.parametrize(("error", "counts", "clean"), CAUSES.values(), ids=CAUSES)
def test_only_what_the_card_did_is_put_down_to_it(error, counts, clean):
    found = soaked(SOAK.replace(ERROR, error))
    assert [
        found[name, ""] for name in ("load_interrupts", "load_interrupts_open", "load_interrupts_foreign")
    ] == counts
    assert found["load_clean_time", ""] == clean


def with_interrupts(*zero, one=()):
    """The sample with these (start, end) of either card."""

    def told(spans):
        return json.dumps([
            {"at_s": at, "error": ERROR, **({} if back is None else {"back_s": back})} for at, back in spans
        ])  # fmt: skip

    text = SOAK.replace(f"[{INTERRUPT}]", told(zero))
    failing = f'"interrupts": {told(one)}, "error": "{ERROR}"'
    return text.replace('"interrupts": []', failing) if one else text


TOGETHER = {
    "one after the other": (((100, 200), (300, 400)), (), 2),
    "again within the minute": (((100, 101), (150, 151)), (), 1),
    "again after the minute": (((100, 101), (165, 166)), (), 2),
    "two cards at once": (((100, 200),), ((100, 250),), 1),
    "one while the other is down": (((100, 900),), ((500, 600),), 1),
    "the other one later": (((100, 200),), ((500, 600),), 2),
    "the other one while the first never came back": (((100, None),), ((500, 600), (700, None)), 1),
    "never back at all": (((100, None),), (), 1),
}


@pytest.mark.parametrize(("zero", "one", "count"), TOGETHER.values(), ids=TOGETHER)
def test_what_happens_to_a_machine_at_once_is_one_interrupt(zero, one, count):
    assert soaked(with_interrupts(*zero, one=one))["load_interrupts", ""] == count


NO_SOAK = {
    "no list": SOAK.replace('"interrupts": [], ', ""),
    "no worked time": SOAK.replace('"worked_s": 7200.25, ', ""),
    "worked longer than it ran": SOAK.replace('"worked_s": 7200.25', '"worked_s": 9200.25'),
    "back before it failed": SOAK.replace('"back_s": 1911.5', '"back_s": 1800.5'),
    "before it began": SOAK.replace('"at_s": 1841.0', '"at_s": 1.0'),
    "no reason": SOAK.replace(f'"error": "{ERROR}", "back_s"', '"back_s"'),
    "another reason than its error": SOAK.replace(f'"last": true, "error": "{ERROR}"', '"last": true, "error": "CUDA"'),
    "a clean card with an error": SOAK.replace(
        '"interrupts": [], "last": true', '"interrupts": [], "last": true, "error": "CUDA"'
    ),
    "down and yet down again": SOAK.replace(f"[{INTERRUPT}]", f'[{{"at_s": 100, "error": "{ERROR}"}}, {INTERRUPT}]'),
}


@pytest.mark.parametrize("text", NO_SOAK.values(), ids=NO_SOAK)
def test_interrupts_that_no_probe_tells_so_count_as_none(text):
    parsed = read(Capture(LOAD, LOAD, text, "", 0))
    assert code(parsed) == "probe_odd" and all(reading.value is None for reading in parsed.readings)


def test_an_older_probe_counted_no_interrupts():
    (reading,) = read(Capture(LOAD, LOAD, WHOLE, "", 0)).named("load_interrupts")
    assert (reading.value, reading.why) == (None, "old_probe")


def test_loads_left_unfinished_are_counted_as_listed():
    text, tool = sample("agent_notes/two_left.txt"), "gpucontract-agent unfinished"
    (reading,) = read(Capture(tool, tool, text, "", 0)).readings
    assert (reading.name, reading.value) == ("unfinished_loads", 2)
    assert code(read(Capture(tool, tool, text.replace('"runs": 2', '"runs": 0'), "", 0))) == "agent_note_unknown"


ODD = [
    -1,
    -0.5,
    10**400,
    10**39,
    1e300,
    float("nan"),
    float("inf"),
    "60",
    "",
    None,
    True,
    False,
    [60],
    {"a": {"b": 1}},
    [],
]
NUMBERS = {"n", "seconds", "gpus", "version", "began_s", "ended_s", "busy_s", "products", "wrong", "clean_s", "gpu"}


def spoiled(name, line, key, value):
    documents = [json.loads(each) for each in sample(name).splitlines() if each.startswith("{")]
    documents[line % len(documents)][key] = value
    return "".join(json.dumps(each) + "\n" for each in documents)


@pytest.mark.parametrize("value", ODD, ids=str)
@pytest.mark.parametrize(("line", "key"), [(0, "n"), (0, "seconds"), (0, "gpus"), (-2, "wrong"), (-2, "busy_s"),
                                           (-2, "products"), (-2, "ended_s"), (-2, "clean_s")])  # fmt: skip
def test_a_load_with_an_odd_number_gives_no_reading(line, key, value):
    parsed = read(Capture(LOAD, LOAD, spoiled("probe/load.txt", line, key, value), "", 0))
    assert parsed.error and all(reading.value is None for reading in parsed.readings)


@pytest.mark.parametrize(("key", "value"), [("ok", "yes"), ("ok", 1), ("ok", None), ("wrong", False), ("wrong", "0"),
                                            ("wrong", None), ("wrong", -1), ("wrong", [0])])  # fmt: skip
def test_a_usable_gpu_says_so_in_plain_words(key, value):
    parsed = read(Capture(USABLE, USABLE, spoiled("probe/usable.txt", 1, key, value), "", 0))
    assert code(parsed) == "probe_odd" and all(reading.value is None for reading in parsed.readings)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["probe/load.txt", "probe/load_gpu_lost.txt", "probe/usable.txt"]),
    st.integers(0, 8), st.sampled_from(sorted(NUMBERS | {"last", "end", "probe", "ok", "dtype", "error"})),
    st.sampled_from(ODD),
)  # fmt: skip
def test_no_odd_value_anywhere_stops_the_reading(name, line, key, value):
    tool = USABLE if "usable" in name else LOAD
    for reading in read(Capture(tool, tool, spoiled(name, line, key, value), "", 0)).readings:
        assert not isinstance(reading.value, int | Decimal) or 0 <= reading.value < 10**24
