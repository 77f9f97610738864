"""Which machines are measured two by two: all with all in a small group, enough to tell in a large one."""

from __future__ import annotations

from itertools import count

# Up to here every pair is measured, in 31 rounds at most. Of more machines each meets eight partners.
MOST_WITH_ALL = 32
ENOUGH = 8

Pairs = tuple[tuple[str, str], ...]


def pairings(nodes: tuple[str, ...]) -> tuple[Pairs, ...]:
    """Rounds of pairs; in a round a machine stands at most once, so that its pairs run side by side."""
    seats: tuple[str | None, ...] = nodes if len(nodes) % 2 == 0 else (*nodes, None)
    turns = range(len(seats) - 1)
    chosen = turns if len(nodes) <= MOST_WITH_ALL else turns[:: len(turns) // ENOUGH][:ENOUGH]
    return tuple(_round(seats, turn) for turn in chosen)


def rounds_for(nodes: tuple[str, ...], each: int) -> int:
    """How many of the rounds, taken in turn again and again, until every machine stood in so many pairs."""
    if len(nodes) % 2 == 0:
        return each
    # Of an odd number one sits out in each round, another one each time.
    length = len(pairings(nodes))
    return next(number for number in count(each) if number - -(-number // length) >= each)


def _round(seats: tuple[str | None, ...], turn: int) -> Pairs:
    """The circle method: the first seat stays, the others move on by one each turn, and who face each other meet."""
    others = seats[1:]
    moved = (seats[0], *others[len(others) - turn :], *others[: len(others) - turn])
    half = len(moved) // 2
    met = ((one, other) for one, other in zip(moved[:half], reversed(moved), strict=False) if one and other)
    return tuple(sorted((min(pair), max(pair)) for pair in met))
