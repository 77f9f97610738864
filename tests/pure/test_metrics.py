"""Every metric is complete: words, unit, readings that a parser gives or the reason why none does, a pitfall."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from gpucontract import metrics
from gpucontract.contracts.clause_table import CLAUSE_TABLE
from gpucontract.contracts.clauses import VerifiedBy
from gpucontract.metrics.metric import DAY, SCOPES, WEEK, WORD_UNITS, Better, none, read, row
from gpucontract.units import UNITS
from gpucontract.wording import Text

METRICS = metrics.METRICS
ALL = list(METRICS.values())
IDS = list(METRICS)
PARSERS = Path(metrics.__file__).parents[1] / "measurements" / "parsers"
# A name in quotes, or the part of it before or behind a placeholder: f"busbw_at_{size}_out_of_place", f"{rw}_bw".
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in sorted(PARSERS.glob("*.py")))
FIO = re.compile(r"(?:read|write)(_bw|_iops)")
ASCII_STOPS = re.compile(r"[\u4e00-\u9fff][,;:?!()]|[,;:?!()][\u4e00-\u9fff]")


def is_given(name):
    built = FIO.fullmatch(name)
    wanted = rf"}}{built[1]}\"" if built else rf"\b{name}(?=[\"_{{])"
    return re.search(wanted, SOURCE) is not None


def test_the_tables_hold_every_group_from_a_to_i_and_no_key_twice():
    assert list(metrics.GROUPS) == list("ABCDEFGHI")
    assert sum(map(len, metrics.GROUPS.values())) == len(METRICS) == 157


@pytest.mark.parametrize("one", ALL, ids=IDS)
def test_it_has_words_a_known_unit_and_a_known_scope(one):
    assert one.unit in UNITS or one.unit in WORD_UNITS
    assert one.scope in SCOPES
    assert one.label.zh != one.label.en or one.label.en == "GPUDirect RDMA" or one.label.en.startswith("GPU")
    assert one.pitfall.zh and one.pitfall.en and one.counter


@pytest.mark.parametrize("one", ALL, ids=IDS)
def test_its_readings_are_ones_that_parsers_give_or_it_says_why_there_are_none(one):
    assert all(is_given(name) for name in one.readings), one.readings
    assert one.how.zh and one.how.en
    assert one.is_measured == bool(one.readings)


@pytest.mark.parametrize("one", ALL, ids=IDS)
def test_words_and_rates_agree_with_kind_direction_and_validity(one):
    assert one.validity == (WEEK if one.kind == "rate" else DAY)
    assert one.kind == "fact" or one.unit not in WORD_UNITS
    if one.unit in ("text", "enum", "bool", "set"):
        assert one.better in (Better.SAME, Better.MEMBER)


@pytest.mark.parametrize("one", ALL, ids=IDS)
def test_chinese_uses_full_width_punctuation(one):
    assert not [zh for zh in (one.label.zh, one.pitfall.zh, one.how.zh) if ASCII_STOPS.search(zh)]


@pytest.mark.parametrize(
    "clause", [each for each in CLAUSE_TABLE if each.verified_by is VerifiedBy.MEASUREMENT], ids=lambda each: each.name
)
def test_every_measured_clause_has_a_metric(clause):
    assert metrics.metric(clause.metric).key == clause.metric


def test_an_unknown_metric_is_named():
    with pytest.raises(KeyError, match="speed_of_light"):
        metrics.metric("speed_of_light")


def test_a_row_is_read_from_its_words():
    one = row("k", "速率 | rate", "rate GB/s more gpu 次", read(Text("甲", "a"), "x y"), "坑 | pit")
    assert (one.label, one.unit, one.better, one.scope) == (Text("速率", "rate"), "GB/s", Better.MORE, "gpu")
    assert (one.kind, one.validity, one.counter, one.readings) == ("rate", timedelta(days=7), "次", ("x", "y"))
    bare = row("k", "数 | number", "count less node", none(Text("无", "no parser")), "坑 | pit")
    assert (bare.kind, bare.validity, bare.counter, bare.is_measured) == ("fact", timedelta(days=1), "个", False)


def test_a_row_with_one_language_is_refused():
    with pytest.raises(ValueError):
        row("k", "只有中文", "count less node", none(Text("无", "none")), "坑 | pit")
