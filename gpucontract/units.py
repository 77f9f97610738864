"""Every unit, exact: what it measures and its factor to the base of that dimension."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from gpucontract.canonical import decimal_text
from gpucontract.wording import Text


class UnitError(ValueError):
    """A unit is unknown, or two units measure different things; the message names them."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit's printed name, the dimension it measures and its exact size in that dimension's base."""

    name: str
    dimension: str
    factor: Fraction


def _family(dimension: str, **factors: Fraction | int) -> dict[str, Unit]:
    return {name: Unit(name, dimension, Fraction(factor)) for name, factor in factors.items()}


_BYTES = {
    "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50,
}  # fmt: skip
_BITS = {"b/s": 1, "Kb/s": 10**3, "Mb/s": 10**6, "Gb/s": 10**9, "Tb/s": 10**12}
_TIMES: dict[str, Fraction | int] = {
    "ns": Fraction(1, 10**9), "µs": Fraction(1, 10**6), "us": Fraction(1, 10**6), "ms": Fraction(1, 1000),
    "s": 1, "min": 60, "h": 3600, "d": 86400,
}  # fmt: skip

_PLAIN = ("count", "lanes", "%", "ppm", "‰/d", "CNY", "万元", "IOPS", "ops/s", "MT/s", "count/s", "tokens/s", "°C")

UNITS: dict[str, Unit] = (
    _family("bytes", **_BYTES)
    | {f"{name}/s": Unit(f"{name}/s", "bytes per second", Fraction(size)) for name, size in _BYTES.items()}
    | {name: Unit(name, "bytes per second", Fraction(size, 8)) for name, size in _BITS.items()}
    | _family("time", **_TIMES)
    | _family("frequency", Hz=1, kHz=10**3, MHz=10**6, GHz=10**9)
    | _family("power", W=1, kW=1000)
    | _family("floating point rate", GFLOPS=10**9, TFLOPS=10**12, PFLOPS=10**15)
    | {name: Unit(name, name, Fraction(1)) for name in _PLAIN}
)  # fmt: skip


def unit(name: str) -> Unit:
    """The unit of that exact name; GB and GiB, b and B differ. Raises UnitError for an unknown one."""
    try:
        return UNITS[name]
    except KeyError:
        raise UnitError(f"{name!r} is not a unit known here; known are {', '.join(UNITS)}") from None


def exact(value: Decimal | int, source: str, target: str) -> Fraction:
    """The value given in source, as an exact fraction of target. Raises UnitError when the dimensions differ."""
    here, there = unit(source), unit(target)
    if here.dimension != there.dimension:
        raise UnitError(f"{source} measures {here.dimension}, {target} measures {there.dimension}")
    return Fraction(value) * here.factor / there.factor


def convert(value: Decimal | int, source: str, target: str, places: int = 6) -> Decimal:
    """The value in another unit of the same dimension, rounded half even to places decimals only when it must be."""
    result = exact(value, source, target)
    rounded = round(result, places)
    return Decimal(rounded.numerator) / Decimal(rounded.denominator)


def grouped(value: Decimal | int) -> str:
    """A number as people read it, thousands apart: 10,000,000; 0.0001; NaN of a forged output as it is."""
    number = Decimal(value)
    return f"{Decimal(decimal_text(number)):,f}" if number.is_finite() else str(number)


def shown(value: Decimal | int, unit_name: str) -> str:
    """A number with its unit as people read it: '455 GB/s'; a bare count shows no unit."""
    number = grouped(value)
    return number if unit_name in ("", "count") else f"{number} {unit_name}"


# Units that people say in words; all others are written alike in both languages.
_WORDS = {
    "s": Text("秒", "s"),
    "min": Text("分钟", "min"),
    "h": Text("小时", "h"),
    "d": Text("天", "days"),
    "‰/d": Text("‰/天", "‰/day"),
    "lanes": Text("条通道", "lanes"),
    "万元": Text("万元", "× 10,000 CNY"),
}


def unit_word(unit_name: str) -> Text:
    """What a unit is called: 分钟 / min, GB/s alike."""
    return _WORDS.get(unit_name) or Text(unit_name, unit_name)


def in_words(value: Decimal | int, unit_name: str) -> Text:
    """A number with its unit in both languages: 15 分钟 / 15 min, 455 GB/s alike; a bare count shows no unit."""
    number = grouped(value)
    if unit_name in ("", "count"):
        return Text(number, number)
    return Text("{number} {unit}", "{number} {unit}").fill(number=number, unit=unit_word(unit_name))
