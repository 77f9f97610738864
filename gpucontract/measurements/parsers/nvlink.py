"""nvidia-smi nvlink -s (link states and rates) and -e (error counters)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cells import cell
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.gpu_remarks import remark
from gpucontract.measurements.parsers.nvidia_smi_errors import (
    dead_findings,
    dead_gpus,
    dead_readings,
    exit_error,
    failure,
)
from gpucontract.measurements.parsers.nvidia_smi_fields import CHOSEN
from gpucontract.measurements.parsers.outcomes import absent, failed, printed

NAMES = ("gpu_count", "nvlink_active_min", "nvlink_inactive_total", "nvlink_rate_min", "nvlink_sum_per_gpu_min")
GPU = re.compile(r"\s*GPU ([0-9]{1,3}): (.{1,120}?) \(UUID: (GPU-[0-9a-fA-F-]{8,60})\)\s*")
LINK = re.compile(r"\s*Link ([0-9]{1,3}): (?:([A-Za-z][A-Za-z ]{2,40}?)(?: Count)?: *)?(\S.*?)\s*")
RATE = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) GB/s")
INACTIVE = "<inactive>"
ALL_INACTIVE = re.compile(r"Unable to retrieve NVLink information as all links are inActive", re.IGNORECASE)
NO_NVLINK = re.compile(r"Device does not have or support Nvlink", re.IGNORECASE)
# Blackwell counts recoveries that worked and that did not, and then their total.
PARTS_OF_TOTAL = ("successful events", "failed events")
COUNTERS = {"replay": "nvlink_replay_errors", "recovery": "nvlink_recovery_errors", "crc": "nvlink_crc_errors"}


@dataclass(slots=True)
class Card:
    """One GPU: its heading, its link lines as (number, counter or '', value, line), and what was said in prose."""

    index: str
    name: str
    line: str
    uuid: str
    links: list[tuple[int, str, str, str]] = field(default_factory=list)
    prose: str = ""
    may_be_cut: bool = False

    @property
    def scope(self) -> str:
        """The local scope, gpu0 upwards."""
        return f"gpu{int(self.index)}"


def parse(capture: Capture) -> Parsed:
    """Links up, down and their rate per GPU, or its counted errors; the worst over the machine."""
    text = cleaned(capture.stdout)
    cards = _cards(text)
    if not cards:
        return _without_cards(capture, text)
    dead = dead_gpus(printed(capture))
    error = _broken(cards) or exit_error(capture, dead)
    if error:
        return failed(error, *NAMES, findings=dead_findings(dead))
    cards[-1].may_be_cut = not text.endswith("\n")
    counted = any(kind for card in cards for _, kind, _, _ in card.links)
    like = _alike(cards)
    readings = [reading for card in cards for reading in (_errors(card) if counted else _states(card, like[card.name]))]
    count = _count(capture.command, cards, len(dead))
    whole = _worst_errors(readings) if counted else _worst_states(readings)
    uuids = [Reading("gpu_uuid", card.uuid, scope=card.scope, line=card.line) for card in cards]
    return Parsed(
        (count, *whole, *dead_readings(dead), *readings, *uuids), (*dead_findings(dead), *_remarks(readings, counted))
    )


def _count(command: str, cards: Sequence[Card], dead: int) -> Reading:
    """The cards listed; with -i, or where their numbers show that there are others, the machine's are unknown."""
    line = cards[-1].line
    if CHOSEN.search(command) or max(int(card.index) for card in cards) >= len(cards) + dead:
        return Reading("gpu_count", None, why="gpus_not_described", line=line)
    return Reading("gpu_count", len(cards), line=line)


def _cards(text: str) -> list[Card]:
    cards: list[Card] = []
    for line in text.splitlines():
        heading = GPU.fullmatch(line)
        link = LINK.fullmatch(line)
        if heading:
            cards.append(Card(heading[1], heading[2], line.strip(), heading[3]))
        elif link and cards:
            cards[-1].links.append((int(link[1]), (link[2] or "").lower(), link[3], line.strip()))
        elif cards and (ALL_INACTIVE.search(line) or NO_NVLINK.search(line)):
            cards[-1].prose = line.strip()
    return cards


def _without_cards(capture: Capture, text: str) -> Parsed:
    """Nothing at all is how cards without NVLink answer; the prose alone is a measured 0."""
    prose = ALL_INACTIVE.search(text) or NO_NVLINK.search(text)
    if prose and not exit_error(capture, ()):
        zero = Reading("nvlink_active_min", 0, line=prose[0])
        return Parsed((zero, *absent("not_printed", *(name for name in NAMES if name != zero.name))))
    if not printed(capture).strip() and not exit_error(capture, ()):
        return Parsed(absent("no_output", *NAMES))
    return failure(capture, NAMES, "lines 'GPU <i>: <name> (UUID: ...)' with links below")


def _broken(cards: Sequence[Card]) -> str:
    if len({card.scope for card in cards}) < len(cards):
        return "two_outputs: a GPU number is listed twice; keep one run per capture"
    for card in cards:
        shown = [(number, kind) for number, kind, _, _ in card.links]
        if len(set(shown)) < len(shown):
            return f"two_outputs: a link of GPU {card.index} is listed twice; keep one run per capture"
    return ""


