"""The judge's words: numbers with unit and margin, machine by slot and host name, rule and runs, in both languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from gpucontract.canonical import decimal_text
from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause, Operator
from gpucontract.contracts.printing import SIZES, TOOL_WORDS, percent, printed_value
from gpucontract.contracts.sections.interconnect import FABRICS, INTRA_LINKS
from gpucontract.contracts.sections.software import RUNTIMES
from gpucontract.contracts.values import joined, same
from gpucontract.metrics import METRICS, PIECES
from gpucontract.units import grouped
from gpucontract.units import shown as shown_in
from gpucontract.verdicts.comparing import is_met, judged_unit, mark, miss_pct, rounded
from gpucontract.verdicts.reasons import REASONS
from gpucontract.verdicts.scopes import are_several, named, spoken
from gpucontract.verdicts.states import STATE_TEXTS, ScopeVerdict, State
from gpucontract.wording import Text

_YES_NO = {
    "ecc_enabled": (Text("已开启", "on"), Text("未开启", "off")),
    "p2p_enabled": (Text("可用", "available"), Text("不可用", "not available")),
    "peermem_or_dmabuf": (Text("已使用", "in use"), Text("未使用", "not in use")),
    "fabric_manager_active": (Text("正在运行", "running"), Text("未运行", "not running")),
    "fs_mount_present": (
        Text("已挂载且可写", "mounted and writable"), Text("未挂载或不可写", "not mounted or not writable"),
    ),
    "root_access": (Text("有", "given"), Text("无", "not given")),
}  # fmt: skip
_PLAIN_YES_NO = (Text("是", "yes"), Text("否", "no"))
_WORDS = {
    **INTRA_LINKS, **FABRICS, **RUNTIMES, "on": Text("已开启", "on"), "off": Text("已关闭", "off"),
    "Socket": TOOL_WORDS["Socket"],
    "docker_without_gpu": Text("没有 NVIDIA 运行时的 Docker", "Docker without the NVIDIA runtime"),
}  # fmt: skip

_AT_LEAST = Text("不低于 {value}", "at least {value}")
_NO_FEWER = Text("不少于 {value}", "at least {value}")
_AT_MOST = Text("不多于 {value}", "at most {value}")
_EXACTLY = Text("正好 {value}", "exactly {value}")
_NONE_ALLOWED = Text("不得有", "none")
_PRINTED = Text("{mark}（工具显示为 {names}）", "{mark} (which tools print as {names})")
_ONE_OF = Text("为{value} 之一", "one of {value}")
_JUST = Text("为{value}", "{value}")
_SO = Text("{value}", "it to be {value}")
# A count shows 16 active NVLink links; anything else: GPU memory is 85.5 GB.
_COUNTED = Text("有 {value}{what}", " {shows} {value} {what}")
_COUNTED_NONE = Text("没有{what}", " {shows} no {what}")
_COUNTED_FEW = Text("只有 {value}{what}", " {shows} only {value} {what}")
_VALUED = Text("的{what}为{value}", ": {what} is {value}")
_STATED = Text("的{what}：{value}", ": {what} is {value}")
_VALUED_LOW = Text("的{what}只有{value}", ": {what} is only {value}")
_REDUCED = Text(
    "{mark}（{promised} × {allowance}，{allowance} 为约定的系统占用折扣）",
    "{mark} ({promised} × {allowance}, {allowance} being the agreed allowance)",
)

_SHORT = Text("，{word} {gap}（{pct} %）", ", {gap} {word} ({pct} %)")
_SHORT_PLAIN = Text("，{word} {gap}", ", {gap} {word}")
_EVEN = Text("，正好达到", ", met exactly")
_LESS = Text("少", "short")
_MORE = Text("多", "more")
_TOO_MANY = Text("多", "too many")
_LOWER = Text("低", "below")
_HIGHER = Text("高", "above")

_RUN_OF = Text("（{count} 次{rule}：{values}）", " ({rule} of {count} runs: {values})")
_SINGLE_RUN = Text("（1 次运行）", " (one run)")
_RULES = {
    "median": Text("取中位数", "median"), "best": Text("取最好", "best"), "worst": Text("取最差", "worst"),
}  # fmt: skip
_VALUES = Text("（{values}）", " ({values})")
_SIZED = Text("{what}（{size} 消息）", "{what} ({size} messages)")

_ALL_ALIKE = Text("全部 {count} 处读数都符合，例如：{sentence}", "All {count} readings comply, for example: {sentence}")
_CLOSEST = Text(
    "全部 {count} 处读数都达标，余量最小的一处：{sentence}", "All {count} readings pass; the closest: {sentence}"
)
_OTHERS = Text("{sentence}另有 {count} 处{state}。", "{sentence} {count} more {state}.")
_BECAUSE = Text("{sentence}原因见条款 {clause}：{cause}", "{sentence} Explained by clause {clause}: {cause}")
# What a test can differ in from the agreed one.
_PROFILE = {
    "rw": Text("读写方式", "pattern"), "block_size": Text("块大小", "block size"),
    "iodepth": Text("队列深度", "queue depth"), "numjobs": Text("每台任务数", "number of jobs per machine"),
    "ioengine": Text("读写引擎（ioengine）", "engine (ioengine)"), "dtype": Text("数据类型", "data type"),
    "gpus": Text("参加的 GPU 张数", "number of GPUs"), "device": Text("网卡端口", "port"),
    "test": Text("测试程序", "program"),
    "link type": Text("链路类型", "link type"), "-b": Text("双向选项", "option for both ways"),
}  # fmt: skip
MOST_LISTED = 12
MOST_PLACES = 9
_SHOWN_FACTS = ("printed", "again", "most", "seconds")


def of_scope(clause: Clause, verdict: ScopeVerdict, body: Body) -> Text:
    """The sentence of one scope."""
    text = REASONS[verdict.reason].fill(**_blanks(clause, verdict, body))
    return Text(text.zh, text.en[:1].upper() + text.en[1:])


def of_clause(clause: Clause, ordered: Sequence[ScopeVerdict], counts: Mapping[State, int], body: Body) -> Text:
    """The sentence of the whole clause: its deciding scope's, and how many others share its state."""
    worst = ordered[0]
    sentence, alike = of_scope(clause, worst, body), counts.get(worst.state, 0)
    if alike < 2:
        return sentence
    if worst.state is not State.VERIFIED:
        return _OTHERS.fill(sentence=sentence, count=alike - 1, state=STATE_TEXTS[worst.state])
    is_number = isinstance(worst.value, Decimal) and worst.value != mark(clause)
    return (_CLOSEST if is_number else _ALL_ALIKE).fill(count=alike, sentence=sentence)


