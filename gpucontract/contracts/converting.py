"""What a cell of a spec sheet means for a term: its value in the term's unit, and how it was read; or why not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gpucontract.canonical import decimal_text
from gpucontract.contracts.clause_table import CLAUSE_TABLE
from gpucontract.contracts.clauses import Operator
from gpucontract.contracts.sections.term import YES_NO_TEXT, Kind, TermInfo
from gpucontract.contracts.sections.values import TermRefused, has_odd_digits, limits, read
from gpucontract.contracts.values import joined
from gpucontract.units import UNITS, UnitError, convert
from gpucontract.wording import Text

_AT_LEAST = (
    "≥", "≧", "⩾", ">=", ">", "不低于", "不少于", "不小于", "至少", "最少", "大于等于", "大于或等于", "大于", "高于",
    "多于", "超过", "at least", "not less than", "no less than", "more than",
)  # fmt: skip
_AT_MOST = (
    "≤", "≦", "⩽", "<=", "<", "不高于", "不超过", "不多于", "不大于", "至多", "最多", "小于等于", "小于或等于", "小于",
    "低于", "少于", "at most", "not more than", "no more than", "less than", "up to",
)  # fmt: skip
_BOUND = "|".join(sorted(map(re.escape, (*_AT_LEAST, *_AT_MOST)), key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?P<bound>{_BOUND})?\s*(?P<number>[+-]?\d+(?:,\d{{3}})*(?:\.\d+)?)\s*(?P<unit>.*)", re.DOTALL | re.IGNORECASE
)
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_COUNTERS = frozenset("张台块个核颗口路卡条根片套组") | frozenset(
    ("节点", "cores", "core", "pcs", "nodes", "node", "gpus", "gpu", "cards", "ports")
)
_YES = frozenset({"是", "支持", "有", "已", "开", "开启", "启用", "√", "✓", "y", "yes", "true", "on", "supported", "1"})
_NO = frozenset({"否", "不支持", "无", "没有", "关", "关闭", "未启用", "×", "✗", "n", "no", "false", "off", "0"})
_WRITTEN = {
    "gbps": "Gb/s", "gbit/s": "Gb/s", "mbps": "Mb/s", "mbit/s": "Mb/s", "tbps": "Tb/s", "tbit/s": "Tb/s",
    "gb": "GB", "tb": "TB", "mb": "MB", "pb": "PB", "gib": "GiB", "tib": "TiB", "mib": "MiB", "w": "W", "kw": "kW",
    "us": "µs", "μs": "µs", "ms": "ms", "s": "s", "秒": "s", "min": "min", "分钟": "min", "分": "min", "h": "h",
    "小时": "h", "hour": "h", "hours": "h", "d": "d", "天": "d", "日": "d", "day": "d", "days": "d",
    "tflops": "TFLOPS", "tflop/s": "TFLOPS", "pflops": "PFLOPS", "%": "%", "iops": "IOPS", "ppm": "ppm",
    "‰/天": "‰/d", "‰/日": "‰/d",
}  # fmt: skip
# Written with a capital B, these are bytes: in the lower case above they could be either.
_BYTES_PER_SECOND = {"GB/s": "GB/s", "MB/s": "MB/s", "TB/s": "TB/s", "GBps": "GB/s", "MBps": "MB/s", "GiB/s": "GiB/s"}
SHORTEST_START = 3
_PREFIXES = "KMGTP"

_OPPOSITE = {
    Operator.AT_LEAST: Text(
        "“{text}”写的是上限，而“{term}”约定的是下限。请核对；数字没错的，只写数字和单位。",
        "“{text}” states a maximum, while “{term}” is a minimum. Check it; if the number is right, write it without "
        "that sign.",
    ),
    Operator.AT_MOST: Text(
        "“{text}”写的是下限，而“{term}”约定的是上限。请核对；数字没错的，只写数字和单位。",
        "“{text}” states a minimum, while “{term}” is a maximum. Check it; if the number is right, write it without "
        "that sign.",
    ),
}
# Which way a term holds where the clause table does not say so: its clause prints as a plain line.
_LIMITS: Mapping[str, Operator] = {
    **dict.fromkeys((
        "hbm_bw_min_gbs", "nvlink_bw_gbs", "inter_node_gbps_stated", "shared_write_gbs", "shared_write_iops",
        "metadata_ops_min", "inode_quota", "data_export_bw", "change_notice_days", "ops_log_days",
        "maintenance_notice_hours", "vendor_exit_notice",
    ), Operator.AT_LEAST),
    **dict.fromkeys((
        "node_variance_max_pct", "roce_loss_max_ppm", "rdma_latency_max_us", "storage_backup_rpo_h",
        "storage_backup_rto_h", "incident_notice_hours", "maintenance_hours_cap", "p1_restore_hours",
        "gpu_replace_hours", "rca_days", "retest_rounds_max", "tolerance_pct", "data_deletion_days",
        "deposit_refund_days",
    ), Operator.AT_MOST),
    **{row.terms[0]: row.operator for row in CLAUSE_TABLE if row.terms and row.operator in _OPPOSITE},
}  # fmt: skip
# These count days as the acceptance window does, maybe working ones.
_MAYBE_WORKING = frozenset({"acceptance_window_days", "deemed_acceptance_days"})

_BOUND_DROPPED = Text(
    "“{bound}”不写入，这一项写的是确定的数", "“{bound}” is not taken over: the term states the number itself"
)
_NO_HOURS = Text(
    "{term}：“{value}”不能换算成天，这里的“天”可能是工作日，不等于 24 小时。请直接写天数，{limits}。",
    "{term}: “{value}” cannot be turned into days: they may be working days, which are not 24 hours. Enter the number "
    "of days, {limits}.",
)
_UNIT_ASSUMED = Text("没有写单位，按 {unit} 读", "No unit is stated; read as {unit}")
_CONVERTED = Text("{value} {source} = {result} {unit}", "{value} {source} = {result} {unit}")
_BINARY = Text(
    "内存条按二进制计，{value} {source} 读作 {result} GiB",
    "DIMMs are sold in binary units: {value} {source} is read as {result} GiB",
)
_MEANT = Text("“{text}”读作“{meaning}”", "“{text}” is read as “{meaning}”")
_NO_NUMBER = Text("“{text}”里没有一个明确的数字。", "“{text}” holds no single number.")
_OTHER_UNIT = Text("单位“{unit}”不能换算成 {wanted}。", "The unit “{unit}” cannot be converted to {wanted}.")
_STRANGE_UNIT = Text("不认识单位“{unit}”。", "The unit “{unit}” is not known.")
_NOT_YES_NO = Text("“{text}”看不出是“是”还是“否”。", "“{text}” says neither yes nor no.")
_NO_CHOICE = Text("“{text}”对不上任何一个选项。可选：{choices}。", "“{text}” fits none of the choices: {choices}.")


@dataclass(frozen=True, slots=True)
class Converted:
    """A cell read for a term. value: what would be written; notes: what was assumed or converted; or the fault."""

    value: Any = None
    notes: tuple[Text, ...] = ()
    fault: Text | None = None


def converted(info: TermInfo, text: str, unit: str = "") -> Converted:
    """The cell's text as a value of the term. unit: what another cell says the unit is, "" where none does."""
    try:
        raw, notes = _READERS[info.kind](info, " ".join(text.split()), unit.strip())
        return Converted(read(info, raw), tuple(notes))
    except TermRefused as refusal:
        return Converted(fault=refusal.text)


