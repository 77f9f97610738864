"""docs/readings.md names every reading that any sample gives, with its unit and scope."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpucontract.measurements.parsers.capture import Capture, Reading
from gpucontract.measurements.parsers.registry import read
from tests.parsers.gpu_outputs import GPU_SAMPLES
from tests.parsers.host_outputs import GOOD, sample

PAGE = Path(__file__).parents[2] / "docs" / "readings.md"
ROW = re.compile(r"^\| (`.*?`) \| (.*?) \| (.*?) \| .*? \| .*? ?\|$", re.MULTILINE)
SCOPES = (
    (r"", "whole"),
    (r"gpu[0-9]+", "gpu"),
    (r"gpu[0-9]+\+gpu[0-9]+", "pair"),
    (r"gpu[0-9]+\+.+", "gpu+nic"),
    (r"@.+", "host"),
    (r"port:.+", "port"),
    (r"disk:.+", "disk"),
    (r"mount:.+", "mount"),
)


def _documented() -> list[tuple[re.Pattern[str], set[str], set[str]]]:
    """Name pattern, units and scopes of every reading on the page."""
    rows = []
    for names, units, scopes in ROW.findall(PAGE.read_text(encoding="utf-8")):
        for name in re.findall("`(.+?)`", names):
            pattern = re.compile("[a-zA-Z0-9_]+?".join(re.escape(part) for part in re.split("<[a-z]+>", name)))
            rows.append((pattern, set(units.split(", ")), set(scopes.split(", "))))
    return rows


DOCUMENTED = _documented()


@pytest.mark.parametrize("name", sorted(GOOD | GPU_SAMPLES))
def test_every_reading_of_a_sample_is_documented(name):
    tool, command = (GOOD | GPU_SAMPLES)[name]
    undocumented = [
        reading for reading in read(Capture(tool, command, sample(name))).readings if not _is_known(reading)
    ]
    assert undocumented == []


def _is_known(reading: Reading) -> bool:
    kind = next(kind for form, kind in SCOPES if re.fullmatch(form, reading.scope))
    named = [(units, scopes) for pattern, units, scopes in DOCUMENTED if pattern.fullmatch(reading.name)]
    return any(kind in scopes and (reading.value is None or reading.unit in units) for units, scopes in named)


def test_no_reading_is_documented_twice():
    names = [name for row in ROW.findall(PAGE.read_text(encoding="utf-8")) for name in re.findall("`(.+?)`", row[0])]
    assert sorted(names) == sorted(set(names))
