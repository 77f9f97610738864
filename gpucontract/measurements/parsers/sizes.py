"""Numbers and sizes as tools print them: read strictly, or not at all."""

from __future__ import annotations

import re
from decimal import Decimal

from gpucontract.units import exact

# Longer numbers than these are no measurement; the bounds also keep a hostile exponent from filling memory.
_WHOLE = re.compile(r"[0-9]{1,20}\Z")
_DECIMAL = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,20})?\Z")
_SIZE = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,6})?) ?([KMGTPE]?)(iB|i|B)?\Z", re.IGNORECASE)


def whole(text: str | None) -> int | None:
    """A bare non-negative whole number; anything else is None."""
    return int(text) if text is not None and _WHOLE.match(text.strip()) else None


def decimal(text: str | None) -> Decimal | None:
    """A plain decimal number with a point; a sign, a decimal comma, a unit or a word is None."""
    return Decimal(text.strip()) if text is not None and _DECIMAL.match(text.strip()) else None


def binary_size(text: str | None) -> tuple[Decimal, str] | None:
    """A size whose letters are binary ('2T', '2.0Ti', '894.3G', '0B') as number and unit (TiB, GiB, B)."""
    found = _SIZE.match(text.strip()) if text else None
    if not found:
        return None
    number, letter = _up_to_peta(Decimal(found[1]), found[2].upper(), 1024)
    return number, f"{letter}iB" if letter else "B"


def decimal_size(text: str | None) -> tuple[Decimal, str] | None:
    """A size whose letters are powers of 1000 (`free --si`, `df -H`) as number and unit (TB, GB, B)."""
    found = _SIZE.match(text.strip()) if text else None
    if not found or (found[3] or "").lower().startswith("i"):
        return None
    number, letter = _up_to_peta(Decimal(found[1]), found[2].upper(), 1000)
    return number, f"{letter}B"


def _up_to_peta(number: Decimal, letter: str, step: int) -> tuple[Decimal, str]:
    """Exabytes as petabytes, the largest unit that contracts know."""
    return (number * step, "P") if letter == "E" else (number, letter)


def total(sizes: list[tuple[Decimal, str]]) -> tuple[Decimal, str]:
    """The sum of sizes in the largest unit among them; of none, 0 B."""
    if not sizes:
        return Decimal(0), "B"
    largest = max((unit for _, unit in sizes), key=lambda unit: exact(1, unit, "B"))
    summed = sum(exact(number, unit, largest) for number, unit in sizes)
    return Decimal(summed.numerator) / Decimal(summed.denominator), largest