def explained(sentence: Text, clause: Text, cause: Text) -> Text:
    """A sentence with the clause that explains it, by its number and what it says."""
    return _BECAUSE.fill(sentence=sentence, clause=clause, cause=cause)


def shown_value(clause: Clause, value: object) -> Text:
    """A measured value as people read it: 16 条, 480.9 GB/s, 已开启; a dash where there is none."""
    if value is None:
        return same("—")
    if isinstance(value, bool):
        return _YES_NO.get(clause.metric, _PLAIN_YES_NO)[0 if value else 1]
    if isinstance(value, Decimal):
        return _number(clause, value, _places(clause, value))
    return _WORDS.get(str(value), same(str(value)))


def shown_mark(clause: Clause) -> Text:
    """What the contract requires, as part of a sentence, with the names that tools print where those are others."""
    names = clause.conditions.get("printed_names") or clause.conditions.get("fs_types")
    if names:
        return _PRINTED.fill(mark=_unnamed_mark(clause), names=_either(names))
    return _unnamed_mark(clause)


def _either(names: Sequence[str]) -> Text:
    """Some names, any of which will do."""
    return Text(" 或 ".join(names), " or ".join(names))


def _unnamed_mark(clause: Clause) -> Text:
    if isinstance(clause.value, Decimal):
        return _number_mark(clause)
    if isinstance(clause.value, bool):
        return _SO.fill(value=shown_value(clause, clause.value))
    if isinstance(clause.value, tuple):
        return (_ONE_OF if len(clause.value) > 1 else _JUST).fill(value=_opened(promise(clause)))
    if clause.unit == "version" and clause.operator is Operator.AT_LEAST:
        return _AT_LEAST.fill(value=clause.value)
    return _JUST.fill(value=_opened(promise(clause)))