def _as_typed(_: TermInfo, text: str, __: str) -> tuple[Any, list[Text]]:
    return text, []


def _yes_no(_: TermInfo, text: str, __: str) -> tuple[Any, list[Text]]:
    word = _plain(text)
    for words, value in ((_NO, False), (_YES, True)):
        if word in words:
            return value, [_MEANT.fill(text=text, meaning=YES_NO_TEXT[value])]
    raise TermRefused(_NOT_YES_NO.fill(text=text))


def _choice(info: TermInfo, text: str, _: str) -> tuple[Any, list[Text]]:
    found = _chosen(info, text)
    return found, [_MEANT.fill(text=text, meaning=info.choices[found])]


def _multi(info: TermInfo, text: str, _: str) -> tuple[Any, list[Text]]:
    parts = [part for part in re.split(r"[、,，;；/+&]|\s和\s|和", text) if part.strip()]
    found = [_chosen(info, part) for part in parts]
    return found, [_MEANT.fill(text=text, meaning=joined([info.choices[each] for each in found]))]


def _chosen(info: TermInfo, text: str) -> Any:
    """The one choice whose key or label the text is; else the only one whose name stands in it, or begins with it."""
    word = _plain(text)
    names = {key: {_plain(str(key)), _plain(label.zh), _plain(label.en)} for key, label in info.choices.items()}
    same = [key for key, spoken in names.items() if word in spoken]
    inside = [key for key, spoken in names.items() if any(_is_telling(name) and name in word for name in spoken)]
    short = [
        key for key, spoken in names.items() if len(word) >= SHORTEST_START and any(n.startswith(word) for n in spoken)
    ]
    for found in (same, inside, short):
        if len(found) == 1:
            return found[0]
    raise TermRefused(_NO_CHOICE.fill(text=text, choices=joined(list(info.choices.values()))))


def _is_telling(name: str) -> bool:
    """Whether a name may be looked for inside a longer text: 无 stands in 无损 and means nothing there."""
    return len(name) >= SHORTEST_START or (len(name) == SHORTEST_START - 1 and not name.isascii())


