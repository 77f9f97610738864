"""Interrupts of a load: how often the work of a machine was cut short, and whether the machine itself cut it.

What happens to one card while another is still down, or within a minute, is one interrupt of the machine: a job that
needs all its cards is interrupted once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.parsers.outcomes import absent
from gpucontract.measurements.parsers.probe_errors import RESTARTS, Line

NAMES = ("load_interrupts", "load_interrupts_open", "load_interrupts_foreign", "load_worked")
TOGETHER_S = 60
MOST_LISTED = 20
_MEMORY = re.compile(r"out of memory", re.IGNORECASE)
_KILLED = re.compile(r"^ended by signal (?:2|9|15)\b")
_OF_THE_CARD = re.compile(r"CUDA|CUBLAS|CUDNN|NVML|ECC")


class Cause(StrEnum):
    """The card or its driver, another program or a person, or nobody can tell from here."""

    CARD = "card"
    FOREIGN = "foreign"
    OPEN = "open"


def cause_of(error: str) -> Cause:
    """Memory that another program took and a process that was killed are nothing the card did."""
    if _MEMORY.search(error) or _KILLED.search(error):
        return Cause.FOREIGN
    return Cause.CARD if _OF_THE_CARD.search(error) else Cause.OPEN


@dataclass(frozen=True, slots=True)
class Interrupt:
    """One card's work cut short. back: when it went on, None if it never did."""

    gpu: int
    at: Decimal
    back: Decimal | None
    error: str

    @property
    def cause(self) -> Cause:
        """On whose side it lies."""
        return cause_of(self.error)


def interrupt_readings(head: Line, last: Sequence[Line]) -> Iterator[Reading]:
    """How often the machine, something open and something foreign cut the work short; the least time a card worked."""
    if head["version"] < RESTARTS:
        yield from absent("old_probe", *NAMES)
        return
    events = sorted(_events(last), key=lambda each: (each.at, each.gpu))
    card = [each for each in events if each.cause is Cause.CARD]
    beside = [each for each in events if each.cause is Cause.OPEN and not _is_within(each, card)]
    foreign = [each for each in events if each.cause is Cause.FOREIGN]
    for name, several in zip(NAMES, (card, beside, foreign), strict=False):
        yield Reading(name, len(_apart(several)), line=_told(several))
    least = min(last, key=lambda line: Decimal(line["worked_s"]))
    yield Reading("load_worked", Decimal(least["worked_s"]), "s", line=f"gpu {least['gpu']}")
    if events:
        yield Reading("load_interrupt_list", tuple(_spoken(each) for each in events[:MOST_LISTED]))


def _events(last: Iterable[Line]) -> Iterator[Interrupt]:
    for line in last:
        for each in line["interrupts"]:
            back = Decimal(each["back_s"]) if "back_s" in each else None
            yield Interrupt(line["gpu"], Decimal(each["at_s"]), back, each["error"])


def _apart(events: Sequence[Interrupt]) -> list[Interrupt]:
    """The first of each interrupt of the machine; the events are in the order of time."""
    firsts: list[Interrupt] = []
    until: Decimal | None = Decimal(-1)
    for each in events:
        if until is not None and each.at > until:
            firsts.append(each)
            until = _until(each)
        elif until is not None:
            own = _until(each)
            until = None if own is None else max(until, own)
    return firsts


def _until(event: Interrupt) -> Decimal | None:
    return None if event.back is None else max(event.back, event.at + TOGETHER_S)


def _is_within(event: Interrupt, others: Iterable[Interrupt]) -> bool:
    return any(each.at <= event.at and ((end := _until(each)) is None or event.at <= end) for each in others)


def _told(events: Sequence[Interrupt]) -> str:
    return _spoken(events[0]) if events else ""


def _spoken(event: Interrupt) -> str:
    seconds = int(event.at)
    back = "never back" if event.back is None else f"back after {event.back - event.at:.0f} s"
    return f"gpu{event.gpu} {seconds // 3600}:{seconds % 3600 // 60:02}:{seconds % 60:02} {event.error}; {back}"[:200]
