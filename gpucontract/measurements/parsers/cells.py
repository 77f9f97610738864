"""One printed value: a number with its unit, a yes or no, a word, or the tool's way to say that there is none."""

from __future__ import annotations

import re
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Reading, ReadingValue

NUMBER = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{1,12})?")
SCIENTIFIC = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,12})?(?:e[+-]?[0-9]{1,3})?")

NO_VALUE = {
    "n/a": "not_available",
    "not supported": "not_supported",
    "unknown error": "unknown_error",
    "unknown": "unknown",
    "gpu requires reset": "gpu_requires_reset",
    "insufficient permissions": "no_permission",
    "gpu is lost": "gpu_lost",
    "err!": "unreadable",
    "requested functionality has been deprecated": "deprecated",
    'deprecated, see "kmd version" instead': "renamed",
    'deprecated, see "cuda umd version" instead': "renamed",
}
# What nvidia-smi says behind a value whose name it is about to drop.
DEPRECATED = re.compile(r"(?<=\S) +\[Deprecated\b[^\]\n]{0,200}\]\Z")
DEAD = frozenset({"unknown_error", "gpu_lost", "gpu_requires_reset", "unreadable"})
TRUE_WORDS = frozenset({"enabled", "yes", "on"})
FALSE_WORDS = frozenset({"disabled", "no", "off"})


def no_value(text: str) -> str:
    """The stable reason when the tool prints a word instead of a value ('[N/A]', 'ERR!'), else ''."""
    word = text.strip()
    if len(word) > 1 and word[0] == "[" and word[-1] == "]":
        word = word[1:-1].strip()
        return NO_VALUE.get(word.lower()) or re.sub(r"[^a-z0-9]+", "_", word.lower()).strip("_")[:60] or "not_available"
    return NO_VALUE.get(word.lower(), "")


def number(text: str, unit: str = "") -> Decimal | None:
    """The number of a cell such as '81559 MiB', '16x' or '5'; None when anything but the expected unit follows it."""
    found = NUMBER.match(text)
    if found is None:
        return None
    rest = text[found.end() :].strip()
    return Decimal(found[0]) if rest in ("", unit) or (unit == "lanes" and rest == "x") else None


def truth(text: str) -> bool | None:
    """True for Enabled, Yes, On; False for their opposites; None for any other word."""
    word = text.strip().rstrip("*").lower()
    return True if word in TRUE_WORDS else False if word in FALSE_WORDS else None


def cell(name: str, text: str, kind: str, scope: str = "", line: str = "") -> Reading:
    """The reading of one cell; kind is 'text', 'bool' or the unit of a number ('count' for a bare one)."""
    text = DEPRECATED.sub("", text.strip())
    why = no_value(text)
    value: ReadingValue | None = None
    if not why:
        value = text if kind == "text" else truth(text) if kind == "bool" else number(text, kind)
        why = "" if value not in (None, "") else "unreadable"
    if why:
        return Reading(name, None, scope=scope, why=why, line=line.strip()[:200])
    unit = "" if kind in ("text", "bool", "count") else kind
    return Reading(name, value, unit, scope, "", line.strip()[:200])
