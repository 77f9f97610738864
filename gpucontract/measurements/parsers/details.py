"""The detail behind an error's code, in both languages: our own words from details.csv, a tool's as they stand."""

from __future__ import annotations

import csv
import re
from importlib import resources

from gpucontract.wording import Text

_HOLE = r"(.{1,400}?)"


def _rows() -> list[tuple[re.Pattern[str], str]]:
    """Templates with the most of their own words first, so that the narrowest that fits decides."""
    text = (resources.files(__package__) / "details.csv").read_text(encoding="utf-8")
    rows = sorted(csv.DictReader(text.splitlines()), key=lambda row: -len(row["en"].replace("{}", "")))
    return [(re.compile(re.escape(row["en"]).replace(r"\{\}", _HOLE), re.DOTALL), row["zh"]) for row in rows]


TEMPLATES = _rows()
_QUOTED = Text("原文：{words}", "its words: {words}")


def detail_text(detail: str) -> Text:
    """A parser's own remark in both languages; anything else is what the tool said and is told as it stands."""
    own = _own(detail)
    return Text(own, detail) if own else _QUOTED.fill(words=detail)


def _own(detail: str) -> str:
    for pattern, zh in TEMPLATES:
        if found := pattern.fullmatch(detail):
            # What fills a hole may be words of ours in turn: the report lacks {the summary at its end}.
            return zh.format(*(_own(part) or part for part in found.groups()))
    return ""
