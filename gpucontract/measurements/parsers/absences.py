"""Why a reading holds no value, as a sentence that says what to do: one per code, read from absences.csv."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib import resources

from gpucontract.measurements.parsers.failures import SENTENCES
from gpucontract.wording import Text


def _rows() -> list[dict[str, str]]:
    text = (resources.files(__package__) / "absences.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


ABSENCES: Mapping[str, Text] = {row["code"]: Text(row["zh"], row["en"]) for row in _rows()}
# nvidia-smi puts any words in brackets where a value should be; they are told as they stand.
OTHER = Text(
    "工具没有给出数值，只写了“{words}”。核对原文后复测。",
    'The tool gave no value but "{words}". Look at its text and measure again.',
)


def absence_sentence(why: str) -> Text:
    """Why there is no value and what to do; where the whole run failed, the sentence of its error."""
    return ABSENCES.get(why) or SENTENCES.get(why) or OTHER.fill(words=why or "?")
