"""What each reading is called, from labels.csv: whole names, then patterns; the first that fits names it."""

from __future__ import annotations

import csv
import re
from importlib import resources

from gpucontract.wording import Text

_HOLE = re.compile(r"<[a-z]+>")
_PARTS = {
    "read": Text("读", "Read"),
    "write": Text("写", "Write"),
    "trim": Text("TRIM ", "Trim"),
}
_BINARY = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def _rows() -> tuple[dict[str, Text], list[tuple[re.Pattern[str], Text]]]:
    """Whole names, and patterns of names that hold a size, a code or a type."""
    text = (resources.files(__package__) / "labels.csv").read_text(encoding="utf-8")
    whole: dict[str, Text] = {}
    patterns = []
    for row in csv.DictReader(text.splitlines()):
        label = Text(row["zh"], row["en"])
        if _HOLE.search(row["reading"]):
            patterns.append((re.compile(_HOLE.sub("([a-zA-Z0-9_]+?)", row["reading"])), label))
        else:
            whole[row["reading"]] = label
    return whole, patterns


WHOLE, PATTERNS = _rows()


def reading_label(name: str) -> Text | None:
    """The label of a reading in both languages; None for a name that no row fits."""
    if name in WHOLE:
        return WHOLE[name]
    for pattern, label in PATTERNS:
        if found := pattern.fullmatch(name):
            part = _part(found[1])
            return Text(label.zh.format(part.zh), label.en.format(part.en))
    return None


def _part(word: str) -> Text:
    """What stands in a name's hole: a size in the unit that fits it, another reading's label, else as it stands."""
    if word.isdigit():
        size = int(word)
        scale, unit = next(((scale, unit) for scale, unit in _BINARY if size and size % scale == 0), (1, ""))
        word = f"{size // scale} {unit}" if unit else word
    return _PARTS.get(word) or WHOLE.get(word) or Text(word, word)
