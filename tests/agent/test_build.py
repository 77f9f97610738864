"""The one file a node gets: the same bytes each time, nothing but the standard library, Python 3.8's grammar."""

import ast
import io
import sys
import zipfile
from pathlib import Path

import pytest

from gpucontract.agent import build

SOURCES = sorted(Path(build.__file__).parent.glob("*.py"))
# What came after 3.8 and would only fail when it is reached on a node.
YOUNGER = {
    "removeprefix", "removesuffix", "randbytes", "bit_count", "cancel_futures", "is_relative_to", "readlink",
    "with_stem", "hardlink_to", "pairwise", "batched", "cache", "Self", "StrEnum", "UTC", "file_digest", "add_note",
}  # fmt: skip


def test_the_same_sources_give_the_same_bytes():
    assert build.archive() == build.archive()


def test_it_holds_the_agent_and_nothing_else_of_the_project():
    with zipfile.ZipFile(io.BytesIO(build.archive())) as package:
        names = package.namelist()
        times = {entry.date_time for entry in package.infolist()}
        assert package.read("gpucontract/__init__.py") == b""
    assert {name.rpartition("/")[0] for name in names} == {"", "gpucontract", "gpucontract/agent"}
    assert "gpucontract/agent/build.py" not in names
    assert times == {build.NO_TIME}


def test_it_can_be_run_as_it_is(program):
    assert program.read_bytes().startswith(b"#!/usr/bin/env python3\n")
    assert program.stat().st_mode & 0o111 == 0o111


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_a_module_stays_within_python_3_8(path):
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in node.names}
    assert (used | imported) & YOUNGER == set()
    assert not any(isinstance(node, ast.Match) for node in ast.walk(tree))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_annotations_are_never_evaluated(path):
    """list[str] and X | Y in an annotation are no matter then; at run time they would be errors in 3.8."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    annotated = any(isinstance(node, ast.FunctionDef | ast.AnnAssign) for node in ast.walk(tree))
    postponed = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
    assert postponed or not annotated


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_a_module_imports_the_standard_library_and_the_agent_alone(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    plain = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    named = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    foreign = {name for name in plain | named if name.split(".")[0] not in sys.stdlib_module_names}
    assert {name for name in foreign if not name.startswith("gpucontract.agent")} == set()
