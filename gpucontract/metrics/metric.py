"""What a metric is, and how one row of the tables beside this file becomes one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from gpucontract.wording import Text


class Better(StrEnum):
    """Which direction is better: more, less, exactly the same, or one of a set."""

    MORE = "more"
    LESS = "less"
    SAME = "same"
    MEMBER = "member"


# How long a reading holds during the term; inside the acceptance window every run is fresh.
DAY = timedelta(hours=24)
WEEK = timedelta(hours=168)

PIECES = "个"
WORD_UNITS = ("text", "enum", "bool", "version", "set")
SCOPES = ("gpu", "port", "pair", "node", "group", "contract")


@dataclass(frozen=True, slots=True)
class Source:
    """The readings a metric rests on and how it follows from them; without readings, why there are none yet."""

    readings: tuple[str, ...]
    how: Text


@dataclass(frozen=True, slots=True)
class Metric:
    """One measurable thing. unit as in units.py, or text, enum, bool, version, set for words.

    counter: the Chinese measure word of a bare count (18 条). kind: a rate has repeats and tolerance, a fact has not.
    readings: parsers' names; one that ends in _at or _ begins them. how: the derivation, or why there is no reading.
    validity: how long a reading holds in the term. pitfall: the misreading the user is warned of.
    """

    key: str
    label: Text
    unit: str
    better: Better
    scope: str
    readings: tuple[str, ...]
    how: Text
    pitfall: Text
    kind: str = "fact"
    validity: timedelta = DAY
    counter: str = PIECES

    @property
    def is_measured(self) -> bool:
        """Whether any parser reads it today."""
        return bool(self.readings)


def row(key: str, label: str, shape: str, source: Source, pitfall: str) -> Metric:
    """label and pitfall: 'zh | en'. shape: '[rate] unit better scope [measure word]'; rates hold longer than facts."""
    words = shape.split()
    is_rate = words[0] == "rate"
    unit, better, scope, *counter = words[1:] if is_rate else words
    return Metric(
        key=key, label=_both(label), unit=unit, better=Better(better), scope=scope, readings=source.readings,
        how=source.how, pitfall=_both(pitfall), kind="rate" if is_rate else "fact",
        validity=WEEK if is_rate else DAY, counter=counter[0] if counter else PIECES,
    )  # fmt: skip


def read(how: Text, readings: str) -> Source:
    """A source of these readings, named with spaces between."""
    return Source(tuple(readings.split()), how)


def none(reason: Text) -> Source:
    """No parser reads it yet, for this reason."""
    return Source((), reason)


def _both(words: str) -> Text:
    zh, en = words.split(" | ")
    return Text(zh, en)


AS_READ = Text("直接取读数", "The reading as it is")
WORST = Text("每个部件一个读数，最差的决定", "One reading for each device; the worst decides")
ANY = Text("每个部件一个读数，任何一个不符即不符", "One reading for each device; any that differs decides")
COUNTED = Text("数出符合条件的部件", "The devices that fit are counted")
SUMMED = Text("把符合条件的读数相加", "The readings that fit are added up")
OF_SIZE = Text(
    "取约定消息大小那一行，几次运行按合同取中位数、最好或最差",
    "The row of the agreed message size; of several runs the median, best or worst as the contract says",
)
OF_RUNS = Text("几次运行按合同取中位数、最好或最差", "Of several runs the median, best or worst as the contract says")
NO_PARSER = Text("还没有解析器读取它", "No parser reads it yet")
NO_PROBE = Text("需要在 GPU 上运行的探测程序，尚无", "Needs a probe that runs on the GPUs, which does not exist yet")
NO_TRAINING = Text(
    "参考训练只在一台机器里跑几分钟，不读写数据，也不写检查点",
    "The reference training runs inside one machine for minutes; it reads no data and writes no checkpoint",
)
NO_COUNTERS = Text(
    "需要在加载前后各读一次计数器，尚无此测试项", "Needs counters read before and after a load, which no job does yet"
)
NO_SAMPLES = Text("需要在加载期间连续取样，尚无此测试项", "Needs samples taken during a load, which no job takes yet")
NO_SPREAD = Text(
    "各对的结果在“机器对比”页列出，还不合成一个差值",
    "The pairs stand beside each other on the page that compares machines; nothing makes one figure of them yet",
)
NO_SHARED_LOAD = Text(
    "需要多台机器同时加载，尚无此测试项", "Needs several machines loading at the same time, which no job does yet"
)
NO_OUTSIDE = Text("需要从机器外部探测，尚无", "Needs a probe from outside the machine, which does not exist yet")
FROM_EVENTS = Text(
    "由服务期内的事件和工单计算，不是机器读数",
    "Computed from incidents and tickets in the term, not read from machines",
)
FROM_RECORDS = Text(
    "由本系统自己的记录计算，不是机器读数", "Computed from this system's own records, not read from machines"
)
