"""The house rules that a machine can check."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(path for path in ROOT.glob("gpucontract/**/*.py") if "migrations" not in path.parts)
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
TEMPLATES = [path for path in ROOT.glob("templates/**/*.html") if "documents" not in path.parts]
INLINE = re.compile(r"\sstyle=|\son[a-z]+=\"|<script(?![^>]*\b(?:src=|type=\"application/json))[^>]*>\s*\S|<style")
GETTEXT = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy"}
FORBIDDEN_NAMES = {"utils", "helpers", "common", "core", "base"}


def name_of(path):
    return str(path.relative_to(ROOT))


def functions():
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, node


def is_method(function):
    return bool(function.args.args) and function.args.args[0].arg == "self"


def test_no_function_is_longer_than_fifty_lines():
    long = [f"{name_of(p)}:{f.lineno} {f.name}" for p, f in functions() if f.end_lineno - f.lineno + 1 > 50]
    assert long == []


def test_half_of_the_functions_have_at_most_ten_lines():
    lengths = sorted(f.end_lineno - f.lineno + 1 for _, f in functions())
    assert lengths[len(lengths) // 2] <= 10


def test_no_file_is_longer_than_four_hundred_lines():
    assert [name_of(p) for p in SOURCES if p.read_text(encoding="utf-8").count("\n") > 400] == []


def test_imports_stand_at_the_top():
    hidden = [
        f"{name_of(path)}:{inner.lineno}"
        for path, function in functions()
        for inner in ast.walk(function)
        if isinstance(inner, ast.Import | ast.ImportFrom) and path.name != "render.py"
    ]
    assert hidden == []


def test_nothing_hides_in_signals_or_save_overrides():
    hooked = [f"{name_of(p)}:{f.lineno}" for p, f in functions() if f.name == "save" and is_method(f)]
    receivers = [name_of(p) for p in SOURCES if re.search(r"@receiver\(|signals import", p.read_text(encoding="utf-8"))]
    assert (hooked, receivers) == ([], [])


def test_every_module_says_what_it_is_for():
    silent = [name_of(p) for p, tree in TREES.items() if tree.body and ast.get_docstring(tree) is None]
    assert silent == []


def test_no_room_has_a_name_that_says_nothing():
    assert [name_of(p) for p in SOURCES if FORBIDDEN_NAMES & {part.removesuffix(".py") for part in p.parts}] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_templates_hold_no_inline_style_or_script(path):
    assert not INLINE.search(path.read_text(encoding="utf-8"))


def test_translated_text_is_never_built_inside_an_f_string():
    """xgettext does not see a message inside an f-string, so it would stay English without a warning."""
    found = [
        f"{name_of(path)}:{call.lineno}"
        for path, tree in TREES.items()
        for joined in ast.walk(tree)
        if isinstance(joined, ast.JoinedStr)
        for call in ast.walk(joined)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in GETTEXT
    ]
    assert found == []
