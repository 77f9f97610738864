"""How a clause is printed, on paper and on screen alike: its value, its side conditions, where its mark comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from gpucontract.canonical import decimal_text
from gpucontract.contracts.clauses import Clause, Operator
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.storage import BLOCK_SIZES
from gpucontract.contracts.sections.term import YES_NO_TEXT, Kind, TermInfo, parted
from gpucontract.contracts.sections.values import TermRefused, read
from gpucontract.contracts.values import counted, in_days, joined, measure, priced, same, words
from gpucontract.metrics import METRICS
from gpucontract.units import grouped
from gpucontract.wording import Text

SIGNS = {Operator.AT_LEAST: "≥ ", Operator.AT_MOST: "≤ ", Operator.EQUAL: "", Operator.IN: ""}
NONE_ALLOWED = Text("无", "none")
NOT_APPLICABLE = Text("不适用", "not applicable")
SIZES = {**TERMS["intra_busbw_msg_size"].printed_choices, **parted(BLOCK_SIZES)}
WORDS_UNITS = frozenset({"text", "enum", "bool", "version", "set", "date", ""})


SOURCES: Mapping[str, Text] = {
    "contract": Text("门槛由双方约定", "mark agreed by both sides"),
    "public_reference": Text("门槛取自公开的健康机器实测值", "mark from published measurements of healthy machines"),
    "catalogue": Text("门槛取自型号资料", "mark from the model's catalogue data"),
    "estimated": Text("门槛为估算值，没有公开参考", "mark estimated, no public reference"),
}
RULES: Mapping[str, Text] = {
    "median": Text("取中位数", "the median counts"),
    "best": Text("取最好的一次", "the best counts"),
    "worst": Text("取最差的一次", "the worst counts"),
}

# What the sentence of a clause says already, or what only the judge needs to find the reading.
UNPRINTED = frozenset(
    {
        "not_applicable",
        "size",
        "size_bytes",
        "collective",
        "ranks",
        "code",
        "mount",
        "currency",
        "months",
        "unit",
        "kind",
        "port_gbps",
        "day_basis",
        "pricing_unit",
        "data_deletion_method",
        "smallest_mib",
        "dtype",
        "at",
        "writable",
    }
)
CONDITIONS: Mapping[str, Text] = {
    "allowance": Text("工具显示值达到约定值的 {value} 即符合", "{value} of the agreed value suffices as shown"),
    "printed_names": Text("驱动显示的名称：{value}", "name printed by the driver: {value}"),
    "memory_mib": Text("驱动显示的显存（MiB）：{value}", "memory printed by the driver (MiB): {value}"),
    "catalogue_links": Text("该型号共 {value} 条链路", "the model has {value} links"),
    "placement": Text("取{value}列", "the {value} column counts"),
    "hosts": Text("参与的机器：{value} 台", "machines taking part: {value}"),
    "validation": Text("测试须校验结果", "the run checks its results"),
    "env_allowed": Text("允许的环境变量：{value}", "environment allowed: {value}"),
    "algorithm": Text("算法：{value}", "algorithm: {value}"),
    "link_layer": Text("端口链路层：{value}", "link layer of the ports: {value}"),
    "transport": Text("NCCL 日志中的传输：{value}", "transport in NCCL's log: {value}"),
    "state": Text("端口状态：{value}", "state of the ports: {value}"),
    "ports": Text("取最快的 {value} 个端口", "the {value} fastest ports count"),
    "note": Text("说明：{value}", "note: {value}"),
    "gpus": Text("参加的 GPU：{value} 张", "GPUs taking part: {value}"),
    "all_gpus_at_once": Text("所有 GPU 同时运行", "all GPUs at once"),
    "runtime_s": Text("每次至少运行 {value} 秒", "each run takes {value} s at least"),
    "direct": Text("直接读写，不经缓存", "direct I/O, no cache"),
    "rw": Text("读写方式：{value}", "pattern: {value}"),
    "block_size": Text("块大小：{value}", "block size: {value}"),
    "iodepth": Text("队列深度：{value}", "queue depth: {value}"),
    "numjobs": Text("并发任务：{value}", "jobs: {value}"),
    "clients": Text("客户端：{value} 台", "clients: {value}"),
    "is_local": Text("只计本地盘", "local disks only"),
    "without_system_disks": Text("不计系统盘", "system disks left out"),
    "fs_types": Text("挂载后显示的类型：{value}", "type shown once mounted: {value}"),
    "basis": Text("容量口径：{value}", "capacity basis: {value}"),
    "agent_started_by": Text("由甲方自己的登录启动测试程序", "the test program is started from the buyer's own login"),
    "codes": Text("计入的 Xid 代码：{value}", "Xid codes that count: {value}"),
    "hours": Text("压测 {value} 小时", "burn-in of {value} hours"),
    "nodes": Text("共 {value} 台", "{value} machines"),
}  # fmt: skip
_ALLOWANCE_LISTED = Text(
    "驱动显示的显存达到 {listed} MiB（该型号显示的最小值）的 {value} 即符合",
    "{value} of {listed} MiB, the least that the driver shows for the model, suffices",
)
# Conditions that may be agreed the other way round.
_NOT: Mapping[str, Text] = {"direct": Text("不绕过缓存", "caches not bypassed")}

# What tools call a thing, as people say it.
TOOL_WORDS: Mapping[str, Text] = {
    "off": Text("关闭", "off"),
    "on": Text("开启", "on"),
    "read": Text("顺序读", "sequential read"),
    "write": Text("顺序写", "sequential write"),
    "rw": Text("顺序混合读写", "sequential mix of read and write"),
    "randread": Text("随机读", "random read"),
    "randwrite": Text("随机写", "random write"),
    "randrw": Text("随机混合读写", "random mix of read and write"),
    "IB": Text("IB verbs（RoCE 也显示为 IB）", "IB verbs (RoCE shows as IB too)"),
    "Socket": Text("TCP 套接字（Socket）", "TCP sockets (Socket)"),
    "out_of_place": Text("非原位（out-of-place）", "out-of-place"),
    "in_place": Text("原位（in-place）", "in-place"),
}


def printed_value(clause: Clause) -> Text:
    """Sign, value and unit: ≥ 455 GB/s; choices and yes/no in words."""
    if "not_applicable" in clause.conditions:
        return NOT_APPLICABLE
    value, sign = clause.value, SIGNS[clause.operator]
    if isinstance(value, bool):
        return YES_NO_TEXT[value]
    if isinstance(value, str | tuple):
        spoken = _spoken(clause, value)
        return Text(f"{sign}{spoken.zh}", f"{sign}{spoken.en}")
    if clause.term is None and not value and clause.unit == "count" and clause.operator is not Operator.AT_LEAST:
        return NONE_ALLOWED
    spoken = _number(clause, value)
    return _allowed(clause, Text(f"{sign}{spoken.zh}", f"{sign}{spoken.en}"))


def counter_of(clause: Clause) -> Text | None:
    """What a clause counts: as its term says it, else the measure word of what measures it; None for no count."""
    if clause.unit != "count":
        return None
    info, metric = _info(clause), METRICS.get(clause.metric)
    if info is not None and info.counted is not None:
        return info.counted
    return same(metric.counter) if metric else None


def _number(clause: Clause, value: Decimal) -> Text:
    info, counter = _info(clause), counter_of(clause)
    if info is not None and value in info.choices:
        return info.formal_choices[value]
    if basis := clause.conditions.get("day_basis"):
        return in_days(value, str(basis))
    if counter is not None and counter.zh != counter.en:
        return counted(value, counter)
    if counter is not None:
        return Text(f"{grouped(value)} {counter.zh}", grouped(value))
    return measure(value, "" if clause.unit in WORDS_UNITS else clause.unit)


def stated_value(clause: Clause) -> Text:
    """The value as two sides speak of it, its allowance not worked out: ≥ 2048 GiB."""
    stated = {name: item for name, item in clause.conditions.items() if name != "allowance"}
    return printed_value(replace(clause, conditions=stated))


def condition_lines(clause: Clause) -> tuple[Text, ...]:
    """Everything the clause holds beside its value, one line each; nothing the vendor confirms stays unprinted."""
    told = {name: value for name, value in clause.conditions.items() if name not in UNPRINTED and value not in ([], ())}
    lines = [_condition(clause, name, value) for name, value in told.items()]
    if clause.kind == "rate":
        lines += _rate_lines(clause)
    return tuple(lines)


def source_text(clause: Clause) -> Text | None:
    """Where the mark comes from; None for lines that nothing measures."""
    return SOURCES.get(clause.threshold_source) if clause.kind == "rate" else None


def _allowed(clause: Clause, shown: Text) -> Text:
    """The value with its allowance worked out: ≥ 2,048 GiB × 97 % = 1,986.56 GiB; listed memory in MiB beside it."""
    share, listed = clause.conditions.get("allowance"), clause.conditions.get("smallest_mib")
    if share is None or not isinstance(clause.value, Decimal):
        return shown
    least, unit = (Decimal(str(listed)), "MiB") if listed is not None else (clause.value, clause.unit)
    worked = f"× {percent(share)} = {grouped(least * Decimal(str(share)))} {unit}"
    if listed is None:
        return Text(f"{shown.zh} {worked}", f"{shown.en} {worked}")
    return Text(f"{shown.zh}（{grouped(least)} MiB {worked}）", f"{shown.en} ({grouped(least)} MiB {worked})")


def percent(share: object) -> str:
    """A share as people read it: 97 % for 0.97."""
    return f"{grouped(Decimal(str(share)) * 100)} %"


def _info(clause: Clause) -> TermInfo | None:
    """The term a clause is about, where it is about one."""
    return TERMS.get(clause.term.partition("/")[2]) if clause.term else None


def _spoken(clause: Clause, value: str | tuple[str, ...]) -> Text:
    info = _info(clause)
    if info is not None and clause.unit != "version":
        return words(info, value)
    table = TERMS.get(clause.name)
    if table is not None and table.kind is Kind.ROWS and isinstance(value, tuple):
        # Rows frozen before they carried their currency name none: another than theirs would be false.
        currency = clause.conditions.get("currency")
        return _row_spoken(priced(table, str(currency)) if currency else table, value)
    if isinstance(value, str):
        return TOOL_WORDS.get(value) or same(value)
    return Text(" 或 ".join(value), " or ".join(value)) if clause.operator is Operator.IN else same(" / ".join(value))


def _row_spoken(table: TermInfo, cells: tuple[str, ...]) -> Text:
    """One row of a table in words; a frozen cell reads column=value."""
    columns = {column.id: column for column in table.columns}
    row: dict[str, Any] = {}
    for cell in cells:
        name, _equals, typed = cell.partition("=")
        if name not in columns:
            return same(" / ".join(cells))
        row[name] = _cell(columns[name], typed)
    return words(table, row)


def _cell(column: TermInfo, typed: str) -> Any:
    try:
        return read(column, typed)
    except TermRefused:
        return typed


def _condition(clause: Clause, name: str, value: Any) -> Text:
    if value is False and name in _NOT:
        return _NOT[name]
    if name == "allowance":
        listed = clause.conditions.get("smallest_mib")
        pattern = CONDITIONS[name] if listed is None else _ALLOWANCE_LISTED
        return pattern.fill(value=percent(value), listed=grouped(Decimal(str(listed or 0))))
    label = TERMS[name].formal if name in TERMS else same(name)
    text = CONDITIONS.get(name) or Text(f"{label.zh}：{{value}}", f"{label.en}: {{value}}")
    return text.fill(value=_plain(name, value))


def _plain(name: str, value: Any) -> object:
    info = TERMS.get({"basis": "capacity_basis"}.get(name, name))
    if isinstance(value, bool):
        return YES_NO_TEXT[value]
    if isinstance(value, list | tuple):
        return joined([same(grouped(item) if isinstance(item, int) else str(item)) for item in value])
    if info is not None and value in info.choices:
        return info.formal_choices[value]
    if isinstance(value, str):
        return TOOL_WORDS.get(value) or SIZES.get(value) or value
    return grouped(value) if isinstance(value, int | Decimal) else value


def _rate_lines(clause: Clause) -> list[Text]:
    runs = Text("测 {n} 次，{rule}", "{n} runs, {rule}").fill(n=clause.repeats, rule=RULES[clause.repeat_rule])
    if not clause.tolerance:
        return [runs]
    allowed = Text("允许偏差 {pct} %", "tolerance {pct} %").fill(pct=decimal_text(clause.tolerance))
    return [runs, allowed]
