"""Readings in words: every documented one has a label in both languages, and numbers come in a unit that helps."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from django.utils import translation

from gpucontract.measurements.parsers.capture import Capture, Reading
from gpucontract.measurements.parsers.labels import PATTERNS, WHOLE, reading_label
from gpucontract.measurements.parsers.registry import read
from gpucontract.web.reading_words import in_full, in_short, without_twins
from gpucontract.web.templatetags.evidence import exact_value, read_value
from tests.parsers.gpu_outputs import GPU_SAMPLES
from tests.parsers.host_outputs import GOOD, sample

PAGE = Path(__file__).parents[2] / "docs" / "readings.md"
NAMES = sorted(
    {name for row in re.findall(r"^\| (`.*?`) \|", PAGE.read_text("utf-8"), re.MULTILINE) for name in re.findall("`(.+?)`", row)}
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_documented_reading_has_a_label(name):
    label = reading_label(name.replace("<case>", "h2d").replace("<rw>", "read").replace("<bytes>", "1048576"))
    plain = re.sub("<[a-z]+>", "79", name)
    label = label or reading_label(plain)
    assert label is not None and "<" not in label.zh + label.en and "{" not in label.zh + label.en


@pytest.mark.parametrize("name", sorted(GOOD | GPU_SAMPLES))
def test_every_reading_of_a_sample_has_a_label(name):
    tool, command = (GOOD | GPU_SAMPLES)[name]
    names = {reading.name for reading in read(Capture(tool, command, sample(name))).readings}
    assert [each for each in sorted(names) if reading_label(each) is None] == []


def test_no_label_stands_twice():
    labels = [label.zh for label in WHOLE.values()]
    assert sorted(labels) == sorted(set(labels)) and PATTERNS


@pytest.mark.parametrize(
    ("name", "zh", "en"),
    [
        ("busbw_at_17179869184_out_of_place", "busbw，消息 16 GiB，非原位", "busbw at 16 GiB, out-of-place"),
        ("busbw_at_1000_in_place", "busbw，消息 1000，原位", "busbw at 1000, in-place"),
        ("gpu_memory_total_min", "显存容量，最低", "GPU memory, lowest"),
        ("d2d_read_min", "GPU 间读带宽，最低", "Read bandwidth between GPUs, lowest"),
        ("xid_79", "Xid 79 次数", "Xid 79, times"),
        ("ib_rate_max", "InfiniBand 速率，最高", "InfiniBand rate, highest"),
    ],
)
def test_a_name_is_said_in_words(name, zh, en):
    label = reading_label(name)
    assert (label.zh, label.en) == (zh, en)


def test_a_name_that_nobody_labelled_has_none():
    assert reading_label("from_tomorrow") is None


@pytest.mark.parametrize(
    ("value", "unit", "short"),
    [
        ("60000000", "ns", "60 ms"),
        ("60000", "ms", "60 s"),
        ("10.73741824", "GB/s", "10.74 GB/s"),
        ("482.96", "GB/s", "482.96 GB/s"),
        ("143771", "MiB", "143,771 MiB"),
        ("2113929216", "KiB", "1.97 TiB"),
        ("3840755982336", "B", "3.84 TB"),
        ("8192", "B", "8,192 B"),
        ("8589934592", "B", "8 GiB"),
        ("134217728", "B", "128 MiB"),
        ("20971520000", "B", "20.97 GB"),
        ("0.000012345", "s", "12.35 us"),
        ("0.0123456", "GB/s", "12.35 MB/s"),
        ("0.0123456", "ppm", "0.0123 ppm"),
        ("-0.0000042", "s", "-4.2 us"),
        ("0", "ns", "0 ns"),
        ("9999.994", "us", "9,999.99 us"),
        ("1000000", "IOPS", "1,000,000 IOPS"),
        ("61", "C", "61 °C"),
        ("0.0000000001", "s", "0.1 ns"),
        ("8", "", "8"),
    ],
)
def test_a_number_comes_in_the_unit_and_digits_that_help(value, unit, short):
    with translation.override("en"):
        assert in_short(Decimal(value), unit) == short


def test_the_exact_value_stands_beside_a_shorter_one_only():
    shortened = Reading("block_time", Decimal("60000000"), "ns")
    assert (read_value(shortened), exact_value(shortened)) == ("60 ms", "60,000,000 ns")
    assert exact_value(Reading("x", Decimal("482.96"), "GB/s")) == ""
    assert exact_value(Reading("x", True)) == exact_value(Reading("x", None, why="not_run")) == ""


def test_units_are_said_in_the_persons_language():
    with translation.override("en"):
        assert in_full(16, "lanes") == "16 lanes"
    with translation.override("zh-hans"):
        assert in_full(16, "lanes") == "16 条通道"


@pytest.mark.parametrize(("value", "said"), [(1, "是"), (0, "否"), (Decimal(1), "是")])
def test_a_number_that_answers_yes_or_no_is_said_so(value, said):
    with translation.override("zh-hans"):
        assert read_value(Reading("direct", value)) == said
        assert read_value(Reading("numjobs", value)) == str(value)


def test_a_value_read_under_two_names_is_shown_once_and_one_without_its_twin_stays():
    average, again, other = (Reading(name, Decimal(449), "GB/s") for name in ("avg_busbw", "printed_avg", "busbw_max"))
    assert without_twins([average, other, again]) == (average, other)
    assert without_twins([again, other]) == (again, other)
