"""Which runs tell the same measurement twice: figures that no two runs share by chance, though one or two were changed.

Two runs of healthy machines differ by a tenth of a per cent or more, and nccl-tests prints four to six figures, so one
time agrees in about one pair of a hundred. Five of eight agree in one pair of 10^8, nine of fourteen in one of 10^14;
2,000 machines with three runs each make 2 x 10^7 pairs. fio counts to the last byte: there not even one agrees.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations

from gpucontract.measurements.parsers.capture import ReadingValue
from gpucontract.measurements.records import OutputRecord, RunRecord

FEWEST_EQUAL = 5
LEAST_SHARE = Decimal("0.6")
FEWEST_DIGITS = 4
EXACT_DIGITS = 7
_EXACT = ("read_bw_bytes", "write_bw_bytes", "read_iops", "write_iops")
# A value that so many outputs share tells nothing about any two of them.
MOST_SHARING = 64

# So few new ones are compared with every other.
FEW = 64

Figure = tuple[str, str]
Figures = frozenset[Figure]


def figures(output: OutputRecord) -> Figures:
    """The times of a collective and the exact rates of fio, each with the half of the table or the rate it is."""
    timed = ((_half(row.name), row, FEWEST_DIGITS) for row in output.timed)
    exact = ((name, row, EXACT_DIGITS) for name in _EXACT for row in output.rows.get(name, ()))
    shown = ((kind, row.whole().value, least) for kind, row, least in (*timed, *exact))
    return frozenset(
        (kind, str(value))
        for kind, value, least in shown
        if value is not None and _digits(value, kind in _EXACT) >= least
    )


def _half(name: str) -> str:
    """Which half of the table a time is from."""
    return "in" if name.endswith("in_place") else "out"


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
        times = [each for each in shared if each[1][0] not in _EXACT]
        exact = [each for each in shared if each[1][0] in _EXACT and each[0] <= MOST_SHARING]
        rarest = combinations(times[: max(0, len(times) - needed + 2)], 2)
        for key in (*exact, *(two for two in rarest if two[0][0] <= MOST_SHARING)):
            sharing[key].append(place)
    groups = (places for places in sharing.values() if 1 < len(places) <= MOST_SHARING)
    return {pair for places in groups for pair in combinations(places, 2)}


def repeated(records: Iterable[RunRecord]) -> set[str]:
    """The ids of runs, each of which is another one but for some changed figures; both are under suspicion."""
    known = [(record.id, table) for record in records for output in record.outputs if (table := figures(output))]
    pairs = alike([table for _, table in known])
    return {known[place][0] for pair in pairs if known[pair[0]][0] != known[pair[1]][0] for place in pair}


def _is_too_much(shared: Figures, one: Figures, other: Figures) -> bool:
    exact = [kind for kind, _ in shared if kind in _EXACT]
    times = len(shared) - len(exact)
    comparable = min(_times(one), _times(other))
    return bool(exact) or (times >= FEWEST_EQUAL and times >= LEAST_SHARE * comparable)


def _times(table: Figures) -> int:
    return sum(kind not in _EXACT for kind, _ in table)


def _digits(value: ReadingValue, is_exact: bool) -> int:
    """How many figures a number shows; of an exact count those before the zeros at its end, since a cap is round."""
    if isinstance(value, bool | str | tuple):
        return 0
    shown = (format(value, "f") if isinstance(value, Decimal) else str(value)).replace(".", "").lstrip("0")
    return len(shown.rstrip("0") if is_exact else shown)
