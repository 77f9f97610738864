"""read_evidence: what the parsers read from tool outputs on disk, one JSON object a line."""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.registry import read

# These names were coined by tools that print True and False; all other yes-or-no readings print yes and no.
PRINTED_AS_PYTHON = frozenset({"cuda_available"})
BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
COLUMNS = ("file", "tool", "command_line")


class Command(BaseCommand):
    """Reads every file an index names; no database is touched."""

    help = "Print the readings of the tool outputs that a CSV index lists (columns: file, tool, command_line)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """The index; files are looked for beside it."""
        parser.add_argument("--index", type=Path, required=True, help="CSV with columns file, tool, command_line")

    def handle(self, *args: Any, **options: Any) -> None:
        """One line per row of the index, in its order."""
        index: Path = options["index"]
        for row in _rows(index):
            self.stdout.write(json.dumps(outcome(row["file"], _read(index, row)), ensure_ascii=False))


def outcome(file: str, parsed: Parsed) -> dict[str, Any]:
    """The flat form of one reading result: whole-output readings by name, scoped ones as name_scope."""
    readings: dict[str, dict[str, str | None]] = {}
    for reading in parsed.readings:
        for name in _names(reading):
            readings.setdefault(name, _entry(reading))
    findings = [f"{finding.code}: {finding.text.en}" for finding in parsed.findings]
    return {"file": file, "readings": readings, "error": parsed.error or None, "findings": findings}


def _names(reading: Reading) -> Iterator[str]:
    if not reading.scope:
        yield reading.name
        return
    yield f"{reading.name}_{reading.scope}"
    if reading.scope.startswith("gpu") and reading.scope[3:].isdigit():
        yield f"{reading.name}_row{int(reading.scope[3:]) + 1}"


def _entry(reading: Reading) -> dict[str, str | None]:
    if reading.value is None:
        return {"value": None, "reason": reading.why}
    return {"value": _printed(reading), "unit": reading.unit}


def _printed(reading: Reading) -> str:
    value = reading.value
    if isinstance(value, bool):
        return str(value) if reading.name in PRINTED_AS_PYTHON else "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(value)
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _rows(index: Path) -> Iterator[Mapping[str, str]]:
    try:
        lines = index.read_text(encoding="utf-8-sig").splitlines(keepends=True)
    except OSError as problem:
        raise CommandError(f"the index {index} cannot be read: {problem.strerror}") from problem
    rows = csv.DictReader(lines)
    missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise CommandError(f"the index {index} has no column {', '.join(missing)}; it needs {', '.join(COLUMNS)}")
    yield from rows


def _read(index: Path, row: Mapping[str, str]) -> Parsed:
    try:
        printed = (index.parent / row["file"]).read_bytes()
    except OSError as problem:
        raise CommandError(f"{row['file']}, named by {index}, cannot be read: {problem.strerror}") from problem
    return read(Capture(row["tool"], row["command_line"], _text(printed)))


def _text(printed: bytes) -> str:
    encoding = next((name for mark, name in BYTE_ORDER_MARKS if printed.startswith(mark)), "utf-8")
    return printed.decode(encoding, errors="replace")
