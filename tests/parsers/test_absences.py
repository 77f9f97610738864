"""Every reason why a reading holds no value has a sentence in both languages, and none is kept that nobody gives."""

import ast
import re
from pathlib import Path

import pytest

from gpucontract.measurements.parsers.absences import ABSENCES, absence_sentence
from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.cells import NO_VALUE
from gpucontract.measurements.parsers.failures import SENTENCES
from gpucontract.measurements.parsers.registry import read
from gpucontract.measurements.parsers.systemctl import IN_BETWEEN

SAMPLES = Path(__file__).parents[1] / "samples"
PARSERS = Path(__file__).parents[2] / "gpucontract" / "measurements" / "parsers"
# Where the reason stands in a call without its name.
PLACES = {"absent": 0, "value_or": 2, "Reading": 4}
# df keeps them beside the path; the others are words of the tools themselves.
OTHERS = {"stale_mount", "no_such_path", *NO_VALUE.values(), *IN_BETWEEN}


def words(node):
    """The texts an expression may give."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) and node.value else set()
    if isinstance(node, ast.IfExp):
        return words(node.body) | words(node.orelse)
    return set().union(*map(words, node.values)) if isinstance(node, ast.BoolOp) else set()


def reasons(tree):
    """The reasons of calls, of assignments to `why` and of functions that give one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            place = PLACES.get(getattr(node.func, "id", ""), len(node.args))
            for given in [*node.args[place : place + 1], *(each.value for each in node.keywords if each.arg == "why")]:
                yield from words(given)
        elif isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "why" for target in node.targets):
            yield from words(node.value)
        elif isinstance(node, ast.FunctionDef) and re.search("why|doubt", node.name):
            yield from (word for each in ast.walk(node) if isinstance(each, ast.Return) for word in words(each.value))


GIVEN = {why for path in PARSERS.glob("*.py") for why in reasons(ast.parse(path.read_text(encoding="utf-8")))} | OTHERS


@pytest.mark.parametrize("why", sorted(GIVEN))
def test_every_reason_has_its_sentence(why):
    assert why in ABSENCES or why in SENTENCES


@pytest.mark.parametrize("why", sorted(ABSENCES))
def test_every_sentence_has_its_reason_and_says_what_to_do(why):
    text = ABSENCES[why]
    assert why in GIVEN
    assert text.zh.endswith("。") and text.en.endswith(".")
    assert re.search("[重复收请用看查检补附启设加以]", text.zh) and len(text.en) < 160


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.*")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_sample_whole_or_cut_gives_a_reason_without_a_sentence(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    for part in (text, text[: len(text) // 2], text[: len(text) * 4 // 5]):
        missing = {reading.why for reading in read(Capture("", "", part)).readings if reading.value is None}
        assert missing <= ABSENCES.keys() | SENTENCES.keys()


def test_words_that_no_parser_knows_are_told_as_they_stand():
    text = absence_sentence("gpu_on_holiday")
    assert "gpu_on_holiday" in text.zh and "gpu_on_holiday" in text.en
