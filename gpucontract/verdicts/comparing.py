"""Is a measured value as contracted: exact numbers with units, versions, names, words and yes/no."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from gpucontract.contracts.clauses import Clause, Operator
from gpucontract.measurements.parsers.capture import ReadingValue
from gpucontract.units import UnitError, convert
from gpucontract.verdicts.states import Measured, State

_WORDS = re.compile(r"[A-Za-z0-9.+-]+")
_NOISE = re.compile(r"\((?:R|TM|C)\)|®|™|\bCPU\b|@.*$", re.IGNORECASE)
_GENERIC_CPU = re.compile(
    r"\b(QEMU|KVM|Virtual|Common|Processor \(|Xeon Processor|EPYC Processor|IBRS)\b", re.IGNORECASE
)
_PLAIN = ("", "count", "lanes")
_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")
# So many decimals that no reading is rounded up to a mark it misses.
PLACES = 12
LARGEST = Decimal(10) ** 24
_EXACT = Context(prec=60, rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The comparison's answer: state, the value in the clause's unit, the sentence's key and what fills its blanks."""

    state: State
    value: Measured | None
    reason: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def compare(clause: Clause, value: ReadingValue, unit: str) -> Outcome:
    """Compare one measured value with the clause, without tolerance. Raises UnitError when units do not fit."""
    if isinstance(clause.value, Decimal) and clause.unit != "version":
        return _number(clause, value, unit)
    if isinstance(clause.value, bool):
        said = _yes(value)
        return _met(said, said is clause.value)
    if not isinstance(value, str) or not value.strip():
        raise UnitError(f"{value!r} is no word")
    return _word(clause, value)


def _word(clause: Clause, value: str) -> Outcome:
    if clause.metric == "cpu_model":
        return _cpu(clause, value)
    if clause.metric == "os_release":
        return _met(value, any(_has_words(value, wanted) for wanted in _wanted(clause)))
    if clause.metric == "fs_type" and not clause.conditions.get("fs_types"):
        return Outcome(State.INCONCLUSIVE, value, "no_type_known")
    if clause.metric == "gpu_model" and not (clause.conditions.get("printed_names") or value in _wanted(clause)):
        return Outcome(State.INCONCLUSIVE, value, "no_name_known")
    if clause.unit == "version":
        return _version(clause, value)
    if clause.metric == "gpu_model":
        return _met(value, names_model(value, _wanted(clause)))
    return _met(value, value in _wanted(clause))


def names_model(printed: str, names: Iterable[str]) -> bool:
    """Whether a printed GPU name is one of these, exactly; drivers before 470 leave out the maker."""
    return printed.removeprefix("NVIDIA ") in {name.removeprefix("NVIDIA ") for name in names}


def mark(clause: Clause) -> Decimal:
    """The number that decides, in judged_unit: the contracted value, or the least listed one, less the allowance.

    Firmware keeps some memory, so the paper prints `allowance` (0.97) and, for GPUs, `smallest_mib` beside it.
    """
    if not isinstance(clause.value, Decimal):
        raise TypeError(f"{clause.key} has no number to be measured against")
    allowance = condition_number(clause.conditions, "allowance") or Decimal(1)
    listed = condition_number(clause.conditions, "smallest_mib")
    return (listed if listed is not None else clause.value) * allowance


def judged_unit(clause: Clause) -> str:
    """The unit numbers are compared and shown in: MiB where the catalogue's listed memory decides."""
    return "MiB" if "smallest_mib" in clause.conditions else clause.unit


def miss_pct(clause: Clause, value: Decimal) -> Decimal | None:
    """Percent by which a value beats (+) or misses (-) the mark in the promised direction; None for a mark of 0."""
    least = mark(clause)
    if not least:
        return None
    gap = (value - least) / least * 100
    return -gap if clause.operator is Operator.AT_MOST else gap


def is_met(clause: Clause, value: Decimal) -> bool:
    """Whether a number in the clause's unit keeps the promise."""
    least = mark(clause)
    if clause.operator is Operator.AT_LEAST:
        return value >= least
    return value <= least if clause.operator is Operator.AT_MOST else value == least


