"""Lines of the form 'key: value', as many host tools print them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyedLine:
    """One 'key: value' line; indent counts the blanks and tabs before the key."""

    key: str
    value: str
    line: str
    indent: int = 0


def keyed_lines(text: str, separator: str = ":") -> Iterator[KeyedLine]:
    """Every line that holds the separator, split at its first one; other lines are passed over."""
    for line in text.splitlines():
        key, found, value = line.partition(separator)
        if found:
            indent = len(line) - len(line.lstrip())
            yield KeyedLine(key.strip(), value.strip(), line.strip(), indent)


def by_key(text: str, separator: str = ":") -> dict[str, list[KeyedLine]]:
    """All lines of each key, in the order printed."""
    lines: dict[str, list[KeyedLine]] = {}
    for line in keyed_lines(text, separator):
        lines.setdefault(line.key, []).append(line)
    return lines


def is_repeated(lines: dict[str, list[KeyedLine]], key: str) -> bool:
    """Whether a key that a tool prints once a run stands there more than once: two outputs in one capture."""
    return len(lines.get(key, ())) > 1


def sections(heading: re.Pattern[str], text: str) -> list[tuple[re.Match[str], str]]:
    """Every match of a heading with the text from it up to the next one."""
    found = list(heading.finditer(text))
    ends = [following.start() for following in found[1:]] + [len(text)]
    return [(start, text[start.end() : end]) for start, end in zip(found, ends, strict=False)]