def _alike(cards: Sequence[Card]) -> dict[str, list[int]]:
    """How many links each card of a name shows, the longest list first."""
    found: dict[str, list[int]] = {}
    for card in cards:
        found.setdefault(card.name, []).append(len(card.links))
    return {name: sorted(lengths, reverse=True) for name, lengths in found.items()}


def _states(card: Card, like: Sequence[int]) -> Iterator[Reading]:
    why = _doubt(card, like)
    if card.prose and not card.links:
        yield Reading("nvlink_active", 0, scope=card.scope, line=card.prose)
        none_there = bool(NO_NVLINK.search(card.prose))
        yield _state("nvlink_inactive", 0 if none_there else None, card, "" if none_there else "not_printed")
        return
    if why:
        yield from absent(why, "nvlink_active", "nvlink_inactive", "nvlink_rate", scope=card.scope, line=card.line)
        return
    told = [(Decimal(found[1]), line) for _, _, text, line in card.links if (found := RATE.fullmatch(text))]
    # A link that is up has a rate: 0 GB/s is how some drivers print one that is down.
    rates = [(rate, line) for rate, line in told if rate]
    down = [line for rate, line in told if not rate]
    down += [line for _, _, text, line in card.links if text == INACTIVE]
    yield Reading("nvlink_active", len(rates), scope=card.scope, line=down[0] if down else card.line)
    yield Reading("nvlink_inactive", len(down), scope=card.scope, line=down[0] if down else card.line)
    if rates:
        lowest, line = min(rates)
        yield Reading("nvlink_rate", lowest, "GB/s", card.scope, "", line)
        yield Reading("nvlink_sum_per_gpu", sum(rate for rate, _ in rates), "GB/s", card.scope, "", card.line)


def _state(name: str, value: int | None, card: Card, why: str) -> Reading:
    return Reading(name, value, scope=card.scope, why=why, line=card.prose)


def _doubt(card: Card, like: Sequence[int]) -> str:
    """Why the list of links cannot be counted: none, gaps, a short list among equal cards, a line that is no state."""
    if not card.links:
        return "no_links_listed"
    numbers = [number for number, _, _, _ in card.links]
    if numbers != list(range(len(numbers))) or len(numbers) < like[0] or (card.may_be_cut and len(like) == 1):
        return "links_cut"
    readable = all(text == INACTIVE or RATE.fullmatch(text) for _, _, text, _ in card.links)
    return "" if readable else "unreadable"


def _worst_states(readings: Sequence[Reading]) -> Iterator[Reading]:
    yield _worst("nvlink_active_min", "nvlink_active", readings)
    yield _total("nvlink_inactive_total", "nvlink_inactive", readings)
    yield _worst("nvlink_rate_min", "nvlink_rate", readings)
    yield _worst("nvlink_sum_per_gpu_min", "nvlink_sum_per_gpu", readings)


def _worst(name: str, source: str, readings: Sequence[Reading]) -> Reading:
    """The lowest over the GPUs; one without a value could be lower still."""
    found = [reading for reading in readings if reading.name == source]
    if not found:
        return Reading(name, None, why="no_active_link")
    missing = next((reading for reading in found if reading.value is None), None)
    return replace(missing or min(found, key=_value), name=name, scope="")


def _total(name: str, source: str, readings: Sequence[Reading]) -> Reading:
    found = [reading for reading in readings if reading.name == source]
    missing = next((reading for reading in found if reading.value is None), None)
    if missing:
        return replace(missing, name=name, scope="")
    most = max(found, key=_value)
    return replace(most, name=name, scope="", value=int(sum(_value(reading) for reading in found)))


def _value(reading: Reading) -> Decimal:
    return Decimal(str(reading.value))


def _errors(card: Card) -> Iterator[Reading]:
    """Counters of one kind summed over the links of a GPU; CRC FLIT and CRC data errors are both CRC errors."""
    for word, name in COUNTERS.items():
        counters = [
            cell(name, text, "count", card.scope, line)
            for _, kind, text, line in card.links
            if word in kind and not kind.endswith(PARTS_OF_TOTAL)
        ]
        missing = next((counter for counter in counters if counter.value is None), None)
        if missing:
            yield missing
        elif counters:
            most = max(counters, key=_value)
            yield replace(most, value=int(sum(_value(counter) for counter in counters)))


def _worst_errors(readings: Sequence[Reading]) -> Iterator[Reading]:
    for name in COUNTERS.values():
        found = [reading for reading in readings if reading.name == name]
        if found:
            missing = next((reading for reading in found if reading.value is None), None)
            yield replace(missing or max(found, key=_value), name=f"{name}_max", scope="")


def _remarks(readings: Sequence[Reading], counted: bool) -> Iterator[Finding]:
    for reading in readings:
        if reading.name == "nvlink_active" and reading.why == "links_cut":
            yield remark("links_cut", reading.scope)
        elif reading.name == "nvlink_inactive" and reading.value:
            yield remark("links_inactive", reading.scope, count=reading.value)
        elif counted and reading.value:
            yield remark("nvlink_errors", reading.scope, count=reading.value, kind=reading.name)
