"""One run's evidence as its page shows it: each output with what was read from it, the link matrix, the curve."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.localise import spoken
from gpucontract.measurements import evidence, raw
from gpucontract.measurements.models import Output, Run
from gpucontract.measurements.parsers.capture import Reading, restore
from gpucontract.web.charts import Chart, bandwidth_chart
from gpucontract.web.reading_words import without_twins
from gpucontract.wording import Text

SHOWN_CHARACTERS = 200_000
_AT_SIZE = re.compile(r"busbw_at_(\d+)_out_of_place")
_GPU = re.compile(r"^gpu(\d+)$")
_ABOUT = Text("{where}：{text}", "{where}: {text}")
_CLAUSE_OF_JOB = {"nccl_intra": "busbw_intra", "nccl_inter": "busbw_inter"}


@dataclass(frozen=True, slots=True)
class Matrix:
    """How GPUs see each other: one row per GPU, "" where nothing was read."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class OutputView:
    """One output. stdout is cut for the page; the raw file is whole."""

    place: int
    output: Output
    stdout: str
    stderr: str
    is_cut: bool
    readings: tuple[Reading, ...]
    findings: tuple[str, ...]
    error: str
    chart: Chart | None
    matrix: Matrix | None


def outputs_of(run: Run) -> list[OutputView]:
    """Every output of a delivered run. Raises EvidenceLost when the kept bytes are gone or altered."""
    delivery = run.delivery
    kept = {each.name: each for each in raw.read(evidence.read(delivery.evidence_id)).outputs}
    parse = run.parses.filter(parser_version=run.parsed_version).first()
    read = {each["name"]: each for each in parse.outputs} if parse else {}
    said: dict[str, list[str]] = {}
    for finding in run.findings.filter(parser_version=run.parsed_version):
        said.setdefault(finding.output, []).append(spoken(about(finding.scope, Text(**finding.text))))
    floor = floor_of(run)
    return [
        _view(place, output, kept[output.name], read.get(output.name, {}), said.get(output.name, []), floor)
        for place, output in enumerate(delivery.outputs.all(), 1)
    ]


def general_findings(run: Run) -> list[str]:
    """Remarks about the run as a whole."""
    found = run.findings.filter(parser_version=run.parsed_version, output="")
    return [spoken(about(finding.scope, Text(**finding.text))) for finding in found]


def about(scope: str, text: Text) -> Text:
    """A remark with what it is about before it, where its sentence does not name it: GPU 5, mlx5_0."""
    where = " / ".join(_GPU.sub(r"GPU \1", part) for part in scope.lstrip("@").rpartition(":")[2].split("+"))
    return text if not where or where in text.en else _ABOUT.fill(where=where, text=text)


def floor_of(run: Run) -> Decimal | None:
    """The contracted bandwidth that this run's group must reach, if there is one."""
    name = _CLAUSE_OF_JOB.get(run.job)
    clauses = run.revision.body().clauses if name else ()
    found = [each.value for each in clauses if each.code == run.group_code and each.name == name]
    return next((value for value in found if isinstance(value, Decimal)), None)


def _view(
    place: int, output: Output, kept: raw.RawOutput, read: Mapping[str, object], said: list[str], floor: Decimal | None
) -> OutputView:
    readings = without_twins(restore(each) for each in read.get("readings", ()))
    return OutputView(
        place=place, output=output, stdout=kept.stdout[:SHOWN_CHARACTERS], stderr=kept.stderr[:SHOWN_CHARACTERS],
        is_cut=len(kept.stdout) > SHOWN_CHARACTERS, readings=readings, findings=tuple(said),
        error=str(read.get("error", "")), chart=bandwidth_chart(curve(readings), floor), matrix=matrix_of(readings),
    )  # fmt: skip


def curve(readings: Iterable[Reading]) -> dict[int, Decimal]:
    """Bus bandwidth by message size, the out-of-place column."""
    found = {}
    for reading in readings:
        match = _AT_SIZE.fullmatch(reading.name)
        if match and isinstance(reading.value, Decimal | int):
            found[int(match[1])] = Decimal(reading.value)
    return found


def matrix_of(readings: Iterable[Reading]) -> Matrix | None:
    """The GPU-to-GPU part of the topology, if it was read."""
    links = {reading.scope: str(reading.value) for reading in readings if reading.name == "topo_link"}
    if not links:
        return None
    names = sorted({name for scope in links for name in scope.split("+")}, key=natural)
    rows = tuple((name, tuple(_link(links, name, other) for other in names)) for name in names)
    return Matrix(tuple(names), rows)


def _link(links: Mapping[str, str], first: str, second: str) -> str:
    if first == second:
        return "X"
    return links.get(f"{first}+{second}") or links.get(f"{second}+{first}", "")


def natural(name: str) -> tuple[str, int]:
    """A sorting key that puts gpu2 before gpu10."""
    digits = re.search(r"\d+$", name)
    return (name.rstrip("0123456789"), int(digits[0]) if digits else 0)
