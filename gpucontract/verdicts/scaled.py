"""Which tables of times are another one times a factor: what no two machines print, however alike they are.

Machines of one kind are slower or faster by a factor, too, but each of their times strays from it by chance: by a
thirtieth of a per cent at the very least, and nccl-tests prints a hundredth of that at its best. A forger's product
is off by its rounding only. How telling one time is follows from how finely it is printed; all that agree on one
factor are weighed together, so that a few long figures count for more than many short ones.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise, product

# One time of a quiet machine, as a share; the quotient of two strays by the root of two more.
QUIET = 0.0003
# The whole agreement must be this rare, in powers of ten: 10,000 machines with three runs make 5 x 10^8 pairs.
EVIDENCE = 14
# Of each four points in a row at least one group is whole where so few were changed by hand.
GROUP = 4
# Rounding moves the quotient of two times of five figures by no more than this share.
ROUNDING = 0.0001
CELL = 2 * ROUNDING
# So many tables that all look alike would be machines that print hardly any figures; nothing is said of them.
MOST_IN_A_CELL = 2000
# Microseconds; outside of these nothing was measured.
SHORTEST, LONGEST = Decimal("0.001"), Decimal(10) ** 12

Point = tuple[float, float]
Curve = Sequence[Point]
Cell = tuple[int, ...]


def curve(times: Iterable[Iterable[str]]) -> Curve:
    """The logarithm of each time and half the last figure it was printed with, as a share; the longest times first.

    times: out of place and in place, as printed; a size has the same place from above in every table.
    """
    halves = (sorted(filter(None, map(_point, half)), reverse=True) for half in times)
    return [point for pair in zip(*halves, strict=False) for point in pair]


def scaled(curves: Sequence[Curve], since: int = 0) -> list[tuple[int, int]]:
    """The places of all pairs that differ by a factor and of which at least one is from place `since` on."""
    known: dict[Cell, list[int]] = defaultdict(list)
    found: set[tuple[int, int]] = set()
    for place, one in enumerate(curves):
        if place >= since:
            near = {other for cell in _around(one) for other in known.get(cell, ())[:MOST_IN_A_CELL]}
            found |= {(other, place) for other in near if are_scaled(curves[other], one)}
        for cell in _cells(one):
            known[cell].append(place)
    return sorted(found)


def are_scaled(one: Curve, other: Curve) -> bool:
    """Whether more of two curves agrees on one factor than chance allows, and all but a few points do."""
    count = min(len(one), len(other))
    ends = []
    for (x, rounding), (y, other_rounding) in zip(one, other, strict=False):
        # One of the two was rounded when it was computed from the other as printed; a tie may fall either way.
        most = 1.01 * max(rounding, other_rounding)
        weight = max(0.0, -math.log10(2 * most / (math.sqrt(4 * math.pi) * QUIET)))
        ends += [(y - x - most, 0, weight), (y - x + most, 1, weight)]
    agreed, on_line = 0.0, 0
    for _, is_end, weight in sorted(ends):
        agreed, on_line = (agreed - weight, on_line - 1) if is_end else (agreed + weight, on_line + 1)
        if agreed >= EVIDENCE and on_line > count - count // GROUP:
            return True
    return False


def _point(printed: str) -> Point | None:
    """None for what is no time: what a tool prints may be anything."""
    number = Decimal(printed)
    if not number.is_finite() or not SHORTEST < number < LONGEST:
        return None
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return math.log(number), 0.5 * 10.0**exponent / float(number)


def _steps(one: Curve) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Each group of points in a row by the quotients of neighbours, which no factor changes."""
    for group in range(len(one) // GROUP):
        logs = [log for log, _ in one[group * GROUP : (group + 1) * GROUP]]
        yield group, tuple((x - y) / CELL for x, y in pairwise(logs))


def _cells(one: Curve) -> Iterator[Cell]:
    for group, steps in _steps(one):
        yield (group, *map(math.floor, steps))


def _around(one: Curve) -> Iterator[Cell]:
    """The cells that rounding may have moved a copy to."""
    off = ROUNDING / CELL
    for group, steps in _steps(one):
        for cell in product(*({math.floor(step - off), math.floor(step + off)} for step in steps)):
            yield (group, *cell)