def _number(info: TermInfo, text: str, unit: str) -> tuple[Any, list[Text]]:
    """The number in the term's unit. Raises TermRefused where number or unit are not clear."""
    if has_odd_digits(text):
        raise TermRefused(_NO_NUMBER.fill(text=text))
    if info.choices and _is_own_unit(info, unit) and (found := _only_choice(info, text)) is not None:
        return found, []
    match = _NUMBER.fullmatch(unicodedata.normalize("NFKC", text))
    if match is None or re.search(r"\d", match["unit"]) or not _is_grouped(match["number"]):
        raise TermRefused(_NO_NUMBER.fill(text=text))
    dropped = _heed_bound(info, text, match["bound"])
    value, written = Decimal(match["number"].replace(",", "")), match["unit"].strip() or unit
    if info.unit in ("", "count"):
        found, notes = _counted(value, written)
    elif written:
        found, notes = _in_unit(info, value, written)
    else:
        found, notes = value, [_UNIT_ASSUMED.fill(unit=info.unit)]
    return found, [*notes, *dropped]


def _is_grouped(number: str) -> bool:
    return "," not in number or _THOUSANDS.fullmatch(number) is not None


def _heed_bound(info: TermInfo, text: str, bound: str | None) -> list[Text]:
    """What to note of a sign or word before the number. Raises TermRefused where the term holds the other way."""
    if not bound:
        return []
    said, holds = Operator.AT_LEAST if bound.lower() in _AT_LEAST else Operator.AT_MOST, _LIMITS.get(info.id)
    if holds is None:
        return [_BOUND_DROPPED.fill(bound=bound)]
    if said is not holds:
        raise TermRefused(_OPPOSITE[holds].fill(text=text, term=info.label))
    return []


def _is_own_unit(info: TermInfo, unit: str) -> bool:
    """Whether a number beside that unit may be one of the choices as it stands: 400 GB/s is no 400 Gb/s."""
    return not unit or not info.unit or _unit_named(unit, info.unit) == info.unit


def _only_choice(info: TermInfo, text: str) -> Any:
    word = _plain(text)
    found = [key for key, label in info.choices.items() if word in {_plain(label.zh), _plain(label.en), str(key)}]
    return found[0] if len(found) == 1 else None


def _counted(value: Decimal, written: str) -> tuple[Any, list[Text]]:
    if written and _plain(written) not in _COUNTERS:
        raise TermRefused(_STRANGE_UNIT.fill(unit=written))
    return value, []


def _in_unit(info: TermInfo, value: Decimal, written: str) -> tuple[Any, list[Text]]:
    source = _unit_named(written, info.unit)
    if source == info.unit:
        return value, []
    refuse_hours(info, source, f"{decimal_text(value)} {written}")
    if info.unit == "GiB" and source in ("GB", "TB"):
        result = value * (1024 if source == "TB" else 1)
        return result, [_BINARY.fill(value=decimal_text(value), source=written, result=decimal_text(result))]
    try:
        result = convert(value, source, info.unit)
    except UnitError:
        raise TermRefused(_OTHER_UNIT.fill(unit=written, wanted=info.unit)) from None
    said = {"value": decimal_text(value), "source": source, "result": decimal_text(result), "unit": info.unit}
    return result, [_CONVERTED.fill(**said)]


def refuse_hours(info: TermInfo, source: str, typed: str) -> None:
    """Raise TermRefused where a time in that unit would become days that may be working days."""
    if info.id in _MAYBE_WORKING and source != info.unit and source in UNITS and UNITS[source].dimension == "time":
        raise TermRefused(_NO_HOURS.fill(term=info.label, value=typed, limits=limits(info)))


def _unit_named(written: str, wanted: str) -> str:
    """The unit as units.py calls it. A lone G or T stands before the unit that is wanted: 400G of Gb/s is 400 Gb/s."""
    if written in _BYTES_PER_SECOND:
        return _BYTES_PER_SECOND[written]
    if written in UNITS:
        return written
    if len(written) == 1 and written.upper() in _PREFIXES and wanted[:1] in _PREFIXES:
        return written.upper() + wanted[1:].removeprefix("i")
    is_unclear = written.isupper() and written.endswith("BPS")
    known = None if is_unclear else _WRITTEN.get(_plain(written))
    if known is None or known not in UNITS:
        raise TermRefused(_STRANGE_UNIT.fill(unit=written))
    return known


def _plain(text: str) -> str:
    """Without case, spaces and the difference between wide and narrow letters."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


_READERS: Mapping[Kind, Callable[[TermInfo, str, str], tuple[Any, Iterable[Text]]]] = {
    Kind.TEXT: _as_typed,
    Kind.DATE: _as_typed,
    Kind.CHOICE: _choice,
    Kind.MULTI: _multi,
    Kind.YES_NO: _yes_no,
    Kind.WHOLE: _number,
    Kind.DECIMAL: _number,
}
