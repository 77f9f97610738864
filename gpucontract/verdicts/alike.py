"""Which runs tell the same measurement twice: figures that no two runs share by chance, though one or two were changed.

Two runs of healthy machines differ by a tenth of a per cent or more, and nccl-tests prints four to six figures, so one
time agrees in about one pair of a hundred. Five of eight agree in one pair of 10^8, nine of fourteen in one of 10^14;
2,000 machines with three runs each make 2 x 10^7 pairs. fio counts to the last byte: there not even one agrees.

Repeats are also looked at for one table computed from the other: y = factor * x + offset to the last figure printed.
Two runs of one machine stray from any such line by a tenth of a per cent a size, ten times what is printed. With eight
sizes of five figures and a fifth of them free, honest runs that stray by a thirtieth of a per cent are never taken for
computed ones; computed ones always are.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations, islice

from gpucontract.measurements import identities
from gpucontract.measurements.parsers.capture import ReadingValue
from gpucontract.measurements.records import OutputRecord, RunRecord

FEWEST_EQUAL = 5
GUID = "guid"
# More than this share of a machine's NIC ports; one card may have moved from one machine to another.
MOST_GUIDS = Decimal("0.5")
LEAST_SHARE = Decimal("0.6")
FEWEST_DIGITS = 4
EXACT_DIGITS = 7
_EXACT = ("read_bw_bytes", "write_bw_bytes", "read_iops", "write_iops")
# One of these alone brings two tables together.
_SINGLY = (*_EXACT, GUID)
FEWEST_ON_LINE = 8
LEAST_ON_LINE = Decimal("0.8")
LINE_DIGITS = 5
# So many of the shortest and of the longest times are tried as the two ends of the line: some may have been changed.
ENDS = 4
# A value that so many outputs share tells nothing about any two of them.
MOST_SHARING = 64

# So few new ones are compared with every other.
FEW = 64

Figure = tuple[str, str]
Figures = frozenset[Figure]
Times = Mapping[str, Decimal]


def measured(output: OutputRecord) -> Figures:
    """The times of a collective and the exact rates of fio, each with the half of the table or the rate it is."""
    timed = ((_half(row.name), row, FEWEST_DIGITS) for row in output.timed)
    exact = ((name, row, EXACT_DIGITS) for name in _EXACT for row in output.rows.get(name, ()))
    shown = ((kind, row.whole().value, least) for kind, row, least in (*timed, *exact))
    return frozenset(
        (kind, str(value))
        for kind, value, least in shown
        if value is not None and _digits(value, kind in _EXACT) >= least
    )


def figures(output: OutputRecord) -> Figures:
    """What was measured, and the GUIDs of NICs that no second machine can have."""
    guids = (value for name in identities.GUIDS for value in identities.unique(name, output.rows))
    return measured(output) | {(GUID, value) for value in guids}


def _half(name: str) -> str:
    """Which half of the table a time is from."""
    return "in" if name.endswith("in_place") else "out"


def halves(table: Figures) -> tuple[list[str], list[str]]:
    """The times of a collective out of place, and in place."""
    out, into = ([value for kind, value in table if kind == half] for half in ("out", "in"))
    return out, into


def are_alike(one: Figures, other: Figures) -> bool:
    """Whether two outputs share more figures than chance allows."""
    return _is_too_much(one & other, one, other)


def alike(tables: Sequence[Figures], since: int = 0) -> list[tuple[int, int]]:
    """The places of all pairs that are alike and of which at least one is from place `since` on."""
    often = Counter(figure for table in tables for figure in table)
    is_few = len(tables) - since <= FEW
    pairs = _with_each(tables, since, often) if is_few else _candidates(tables, often)
    return sorted(pair for pair in pairs if pair[1] >= since and are_alike(tables[pair[0]], tables[pair[1]]))


def _with_each(tables: Sequence[Figures], since: int, often: Mapping[Figure, int]) -> Iterator[tuple[int, int]]:
    """Pairs of the last few with any that shares a telling figure."""
    for place in range(since, len(tables)):
        telling = {figure for figure in tables[place] if 1 < often[figure] <= MOST_SHARING}
        for other in range(place) if telling else ():
            if not telling.isdisjoint(tables[other]):
                yield other, place


def _candidates(tables: Sequence[Figures], often: Mapping[Figure, int]) -> set[tuple[int, int]]:
    """Pairs that may be alike, without comparing every one with every other.

    Two tables that share n times have their two rarest shared ones among all but the n - 2 most frequent of each.
    """
    sizes = [size for table in tables if (size := _times(table)) >= FEWEST_EQUAL]
    needed = max(FEWEST_EQUAL, math.ceil(LEAST_SHARE * min(sizes, default=FEWEST_EQUAL)))
    sharing: dict[object, list[int]] = defaultdict(list)
    for place, table in enumerate(tables):
        shared = sorted((often[figure], figure) for figure in table if often[figure] > 1)
        times = [each for each in shared if each[1][0] not in _SINGLY]
        exact = [each for each in shared if each[1][0] in _SINGLY and each[0] <= MOST_SHARING]
        rarest = combinations(times[: max(0, len(times) - needed + 2)], 2)
        for key in (*exact, *(two for two in rarest if two[0][0] <= MOST_SHARING)):
            sharing[key].append(place)
    groups = (places for places in sharing.values() if 1 < len(places) <= MOST_SHARING)
    return {pair for places in groups for pair in combinations(places, 2)}


def repeated(records: Iterable[RunRecord]) -> set[str]:
    """The ids of runs, each of which is another one but for some changed figures, or computed from another one.

    Both are under suspicion.
    """
    outputs = [(record.id, output) for record in records for output in record.outputs]
    known = [(name, table, times(output)) for name, output in outputs if (table := measured(output))]
    pairs = alike([table for _, table, _ in known])
    timed = [place for place, (_, _, table) in enumerate(known) if len(table) >= FEWEST_ON_LINE]
    pairs += [pair for pair in combinations(timed, 2) if are_on_a_line(known[pair[0]][2], known[pair[1]][2])]
    return {known[place][0] for pair in pairs if known[pair[0]][0] != known[pair[1]][0] for place in pair}


def times(output: OutputRecord) -> Times:
    """The times of a collective that show enough figures, by their names; a size of two names is there once."""
    shown = ((row.name, row.whole().value) for row in output.timed)
    long = {name: value for name, value in shown if isinstance(value, Decimal) and _digits(value, False) >= LINE_DIGITS}
    return {name: value for (_, value), name in {(_half(name), value): name for name, value in long.items()}.items()}


def are_on_a_line(one: Times, other: Times) -> bool:
    """Whether one table is the other times a factor plus an offset, but for a few figures; too few say nothing."""
    points = sorted((float(one[name]), float(other[name]), _step(one[name]) + _step(other[name])) for name in one
                    if name in other)  # fmt: skip
    if len(points) < FEWEST_ON_LINE:
        return False
    free = len(points) - math.ceil(LEAST_ON_LINE * len(points))
    ends = ((low, high) for low in points[:ENDS] for high in points[-ENDS:] if low[0] < high[0])
    return any(_strays_at_most(points, low, high, free) for low, high in ends)


Point = tuple[float, float, float]


def _strays_at_most(points: Iterable[Point], low: Point, high: Point, free: int) -> bool:
    """Whether at most so many points lie off the line through these two by more than their last figure."""
    factor = (high[1] - low[1]) / (high[0] - low[0])
    strayed = (True for x, y, step in points if abs(y - low[1] - factor * (x - low[0])) > step)
    return next(islice(strayed, free, None), False) is False


def _step(value: Decimal) -> float:
    """One unit of the last figure printed."""
    exponent = value.as_tuple().exponent
    return 10.0**exponent if isinstance(exponent, int) else 0.0


def _is_too_much(shared: Figures, one: Figures, other: Figures) -> bool:
    exact = [kind for kind, _ in shared if kind in _EXACT]
    times, guids = _times(shared), _guids(shared)
    comparable = min(_times(one), _times(other))
    is_same_cards = guids > MOST_GUIDS * min(_guids(one), _guids(other))
    return bool(exact) or is_same_cards or (times >= FEWEST_EQUAL and times >= LEAST_SHARE * comparable)


def _times(table: Figures) -> int:
    return sum(kind not in _SINGLY for kind, _ in table)


def _guids(table: Figures) -> int:
    return sum(kind == GUID for kind, _ in table)


def _digits(value: ReadingValue, is_exact: bool) -> int:
    """How many figures a number shows; of an exact count those before the zeros at its end, since a cap is round."""
    if isinstance(value, bool | str | tuple):
        return 0
    shown = (format(value, "f") if isinstance(value, Decimal) else str(value)).replace(".", "").lstrip("0")
    return len(shown.rstrip("0") if is_exact else shown)
