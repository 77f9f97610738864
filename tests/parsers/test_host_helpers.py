"""The helpers the host parsers share: sizes, JSON in a text, keyed lines, how runs end, version integers."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.host_tools import HOST_TOOLS, PERFTEST
from gpucontract.measurements.parsers.json_documents import cut_documents, only_document
from gpucontract.measurements.parsers.keyed_lines import by_key, is_repeated
from gpucontract.measurements.parsers.outcomes import line_around, printed, run_error
from gpucontract.measurements.parsers.registry import read, recognise
from gpucontract.measurements.parsers.sizes import binary_size, decimal, decimal_size, total, whole
from gpucontract.measurements.parsers.versions import cudnn_version, nccl_version
from tests.parsers.host_outputs import GOOD, sample

SIZES = [
    pytest.param("2T", (Decimal(2), "TiB"), (Decimal(2), "TB"), id="2T"),
    pytest.param("894.3G", (Decimal("894.3"), "GiB"), (Decimal("894.3"), "GB"), id="894.3G"),
    pytest.param("0B", (Decimal(0), "B"), (Decimal(0), "B"), id="0B"),
    pytest.param("2.0Ti", (Decimal("2.0"), "TiB"), None, id="2.0Ti"),
    pytest.param("8.0GiB", (Decimal("8.0"), "GiB"), None, id="8.0GiB"),
    pytest.param("959656755200", (Decimal(959656755200), "B"), (Decimal(959656755200), "B"), id="bytes"),
    pytest.param("2E", (Decimal(2048), "PiB"), (Decimal(2000), "PB"), id="more than contracts name"),
    pytest.param("1,5T", None, None, id="decimal comma"),
    pytest.param("-1T", None, None, id="negative"),
    pytest.param("1e30", None, None, id="exponent"),
    pytest.param("１２", None, None, id="full-width digits"),
    pytest.param("", None, None, id="empty"),
    pytest.param("9" * 30, None, None, id="too long"),
]


@pytest.mark.parametrize(("text", "binary", "powers_of_1000"), SIZES)
def test_letters_of_a_size_are_binary_unless_said_otherwise(text, binary, powers_of_1000):
    assert binary_size(text) == binary
    assert decimal_size(text) == powers_of_1000


@pytest.mark.parametrize("text", ["1,5", "+1", "-1", "0x10", "1.", ".5", "1 2", "nan", "1_000", None, "9" * 40])
def test_what_is_not_a_plain_number_is_none(text):
    assert decimal(text) is None
    assert whole(text) is None


def test_sizes_add_up_in_the_largest_unit():
    assert total([(Decimal(512), "GiB"), (Decimal(1), "TiB")]) == (Decimal("1.5"), "TiB")
    assert total([]) == (Decimal(0), "B")


DOCUMENTS = [
    pytest.param('{"a": 1}', 1, False, id="one"),
    pytest.param('note\n{"a": 1}\nmore\n', 1, False, id="text around"),
    pytest.param('{"a": 1}\n{"a": 2}\n', 2, False, id="two"),
    pytest.param('{"a": 1}{"a": 2}', 1, False, id="no new line between"),
    pytest.param('{"a": 1', 0, True, id="broken"),
    pytest.param('{"a": 1}\n{"a": ', 1, True, id="second broken"),
    pytest.param("no json", 0, False, id="none"),
    pytest.param('{"a": -nan, "b": nan}', 1, False, id="nan"),
    pytest.param('{"a": ' + "[" * 100_000, 0, True, id="too deep"),
    pytest.param('{"a": ' + "9" * 10_000 + "}", 1, False, id="endless number"),
    pytest.param('{"a": 1e999999999}', 1, False, id="hostile exponent"),
]


@pytest.mark.parametrize(("text", "count", "is_broken"), DOCUMENTS)
def test_documents_are_cut_out_of_text(text, count, is_broken):
    cut = cut_documents(text)
    assert (len(cut.documents), cut.is_broken) == (count, is_broken)


def test_numbers_are_exact_bounded_and_never_nan():
    text = '{"a": 0.1, "b": 1e999999999, "c": NaN, "d": -nan, "e": ' + "9" * 50 + ', "f": 12}'
    assert cut_documents(text).documents[0] == {
        "a": Decimal("0.1"),
        "b": None,
        "c": None,
        "d": None,
        "e": None,
        "f": 12,
    }


def test_keys_given_twice_with_different_values_are_remembered():
    assert cut_documents('{"a": 1, "a": 2, "b": 1, "b": 1}').repeated == {"a"}


def test_the_text_around_a_document_is_kept_in_order():
    cut = cut_documents('first\n\n{"a": 1}\nlast\n')
    assert (cut.before, cut.after) == (("first",), ("last",))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"k": 1}', ""),
        ("x", "t_no_json: x"),
        ('{"z": 1}', "t_no_json"),
        ('{"k": 1}\n{"k": 1}', "two_outputs"),
        ('{"k"', "json_broken"),
    ],
)
def test_one_document_is_asked_for_by_its_key(text, error):
    document, said = only_document(cut_documents(text), "k", "t")
    assert said.startswith(error) and bool(document) == (error == "")


def test_keyed_lines_keep_every_value_of_a_key():
    lines = by_key("a: 1\n  b:2\nnothing\na : 3: 4\n")
    assert [line.value for line in lines["a"]] == ["1", "3: 4"]
    assert lines["b"][0].indent == 2
    assert is_repeated(lines, "a") and not is_repeated(lines, "b") and not is_repeated(lines, "c")


ENDINGS = [
    pytest.param("", "", 0, "", id="well"),
    pytest.param("", "", None, "", id="not kept"),
    pytest.param(
        "",
        "bash: line 1: fio: command not found",
        127,
        "command_not_found: bash: line 1: fio: command not found",
        id="bash",
    ),
    pytest.param("sh: 1: nvcc: not found\n", "", None, "command_not_found", id="dash, no status"),
    pytest.param(
        "\nCommand 'nvcc' not found, but can be installed with:\n", "", None, "command_not_found", id="Ubuntu"
    ),
    pytest.param("", "env: 'nvme': No such file or directory", 127, "command_not_found", id="env"),
    pytest.param("", "", 127, "command_not_found", id="status only"),
    pytest.param("", "", 124, "timed_out", id="time limit"),
    pytest.param("", "", 137, "killed", id="killed"),
    pytest.param("", "", -9, "killed", id="killed by signal"),
    pytest.param("", "", 5, "exit_status", id="other status"),
    pytest.param("a table\n", "", 3, "", id="accepted status"),
]


@pytest.mark.parametrize(("stdout", "stderr", "status", "expected"), ENDINGS)
def test_how_a_run_ended_is_an_error_of_its_own(stdout, stderr, status, expected):
    error = run_error(Capture("t", "t", stdout, stderr, status), accepted=(3,))
    assert error.startswith(expected) and bool(error) == bool(expected)


def test_both_streams_are_looked_through():
    assert printed(Capture("t", "t", "out\r\n", "\x1b[1merr\x1b[0m\n")) == "out\n\nerr\n"
    assert line_around("one\n  two  \nthree", 6) == "two"


@pytest.mark.parametrize(
    ("number", "version"), [(8902, "8.9.2"), (90100, "9.1.0"), (91002, "9.10.2"), (7605, "7.6.5"), (12, None)]
)
def test_cudnn_integers_are_decoded_by_length(number, version):
    assert cudnn_version(number) == version


@pytest.mark.parametrize(("number", "version"), [(2708, "2.7.8"), (22803, "2.28.3"), (20905, "2.9.5"), (12, None)])
def test_nccl_integers_are_decoded_by_length(number, version):
    assert nccl_version(number) == version


# What prints one bare word or number has nothing to be recognised by.
NAMELESS = ("detect_virt/none.txt", "systemctl/active.txt")


@pytest.mark.parametrize("name", sorted(GOOD.keys() - set(NAMELESS)))
def test_an_output_is_read_the_same_when_nobody_names_its_tool(name):
    tool, command = GOOD[name]
    found = recognise(sample(name))
    assert found is not None
    named = read(Capture(tool, command, sample(name)))
    assert read(Capture("", command, sample(name))) == named


def test_every_host_tool_has_a_sample():
    sampled = {tool for tool, _ in GOOD.values()}
    missing = [
        tool
        for tool in HOST_TOOLS
        if tool not in PERFTEST and not any(tool in name.replace("/", " ") for name in sampled)
    ]
    # A docker run that works prints nothing of its own.
    assert missing == ["docker run", "loginuid"]
