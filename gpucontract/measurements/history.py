"""Delivered and parsed runs as the judge sees them, out of the tables."""

from collections.abc import Collection, Iterator, Mapping

from django.db.models import Prefetch, QuerySet, TextField
from django.db.models.functions import Cast

from gpucontract.contracts.models import Contract
from gpucontract.measurements.kept import KeptOutput, KeptReadings, decode
from gpucontract.measurements.models import Delivery, Finding, Output, Parse, Run, RunNode
from gpucontract.measurements.parsers import capture
from gpucontract.measurements.records import Origin, OutputRecord, RunRecord
from gpucontract.wording import Text


def records_of(
    contract: Contract,
    *,
    nodes: Collection[str] | None = None,
    jobs: Collection[str] | None = None,
    only: QuerySet[Run] | None = None,
) -> list[RunRecord]:
    """Every parsed run of a contract, or those on these slots, of these jobs or among only, by the newest parser."""
    runs = Run.objects.delivered().filter(contract=contract, parsed_version__gt=0)
    if jobs is not None:
        runs = runs.filter(job__in=jobs)
    if only is not None:
        runs = runs.filter(pk__in=only.values("pk"))
    if nodes is not None:
        runs = runs.filter(pk__in=RunNode.objects.filter(run__contract=contract, node__code__in=nodes).values("run"))
    return [_record(run) for run in runs.order_by("pk").prefetch_related(*_NEEDED)]


_NOT_PARSED = KeptOutput("", (), "not_parsed")
# The JSON as text: structs read it an order of magnitude faster than the field builds its dictionaries.
_PARSES = Parse.objects.defer("outputs").annotate(text=Cast("outputs", TextField()))
_NEEDED = (
    Prefetch("places", RunNode.objects.select_related("node").order_by("position")),
    Prefetch("delivery", Delivery.objects.only("run", "origin", "hostname", "received_at")),
    Prefetch("delivery__outputs", Output.objects.order_by("pk")),
    Prefetch("parses", _PARSES.order_by("-parser_version")),
    Prefetch("findings", Finding.objects.order_by("pk")),
)


def _record(run: Run) -> RunRecord:
    codes = tuple(place.node.code for place in run.places.all())
    parse = next(parse for parse in run.parses.all() if parse.parser_version == run.parsed_version)
    return RunRecord(
        id=str(run.uuid), job=run.job, group=run.group_code, nodes=codes, repeat=run.repeat, round=run.round,
        origin=Origin(run.delivery.origin), received_at=run.delivery.received_at, params=run.params,
        hostnames=_hostnames(run), outputs=tuple(_outputs(run, parse)), error=parse.error,
        ordered_at=run.ordered_at,
    )  # fmt: skip


def _hostnames(run: Run) -> Mapping[str, str]:
    """Names as they were then: the lead's as it answered, the others' as they were ordered."""
    places = run.places.all()
    ordered = run.params.get("hosts") or [place.node.hostname for place in places]
    names = {place.node.code: name for place, name in zip(places, ordered, strict=False) if name}
    return {**names, places[0].node.code: run.delivery.hostname}


def _outputs(run: Run, parse: Parse) -> Iterator[OutputRecord]:
    kept = decode(parse.text)  # type: ignore[attr-defined]
    read = {output.name: output for output in kept}
    findings = [finding for finding in run.findings.all() if finding.parser_version == parse.parser_version]
    for place, output in enumerate(run.delivery.outputs.all()):
        found = read.get(output.name, _NOT_PARSED)
        # A finding about the run as a whole rides on its first output, so that the judge meets it once.
        about = [one for one in findings if one.output == output.name or (place == 0 and not one.output)]
        yield OutputRecord(
            name=output.name, tool=output.tool, command=output.command, sha256=output.sha256,
            exit_status=output.exit_code, env=output.env, readings=KeptReadings(found.readings),
            findings=tuple(capture.Finding(one.code, Text(**one.text), one.scope) for one in about),
            error=found.error, started_at=output.started_at, ended_at=output.ended_at,
        )  # fmt: skip
