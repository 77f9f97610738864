"""Canonical JSON, hashes and the hash chain: the same value gives the same bytes everywhere."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any

from gpucontract.wording import Text

LARGEST_INTEGER = 2**53
FIRST_LINK = "0" * 64


class NotCanonical(ValueError):
    """A value has no canonical form; the message says which and where."""


def encode(value: Any) -> bytes:
    """The canonical bytes: UTF-8, NFC, sorted keys, no spaces, no floats, None keys left out.

    Decimals become plain strings without trailing zeros, dates ISO strings, times UTC with six decimals and Z.
    Raises NotCanonical for floats, sets, naive times, non-finite numbers and integers of 2**53 or more.
    """
    return json.dumps(
        _plain(value, "$"), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    ).encode()


def decode(data: bytes) -> Any:
    """Read canonical bytes back: numbers are ints, decimals stay strings.

    Raises NotCanonical on any float and on lists nested deeper than Python reads, ValueError where it is not JSON.
    """
    try:
        return json.loads(bytes(data), parse_float=_refuse_float, parse_constant=_refuse_float)
    except RecursionError as fault:
        raise NotCanonical("objects and lists are nested too deep to be read") from fault


def digest(value: Any) -> str:
    """The sha256 (64 hex digits) of a value's canonical bytes."""
    return sha256(encode(value))


def sha256(data: bytes) -> str:
    """The sha256 of bytes, as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def link(previous_sha256: str, body: bytes) -> str:
    """The hash of one event in a chain: over the hash before it (FIRST_LINK for the first) and its body."""
    return sha256(previous_sha256.encode() + b"\n" + body)


@dataclass(frozen=True, slots=True)
class Link:
    """One event of a chain as it is stored: its place, the hash before, its own hash, and the bytes it hashes."""

    number: int
    prev_sha256: str
    sha256: str
    body: bytes


@dataclass(frozen=True, slots=True)
class ChainCheck:
    """What a walk along a chain found. broken_at: number of the first event that does not fit, None when all do."""

    length: int
    head_sha256: str
    broken_at: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether no event was changed, removed from the middle or put in; a cut tail needs a head kept elsewhere."""
        return self.broken_at is None


def check_chain(links: Iterable[Link]) -> ChainCheck:
    """Walk along a chain, given in order of its numbers, and recompute every hash."""
    expected, head = 1, FIRST_LINK
    for each in links:
        fits = each.number == expected and each.prev_sha256 == head
        if not fits or each.sha256 != link(head, each.body):
            return ChainCheck(expected - 1, head, broken_at=each.number)
        expected, head = expected + 1, each.sha256
    return ChainCheck(expected - 1, head)


class Harm(StrEnum):
    """What somebody did to a chain behind the program's back."""

    ALTERED = "altered"
    REMOVED = "removed"
    REORDERED = "reordered"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class Fault:
    """Harm to the events first to last."""

    harm: Harm
    first: int
    last: int


def chain_faults(links: Iterable[Link], heads: Iterable[tuple[int, str]] = ()) -> tuple[Fault, ...]:
    """Every harm in a chain, given in order of its numbers. heads: (number, sha256) as they were kept elsewhere."""
    stored = list(links)
    known = {each.sha256 for each in stored} | {FIRST_LINK}
    found: list[Fault] = []
    before = Link(0, "", FIRST_LINK, b"")
    for each in stored:
        found += _faults_between(before, each, known, {fault.last for fault in found})
        before = each
    return (*found, *_faults_of_heads(stored, heads, {fault.last for fault in found}))


def _faults_between(before: Link, each: Link, known: Collection[str], harmed: Collection[int]) -> list[Fault]:
    if each.number > before.number + 1:
        gap = Fault(Harm.REMOVED, before.number + 1, each.number - 1)
        return [gap] if _is_own(each) else [gap, Fault(Harm.ALTERED, each.number, each.number)]
    follows, is_elsewhere = each.prev_sha256 == before.sha256, each.prev_sha256 in known
    if not _is_own(each):
        harm = Harm.REORDERED if is_elsewhere and not follows else Harm.ALTERED
        return [Fault(harm, each.number, each.number)]
    if follows or before.number in harmed:
        return []
    # Its own hash is right, so the event before it was rewritten together with its hash.
    return [Fault(Harm.ALTERED, max(before.number, 1), max(before.number, 1))]


def _faults_of_heads(stored: Sequence[Link], heads: Iterable[tuple[int, str]], harmed: Collection[int]) -> list[Fault]:
    hashes = {each.number: each.sha256 for each in stored}
    last, furthest = max(hashes, default=0), 0
    rewritten: int | None = None
    for number, sha256 in heads:
        furthest = max(furthest, number)
        if number in hashes and hashes[number] != sha256 and not any(each <= number for each in harmed):
            rewritten = number if rewritten is None else min(number, rewritten)
    found = [Fault(Harm.ALTERED, 1, rewritten)] if rewritten else []
    return [*found, Fault(Harm.CUT, last + 1, furthest)] if furthest > last else found


def _is_own(each: Link) -> bool:
    return each.sha256 == link(each.prev_sha256, each.body)


def decimal_text(number: Decimal) -> str:
    """A Decimal in plain notation without trailing zeros: 400.00 -> 400, -0 -> 0. Raises NotCanonical for NaN."""
    if not number.is_finite():
        raise NotCanonical(f"{number} is not a finite number")
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _refuse_float(text: str) -> Any:
    raise NotCanonical(f"{text} is a floating point number; decimals are written as strings")


def _plain(value: Any, where: str) -> Any:
    if isinstance(value, Enum):
        return _plain(value.value, where)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, int):
        return _bounded(value, where)
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, datetime):
        return _utc(value, where)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Text):
        return {"zh": _plain(value.zh, where), "en": _plain(value.en, where)}
    if isinstance(value, Mapping):
        return _plain_object(value, where)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_plain(item, f"{where}[{index}]") for index, item in enumerate(value)]
    raise NotCanonical(f"{where}: a {type(value).__name__} has no canonical form")


def _plain_object(value: Mapping[Any, Any], where: str) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise NotCanonical(f"{where}: key {key!r} is not text")
        name = unicodedata.normalize("NFC", key)
        if name in plain:
            raise NotCanonical(f"{where}: key {name!r} stands twice")
        if item is not None:
            plain[name] = _plain(item, f"{where}.{name}")
    return plain


def _bounded(number: int, where: str) -> int:
    if abs(number) >= LARGEST_INTEGER:
        raise NotCanonical(f"{where}: {number} is too large for JSON readers, the limit is 2**53")
    return number


def _utc(moment: datetime, where: str) -> str:
    if moment.tzinfo is None:
        raise NotCanonical(f"{where}: {moment} has no time zone")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
