"""Which outputs several machines of a contract share although no two can: kept, and added to with each new run."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from django.db import transaction
from django.db.models import F, QuerySet

from gpucontract.contracts.models import Contract
from gpucontract.contracts.succession import amended_by
from gpucontract.measurements.history import records_of
from gpucontract.measurements.models import Run
from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts.admission import Mark, marks, shared
from gpucontract.verdicts.models import Likeness, Timing
from gpucontract.verdicts.rules import RULES_VERSION

# What machines measure by themselves or together; two of them never take the same times, nor have the same NICs.
TIMED_JOBS = ("nccl_intra", "nccl_inter", "gemm", "burn_in", "fabric")
ROWS_AT_ONCE = 500

_MARKS = msgspec.json.Decoder(tuple[tuple[str, frozenset[tuple[str, str]]], ...])


def likenesses(contract: Contract) -> dict[str, tuple[str, ...]]:
    """Mark -> slots that show it, with all runs parsed by now compared. Call it under the contract's judging lease."""
    _forget_outdated(contract)
    rows = _unknown(contract).values_list("uuid", "pk", "parsed_version")
    news = {str(uuid): (pk, version) for uuid, pk, version in rows}
    if news:
        _compare(contract, records_of(contract, only=_unknown(contract)), news)
    alike: dict[str, set[str]] = defaultdict(set)
    for mark, slots in Likeness.objects.filter(contract__in=_line(contract)).values_list("mark", "slots"):
        alike[mark].update(slots)
    return {mark: tuple(sorted(slots)) for mark, slots in alike.items()}


def _line(contract: Contract) -> list[Contract]:
    """The contract and those it amends, whose machines are its own."""
    return [contract, *amended_by(contract)]


def _timed(contract: Contract) -> QuerySet[Run]:
    return Run.objects.delivered().filter(contract=contract, parsed_version__gt=0, job__in=TIMED_JOBS)


def _unknown(contract: Contract) -> QuerySet[Run]:
    return _timed(contract).filter(timing=None)


def _forget_outdated(contract: Contract) -> None:
    """Begin anew where a run was parsed again since, or by newer rules: what seemed to be shared may not be."""
    made = _timed(contract).filter(timing__isnull=False)
    current = {"timing__parser_version": F("parsed_version"), "timing__rules_version": RULES_VERSION}
    if made.exclude(**current).exists():
        with transaction.atomic():
            Timing.objects.filter(contract=contract).delete()
            Likeness.objects.filter(contract=contract).delete()


def _compare(contract: Contract, records: Iterable[RunRecord], news: Mapping[str, tuple[int, int]]) -> None:
    """Compare these runs with all known ones and with each other, and keep what came out."""
    known = list(_known(contract))
    fresh = {record.id: (record.lead, list(marks([record]))) for record in records if record.id in news}
    found = shared([*known, *(mark for _, own in fresh.values() for mark in own)], len(known))
    rows = [_row(contract, news[ident], lead, own) for ident, (lead, own) in fresh.items()]
    kept = dict(Likeness.objects.filter(contract=contract, mark__in=found).values_list("mark", "slots"))
    with transaction.atomic():
        Timing.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE, ignore_conflicts=True)
        Likeness.objects.bulk_create(
            [
                Likeness(contract=contract, mark=mark, slots=sorted({*slots, *kept.get(mark, ())}))
                for mark, slots in found.items()
            ],
            batch_size=ROWS_AT_ONCE, update_conflicts=True, unique_fields=["contract", "mark"], update_fields=["slots"],
        )  # fmt: skip


def _known(contract: Contract) -> Iterable[Mark]:
    rows = Timing.objects.filter(contract__in=_line(contract)).order_by("pk").values_list("lead", "marks")
    for lead, text in rows.iterator():
        yield from (Mark(lead, mark, figures) for mark, figures in _MARKS.decode(text))


def _row(contract: Contract, run: tuple[int, int], lead: str, own: list[Mark]) -> Timing:
    document: list[Any] = [[each.mark, sorted(each.figures)] for each in own]
    return Timing(
        run_id=run[0], contract=contract, lead=lead, parser_version=run[1], rules_version=RULES_VERSION,
        marks=msgspec.json.encode(document).decode(),
    )  # fmt: skip