def promise(clause: Clause) -> Text:
    """The contracted value by itself: RoCE v2, 455 GB/s."""
    if isinstance(clause.value, tuple):
        return joined([_WORDS.get(each, same(each)) for each in clause.value])
    return _WORDS.get(str(clause.value)) or printed_value(clause)


def _number_mark(clause: Clause) -> Text:
    least = mark(clause)
    shown = _number(clause, least, 2)
    if clause.unit == "count" and least == 0 and clause.operator is not Operator.AT_LEAST:
        return _NONE_ALLOWED
    if clause.operator is Operator.AT_MOST:
        return _AT_MOST.fill(value=shown)
    if clause.operator is Operator.EQUAL:
        return _EXACTLY.fill(value=shown)
    text = (_NO_FEWER if _is_count(clause) else _AT_LEAST).fill(value=shown)
    return text if least == clause.value else _REDUCED.fill(
        mark=text, promised=_promised(clause), allowance=percent(clause.conditions.get("allowance", 1))
    )  # fmt: skip


def _promised(clause: Clause) -> str:
    listed = clause.conditions.get("smallest_mib")
    if listed is not None:
        return shown_in(Decimal(str(listed)), "MiB")
    return shown_in(clause.value, clause.unit) if isinstance(clause.value, Decimal) else str(clause.value)


def _blanks(clause: Clause, verdict: ScopeVerdict, body: Body) -> dict[str, object]:
    """Everything any sentence may want; facts come last but never hide the common ones."""
    facts = {name: _fact(clause, name, value) for name, value in verdict.facts.items()}
    if verdict.reason == "other_profile":
        facts = _profile(facts)
    lacking = clause.repeats - len(verdict.facts.get("values", ()))
    shown = shown_value(clause, verdict.value)
    common: dict[str, object] = {
        "who": _closed(spoken(verdict.scope, verdict.hosts, body)), "what": _closed(_opened(_what(clause))),
        "finding": _finding(clause, verdict), "value": _opened(shown), "shown": shown, "mark": shown_mark(clause),
        "gap": _gap(clause, verdict.value), "runs": _runs(clause, verdict), "promise": _opened(promise(clause)),
        "machines": _closed(named(verdict.facts.get("nodes") or [verdict.scope], verdict.hosts)),
        "have": len(verdict.facts.get("values", ())), "lacking": lacking, "jobs": clause.jobs,
        "layer": clause.conditions.get("link_layer", ""), "tolerance": decimal_text(clause.tolerance),
    }  # fmt: skip
    return {
        "idle": "—",
        "active": 0,
        "ports": 0,
        "wanted": clause.repeats,
        "detail": "—",
        "unit": clause.unit,
        **facts,
        **common,
    }


def _finding(clause: Clause, verdict: ScopeVerdict) -> Text:
    """What was found, as the rest of a sentence after the name of the machine, or of several."""
    value, shows = verdict.value, "show" if are_several(verdict.scope) else "shows"
    is_less = isinstance(value, Decimal) and isinstance(clause.value, Decimal) and value < mark(clause)
    shown, what = shown_value(clause, value), _closed(_opened(_what(clause)))
    if clause.unit == "count" and value == 0:
        return _COUNTED_NONE.fill(shows=shows, what=_opened(_what(clause)))
    if clause.unit == "count":
        return (_COUNTED_FEW if is_less else _COUNTED).fill(shows=shows, value=shown, what=_opened(_what(clause)))
    if isinstance(value, bool):
        return _STATED.fill(value=shown, what=_opened(_what(clause)))
    return (_VALUED_LOW if is_less else _VALUED).fill(value=_opened(shown), what=what)


def _opened(text: Text) -> Text:
    """Chinese sets a space between its characters and Latin ones: here before a text that begins with Latin."""
    return Text(f" {text.zh}", text.en) if text.zh[:1].isascii() and text.zh[:1].strip() else text


def _closed(text: Text) -> Text:
    """The same after a text that ends with Latin."""
    return Text(f"{text.zh} ", text.en) if text.zh[-1:].isalnum() and text.zh[-1:].isascii() else text


def _fact(clause: Clause, name: str, value: Any) -> object:
    if isinstance(value, list | tuple):
        return joined([same(str(each)) for each in value[:MOST_LISTED]]) if value else "—"
    if isinstance(value, Decimal) and name in _SHOWN_FACTS:
        return grouped(rounded(value, 2))
    if name in ("earlier", "later"):
        return shown_value(clause, value)
    return decimal_text(value) if isinstance(value, Decimal) else value


