"""How many rare failures a good cluster may show by chance (Poisson)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate, count


def at_most(permitted: int, expected: float) -> float:
    """The chance of at most so many events where so many are expected, 0 to 1."""
    return next(chance for number, chance in enumerate(_sums(expected)) if number == permitted)


def least_permitted(expected: float, risk: float) -> int:
    """The least number of events that is exceeded by chance at most at this risk (0 to 1, above 1e-9)."""
    return next(number for number, chance in enumerate(_sums(expected)) if 1 - chance <= risk)


def _sums(expected: float) -> Iterator[float]:
    return (min(total, 1.0) for total in accumulate(_exactly(number, expected) for number in count()))


def _exactly(number: int, expected: float) -> float:
    # By logarithms, since exp(-expected) alone is 0 where more than 745 are expected.
    return math.exp(number * math.log(expected) - expected - math.lgamma(number + 1)) if expected else float(not number)
