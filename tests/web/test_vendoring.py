"""The vendored browser files are the ones that were reviewed."""

import json
import subprocess
import sys

from django.conf import settings

ROOT = settings.BASE_DIR


def test_no_vendored_file_was_changed():
    result = subprocess.run([sys.executable, ROOT / "vendoring/copy.py", "--check"], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_versions_are_pinned_exactly_and_htmx_stays_on_two():
    versions = json.loads((ROOT / "vendoring/package.json").read_text())["dependencies"]
    assert versions["htmx.org"] == "2.0.11"
    assert all(version[0].isdigit() for version in versions.values())


def test_no_source_map_is_named_that_is_not_there():
    assert [
        p for p in (ROOT / "static/vendor").rglob("*") if p.is_file() and b"sourceMappingURL" in p.read_bytes()
    ] == []
