"""Machines that fall behind their own fleet, and the machine that slow pairs have in common.

Both are remarks for whoever looks next, never a verdict: the contract's mark decides, the fleet only points.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from enum import StrEnum
from statistics import median

from gpucontract.metrics import METRICS, Better
from gpucontract.units import grouped
from gpucontract.wording import Text

# Shares of the fleet's median: 5 % behind it is worth a look, 10 % is out of line with any healthy spread.
WARN_PCT = Decimal(5)
FLAG_PCT = Decimal(10)
# With fewer machines a median is no baseline: of two, each is as far from it as the other.
FEWEST = 3
# A pair is slow below this share of the median pair.
PAIR_SHARE = Decimal("0.90")

_BEHIND = {
    True: Text(
        "{node} 的{what}为 {value} {unit}，比同组 {count} 台的中位数 {middle} {unit} 低 {pct} %，"
        "明显偏离，应复测并检查。",
        "{node}: {what} is {value} {unit}, {pct} % below {middle} {unit}, the median of the group's {count} machines; "
        "out of line, so measure again and inspect it.",
    ),
    False: Text(
        "{node} 的{what}为 {value} {unit}，比同组 {count} 台的中位数 {middle} {unit} 低 {pct} %，请留意。",
        "{node}: {what} is {value} {unit}, {pct} % below {middle} {unit}, the median of the group's {count} machines; "
        "keep an eye on it.",
    ),
}
_ABOVE = {
    True: Text(
        "{node} 的{what}为 {value} {unit}，比同组 {count} 台的中位数 {middle} {unit} 高 {pct} %，"
        "明显偏离，应复测并检查。",
        "{node}: {what} is {value} {unit}, {pct} % above {middle} {unit}, the median of the group's {count} machines; "
        "out of line, so measure again and inspect it.",
    ),
    False: Text(
        "{node} 的{what}为 {value} {unit}，比同组 {count} 台的中位数 {middle} {unit} 高 {pct} %，请留意。",
        "{node}: {what} is {value} {unit}, {pct} % above {middle} {unit}, the median of the group's {count} machines; "
        "keep an eye on it.",
    ),
}
_RETEST = Text(
    "偏慢的 {slow} 对里都有 {node}。这还不能说明是它的问题：先让它与已知良好的 {partner} 复测，再下结论。",
    "{node} is in {slow} slow pairs. That does not yet make it the cause: retest it with {partner}, known to be good, "
    "first.",
)
_CONFIRMED = Text(
    "{node} 与已知良好的 {partner} 复测仍慢（{value} GB/s，各对中位数 {middle} GB/s），问题在 {node}："
    "应由乙方检修或更换，再复测。",
    "{node} is slow again with {partner}, known to be good ({value} GB/s against a median pair of {middle} GB/s): "
    "the cause is {node}. The vendor should repair or replace it; then test again.",
)
_CLEARED = Text(
    "{node} 与已知良好的 {partner} 复测正常（{value} GB/s），不能归因于 {node}。",
    "{node} is as fast as others with {partner}, known to be good ({value} GB/s): {node} is not to blame.",
)


class Level(StrEnum):
    """How far to go: look, or treat it as out of line."""

    WARNED = "warned"
    FLAGGED = "flagged"


class Suspicion(StrEnum):
    """Where a suspect stands: to be retested, confirmed, or cleared."""

    RETEST = "retest"
    CONFIRMED = "confirmed"
    CLEARED = "cleared"


@dataclass(frozen=True, slots=True)
class Outlier:
    """One machine behind its fleet. behind_pct: percent of the median, always positive."""

    node: str
    metric: str
    value: Decimal
    middle: Decimal
    behind_pct: Decimal
    level: Level
    text: Text


@dataclass(frozen=True, slots=True)
class Suspect:
    """The machine that slow pairs share; is_named only after a partner known to be good confirmed it.

    partner: the machine to retest it with, or that it was retested with.
    """

    node: str
    stage: Suspicion
    partner: str
    text: Text

    @property
    def is_named(self) -> bool:
        """Whether the cause may be put on this machine."""
        return self.stage is Suspicion.CONFIRMED


Pair = frozenset[str]


def outliers(metric: str, values: Mapping[str, Decimal]) -> tuple[Outlier, ...]:
    """Machines of one group that fall more than 5 % behind the group's median in a rate metric, the worst first.

    values: slot -> value in the metric's unit. Nothing is said of fewer than three machines, nor of facts.
    """
    known = METRICS[metric]
    if known.kind != "rate" or len(values) < FEWEST:
        return ()
    middle = median(values.values())
    if middle <= 0:
        return ()
    sign = -1 if known.better is Better.LESS else 1
    behind = {node: sign * (middle - value) * 100 / middle for node, value in values.items()}
    late = sorted((node for node in behind if behind[node] > WARN_PCT), key=lambda node: (-behind[node], node))
    return tuple(_outlier(metric, node, values, behind[node]) for node in late)


def suspects(
    pairs: Mapping[Pair, Decimal], retests: Mapping[Pair, Decimal], good: Collection[str] = ()
) -> tuple[Suspect, ...]:
    """Which machines slow pairs point to: the one in every slow pair of two or more, else those slow in all of theirs.

    pairs: bandwidth of each pair in GB/s. retests: results measured after the suspicion, with another partner.
    good: machines known to be good; without any, those that were fast with somebody else.
    """
    if len(pairs) < FEWEST:
        return ()
    middle, slow = median(pairs.values()), slow_pairs(pairs)
    found = sorted(_pointed_at(slow, pairs))
    sound = (set(good) or {node for pair in pairs if pair not in slow for node in pair}) - set(found)
    count = {node: sum(node in pair for pair in slow) for node in found}
    return tuple(_suspect(node, count[node], middle, retests, sound) for node in found if sound)


def slow_pairs(pairs: Mapping[Pair, Decimal]) -> list[Pair]:
    """The pairs below the share of the median pair that a healthy one keeps, the slowest first."""
    middle = median(pairs.values())
    slow = (pair for pair, value in pairs.items() if value < middle * PAIR_SHARE)
    return sorted(slow, key=lambda pair: (pairs[pair], sorted(pair)))


def _pointed_at(slow: list[Pair], pairs: Mapping[Pair, Decimal]) -> set[str]:
    if len(slow) < 2:
        return set()
    met = {node: [pair for pair in pairs if node in pair] for pair in slow for node in pair}
    always = {node for node, own in met.items() if len(own) > 1 and all(pair in slow for pair in own)}
    return set(frozenset.intersection(*slow)) or always


def _outlier(metric: str, node: str, values: Mapping[str, Decimal], behind: Decimal) -> Outlier:
    known, middle = METRICS[metric], median(values.values())
    is_flagged = behind > FLAG_PCT
    words = _ABOVE if known.better is Better.LESS else _BEHIND
    text = words[is_flagged].fill(
        node=node, what=known.label, value=grouped(values[node]), unit=known.unit, count=len(values),
        middle=_short(middle), pct=_short(behind),
    )  # fmt: skip
    level = Level.FLAGGED if is_flagged else Level.WARNED
    return Outlier(node, metric, values[node], middle, behind, level, text)


def _suspect(node: str, slow: int, middle: Decimal, retests: Mapping[Pair, Decimal], good: Collection[str]) -> Suspect:
    """The newest stage: only a retest with a partner known to be good settles anything, and one that passes clears."""
    met = {partner: frozenset({node, partner}) for partner in sorted(good)}
    telling = {partner: retests[pair] for partner, pair in met.items() if pair in retests}
    if not telling:
        partner = min(met)
        return Suspect(node, Suspicion.RETEST, partner, _RETEST.fill(slow=slow, node=node, partner=partner))
    partner, best = max(telling.items(), key=lambda item: item[1])
    is_slow = best < middle * PAIR_SHARE
    words = _CONFIRMED if is_slow else _CLEARED
    said = words.fill(node=node, partner=partner, value=grouped(best), middle=_short(middle))
    return Suspect(node, Suspicion.CONFIRMED if is_slow else Suspicion.CLEARED, partner, said)


def _short(value: Decimal) -> str:
    """To a tenth: a median or a percentage is not more exact than what was measured."""
    return grouped(value.quantize(Decimal("0.1"), ROUND_HALF_EVEN))
