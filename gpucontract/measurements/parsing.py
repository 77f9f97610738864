"""The parsing stage: read each delivered run with the parsers of today, keep what they said, note what does not fit."""

import logging
import time
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError, transaction
from django.utils import timezone

from gpucontract.measurements import claims, crosschecks, evidence, raw
from gpucontract.measurements.models import Delivery, Finding, Output, Parse, Run
from gpucontract.measurements.parsers import capture, registry

logger = logging.getLogger(__name__)

# Raise it whenever a parser or a cross-check changes: every delivered run is then read and judged again.
PARSER_VERSION = 14
BATCH = 50
LONGEST_SCOPE = 120
BUDGET_S = 20.0

Noted = tuple[str, capture.Finding]


@dataclass(frozen=True, slots=True)
class ReadOutput:
    """One output with what its parser made of it."""

    output: Output
    parsed: capture.Parsed


def parse_due(budget_s: float = BUDGET_S) -> int:
    """Parse every run that is due, as long as the budget lasts; the number of runs parsed."""
    deadline = time.monotonic() + budget_s
    parsed = 0
    while time.monotonic() < deadline:
        runs = claims.claim_to_parse(BATCH, PARSER_VERSION, timezone.now())
        if not runs:
            break
        parsed += sum(_try(run, delivery) for run, delivery in _deliveries(runs))
    return parsed


def _try(run: Run, delivery: Delivery) -> bool:
    """A run whose reading the database refuses is reported and due again after its lease; the others go on."""
    try:
        return _parse_run(run, delivery)
    except DatabaseError:
        logger.exception("what was read from run %s cannot be stored", run.uuid)
        return False


def _deliveries(runs: list[Run]) -> list[tuple[Run, Delivery]]:
    rows = Delivery.objects.filter(run__in=runs).select_related("run__lead").prefetch_related("outputs")
    found = {delivery.pk: delivery for delivery in rows}
    return [(run, found[run.pk]) for run in runs]


def _parse_run(run: Run, delivery: Delivery) -> bool:
    """Parse one claimed run; False when somebody else has taken it over. Lost bytes are an error of the run."""
    try:
        result = raw.read(evidence.read(delivery.evidence_id))
    except (evidence.EvidenceLost, raw.BadResult) as fault:
        logger.exception("run %s cannot be parsed", run.uuid)
        return _write(run, Parse(run=run, parser_version=PARSER_VERSION, error=f"evidence_lost: {fault}", errors=1), [])
    read = _read(delivery, result)
    readings = [reading for one in read for reading in one.parsed.readings]
    noted = [*crosschecks.of_delivery(delivery, result)]
    noted += [("", finding) for finding in crosschecks.of_readings(run, readings)]
    noted += [(one.output.name, finding) for one in read for finding in one.parsed.findings]
    copies = [(one.output, twin) for one in read for twin in _twins(one)]
    noted += [(output.name, crosschecks.copied(run, twin.delivery.run)) for output, twin in copies]
    if not _write(run, _parse(run, read), noted):
        return False
    _accuse(run, [twin for _, twin in copies])
    return True


def _read(delivery: Delivery, result: raw.RawResult) -> list[ReadOutput]:
    outputs = {output.name: output for output in result.outputs}
    return [ReadOutput(row, _parsed(outputs[row.name])) for row in delivery.outputs.all()]


def _parsed(output: raw.RawOutput) -> capture.Parsed:
    """What an output says; one that the agent cut says nothing, since a cut list looks like a shorter one."""
    if output.is_truncated:
        return capture.Parsed(error=f"output_truncated: cut at {len(output.stdout)} characters")
    return registry.read(output.capture)


def _twins(one: ReadOutput) -> list[Output]:
    readings = one.parsed.readings
    if not crosschecks.is_identifying(readings):
        return []
    return crosschecks.twins(one.output, timed=crosschecks.is_timed(readings))


def _parse(run: Run, read: list[ReadOutput]) -> Parse:
    outputs = [
        {
            "name": one.output.name,
            "readings": [reading.stored() for reading in one.parsed.readings],
            "error": one.parsed.error,
        }
        for one in read
    ]
    errors = sum(bool(one.parsed.error) for one in read)
    return Parse(run=run, parser_version=PARSER_VERSION, outputs=_storable(outputs), errors=errors)


def _write(run: Run, parse: Parse, noted: list[Noted]) -> bool:
    with transaction.atomic():
        if not claims.held([run]):
            return False
        parse.save(force_insert=True)
        Finding.objects.bulk_create(_findings(run, PARSER_VERSION, noted))
        Run.objects.filter(pk=run.pk).update(parsed_version=PARSER_VERSION, judged_version=0, due_at=None, lease="")
    return True


def _findings(run: Run, version: int, noted: list[Noted]) -> list[Finding]:
    rows = {
        (output, finding.code, finding.scope[:LONGEST_SCOPE]): Finding(
            run=run, parser_version=version, output=output, code=finding.code, scope=finding.scope[:LONGEST_SCOPE],
            text=_storable({"zh": finding.text.zh, "en": finding.text.en}),
        )
        for output, finding in noted
    }  # fmt: skip
    return list(rows.values())


def _accuse(run: Run, twins: list[Output]) -> None:
    """Note the copy on the other run too, when it was parsed before this one came; then it must be judged again."""
    for twin in twins:
        other = twin.delivery.run
        key = {"run": other, "parser_version": other.parsed_version, "output": twin.name, "code": "copied_output"}
        if not other.parsed_version or Finding.objects.filter(**key).exists():
            continue
        text = crosschecks.copied(other, run).text
        with transaction.atomic():
            Finding.objects.get_or_create(**key, scope="", defaults={"text": {"zh": text.zh, "en": text.en}})
            Run.objects.filter(pk=other.pk).update(judged_version=0)


def _storable(value: Any) -> Any:
    """PostgreSQL's JSON holds no NUL, and tools do print it."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {key: _storable(item) for key, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list | tuple) else value