def _profile(facts: Mapping[str, object]) -> dict[str, object]:
    """What was agreed of a test and what was run, in words: 块大小为 4 KiB，合同约定 1 MiB."""
    told = {name: _in_words(str(facts.get(name, "?"))) for name in ("seen", "wanted")}
    if str(facts.get("name")) == "block_size" and str(facts.get("seen")).isdigit():
        told["seen"] = same(_binary(int(str(facts["seen"]))))
    name = str(facts.get("name"))
    return {**facts, **told, "name": _PROFILE.get(name, same(name))}


def _in_words(value: str) -> Text:
    return TOOL_WORDS.get(value) or SIZES.get(value) or same(value)


def _binary(size: int) -> str:
    """A block of so many bytes in the largest unit that holds it whole: 1 MiB."""
    power = next(each for each in (3, 2, 1, 0) if size % 1024**each == 0)
    return f"{grouped(size // 1024**power)} {('B', 'KiB', 'MiB', 'GiB')[power]}"


def _what(clause: Clause) -> Text:
    metric = METRICS.get(clause.metric)
    label = metric.label if metric else clause.text
    size = clause.conditions.get("size")
    return _SIZED.fill(what=label, size=SIZES.get(size, size)) if size else label


def _runs(clause: Clause, verdict: ScopeVerdict) -> Text | str:
    values = verdict.facts.get("values")
    if not values:
        return ""
    places = max(2, *(_places(clause, value) for value in values))
    shown = joined([same(_bare(value, places)) for value in values])
    if len(values) == 1:
        return _SINGLE_RUN if verdict.state is not State.PENDING else _VALUES.fill(values=shown)
    if verdict.reason in ("few_runs", "split_runs"):
        return _VALUES.fill(values=shown)
    return _RUN_OF.fill(count=len(values), rule=_RULES[clause.repeat_rule], values=shown)


def _gap(clause: Clause, value: object) -> Text | str:
    """By how much and by what percent a number misses or beats the mark; "" for words."""
    if not isinstance(value, Decimal) or not isinstance(clause.value, Decimal):
        return ""
    gap = value - mark(clause)
    if not gap:
        return "" if clause.operator is Operator.EQUAL or not mark(clause) else _EVEN
    beyond = _TOO_MANY if clause.operator is Operator.AT_MOST else _MORE
    less, more = (_LESS, beyond) if _is_count(clause) else (_LOWER, _HIGHER)
    percent = miss_pct(clause, value)
    shown = _number(clause, abs(gap), _places(clause, value))
    if percent is None:
        return _SHORT_PLAIN.fill(word=less if gap < 0 else more, gap=shown)
    signed = percent if clause.operator is not Operator.AT_MOST else -percent
    return _SHORT.fill(word=less if gap < 0 else more, gap=shown, pct=_percent(signed))


def _percent(value: Decimal) -> str:
    """One decimal and a sign, more decimals where one would say 0; a true minus sign."""
    places = next((each for each in range(1, MOST_PLACES) if rounded(value, each)), MOST_PLACES)
    text = _bare(abs(value), places)
    return f"{'−' if value < 0 else '+'}{text}"


def _places(clause: Clause, value: Decimal) -> int:
    """As few decimals as keep a value that misses the mark from looking as if it met it."""
    if not isinstance(clause.value, Decimal):
        return 2
    for places in (1, 2, 3, 4, 6):
        shown = rounded(value, places)
        if is_met(clause, shown) == is_met(clause, value) and (shown != mark(clause) or value == mark(clause)):
            return places
    return MOST_PLACES


def _number(clause: Clause, value: Decimal, places: int) -> Text:
    unit, number = judged_unit(clause), _bare(value, places)
    if unit in ("count", "lanes", ""):
        metric = METRICS.get(clause.metric)
        spoken_en = f"{number} lanes" if unit == "lanes" else number
        return Text(f"{number} {metric.counter if metric else PIECES}", spoken_en)
    return same(f"{number} {unit}")


def _bare(value: Decimal, places: int) -> str:
    return grouped(rounded(value, places))


def _is_count(clause: Clause) -> bool:
    return judged_unit(clause) in ("count", "lanes")
