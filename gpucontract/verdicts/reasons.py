"""Why a scope has its state: one sentence per reason in both languages, read from reasons.csv.

Blanks: {who} the machine or device, {what} the metric, {value} {mark} {gap} in units, {runs} the values of the runs;
the rest are facts that a rule put beside its reason. Where a scope is not verified the sentence says what to do next.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib import resources

from gpucontract.wording import Text


def _rows() -> list[dict[str, str]]:
    text = (resources.files(__package__) / "reasons.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


REASONS: Mapping[str, Text] = {row["reason"]: Text(row["zh"], row["en"]) for row in _rows()}
# Why a run was set aside, as a short remark beside it.
ASIDE: Mapping[str, Text] = {
    row["reason"]: Text(row["aside_zh"], row["aside_en"]) for row in _rows() if row["aside_zh"]
}