def condition_number(conditions: Mapping[str, Any], name: str) -> Decimal | None:
    """A numeric side condition; frozen ones come back as text or whole numbers."""
    value = conditions.get(name)
    return None if value is None or isinstance(value, bool) else Decimal(str(value))


def number_of(value: ReadingValue | None) -> Decimal | None:
    """A reading's number; None for what is none: a word, yes or no, a list, below 0, beyond any measure."""
    try:
        return None if value is None else in_unit(value, "", "")
    except UnitError:
        return None


def in_unit(value: ReadingValue, unit: str, target: str) -> Decimal:
    """A reading's number in another unit; counts and lanes carry none.

    Raises UnitError when the units do not fit, and for what is no number: a word, one below 0, or one so large that
    no tool can have meant it.
    """
    if isinstance(value, bool | str | tuple):
        raise UnitError(f"{value!r} is no number")
    number = Decimal(value)
    if not number.is_finite() or not -LARGEST < number < LARGEST:
        raise UnitError(f"{number:.3E} is no reading: the limit is {LARGEST:.0E}")
    if number < 0:
        raise UnitError(f"{number} is no reading: nothing measured here is below 0")
    if unit == target or unit in _PLAIN or target in _PLAIN:
        return number
    return convert(number, unit, target, PLACES)


def rounded(value: Decimal, places: int) -> Decimal:
    """A number to so many decimals, half even, however many digits it has."""
    return value.quantize(Decimal(1).scaleb(-places), context=_EXACT)


def _number(clause: Clause, value: ReadingValue, unit: str) -> Outcome:
    number = in_unit(value, unit, judged_unit(clause))
    return _met(number, is_met(clause, number))


def _version(clause: Clause, printed: str) -> Outcome:
    here, wanted = _parts(printed), _parts(str(clause.value))
    if not here:
        return Outcome(State.INCONCLUSIVE, printed, "no_version")
    width = max(len(here), len(wanted))
    here, wanted = _padded(here, width), _padded(wanted, width)
    met = {
        Operator.AT_LEAST: here >= wanted,
        Operator.AT_MOST: here <= wanted,
    }.get(clause.operator, here == wanted)
    return _met(printed, met)


def _parts(version: str) -> tuple[int, ...]:
    found = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def _padded(parts: tuple[int, ...], width: int) -> tuple[int, ...]:
    return parts + (0,) * (width - len(parts))


def _cpu(clause: Clause, printed: str) -> Outcome:
    met = any(_has_words(_clean(printed), _clean(wanted)) for wanted in _wanted(clause))
    if not met and _GENERIC_CPU.search(printed):
        return Outcome(State.INCONCLUSIVE, printed, "generic_cpu")
    return _met(printed, met)


def _clean(name: str) -> str:
    return _NOISE.sub(" ", name)


def _has_words(printed: str, wanted: str) -> bool:
    """Whether all wanted words stand in the printed text, whole, in order; 22.04 covers 22.04.4, 8480 covers 8480+."""
    rest = iter(_WORDS.findall(printed.lower()))
    return all(
        any(word.rstrip("+") == each.rstrip("+") or word.startswith(f"{each}.") for word in rest)
        for each in _WORDS.findall(wanted.lower())
    )


def _wanted(clause: Clause) -> tuple[str, ...]:
    """The accepted names: those the clause's conditions list as printed by the tools, else its value."""
    given = clause.conditions.get("printed_names") or clause.conditions.get("fs_types") or clause.value
    return tuple(str(name) for name in given) if isinstance(given, list | tuple) else (str(given),)


def _yes(value: ReadingValue) -> bool:
    """Yes or no, as a tool said it. Raises UnitError for anything else: what is no answer is not a no."""
    if isinstance(value, bool):
        return value
    word = value.lower() if isinstance(value, str) else ""
    if word not in _YES + _NO:
        raise UnitError(f"{value!r} is neither yes nor no")
    return word in _YES


def _met(value: Measured, is_kept: bool) -> Outcome:
    return Outcome(State.VERIFIED, value, "met") if is_kept else Outcome(State.BREACHED, value, "missed")
