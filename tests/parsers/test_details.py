"""Every remark that a parser adds to an error's code is said in both languages; a tool's own words stand as they are."""

import ast
import re
from pathlib import Path

import pytest

from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.details import TEMPLATES, detail_text
from gpucontract.measurements.parsers.failures import failure_sentence
from gpucontract.measurements.parsers.registry import read

PARSERS = Path(__file__).parents[2] / "gpucontract" / "measurements" / "parsers"
ERROR = re.compile(r"[a-z][a-z0-9]*_[a-z0-9_]+: (?P<detail>.+)", re.DOTALL)
WORDS = re.compile(r"[A-Za-z]{2,}")
# The exception of a parser that broke, for the logs; and sentences in which a code stands alike.
OTHERS = {"{}: {}", "no parser knows {} and the text has no sign of a known tool"}


def template(node):
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def details(path):
    """What follows a code in every text of a parser, with {} for what is filled in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    parts |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        found = ERROR.fullmatch(template(node)) if id(node) not in parts else None
        if found and WORDS.search(found["detail"].replace("{}", "")):
            yield found["detail"]


FILES = [*PARSERS.glob("*.py"), PARSERS.parent / "parsing.py"]
DETAILS = sorted({each for path in FILES for each in details(path)} - OTHERS)
# The parser of XML says in its own words where it stopped.
FOREIGN = "{}; capture the output again"


def test_the_parsers_are_searched():
    assert len(DETAILS) > 90


@pytest.mark.parametrize("detail", DETAILS)
def test_every_remark_of_a_parser_is_said_in_chinese(detail):
    said = detail_text(detail.replace("{}", "7" if detail != FOREIGN else "第 7 行"))
    assert re.search("[一-鿿]", said.zh) and not said.zh.startswith("原文")
    assert said.en.endswith(detail.rpartition("{}")[2])


@pytest.mark.parametrize(("pattern", "zh"), TEMPLATES, ids=[pattern.pattern[:40] for pattern, _ in TEMPLATES])
def test_every_template_fills_what_its_pattern_finds(pattern, zh):
    holes = {int(each) for each in re.findall(r"\{([0-9])\}", zh)}
    assert holes == set(range(pattern.groups))


def test_words_inside_a_remark_are_said_in_chinese_too():
    said = failure_sentence("run_incomplete: the report lacks the summary at its end")
    assert "报告里没有结尾的汇总" in said.zh and "lacks" not in said.zh
    assert "the report lacks the summary at its end" in said.en


def test_a_tools_own_words_are_quoted_and_never_translated():
    said = failure_sentence("iperf3: unable to connect to server: Connection refused")
    assert "原文：unable to connect to server: Connection refused" in said.zh


def test_internals_reach_nobody():
    said = failure_sentence(read(Capture("", "", "hello\n")).error)
    assert "no parser" not in said.zh + said.en
